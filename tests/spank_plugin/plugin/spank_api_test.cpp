#include "spank_plugin/plugin/spank_api.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {
namespace {

TEST_CASE("a task's variable is read whole, however long a program's may be") {
  const SlurmForATest slurm;
  const TaskEnvironment environment(slurm.handle());
  for (const std::size_t size : {0U, 1U, 1022U, 1023U, 1024U, 1025U, 70'000U, (128U << 10U) - 1}) {
    CAPTURE(size);
    slurm->environment["V"] = std::string(size, 'x');
    CHECK(environment.get("V") == std::string(size, 'x'));
  }
}

TEST_CASE("a variable that no program can be given counts as not set, and so does a missing one") {
  const SlurmForATest slurm;
  const TaskEnvironment environment(slurm.handle());
  slurm->environment["V"] = std::string(128U << 10U, 'x');
  CHECK_FALSE(environment.get("V"));
  CHECK_FALSE(environment.get("W"));
}

TEST_CASE("a variable that is set replaces an older one; a refusal names it") {
  const SlurmForATest slurm;
  const TaskEnvironment environment(slurm.handle());
  environment.set("V", "1");
  environment.set("V", "2");
  CHECK(slurm->environment["V"] == "2");
  slurm->refused_variable = "V";
  CHECK(error_of([&] { environment.set("V", "3"); }) == "can't set V for the task: made to fail");
}

TEST_CASE("an item that Slurm does not give is an error with its name") {
  const SlurmForATest slurm;
  slurm->numbers[S_JOB_ID] = 4'000'000'000U;
  CHECK(spank_item_of<std::uint32_t>(slurm.handle(), S_JOB_ID, "job's number") == 4'000'000'000U);
  CHECK(error_of([&] {
          spank_item_of<std::uint32_t>(slurm.handle(), S_JOB_STEPID, "step's number");
        }) == "Slurm does not give the step's number: made to fail");
}

TEST_CASE("the ranks of a node are those that Slurm has a global number for") {
  const SlurmForATest slurm;
  CHECK_THROWS_AS(ranks_here(slurm.handle()), Error);
  slurm->numbers[S_JOB_LOCAL_TASK_COUNT] = 3;
  slurm->local_ranks = {12, 4};
  CHECK(ranks_here(slurm.handle()) == std::set<std::uint32_t>{4, 12});
}

TEST_CASE("a line to the user begins with the project's name, and its text is no format") {
  const SlurmForATest slurm;
  say("100 %s of {}", "it");
  say(std::string("%n%s"));
  CHECK(slurm->lines == std::vector<std::string>{"huddle: 100 %s of it", "huddle: %n%s"});
}

}  // namespace
}  // namespace huddle::plugin
