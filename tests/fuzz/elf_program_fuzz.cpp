#include "profiles/executables/elf_program.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "profiles/executables/preload_refusal.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any file is judged: as a program, and as what it is to be preloaded with. The interpreter that a
/// script names is opened, and no more.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  static const int file = ::memfd_create("program", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  demand(::ftruncate(file, 0) == 0);
  demand(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  const executables::ElfProgram program = executables::read_elf_program(file);
  demand(program.loader.back() == '\0');
  demand(program.loader_name().find('/') == std::string_view::npos);
  demand(program.kind != executables::ElfProgram::Kind::kOther || !program.sanitizer);
  const executables::PreloadRefusal refusal =
      executables::refusal_of(path.c_str(), "/proc/self/exe");
  demand(!reason_of(refusal).empty());
  if (program.sanitizer) demand(refusal != executables::PreloadRefusal::kNone);
  if (program.kind == executables::ElfProgram::Kind::kBroken)
    demand(refusal == executables::PreloadRefusal::kBroken);
  demand(executables::refusal_of("/proc/self/exe", path.c_str()) !=
         executables::PreloadRefusal::kUnreadable);
  return 0;
}
