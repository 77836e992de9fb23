#include "spank_plugin/preload/chooser_start.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>

namespace huddle::preload {
namespace {

constexpr std::string_view kProgram = "huddle_chooser";
// Programs, and shells above all, use low numbers for their own files without looking.
constexpr int kLeastDescriptor = 100;
// It may take a while, where the rank leaves it no processor of its own.
constexpr int kNiceness = 10;

bool is_program(const char* path) {
  struct stat status {};
  return ::stat(path, &status) == 0 && S_ISREG(status.st_mode) && ::access(path, X_OK) == 0;
}

bool find_chooser(std::string_view recorder, std::array<char, PATH_MAX>& path) {
  const std::size_t slash = recorder.rfind('/');
  if (slash == std::string_view::npos || slash + 1 + kProgram.size() + 1 > path.size())
    return false;
  std::memcpy(path.data(), recorder.data(), slash + 1);
  std::memcpy(path.data() + slash + 1, kProgram.data(), kProgram.size());
  path[slash + 1 + kProgram.size()] = '\0';
  return is_program(path.data());
}

// Without what libraries do around fork(), and without a signal at its end: the process may share
// the memory of another one that waits in vfork().
pid_t copy_of_this_process() {
  return static_cast<pid_t>(::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool close_from(unsigned first) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, first, ~0U, 0U) == 0) return true;
#endif
  struct rlimit limit {};
  constexpr rlim_t kMost = 65536;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > kMost) return false;
  for (unsigned descriptor = first; descriptor < limit.rlim_cur; ++descriptor)
    ::close(static_cast<int>(descriptor));
  return true;
}

// In the process that is to be the chooser. It holds none of the step's output open, which would
// not end before it.
[[noreturn]] void become_chooser(const char* path, const char* order, int connection) {
  reset_signals();
  const int nothing = ::open("/dev/null", O_RDWR);
  if (nothing >= 0 && ::dup2(connection, STDIN_FILENO) == STDIN_FILENO &&
      ::dup2(nothing, STDOUT_FILENO) == STDOUT_FILENO &&
      ::dup2(nothing, STDERR_FILENO) == STDERR_FILENO && close_from(STDERR_FILENO + 1) &&
      ::chdir("/") == 0) {
    ::setpriority(PRIO_PROCESS, 0, kNiceness);
    const std::array<const char*, 3> words = {path, order, nullptr};
    const std::array<const char*, 1> no_environment = {nullptr};
    ::syscall(SYS_execve, path, words.data(), no_environment.data());
  }
  ::_exit(127);
}

void close_both(const std::array<int, 2>& ends) {
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace

StartedChooser start_chooser(std::string_view recorder, const char* order) noexcept {
  std::array<char, PATH_MAX> path{};
  if (order == nullptr || !find_chooser(recorder, path)) return {};
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  StartedChooser chooser{::fcntl(ends[0], F_DUPFD, kLeastDescriptor)};
  const pid_t first = chooser.connection < 0 ? -1 : copy_of_this_process();
  if (first == 0) {
    ::setsid();
    const pid_t second = copy_of_this_process();
    if (second == 0) become_chooser(path.data(), order, ends[1]);
    ::_exit(second < 0 ? 1 : 0);
  }
  int status = 1;
  pid_t ended = first;
  do {  // a signal's handler may come in between
    if (first > 0) ended = ::waitpid(first, &status, __WALL);
  } while (ended < 0 && errno == EINTR && first > 0);
  const bool started = first > 0 && ended == first && status == 0;
  close_both(ends);
  if (started) return chooser;
  if (chooser.connection >= 0) ::close(chooser.connection);
  return {};
}

void write_connection(StartedChooser chooser, std::span<char, kRoomForChooser> text) noexcept {
  struct stat status {};
  char* const begin = text.data();
  char* const end = begin + text.size() - 1;
  if (chooser.connection >= 0 && ::fstat(chooser.connection, &status) == 0) {
    const auto number = std::to_chars(begin, end - 1, chooser.connection);
    *number.ptr = ':';
    const auto inode = std::to_chars(number.ptr + 1, end, status.st_ino);
    *inode.ptr = '\0';
    if (number.ec == std::errc() && inode.ec == std::errc()) return;
  }
  std::memcpy(begin, kNoChooser.data(), kNoChooser.size());
  begin[kNoChooser.size()] = '\0';
}

}  // namespace huddle::preload
