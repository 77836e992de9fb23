#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "aggregator/waitstates/sources/elf_links.hpp"
#include "aggregator/waitstates/sources/function_places.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any file may be given as the traced program: what it says of functions, of its debug information
/// and of libraries must be harmless. (libdw itself is not instrumented.)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  static const int file = ::memfd_create("program", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  demand(::ftruncate(file, 0) == 0);
  demand(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  const std::set<std::string> names = {"main", "MAIN", "f", "sample::Solver::step(int)"};
  for (const auto& [name, place] : function_places(path, names, "/nowhere")) {
    demand(names.contains(name));
    demand(place.line > 0 && !place.file.empty());
  }
  demand(libraries_of_program(path).size() <= 100);
  return 0;
}
