#include "aggregator/planning/detail/life/plan_life.hpp"

#include <algorithm>
#include <array>

namespace huddle::planning {
namespace {

struct Row {
  PlanState state;
  std::string_view name;
  bool (*holds)(const PlanFacts& plan);
};

bool is_next_as_submitted(const PlanFacts& plan) {
  return plan.judged && plan.next == NextRun::kAsSubmitted;
}

constexpr std::array<Row, 9> kStates = {{
    {PlanState::kSettled, "settled", [](const PlanFacts& plan) { return plan.noted; }},
    {PlanState::kMissing, "missing", [](const PlanFacts& plan) { return !plan.made; }},
    {PlanState::kFailed, "failed", [](const PlanFacts& plan) { return plan.failed; }},
    {PlanState::kIdle, "idle", [](const PlanFacts& plan) { return !plan.packs; }},
    {PlanState::kWithdrawn, "withdrawn",
     [](const PlanFacts& plan) {
       return is_next_as_submitted(plan) && plan.promise == PromiseState::kBroken;
     }},
    {PlanState::kCompared, "compared", is_next_as_submitted},
    {PlanState::kUnconfirmed, "unconfirmed",
     [](const PlanFacts& plan) { return plan.rebuilt && !plan.followed; }},
    {PlanState::kUntried, "untried",
     [](const PlanFacts& plan) { return plan.judged && !plan.followed; }},
    {PlanState::kFollowed, "followed", [](const PlanFacts&) { return true; }},
}};

}  // namespace

std::string_view name_of(PlanState state) {
  return kStates.at(static_cast<std::size_t>(state)).name;
}

PlanState state_of(const PlanFacts& facts) {
  return std::find_if(kStates.begin(), kStates.end(),
                      [&](const Row& row) { return row.holds(facts); })
      ->state;
}

}  // namespace huddle::planning
