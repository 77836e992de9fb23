#include "spank_plugin/plugin/client/slurm_program.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {
namespace {

TEST_CASE("the options of the program that loaded the plugin are read and changed") {
  const SlurmForATest slurm;
  SlurmProgram program;
  REQUIRE(program.shows_options());
  CHECK_FALSE(program.is_set("nodes"));
  CHECK(program.get("nodes").empty());
  CHECK(program.set("nodes", "4"));
  CHECK(program.is_set("nodes"));
  CHECK(program.get("nodes") == "4");
  CHECK(program.set("exclusive", nullptr));
  CHECK(slurm->options["exclusive"].empty());
  CHECK_FALSE(program.set("refused", "1"));
  program.reset("nodes");
  CHECK_FALSE(program.is_set("nodes"));
}

TEST_CASE("variables are those of the process, which the job inherits") {
  const SlurmForATest slurm({"HUDDLE_TEST_VARIABLE"});
  SlurmProgram program;
  CHECK_FALSE(program.variable("HUDDLE_TEST_VARIABLE"));
  program.set_variable("HUDDLE_TEST_VARIABLE", "");
  CHECK(program.variable("HUDDLE_TEST_VARIABLE") == "");
  program.set_variable("HUDDLE_TEST_VARIABLE", "a=b");
  CHECK(program.variable("HUDDLE_TEST_VARIABLE") == "a=b");
  program.unset_variable("HUDDLE_TEST_VARIABLE");
  CHECK_FALSE(program.variable("HUDDLE_TEST_VARIABLE"));
}

TEST_CASE("the command line is that of this process, word by word") {
  const SlurmForATest slurm;
  const std::vector<std::string> words = SlurmProgram().command_line();
  REQUIRE_FALSE(words.empty());
  CHECK(words[0].ends_with("plugin_tests"));
}

TEST_CASE("each group is named once, the primary one first") {
  const SlurmForATest slurm;
  std::vector<std::string> groups = SlurmProgram().groups();
  if (::getegid() == 0) {
    REQUIRE_FALSE(groups.empty());
    CHECK(groups[0] == "root");
  }
  std::sort(groups.begin(), groups.end());
  CHECK(std::adjacent_find(groups.begin(), groups.end()) == groups.end());
}

TEST_CASE("nodes and partitions come from the controller, names from Slurm's own reader") {
  const SlurmForATest slurm;
  slurm->nodes = {{"n0"}, {"n1"}};
  slurm->partitions = {{"main", {0, 1}, true}};
  SlurmProgram program;
  CHECK(program.partitions() == std::vector<std::string>{"main"});
  CHECK(program.why_nodes_are_missing(2, {8}).empty());
  CHECK_FALSE(program.why_nodes_are_missing(3, {8}).empty());
  CHECK(program.node_names("n[0-1]") == std::vector<std::string>{"n0", "n1"});
  program.say("a line");
  CHECK(slurm->lines == std::vector<std::string>{"huddle: a line"});
}

}  // namespace
}  // namespace huddle::plugin
