#include "profiles/processes/end_process.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace huddle::processes {
namespace {

TEST_CASE("a process is killed by its number and start, also while it is stopped") {
  for (const bool stopped : {false, true}) {
    CAPTURE(stopped);
    const pid_t child = ::fork();
    if (child == 0)
      for (;;) ::pause();
    const auto identity = identity_of(static_cast<std::uint32_t>(child));
    REQUIRE(identity);
    if (stopped) {
      ::kill(child, SIGSTOP);
      ::waitpid(child, nullptr, WUNTRACED);
    }
    CHECK(end_process({identity->pid, identity->started + 1}));  // gone, so is said
    CHECK(is_alive(*identity));
    CHECK(end_process(*identity));
    CHECK_FALSE(is_alive(*identity));
    CHECK(end_process(*identity));
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WTERMSIG(status) == SIGKILL);
  }
}

}  // namespace
}  // namespace huddle::processes
