#include "profiles/processes/separate_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle::processes {
namespace {

using Clock = std::chrono::steady_clock;

// Bytes that the process writes: one when it begins and another one for how it ended, before a
// text.
constexpr char kBegan = 'b';
constexpr char kReturned = 'r';
constexpr char kThrew = 't';

// Within that a process begins, however busy the machine is: file systems have no part in it.
constexpr std::chrono::seconds kMostToBegin{10};

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void close_from(int first) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
#endif
  const long most = ::sysconf(_SC_OPEN_MAX);
  for (int descriptor = first; descriptor < (most > 0 ? most : 1024); ++descriptor)
    ::close(descriptor);
}

// The answer's pipe becomes this descriptor, all others are closed.
constexpr int kAnswer = 3;

void keep_only(int answer) {
  if (answer != kAnswer) ::dup2(answer, kAnswer);
  close_from(kAnswer + 1);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) ::dup2(nothing, stream);
  if (nothing > kAnswer) ::close(nothing);
}

[[noreturn]] void answer(const std::function<std::string()>& work, int descriptor) {
  std::string text;
  try {
    ::setsid();
    ::signal(SIGPIPE, SIG_IGN);  // nobody may be listening any more
    keep_only(descriptor);
    write_all(kAnswer, std::string_view(&kBegan, 1));
    text = kReturned + work();
  } catch (const std::exception& error) {
    text = kThrew + std::string(error.what());
  } catch (...) {
    text = kThrew + std::string("an unknown error");
  }
  write_all(kAnswer, text);
  ::_exit(0);
}

// A grandchild belongs to nobody here: this process need not wait for it.
void start(const std::function<std::string()>& work, int descriptor) {
  const pid_t child = ::fork();
  if (child < 0) throw SystemError("start", "a process", errno);
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) answer(work, descriptor);
    ::_exit(0);
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// False if the stream has not ended `limit` after its first byte. Whoever waits may be late itself:
// what is there by then is read all the same.
bool read_within(int descriptor, std::chrono::milliseconds limit, std::string& text) {
  std::array<char, 65536> buffer{};
  Clock::time_point deadline = Clock::now() + kMostToBegin;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd entry{descriptor, POLLIN, 0};
    const int ready =
        ::poll(&entry, 1, static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count()));
    if (ready == 0) return false;
    if (ready < 0) continue;
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got > 0 && text.empty()) deadline = Clock::now() + limit;
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::optional<std::string> in_separate_process(const std::function<std::string()>& work,
                                               std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
  std::string text;
  bool ended = false;
  try {
    start(work, ends[1]);
    ::close(ends[1]);
    ended = read_within(ends[0], limit, text);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[0]);
  if (!ended) return std::nullopt;
  if (text.size() < 2) throw Error("a process that was to do a part of the work died");
  if (text[1] == kThrew) throw Error(text.substr(2));
  return text.substr(2);
}

}  // namespace huddle::processes
