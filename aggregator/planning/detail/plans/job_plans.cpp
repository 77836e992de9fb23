#include "aggregator/planning/detail/plans/job_plans.hpp"

#include <fmt/format.h>
#include <cmath>
#include <cstdint>
#include <vector>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/recommend/prediction_text.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

// Runs of one program differ in memory by buffers of the MPI library and by its input.
constexpr double kMemoryMargin = 0.1;

// A clause for the reason of a plan, where what a frequency costs is unknown; else empty.
std::string kept_frequencies_clause(const PlanRequest& request, const Machine& machine) {
  if (!request.frequencies) return {};
  const bool needs_power = request.objective != Objective::kTime;
  std::string_view missing;
  if (!machine.frequencies)
    missing = "has no frequencies";
  else if (needs_power && !predict::power_depends_on_frequency(machine))
    missing = "has no power by frequency";
  else
    return {};
  if (any_frequency(*request.frequencies))
    return fmt::format("; frequencies are kept: the machine document {}", missing);
  return fmt::format("; what the frequency costs is unknown: the machine document {}", missing);
}

}  // namespace

PlanTerms plan_terms(const PlanRequest& request, const Samples& samples,
                     const recommend::Recommender& recommender, const JobOrder& order) {
  const Profile& submitted = samples.profiles.front();
  const std::uint32_t measured_nodes = nodes_of(submitted);
  const std::uint32_t nodes = request.nodes.value_or(measured_nodes);
  PlanTerms terms;
  terms.reference = nodes == measured_nodes
                        ? predict::measured_reference(submitted, recommender.slots())
                        : predict::reference_over(nodes, submitted.ranks, recommender.slots());
  recommend::RecommendationOptions& options = terms.options;
  static_cast<ChoiceCriteria&>(options) = request;
  options.grouping = order.grouping;
  if (order.keeps_nodes_whole()) options.ranks_together = consecutive_ranks(terms.reference);
  options.most_nodes = nodes;
  options.least_nodes = std::min(request.least_nodes, nodes);
  terms.kept_clause = kept_frequencies_clause(request, recommender.machine());
  if (!terms.kept_clause.empty()) options.frequencies.reset();
  options.memory_margin = kMemoryMargin;
  options.covered_only = request.explore == Explore::kNo;
  // A trial is to find out what nothing shows; what is usual would forbid most of them.
  if (!options.covered_only && !options.computation && !recommender.has_model())
    options.computation = ComputationMethod::kSimple;
  options.only_until_chosen = !request.every_pattern;
  options.threads = std::max(1U, std::thread::hardware_concurrency());  // somebody waits for it
  return terms;
}

void set_order(Plan& plan, const JobOrder& order, const predict::Reference& submitted) {
  plan.submitted_ranks = consecutive_ranks(submitted);
  plan.order_reason = words_of(order.obstacle);
  if (plan.packs() && order.obstacle)
    plan.reason += fmt::format("; ranks stay in order, since {}", plan.order_reason);
}

namespace {

// Some pattern must be feasible.
Plan make_plan(const PlanRequest& request, const Samples& samples, const PlanTerms& terms,
               const recommend::Recommendation& recommendation,
               const recommend::Recommender& recommender, const JobOrder& order) {
  const Profile& submitted = samples.profiles.front();
  Plan plan = recommender.plan(recommendation, submitted, terms.options);
  plan.reason += terms.kept_clause;
  set_order(plan, order, terms.reference);
  plan.slowdown_bound = request.slowdown;
  plan.trial = plan.packs() && plan.chosen.coverage == Coverage::kNone;
  if (plan.trial) plan.reason = std::string(kTrialPrefix) + plan.reason;
  plan.made_from = samples.files;
  plan.program = submitted.program();
  return plan;
}

// One sentence for all of them, which is the first one's.
void describe_companions(std::vector<Plan>& plans) {
  for (std::size_t i = 1; i < plans.size(); ++i)
    plans.front().reason +=
        fmt::format("; {} ({}), {}", shortened(plans[i].program.name()), plans[i].chosen.pattern,
                    recommend::time_change_text(plans[i].chosen, plans[i].reference));
}

}  // namespace

JobPlans make_plans(const PlanRequest& request, const std::vector<Samples>& programs,
                    const recommend::Recommender& recommender, const JobOrder& order) {
  PlanRequest common = request;
  if (programs.size() > 1) common.frequencies.reset();
  for (;;) {
    std::vector<Plan> plans;
    for (const Samples& samples : programs) {
      const PlanTerms terms = plan_terms(common, samples, recommender, order);
      recommend::Recommendation found =
          recommender.recommend(samples.profiles, terms.reference, terms.options);
      if (found.chosen() == nullptr) return {{}, std::move(found)};
      plans.push_back(make_plan(common, samples, terms, found, recommender, order));
    }
    const auto by_nodes = [](const Plan& a, const Plan& b) {
      return a.chosen.nodes < b.chosen.nodes;
    };
    const auto [fewest, most] = std::minmax_element(plans.begin(), plans.end(), by_nodes);
    if (fewest->chosen.nodes == most->chosen.nodes) {
      describe_companions(plans);
      return {std::move(plans), {}};
    }
    common.least_nodes = most->chosen.nodes;  // more than before
  }
}

double worst_slowdown(const std::vector<Plan>& plans) {
  double worst = 0;
  for (const Plan& plan : plans)
    worst = std::max(worst, plan.chosen.time_high ? *plan.chosen.time_high / plan.reference.time - 1
                                                  : plan.chosen.slowdown);
  return worst;
}

void save_plans(std::vector<Plan>& plans, const fs::path& file) {
  for (std::size_t i = 1; i < plans.size(); ++i) {
    const fs::path beside = companion_path(file, i);
    store_plan(plans[i], beside);
    plans.front().companions.push_back({plans[i].program, beside.filename().string()});
  }
  store_plan(plans.front(), file);  // last: who sees it finds the others
}

namespace {

std::uint32_t kilohertz(Hertz frequency) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(frequency.value / 1e3, 1.0, 1e9)));
}

}  // namespace

bool any_frequency(const FrequencyRange& range) {
  return range.lowest <= Hertz{0} && !std::isfinite(range.highest.value);
}

std::optional<KilohertzRange> limits_for(const Plan& plan, const PlanRequest& request) {
  if (!request.frequencies) return std::nullopt;
  const bool any = any_frequency(*request.frequencies);
  if (!plan.frequency) {
    if (any) return std::nullopt;
    // Nothing could be planned: what was asked for counts.
    return KilohertzRange{kilohertz(request.frequencies->lowest),
                          kilohertz(request.frequencies->highest)};
  }
  const std::vector<Hertz> by_rank = plan.frequencies_by_rank();
  const Hertz lowest = *std::min_element(by_rank.begin(), by_rank.end());
  if (any && lowest == plan.frequency && plan.frequency == plan.reference.frequency)
    return std::nullopt;
  return KilohertzRange{kilohertz(lowest), kilohertz(*plan.frequency)};
}

}  // namespace huddle::planning
