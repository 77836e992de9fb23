#include "aggregator/planning/detail/store/stored_answer.hpp"

#include <algorithm>
#include <cstdint>

#include "aggregator/planning/detail/store/plan_names.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

std::optional<Plan> plan_for(const fs::path& file, const PlanRequest& request) {
  try {
    Plan plan = parse_plan(read_own_file(file, kMostPlanBytes), file.string());
    if (plan.ranks == request.ranks && plan.cores_per_rank == request.cores_per_rank) return plan;
  } catch (const Error&) {  // as if it were not there
  }
  return std::nullopt;
}

}  // namespace

std::optional<Plan> stored_plan(const fs::path& file, const PlanRequest& request) {
  std::optional<Plan> plan = plan_for(file, request);
  const bool whole =
      plan && std::all_of(plan->companions.begin(), plan->companions.end(),
                          [&](const Plan::Companion& companion) {
                            return plan_for(file.parent_path() / companion.file, request);
                          });
  return whole ? std::move(plan) : std::nullopt;
}

void store_plan(const Plan& plan, const fs::path& file) {
  make_way(file);
  save_plan(plan, file);
}

std::optional<Decision> stored_note(const fs::path& file) {
  constexpr std::uint64_t kMostBytes = 1U << 20U;
  const fs::path note = no_plan_path(file);
  try {
    return parse_decision(read_own_file(note, kMostBytes), note.string());
  } catch (const Error&) {  // as if it were not there
    return std::nullopt;
  }
}

}  // namespace huddle
