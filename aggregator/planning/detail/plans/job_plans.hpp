#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/planning/detail/plans/job_order.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::planning {

/// The beginning of the reason of a plan that is a trial.
inline constexpr std::string_view kTrialPrefix = "trial: ";

/// Terms of a recommendation for one of the job's programs, and the layout it is compared with.
struct PlanTerms {
  recommend::RecommendationOptions options;
  predict::Reference reference;
  /// A clause for the reason of a plan: that frequencies are kept, and why; may be empty.
  std::string kept_clause;
};
PlanTerms plan_terms(const PlanRequest& request, const Samples& samples,
                     const recommend::Recommender& recommender, const JobOrder& order);

/// Notes in a plan how the job's ranks share nodes as submitted, and why they stay in order.
void set_order(Plan& plan, const JobOrder& order, const predict::Reference& submitted);

/// The plans of a job's programs, in their order.
struct JobPlans {
  /// Empty if no pattern of one of the programs is feasible.
  std::vector<Plan> plans;
  /// The predictions for that program; else nothing.
  std::optional<recommend::Recommendation> hopeless;
};

/// The best plan of each of a job's programs, all on equally many nodes and with the
/// same ranks on each: each program's own time is within the bound. Unless the request lets one be
/// tried, no pattern is chosen that neither a run nor a model covers, and what was not measured
/// must be within the bound with all of its interval, without a model or by one that errs more than
/// the bound on average. Frequencies are kept where there are several programs.
JobPlans make_plans(const PlanRequest& request, const std::vector<Samples>& programs,
                    const recommend::Recommender& recommender, const JobOrder& order);

/// The largest predicted upper end of the programs' times, against the reference; 0 or more.
double worst_slowdown(const std::vector<Plan>& plans);

/// Stores the plans of a job as one: `file` is that of the first program's, the others are beside
/// it. Throws SystemError.
void save_plans(std::vector<Plan>& plans, const std::filesystem::path& file);

/// True if the range leaves every frequency to the plan.
bool any_frequency(const FrequencyRange& range);

/// Limits of the cores of a job with this plan, as far as its request lets them be set:
/// the planned frequencies exactly. Nothing for the nominal one, which runs have anyway, unless it
/// was asked for.
std::optional<KilohertzRange> limits_for(const Plan& plan, const PlanRequest& request);

}  // namespace huddle::planning
