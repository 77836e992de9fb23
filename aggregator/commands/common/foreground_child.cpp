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

}  // namespace

int run_in_foreground(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int failure = ::posix_spawnp(&child, argv.front(), nullptr, nullptr, argv.data(), environ);
  if (failure != 0) throw SystemError("start", command.front(), failure);
  child_to_tell = child;
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGQUIT, SIG_IGN);
  std::signal(SIGTERM, pass_on);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw SystemError("wait for", command.front(), errno);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool was_interrupted() {
  return interrupted != 0;
}

}  // namespace huddle::cli
