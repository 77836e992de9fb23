#include "profiles/processes/child_process.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "profiles/vocabulary/error.hpp"

namespace huddle::processes {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLong = 60s;

ChildResult shell(const std::string& script, std::chrono::milliseconds limit = kLong,
                  std::size_t output_limit = 1U << 20U) {
  return run_child({"/bin/sh", "-c", script}, limit, {}, output_limit);
}

// A killed process may stay a zombie until its new parent looks after it.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat;
  if (!std::getline(file, stat)) return false;
  return stat.substr(stat.rfind(')') + 2, 1) != "Z";
}

bool ends_soon(pid_t process) {
  for (int i = 0; i < 200 && runs(process); ++i) std::this_thread::sleep_for(10ms);
  return !runs(process);
}

bool no_child_left() {
  return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(
      std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

TEST_CASE("a child's status and both its streams come back") {
  const ChildResult result = shell("echo out; echo err >&2; exit 7");
  CHECK(result.status == 7);
  CHECK_FALSE(result.timed_out);
  CHECK(result.output == "out\n");
  CHECK(result.errors == "err\n");
  CHECK(no_child_left());
}

ChildResult fed(const std::string& script, const std::string& input) {
  return run_child({"/bin/sh", "-c", script}, kLong, input);
}

TEST_CASE("what a child is given is its standard input, and ends") {
  CHECK(fed("cat", "a line\nand a rest").output == "a line\nand a rest");
  const std::string large(60000, 'x');
  CHECK(fed("cat", large).output == large);
  CHECK(no_child_left());
}

TEST_CASE("a child that reads nothing of its input, or ends at once, harms nobody") {
  const std::size_t before = open_descriptors();
  CHECK(fed("exit 3", std::string(60000, 'x')).status == 3);
  CHECK(fed("exec <&-; echo done", "a line").output == "done\n");
  CHECK(run_child({"/bin/sh", "-c", "sleep 300"}, 100ms, "a line").timed_out);
  CHECK(open_descriptors() == before);
  CHECK(no_child_left());
}

TEST_CASE("an input that no pipe holds is refused before a child is started") {
  CHECK_THROWS_AS(fed("cat", std::string(2U << 20U, 'x')), SystemError);
  CHECK(no_child_left());
}

TEST_CASE("a child gets its input also where this process has closed its own standard streams") {
  const pid_t process = ::fork();
  if (process == 0) {
    for (const int stream : {0, 1, 2}) ::close(stream);
    const ChildResult result = fed("cat; echo err >&2", "a line");
    ::_exit(result.output == "a line" && result.errors == "err\n" ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(process, &status, 0) == process);
  CHECK(status == 0);
}

TEST_CASE("arguments reach the child as they are") {
  const ChildResult result =
      run_child({"/usr/bin/printf", "%s|", "a b", "", "$HOME", "\"'"}, kLong);
  CHECK(result.status == 0);
  CHECK(result.output == "a b||$HOME|\"'|");
}

TEST_CASE("a child that a signal ended has 128 and the signal for status") {
  CHECK(shell("kill -KILL $$").status == 128 + SIGKILL);
  CHECK(shell("kill -TERM $$").status == 128 + SIGTERM);
  CHECK_FALSE(shell("kill -TERM $$").timed_out);
}

TEST_CASE("a program that is not there, or is none, is an error that names it") {
  for (const char* program : {"/no/such/program", "/etc/passwd", "/tmp", ""}) {
    CAPTURE(program);
    std::string error;
    try {
      run_child({program}, kLong);
    } catch (const SystemError& thrown) {
      error = thrown.what();
    }
    CHECK(error.starts_with(std::string("can't start ") + program + ": "));
  }
  CHECK(no_child_left());
}

TEST_CASE("a program is not searched in PATH") {
  CHECK_THROWS_AS(run_child({"true"}, kLong), SystemError);
}

TEST_CASE("a child reads nothing, is in a group of its own and has no signal blocked") {
  CHECK(shell("cat; readlink /proc/self/fd/0").output == "/dev/null\n");
  const std::string group = shell("cut -d' ' -f5 /proc/self/stat").output;
  CHECK(group != std::to_string(::getpgrp()) + "\n");
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  REQUIRE(::pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
  const std::string mask = shell("grep SigBlk /proc/self/status").output;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(mask == "SigBlk:\t0000000000000000\n");
}

TEST_CASE("output beyond the limit is dropped and does not hold the child up") {
  const ChildResult result =
      shell("head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2; echo end >&2", kLong, 1000);
  CHECK(result.status == 0);
  CHECK_FALSE(result.timed_out);
  CHECK(result.output == std::string(1000, '\0'));
  CHECK(result.errors.size() == 1000);
}

TEST_CASE("a limit that the output just meets loses nothing") {
  CHECK(shell("printf 12345", kLong, 5).output == "12345");
  CHECK(shell("printf 123456", kLong, 5).output == "12345");
}

TEST_CASE("a child that takes too long is killed in time") {
  const auto begin = Clock::now();
  const ChildResult result = shell("echo begun; exec sleep 300", 300ms);
  CHECK(result.timed_out);
  CHECK(result.output == "begun\n");
  CHECK(Clock::now() - begin < 30s);
  CHECK(Clock::now() - begin >= 300ms);
  CHECK(no_child_left());
}

TEST_CASE("a child that closed its streams is waited for no longer than the rest") {
  const ChildResult result = shell("exec >&- 2>&-; exec sleep 300", 300ms);
  CHECK(result.timed_out);
  CHECK(no_child_left());
}

TEST_CASE("a child that ignores what can be ignored is killed all the same") {
  CHECK(shell("trap '' TERM INT HUP; while :; do sleep 1; done", 300ms).timed_out);
  CHECK(no_child_left());
}

TEST_CASE("the time limit ends the child's own children too") {
  const ChildResult result = shell("sleep 300 & echo $!; wait", 300ms);
  CHECK(result.timed_out);
  REQUIRE_FALSE(result.output.empty());
  CHECK(ends_soon(std::stoi(result.output)));
}

TEST_CASE("what a child leaves running behind it is ended, and its own status is kept") {
  for (const char* script :
       {"sleep 300 & echo $!; exit 3", "sleep 300 >/dev/null 2>&1 & echo $!; exit 3"}) {
    CAPTURE(script);
    const ChildResult result = shell(script, 500ms);
    CHECK(result.status == 3);
    CHECK_FALSE(result.timed_out);
    REQUIRE_FALSE(result.output.empty());
    CHECK(ends_soon(std::stoi(result.output)));
  }
}

TEST_CASE("a signal that the caller handles does not make it wait longer") {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  REQUIRE(::sigaction(SIGALRM, &action, &before) == 0);
  const itimerval once{{0, 0}, {0, 300'000}};
  REQUIRE(::setitimer(ITIMER_REAL, &once, nullptr) == 0);
  const auto begin = Clock::now();
  const ChildResult result = shell("echo begun; exec sleep 20", 1s);
  CHECK(result.timed_out);
  CHECK(Clock::now() - begin < 15s);
  ::sigaction(SIGALRM, &before, nullptr);
}

TEST_CASE("where the caller ignores its children's ends, no status is taken for success") {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = SIG_IGN;
  REQUIRE(::sigaction(SIGCHLD, &action, &before) == 0);
  const ChildResult result = shell("echo text; exit 1");
  ::sigaction(SIGCHLD, &before, nullptr);
  CHECK(result.status == ChildResult::kUnknownStatus);
  CHECK(result.output == "text\n");
}

TEST_CASE("no descriptor is left open, whatever happened") {
  const std::size_t before = open_descriptors();
  shell("echo x");
  shell("exec sleep 300", 50ms);
  try {
    run_child({"/no/such/program"}, kLong);
  } catch (const SystemError&) {
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("a child gets the environment that it is given, and no other") {
  const ChildResult result =
      run_child({"/bin/sh", "-c", "echo $A$B$HOME"}, kLong, {}, 1U << 20U, {{"A=1", "B=2"}});
  CHECK(result.output == "12\n");
}

}  // namespace
}  // namespace huddle::processes
