#include "profiles/processes/without_root.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::processes {
namespace {

constexpr std::chrono::seconds kEnough{60};

TEST_CASE("what is done without root, and what that starts, has no user or group of root's") {
  const auto ids = without_root(
      [] {
        return run_child({"/bin/sh", "-c", "id -u; id -ru; id -g; id -G"}, kEnough).output;
      },
      kEnough);
  REQUIRE(ids);
  if (::geteuid() == 0)
    CHECK(*ids == "65534\n65534\n65534\n65534\n");
  else
    CHECK(ids->starts_with(std::to_string(::geteuid()) + "\n"));
}

TEST_CASE("an error of what is done without root is thrown here") {
  CHECK_THROWS_WITH_AS(
      static_cast<void>(without_root([]() -> std::string { throw Error("as it is"); }, kEnough)),
      "as it is", Error);
}

}  // namespace
}  // namespace huddle::processes
