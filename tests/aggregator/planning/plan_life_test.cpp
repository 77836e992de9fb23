#include "aggregator/planning/detail/life/plan_life.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace huddle::planning {
namespace {

/// A plan, and what has happened to it: the runs and files that its state is worked out from.
struct History {
  PlanFacts facts;
  std::vector<ComparedRun> runs;

  void run(bool packed, double seconds) {
    runs.push_back({packed, Seconds{seconds}});
    if (packed) facts.followed = true;
  }
  void run_packed_closely() {
    for (int i = 0; i < 20; ++i) run(true, 1045);
  }
  [[nodiscard]] std::string_view state() {
    const PromiseVerdict verdict = judge_promise(runs, {});
    facts.promise = verdict.state;
    facts.next = verdict.next;
    return name_of(state_of(facts));
  }
};

// The names that docs/plans.md has for them.
const std::map<std::string_view, std::function<void(History&)>> kEvents = {
    {"a pattern on fewer nodes is within the bound",
     [](History& plan) { plan.facts.made = plan.facts.packs = true; }},
    {"the job's own nodes are best, perhaps with slower cores",
     [](History& plan) {
       plan.facts.made = true;
       plan.facts.packs = false;
     }},
    {"nothing can be planned, or is worth it", [](History& plan) { plan.facts.noted = true; }},
    {"a packed run ends within the bound", [](History& plan) { plan.run(true, 1001); }},
    {"a packed run is slower than the bound", [](History& plan) { plan.run(true, 1310); }},
    {"a packed run fails", [](History& plan) { plan.facts.failed = true; }},
    {"its failure is noted",
     [](History& plan) {
       plan.facts.made = false;
       plan.facts.noted = true;
     }},
    {"20 packed runs were close to the bound", [](History& plan) { plan.run_packed_closely(); }},
    {"a run as submitted ends", [](History& plan) { plan.run(false, 1000); }},
    {"two runs as submitted show that it was bad luck",
     [](History& plan) {
       plan.run(false, 1010);
       plan.run(false, 1010);
     }},
    {"the program is built anew",  // packed runs of another build say nothing
     [](History& plan) {
       std::erase_if(plan.runs, [](const ComparedRun& run) { return run.packed; });
       plan.facts.followed = false;
       plan.facts.rebuilt = true;
     }},
    {"a packed run is a little slower than the bound", [](History& plan) { plan.run(true, 1055); }},
};

// Plans whose story begins in the state of that name, after a first run as submitted.
const std::map<std::string_view, std::vector<std::string_view>> kBeginnings = {
    {"missing", {}},
    {"untried", {"a pattern on fewer nodes is within the bound"}},
    {"unconfirmed", {"a pattern on fewer nodes is within the bound", "the program is built anew"}},
    {"followed",
     {"a pattern on fewer nodes is within the bound", "a packed run ends within the bound"}},
    {"compared",
     {"a pattern on fewer nodes is within the bound", "a packed run ends within the bound",
      "20 packed runs were close to the bound"}},
    {"withdrawn",
     {"a pattern on fewer nodes is within the bound",
      "a packed run is a little slower than the bound"}},
    {"failed", {"a pattern on fewer nodes is within the bound", "a packed run fails"}},
};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The rows of the table of transitions in docs/plans.md: from, what happens, to.
std::vector<std::array<std::string, 3>> documented_transitions() {
  std::ifstream file(HUDDLE_FIXTURES "/../../docs/plans.md");
  std::vector<std::array<std::string, 3>> rows;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    in_table = in_table ? line.starts_with('|') : line.starts_with("| from | what happens | to |");
    if (!in_table || line.starts_with("| from |") || line.starts_with("|---")) continue;
    std::array<std::string, 3> row;
    std::string_view rest = std::string_view(line).substr(1);
    for (std::string& cell : row) {
      cell = trimmed(rest.substr(0, rest.find('|')));
      rest.remove_prefix(std::min(rest.find('|') + 1, rest.size()));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST_CASE("each transition of docs/plans.md happens as it says") {
  const auto rows = documented_transitions();
  REQUIRE(rows.size() >= 15);
  for (const auto& [from, event, to] : rows) {
    CAPTURE(from);
    CAPTURE(event);
    REQUIRE(kBeginnings.contains(from));
    REQUIRE(kEvents.contains(event));
    History plan;
    plan.run(false, 1000);
    for (const std::string_view before : kBeginnings.at(from)) kEvents.at(before)(plan);
    CHECK(plan.state() == from);
    kEvents.at(event)(plan);
    CHECK(plan.state() == to);
  }
}

TEST_CASE("each state of a plan is in a documented transition") {
  const auto rows = documented_transitions();
  for (auto state = PlanState::kSettled; state <= PlanState::kFollowed;
       state = static_cast<PlanState>(static_cast<int>(state) + 1)) {
    CAPTURE(name_of(state));
    CHECK(std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
      return row[0] == name_of(state) || row[2] == name_of(state);
    }));
  }
}

TEST_CASE("what comes first in the list of a plan's states counts") {
  PlanFacts facts;
  facts.made = facts.noted = facts.failed = true;
  CHECK(state_of(facts) == PlanState::kSettled);
  facts.noted = false;
  CHECK(state_of(facts) == PlanState::kFailed);
  facts.failed = facts.packs = false;
  facts.next = NextRun::kAsSubmitted;
  CHECK(state_of(facts) == PlanState::kIdle);
  facts.packs = true;
  CHECK(state_of(facts) == PlanState::kCompared);
  facts.promise = PromiseState::kBroken;
  CHECK(state_of(facts) == PlanState::kWithdrawn);
}

TEST_CASE("a plan that is not judged by its runs is followed, but for another build") {
  PlanFacts facts;
  facts.made = true;
  facts.judged = false;
  facts.next = NextRun::kAsSubmitted;
  facts.promise = PromiseState::kBroken;
  CHECK(state_of(facts) == PlanState::kFollowed);
  facts.rebuilt = true;
  CHECK(state_of(facts) == PlanState::kUnconfirmed);
}

}  // namespace
}  // namespace huddle::planning
