#include "aggregator/forecast/call_paths.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

using Callers = std::vector<std::optional<std::uint32_t>>;

TEST_CASE("the longest path that is a region is the caller") {
  const CallPaths paths = call_paths_of({"a/b/c/d", "a", "a/b", "a/e", "f/g", "/a/b/", "ab"});
  CHECK(paths.caller == Callers{2, {}, 1, 1, {}, 1, {}});
  CHECK(paths.any());
}

TEST_CASE("the first kind of separator in a name is that of its path") {
  const CallPaths paths =
      call_paths_of({"main", "main => f(a/b; c->d)", "main=>f(a/b; c->d)  =>  g", "a", "a->b/c"});
  CHECK(paths.caller == Callers{{}, 0, 1, {}, 3});
}

TEST_CASE("of TAU's paths a region knows those that end in it") {
  const CallPaths paths =
      call_paths_of({"main", "MPI_Send()", "main => MPI_Send()", "main => MPI_Send() => copy"});
  CHECK(paths.ends[1] == std::vector<std::uint32_t>{2});
  CHECK(paths.ends[0].empty());
  CHECK(call_paths_of({"main", "solve", "main/solve"}).ends[1].empty());
}

TEST_CASE("odd names are no paths") {
  for (const std::string name : {"", "/", "=>", " ; ", "operator->", "a//"}) {
    INFO(name);
    CHECK_FALSE(call_paths_of({name, "main", ""}).any());
  }
}

TEST_CASE("names of the whole program are known, and others are not") {
  for (const std::string name : {"main", "MAIN__", "int main(int, char **) C", " .TAU application",
                                 "Total", "main [{main.c} {3,1}]"})
    CHECK(is_whole_program(name));
  for (const std::string name :
       {"main_loop", "domain", "mainly", "", "solve", "(main)", "init main"})
    CHECK_FALSE(is_whole_program(name));
}

}  // namespace
}  // namespace huddle
