#include "aggregator/operations/launch/watched_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;
volatile std::sig_atomic_t child_to_tell = 0;

void note(int /*signal*/) {
  asked_to_stop = 1;
}

void hand_on(int signal) {
  asked_to_stop = 1;
  ::kill(static_cast<pid_t>(child_to_tell), signal);
}

/// What the child's standard streams are.
class Streams {
 public:
  Streams(int output, int errors) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    if (errors != STDERR_FILENO)
      ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
  }
  ~Streams() { ::posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Returns an errno value.
  int spawn(const std::vector<std::string>& command, pid_t& child) const {
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    return ::posix_spawnp(&child, argv.front(), &actions_, nullptr, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Our own answer to being asked to stop, until the child has ended.
class Signals {
 public:
  explicit Signals(pid_t child) {
    asked_to_stop = 0;
    child_to_tell = child;
    before_interrupt_ = std::signal(SIGINT, note);
    before_end_ = std::signal(SIGTERM, hand_on);
  }
  ~Signals() {
    std::signal(SIGINT, before_interrupt_);
    std::signal(SIGTERM, before_end_);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  void (*before_interrupt_)(int) = nullptr;
  void (*before_end_)(int) = nullptr;
};

int status_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ChildEnd run_watched(const std::vector<std::string>& command, const std::function<void()>& look) {
  pid_t child = -1;
  const int failure = Streams(STDERR_FILENO, STDERR_FILENO).spawn(command, child);
  if (failure != 0) throw SystemError("start", command.front(), failure);
  const Signals signals(child);
  int status = 0;
  for (int turn = 0;; ++turn) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) throw SystemError("wait for", command.front(), errno);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (turn % 10 == 9) look();
  }
  return {status_of(status), asked_to_stop != 0};
}

std::string output_of(const std::vector<std::string>& command, std::size_t limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("make", "a pipe", errno);
  pid_t child = -1;
  const int failure = Streams(ends[1], ends[1]).spawn(command, child);
  ::close(ends[1]);
  std::string output;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; failure == 0 && (got = ::read(ends[0], piece.data(), piece.size())) > 0;)
    if (output.size() < limit) output.append(piece.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  while (failure == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return output;
}

}  // namespace huddle
