#include "aggregator/operations/doctor/plugstack.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/profiles/store/temporary_directory.hpp"

using huddle::store::TemporaryDirectory;
using namespace huddle::doctor;

namespace {

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("plugins are found in included files, too, in order") {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder.path() / "plugstack.conf.d");
  write_text(folder.path() / "plugstack.conf",
             "# a comment\n\nrequired first.so one two # three\ninclude plugstack.conf.d/*.conf\n");
  write_text(folder.path() / "plugstack.conf.d/huddle.conf",
             "optional spank_huddle.so policy=/site/huddle.toml\n");
  write_text(folder.path() / "plugstack.conf.d/other.txt", "optional other.so\n");
  const auto lines = read_plugstack(folder.path() / "plugstack.conf");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].required);
  CHECK(lines[0].arguments == std::vector<std::string>{"one", "two"});
  CHECK(lines[0].place.ends_with("plugstack.conf:3"));
  const auto huddle = find_huddle(lines);
  REQUIRE(huddle);
  CHECK_FALSE(huddle->required);
  CHECK(policy_argument(*huddle) == "/site/huddle.toml");
}

TEST_CASE("a file that includes itself ends") {
  const TemporaryDirectory folder;
  write_text(folder.path() / "a.conf", "optional x.so\ninclude a.conf\n");
  CHECK(read_plugstack(folder.path() / "a.conf").size() < 100);
}

TEST_CASE("without a plugstack.conf Slurm loads nothing") {
  CHECK(read_plugstack("/nonexistent/plugstack.conf").empty());
  CHECK_FALSE(find_huddle({}));
}

TEST_CASE("a plugin without a directory is looked for where Slurm does") {
  const TemporaryDirectory folder;
  write_text(folder.path() / "spank_huddle.so", "");
  const PlugstackLine line{false, "spank_huddle.so", {}, ""};
  CHECK(plugin_file(line, "/nonexistent:" + folder.path().string()) ==
        folder.path() / "spank_huddle.so");
  CHECK(plugin_file(line, "/nonexistent:/nowhere") == "/nonexistent/spank_huddle.so");
  CHECK(plugin_file({false, "/opt/spank_huddle.so", {}, ""}, "/nonexistent") ==
        "/opt/spank_huddle.so");
}
