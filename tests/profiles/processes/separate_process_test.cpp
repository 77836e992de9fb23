#include "profiles/processes/separate_process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::processes {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST_CASE("what is done in a separate process comes back as text, however long") {
  CHECK(in_separate_process([] { return std::string(); }, 60s) == "");
  CHECK(in_separate_process([] { return std::string(3'000'000, 'x'); }, 60s) ==
        std::string(3'000'000, 'x'));
  int here = 1;
  CHECK(in_separate_process([&] { return std::to_string(++here); }, 60s) == "2");
  CHECK(here == 1);
}

TEST_CASE("what it throws is thrown here, and its death is an error") {
  CHECK(error_of([] {
          in_separate_process([]() -> std::string { throw Error("no such thing"); }, 60s);
        }) == "no such thing");
  CHECK(error_of([] { in_separate_process([]() -> std::string { ::_exit(7); }, 60s); }) ==
        "a process that was to do a part of the work died");
}

// Opening a FIFO that nobody writes to hangs as a file system does that does not answer.
TEST_CASE("work that hangs is left behind, and nobody waits for it") {
  const store::TemporaryDirectory directory;
  const std::string fifo = (directory.path() / "fifo").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::array<int, 2> output{};
  REQUIRE(::pipe(output.data()) == 0);  // inherited: not closed on exec
  const Clock::time_point begun = Clock::now();
  CHECK_FALSE(
      in_separate_process([&] { return std::to_string(::open(fifo.c_str(), O_RDONLY)); }, 50ms)
          .has_value());
  CHECK(Clock::now() - begun < 10s);
  ::close(output[1]);
  char byte = 0;
  CHECK(::read(output[0], &byte, 1) == 0);  // it holds nothing of ours open
  ::close(output[0]);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // and it is nobody's child here
  CHECK(errno == ECHILD);
  const int writer = ::open(fifo.c_str(), O_WRONLY);  // lets it end
  CHECK(writer >= 0);
  ::close(writer);
}

}  // namespace
}  // namespace huddle::processes
