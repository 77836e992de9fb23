#include "aggregator/planning/stored_plans.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "aggregator/planning/detail/plan_names.hpp"
#include "aggregator/planning/detail/plan_promises.hpp"
#include "aggregator/planning/detail/standing_plan.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

namespace fs = std::filesystem;

fs::file_time_type last_use_of(const fs::path& plan) {
  fs::file_time_type last = fs::file_time_type::min();
  std::error_code failure;
  for (const fs::path& file : {plan, no_plan_path(plan)}) {
    const fs::file_time_type written = fs::last_write_time(file, failure);
    if (!failure) last = std::max(last, written);
  }
  if (last == fs::file_time_type::min()) throw SystemError("read", plan.string(), failure.value());
  return last;
}

std::vector<fs::path> stored_plans(const Store& store, const StoreKey& key) {
  if (!store.has_folder(key)) return {};
  const fs::path folder = store.folder(key);
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const std::string& name : names_in(folder)) {
    const std::optional<std::string> plan = plan_of_answer(name);
    if (!plan) continue;
    const fs::path file = folder / *plan;
    if (std::any_of(found.begin(), found.end(),
                    [&](const auto& one) { return one.second == file; }))
      continue;
    try {
      found.emplace_back(last_use_of(file), file);
    } catch (const Error&) {  // removed meanwhile, or a link to nothing
    }
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  std::vector<fs::path> plans;
  for (auto& [used, file] : found) plans.push_back(std::move(file));
  return plans;
}

NarrowAnswer narrow_answer(const Store& store, const PlanRequest& request, const fs::path& plan) {
  PlanRequest dry = request;
  dry.dry_run = true;
  NarrowAnswer answer;
  try {
    answer.may_have_trial = !store.packed_profiles(key_of(request)).empty();
    const StandingPlan wide = standing_plan(store, plan, dry);
    if (wide.withdrawn) {
      answer.why_none = wide.withdrawn->reason;
      return answer;
    }
    const fs::path file = narrow_path(wide.file);
    StandingPlan narrow = standing_plan(store, file, dry);
    if (narrow.withdrawn)
      answer.why_none = narrow.withdrawn->reason;
    else if (narrow.plan)
      answer.plan = std::move(narrow.plan);
    else if (narrow.instead)
      answer.why_none = narrow.instead->reason;
  } catch (const Error&) {  // as if it were not there
  }
  return answer;
}

std::size_t most_compared_jobs() {
  return kMostComparedRuns;
}

ComparedRuns compared_runs(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  const PromiseVerdict verdict = verdict_on(plan, file.parent_path(), request, true);
  return {{verdict.runs_as_submitted, verdict.time_as_submitted},
          {verdict.packed_runs, verdict.packed_time},
          verdict.slowdown,
          verdict.low,
          verdict.high,
          verdict.unexplained_runs,
          verdict.unexplained_change};
}

}  // namespace huddle
