#include "profiles/executables/preload_refusal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

#include "profiles/executables/elf_program.hpp"

namespace huddle::executables {
namespace {

// Programs that start others inside of a container. The recorder in such a program's environment
// would be looked for among the container's files.
constexpr std::array<std::string_view, 18> kContainerPrograms = {
    "apptainer", "singularity", "run-singularity", "podman", "podman-hpc",     "docker",
    "nerdctl",   "ch-run",      "shifter",         "enroot", "sarus",          "crun",
    "runc",      "udocker",     "proot",           "bwrap",  "systemd-nspawn", "chroot"};

// As the kernel: a script's interpreter may be a script.
constexpr int kMostScripts = 5;

class File {
 public:
  explicit File(const char* path) noexcept
      : descriptor_(::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

// True if the loader takes it for a program with more rights than its user's.
bool is_privileged(int file, const struct stat& facts) noexcept {
  const bool other_user = (facts.st_mode & S_ISUID) != 0;
  const bool other_group = (facts.st_mode & S_ISGID) != 0 && (facts.st_mode & S_IXGRP) != 0;
  return other_user || other_group || ::fgetxattr(file, "security.capability", nullptr, 0) > 0;
}

bool is_of_glibc(std::string_view loader) noexcept {
  return loader.starts_with("ld-linux") || loader.starts_with("ld64.so") ||
         loader.starts_with("ld.so");
}

PreloadRefusal refusal_of_elf(const ElfProgram& program, const char* library) noexcept {
  if (program.kind == ElfProgram::Kind::kBroken) return PreloadRefusal::kBroken;
  const File file(library);
  const ElfProgram ours = read_elf_program(file.descriptor());
  if (program.machine != ours.machine || program.word_size != ours.word_size ||
      program.byte_order != ours.byte_order)
    return PreloadRefusal::kOtherMachine;
  if (program.loader_name().empty()) return PreloadRefusal::kStatic;
  if (!is_of_glibc(program.loader_name())) return PreloadRefusal::kOtherLoader;
  return program.sanitizer ? PreloadRefusal::kSanitizer : PreloadRefusal::kNone;
}

// The interpreter of a script; false if `file` is no script, or names none that fits.
bool interpreter_of(int file, std::span<char> interpreter) noexcept {
  std::array<char, 256> line{};
  const ssize_t size = ::pread(file, line.data(), line.size() - 1, 0);
  std::string_view text(line.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (!text.starts_with("#!")) return false;
  text.remove_prefix(2);
  text = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  text = text.substr(0, text.find_first_of(" \t\r"));
  if (text.empty() || text.size() >= interpreter.size()) return false;
  interpreter[text.copy(interpreter.data(), text.size())] = '\0';
  return true;
}

std::string_view name_in(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

PreloadRefusal refusal(const char* program, const char* library, int scripts) noexcept {
  if (starts_container(program)) return PreloadRefusal::kContainer;
  struct stat facts {};
  if (::stat(program, &facts) != 0 || !S_ISREG(facts.st_mode)) return PreloadRefusal::kUnreadable;
  const File file(program);  // no device, which opening might set to work
  if (file.descriptor() < 0) return PreloadRefusal::kUnreadable;
  if (is_privileged(file.descriptor(), facts)) return PreloadRefusal::kPrivileged;
  const ElfProgram elf = read_elf_program(file.descriptor());
  if (elf.kind != ElfProgram::Kind::kOther) return refusal_of_elf(elf, library);
  if (scripts == kMostScripts) return PreloadRefusal::kBroken;
  std::array<char, 256> interpreter{};
  // The shell runs a file that is neither, as execvp() and shells have it.
  const char* runs =
      interpreter_of(file.descriptor(), interpreter) ? interpreter.data() : "/bin/sh";
  return refusal(runs, library, scripts + 1);
}

bool is_program(const char* path) noexcept {
  struct stat facts {};
  return ::stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && ::access(path, X_OK) == 0;
}

bool join(std::string_view folder, std::string_view name, std::span<char> path) noexcept {
  const std::size_t slash = folder.empty() ? 0 : 1;
  if (folder.size() + slash + name.size() >= path.size()) return false;
  char* end = path.data() + folder.copy(path.data(), folder.size());
  if (slash != 0) *end++ = '/';
  end += name.copy(end, name.size());
  *end = '\0';
  return true;
}

}  // namespace

std::string_view reason_of(PreloadRefusal refusal) {
  switch (refusal) {
    case PreloadRefusal::kNone:
      return "may get it";
    case PreloadRefusal::kUnreadable:
      return "can't be read";
    case PreloadRefusal::kPrivileged:
      return "is set-uid or set-gid, or has capabilities";
    case PreloadRefusal::kBroken:
      return "is neither a script nor a program for this machine";
    case PreloadRefusal::kOtherMachine:
      return "is for another kind of machine";
    case PreloadRefusal::kStatic:
      return "is linked statically";
    case PreloadRefusal::kOtherLoader:
      return "uses another C library than glibc";
    case PreloadRefusal::kSanitizer:
      return "has a sanitizer";
    case PreloadRefusal::kContainer:
      return "starts a container, in which the recorder has to be asked for (see huddle-record(1))";
  }
  return "is of an unknown kind";
}

PreloadRefusal refusal_of(const char* program, const char* library) noexcept {
  return refusal(program, library, 0);
}

bool starts_container(std::string_view program) noexcept {
  return std::find(kContainerPrograms.begin(), kContainerPrograms.end(), name_in(program)) !=
         kContainerPrograms.end();
}

bool asks_for_recorder(std::string_view word) noexcept {
  constexpr std::string_view kRecorders = "libhuddle_recorder";
  const std::size_t preloaded = word.find("LD_PRELOAD=");
  return preloaded != std::string_view::npos &&
         word.find(kRecorders, preloaded) != std::string_view::npos;
}

bool holds_sanitizer_runtime(std::string_view preloaded) noexcept {
  while (!preloaded.empty()) {
    const std::size_t length = std::min(preloaded.find_first_of(" :"), preloaded.size());
    if (is_sanitizer_runtime(preloaded.substr(0, length))) return true;
    preloaded.remove_prefix(std::min(length + 1, preloaded.size()));
  }
  return false;
}

bool find_program(std::string_view command, std::string_view path, std::span<char> found) noexcept {
  if (command.empty()) return false;
  if (command.find('/') != std::string_view::npos) return join({}, command, found);
  for (bool last = false; !last;) {
    const std::size_t length = std::min(path.find(':'), path.size());
    last = length == path.size();
    const std::string_view folder = path.substr(0, length);
    if (join(folder.empty() ? "." : folder, command, found) && is_program(found.data()))
      return true;
    path.remove_prefix(std::min(length + 1, path.size()));
  }
  return false;
}

}  // namespace huddle::executables
