#include "spank_plugin/clocks/step_watch.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "spank_plugin/frequency/journal_directory.hpp"
#include "tests/spank_plugin/frequency/node_of_clocks.hpp"

namespace huddle::clocks {
namespace {

const std::string kFree = "1000000-3000000";
const std::string kLimited = "1500000-2000000";

/// The step 1.0, process 10, with PU 0 of a node, limited by its slurmstepd.
struct WatchedStep {
  WatchedStep() { claim(); }

  void claim() { node.claim(1, 0, "0@" + kLimited, "0"); }
  std::vector<std::string> see(StepActivity activity, bool alive = true, bool off = false) {
    return watch.look({alive, activity, off});
  }
  std::string limits() { return node.kernel.limits(0); }

  frequency::NodeOfClocks node;
  frequency::FrequencyControl control = node.control();
  StepWatch watch{control,
                  {1, 0, false, {10, 1}, frequency::parse_limits_by_pu("0@" + kLimited)},
                  PuSet::parse("0")};
};

TEST_CASE("a step that runs keeps its limits, and the watcher says nothing") {
  WatchedStep step;
  CHECK(step.see(StepActivity::kStarting).empty());
  CHECK(step.see(StepActivity::kRunning).empty());
  CHECK(step.limits() == kLimited);
  CHECK_FALSE(step.watch.over());
}

TEST_CASE("a suspended step has no limits until it goes on") {
  WatchedStep step;
  step.see(StepActivity::kRunning);
  const auto lines = step.see(StepActivity::kStopped);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "clocks of step 1.0 are put back: the step is suspended");
  CHECK(step.node.is_as_before());
  CHECK(step.see(StepActivity::kStopped).empty());
  CHECK(step.see(StepActivity::kRunning).size() == 1);
  CHECK(step.limits() == kLimited);
  CHECK_FALSE(step.watch.over());
}

TEST_CASE("a step on the cores of a suspended one has its own limits alone") {
  WatchedStep step;
  step.node.claim(2, 0, "0@1200000-1200000", "0");
  CHECK(step.limits() == kLimited);  // the higher of both
  step.see(StepActivity::kStopped);
  CHECK(step.limits() == "1200000-1200000");
  step.see(StepActivity::kRunning);
  CHECK(step.limits() == kLimited);
  step.node.release(2, 0);
  CHECK(step.limits() == kLimited);
}

TEST_CASE("a dead slurmstepd's clocks are put back, and the watch is over") {
  WatchedStep step;
  step.see(StepActivity::kRunning);
  const auto lines = step.see(StepActivity::kRunning, false);
  CHECK(lines.size() == 1);
  CHECK(step.node.is_as_before());
  CHECK(step.watch.over());
}

TEST_CASE("a slurmstepd that put its clocks back itself leaves nothing to say") {
  WatchedStep step;
  step.node.release(1, 0);
  CHECK(step.see(StepActivity::kEnded).empty());
  CHECK(step.see(StepActivity::kEnded, false).empty());
  CHECK(step.watch.over());
}

TEST_CASE("tasks that have ended have no limits, also if slurmstepd hangs") {
  WatchedStep step;
  step.see(StepActivity::kRunning);
  step.see(StepActivity::kEnded);
  CHECK(step.limits() == kLimited);  // slurmstepd's turn
  step.see(StepActivity::kEnded);
  CHECK(step.limits() == kFree);
  step.see(StepActivity::kEnded);
  CHECK(step.limits() == kFree);
  CHECK_FALSE(step.watch.over());
}

TEST_CASE("while Huddle is switched off nothing is limited, and afterwards what was") {
  WatchedStep step;
  step.see(StepActivity::kRunning, true, true);
  CHECK(step.limits() == kFree);
  step.see(StepActivity::kStopped, true, false);
  CHECK(step.limits() == kFree);
  step.see(StepActivity::kRunning, true, false);
  CHECK(step.limits() == kLimited);
}

TEST_CASE("a step whose slurmstepd limited nothing is not limited after a suspension") {
  WatchedStep step;
  step.node.release(1, 0);
  step.see(StepActivity::kStopped);
  CHECK(step.see(StepActivity::kRunning).size() <= 1);
  CHECK(step.limits() == kFree);
}

TEST_CASE("a journal that is locked at a step's death is dealt with once it is not") {
  WatchedStep step;
  {
    const auto held = frequency::JournalDirectory::open(
        step.node.directory(), frequency::JournalDirectory::IfAbsent::kLeave,
        std::chrono::milliseconds(0));
    CHECK_FALSE(step.see(StepActivity::kRunning, false).empty());
    CHECK(step.limits() == kFree);
    CHECK_FALSE(step.watch.over());
    CHECK(step.see(StepActivity::kRunning, false).empty());  // said once
  }
  step.see(StepActivity::kRunning, false);
  CHECK(step.node.is_as_before());
  CHECK(step.watch.over());
}

TEST_CASE("a control that refuses is tried for a while, and then the watch ends all the same") {
  WatchedStep step;
  step.node.kernel.broken = {{0, "scaling_max_freq"}};
  int looks = 0;
  for (; looks < 1000 && !step.watch.over(); ++looks) step.see(StepActivity::kRunning, false);
  CHECK(looks > 10);
  CHECK(looks < 100);
  step.node.kernel.broken.clear();
  step.node.dead = {10};
  step.node.control().sweep();
  CHECK(step.node.is_as_before());
}

/// The same step with a keeper, process 1010, that has written 1.6 GHz.
struct KeptStep {
  KeptStep() {
    node.claim_kept(1, 0, "0@" + kLimited, "0");
    node.kernel.at(0, "scaling_max_freq") = "1600000";
  }
  std::vector<std::string> see(StepActivity activity, bool alive = true) {
    return watch.look({alive, activity, false, !node.dead.contains(1010)});
  }

