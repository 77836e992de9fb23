#include "aggregator/commands/common/foreground_child.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

volatile std::sig_atomic_t child_to_tell = 0;
volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int /*signal*/) {
  interrupted = 1;
}

void pass_on(int signal) {
  ::kill(static_cast<pid_t>(child_to_tell), signal);
}

/// The signals that a terminal and others end a command by, waiting until they can be handled: a
/// child that has begun may send one before this process knows the child.
class WaitingSignals {
 public:
  WaitingSignals() {
    sigset_t ours{};
    sigemptyset(&ours);
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM}) sigaddset(&ours, signal);
    ::sigprocmask(SIG_BLOCK, &ours, &before_);
  }
  WaitingSignals(const WaitingSignals&) = delete;
  WaitingSignals& operator=(const WaitingSignals&) = delete;
  ~WaitingSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  // Those of the child wait no longer than they did before.
  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

pid_t started(const std::vector<std::string>& command, const sigset_t& signals) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int failure =
      ::posix_spawnp(&child, argv.front(), nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw SystemError("start", command.front(), failure);
  return child;
}

}  // namespace

int run_in_foreground(const std::vector<std::string>& command) {
  pid_t child = -1;
  {
    const WaitingSignals signals;
    child = started(command, signals.before());
    child_to_tell = child;
    std::signal(SIGINT, note_interrupt);
    std::signal(SIGQUIT, SIG_IGN);
    std::signal(SIGTERM, pass_on);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw SystemError("wait for", command.front(), errno);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool was_interrupted() {
  return interrupted != 0;
}

}  // namespace huddle::cli
