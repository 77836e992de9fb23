#include "profiles/energyd/daemon/hidden_steps.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::energyd {
namespace {

// A /proc that shows no process but this one, as mounted with those options.
std::optional<DaemonTrouble> why_hidden_with(const std::string& options) {
  const store::TemporaryDirectory proc;
  std::filesystem::create_directory(proc.path() / "self");
  std::ofstream(proc.path() / "self/mountinfo")
      << "45 43 0:21 / /proc rw,relatime - proc proc rw\n"
      << "46 45 0:39 / /proc rw,nosuid shared:5 - proc proc " << options << "\n"
      << "47 43 0:40 / /srv/proc rw - proc proc rw,hidepid=ptraceable,gid=99\n";
  return why_steps_are_hidden(proc.path());
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("where /proc shows all processes no step is hidden") {
  CHECK_FALSE(why_steps_are_hidden());
}

TEST_CASE("where /proc hides processes the option of its mount is named, and what to do") {
  const auto without = why_hidden_with("rw,hidepid=invisible");
  REQUIRE(without);
  CHECK(has(without->what, "/proc, which is mounted with hidepid=invisible, hides"));
  CHECK(has(without->advice, "mount /proc with hidepid=2,gid=GROUP"));
  CHECK(has(without->advice, "SupplementaryGroups=GROUP"));
  const auto with = why_hidden_with("rw,gid=117,hidepid=2");
  REQUIRE(with);
  CHECK(has(with->what, "hidepid=2, hides"));
  CHECK_FALSE(has(with->advice, "mount /proc"));
  CHECK(has(with->advice, "SupplementaryGroups=117"));
}

TEST_CASE("a kind of mount that looks at no group is to be mounted anew") {
  const auto trouble = why_hidden_with("rw,gid=117,hidepid=ptraceable");
  REQUIRE(trouble);
  CHECK(has(trouble->advice, "mount /proc with hidepid=2,gid=GROUP"));
}

}  // namespace
}  // namespace huddle::energyd