  frequency::NodeOfClocks node;
  frequency::FrequencyControl control = node.control();
  StepWatch watch{control,
                  {1,
                   0,
                   false,
                   {10, 1},
                   frequency::parse_limits_by_pu("0@" + kLimited),
                   processes::ProcessIdentity{1010, 1}},
                  PuSet::parse("0")};
};

TEST_CASE("a keeper that dies leaves its clocks at their upper limit") {
  KeptStep step;
  CHECK(step.see(StepActivity::kRunning).empty());
  CHECK(step.node.kernel.limits(0) == "1500000-1600000");
  step.node.dead = {1010};
  const auto lines = step.see(StepActivity::kRunning);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "the keeper of step 1.0 has died: its clocks go to their upper limit");
  CHECK(step.node.kernel.limits(0) == kLimited);
  CHECK(step.see(StepActivity::kRunning).empty());
  step.see(StepActivity::kRunning, false);
  CHECK(step.node.is_as_before());
  CHECK(step.watch.over());
}

TEST_CASE("what a keeper left is tried again where the journal is locked") {
  KeptStep step;
  step.node.dead = {1010};
  {
    const auto locked = frequency::JournalDirectory::open(
        step.node.directory(), frequency::JournalDirectory::IfAbsent::kLeave,
        std::chrono::milliseconds(50));
    CHECK_FALSE(step.see(StepActivity::kRunning).empty());
    CHECK(step.node.kernel.limits(0) == "1500000-1600000");
  }
  CHECK(step.see(StepActivity::kRunning).empty());
  CHECK(step.node.kernel.limits(0) == kLimited);
}

TEST_CASE("at a step's end its slurmstepd deals with the keeper") {
  KeptStep step;
  step.see(StepActivity::kRunning);
  step.node.dead = {1010};
  CHECK(step.see(StepActivity::kEnded).empty());
  CHECK(step.node.kernel.limits(0) == "1500000-1600000");
  step.node.release(1, 0);
  CHECK(step.node.is_as_before());
}

TEST_CASE("the keeper of a step that is suspended, or whose slurmstepd died, is ended first") {
  KeptStep suspended;
  suspended.see(StepActivity::kRunning);
  suspended.see(StepActivity::kStopped);
  CHECK(suspended.node.dead.contains(1010));
  CHECK(suspended.node.is_as_before());
  suspended.see(StepActivity::kRunning);
  CHECK(suspended.node.kernel.limits(0) == kLimited);
  CHECK(suspended.node.journal().find("keeper") == std::string::npos);

  KeptStep died;
  died.see(StepActivity::kRunning);
  died.see(StepActivity::kRunning, false);
  CHECK(died.node.dead.contains(1010));
  CHECK(died.node.is_as_before());
}

}  // namespace
}  // namespace huddle::clocks
