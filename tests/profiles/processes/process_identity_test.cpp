#include "profiles/processes/process_identity.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace huddle::processes {
namespace {

TEST_CASE("this process is alive, and another one with its number is not it") {
  const ProcessIdentity own = own_identity();
  CHECK(own.pid == static_cast<std::uint32_t>(::getpid()));
  CHECK(is_alive(own));
  CHECK_FALSE(is_alive({own.pid, own.started + 1}));
}

TEST_CASE("a process's identity fits into a word") {
  const ProcessIdentity process{4711, 123456789012};
  CHECK(word_of(process) == "4711.123456789012");
  CHECK(identity_in(word_of(process)) == process);
  for (const char* other : {"", "4711", "4711.", ".1", "4711.1x", "-1.1", "4711.1.1"})
    CHECK_FALSE(identity_in(other));
}

TEST_CASE("a killed process is dead, also before its parent has noticed") {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const auto identity = identity_of(static_cast<std::uint32_t>(child));
  REQUIRE(identity.has_value());
  CHECK(is_alive(*identity));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  CHECK_FALSE(is_alive(*identity));
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(is_alive(*identity));
}

TEST_CASE("the kernel names the time since the machine was started") {
  CHECK(boot_id().size() == 36);
  CHECK(boot_id() == boot_id());
}

}  // namespace
}  // namespace huddle::processes
