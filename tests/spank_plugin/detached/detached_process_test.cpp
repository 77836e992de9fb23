#include "spank_plugin/detached/detached_process.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::detached {
namespace {

namespace fs = std::filesystem;

// A program that leaves a process behind, as DetachedProcess wants it, which reads an order and
// does so.
fs::path program_that(const store::TemporaryDirectory& folder, const std::string& does) {
  const fs::path program = folder.path() / "helper";
  std::ofstream(program) << "#!/bin/sh\nexec 3<&0\n{ read -r version; read -r order; " << does
                         << "; } <&3 >&3 &\n";
  ::chmod(program.c_str(), 0700);
  return program;
}

// The answer that read_order() gives by itself to an order that came whole; nothing if it gives
// none.
std::string answer_to(const std::string& order, bool& was_read) {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::_exit(read_order() == "what to do\nend\n" ? 0 : 1);
  }
  ::close(ends[0]);
  REQUIRE(::send(ends[1], order.data(), order.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(order.size()));
  int status = -1;
  ::waitpid(child, &status, 0);
  was_read = status == 0;
  std::array<char, 64> answer{};
  const ssize_t size = ::recv(ends[1], answer.data(), answer.size(), MSG_DONTWAIT);
  ::close(ends[1]);
  return {answer.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

TEST_CASE("a program gets its order, with the version of who starts it in front") {
  const store::TemporaryDirectory folder;
  const auto program =
      program_that(folder, "echo \"$version\" >" + (folder.path() / "got").string() + "; printf r");
  CHECK_NOTHROW(DetachedProcess(program, {}, "what to do\nend\n"));
  std::string line;
  std::getline(std::ifstream(folder.path() / "got"), line);
  CHECK(line + "\n" == kOrderVersion);
}

TEST_CASE("a program of another version is told apart, and the error names both") {
  const store::TemporaryDirectory folder;
  const auto program = program_that(folder, "printf 'vhuddle 9.9.9\\n'");
  CHECK_THROWS_WITH_AS(
      DetachedProcess(program, {}, "what to do\nend\n"),
      doctest::Contains("helper is of huddle 9.9.9 and its plugin of huddle " HUDDLE_VERSION),
      Error);
}

TEST_CASE("a program refuses an order of another version, and says which is its own") {
  bool was_read = false;
  CHECK(answer_to(std::string(kOrderVersion) + "what to do\nend\n", was_read).empty());
  CHECK(was_read);
  for (const char* other : {"huddle 9.9.9\nwhat to do\nend\n", "what to do\nend\n"}) {
    CHECK(answer_to(other, was_read) == kOtherVersion + std::string(kOrderVersion));
    CHECK_FALSE(was_read);
  }
}

}  // namespace
}  // namespace huddle::detached
