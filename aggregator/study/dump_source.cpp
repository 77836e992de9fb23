#include "aggregator/study/dump_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "profiles/vocabulary/error.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace huddle::study {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;

struct Packer {
  std::string_view beginning;
  const char* program;
};

// The first bytes of what these programs write.
constexpr std::array<Packer, 4> kPackers = {{{"\x1f\x8b", "gzip"},
                                             {"\x28\xb5\x2f\xfd", "zstd"},
                                             {"\xfd"
                                              "7zXZ",
                                              "xz"},
                                             {"BZh", "bzip2"}}};

std::size_t read_some(int descriptor, char* to, std::size_t most, const std::string& name) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw SystemError("read", name, errno);
  }
}

}  // namespace

DumpSource::DumpSource(const std::string& file)
    : name_(file == "-" ? "the standard input" : file), buffer_(kPiece, '\0') {
  input_ = files::OwnedDescriptor(file == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                              : ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input_.valid()) throw SystemError("open", name_, errno);
  struct stat status = {};
  if (::fstat(input_.number(), &status) != 0) throw SystemError("look at", name_, errno);
  while (looked_at_ < 8) {
    const std::size_t got =
        read_some(input_.number(), buffer_.data() + looked_at_, kPiece - looked_at_, name_);
    if (got == 0) break;
    looked_at_ += got;
  }
  const std::string_view beginning = std::string_view(buffer_).substr(0, looked_at_);
  for (const Packer& packer : kPackers) {
    if (beginning.starts_with(packer.beginning)) {
      unpack_with(packer.program);
      return;
    }
  }
  if (S_ISREG(status.st_mode) && file != "-") size_ = static_cast<std::uint64_t>(status.st_size);
}

DumpSource::~DumpSource() {
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void DumpSource::unpack_with(const std::string& program) {
  if (::lseek(input_.number(), 0, SEEK_SET) != 0)
    throw Error(
        fmt::format("{} is compressed: expected text, as {} -dc prints it", name_, program));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
  files::OwnedDescriptor output(ends[0]);
  const files::OwnedDescriptor childs(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input_.number(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, childs.number(), STDOUT_FILENO);
  std::string name = program;
  std::string option = "-dc";
  char* const argv[] = {name.data(), option.data(), nullptr};
  const int failure = ::posix_spawnp(&child_, name.c_str(), &actions, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    child_ = -1;
    throw SystemError("start", program + ", which unpacks " + name_, failure);
  }
  program_ = program;
  input_ = std::move(output);
  looked_at_ = 0;
}

std::string_view DumpSource::next() {
  if (const std::size_t first = std::exchange(looked_at_, 0); first > 0)
    return std::string_view(buffer_).substr(0, first);
  const std::size_t got = read_some(input_.number(), buffer_.data(), kPiece, name_);
  if (got == 0 && child_ > 0) wait_for_program();
  return std::string_view(buffer_).substr(0, got);
}

void DumpSource::wait_for_program() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0)
    if (errno != EINTR) throw SystemError("wait for", program_, errno);
  child_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(fmt::format("{} could not be unpacked: {} failed", name_, program_));
}

}  // namespace huddle::study
