#include "aggregator/hybrid/team_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "aggregator/hybrid/detail/team_search.hpp"
#include "aggregator/hybrid/detail/team_starts.hpp"

namespace huddle::hybrid {
namespace {

/// Descents end by themselves, long before this.
constexpr int kMostSweeps = 50;
/// Number of times that the price of time is halved.
constexpr int kPrices = 7;

teams::Limits limits_of(const TeamPrediction& reference, const TeamPrediction& best_static,
                        const TeamStrategyOptions& options) {
  teams::Limits limits;
  limits.total = std::min((1 + options.slowdown_bound) * reference.time_at_most.value,
                          (1 + options.above_static) * best_static.time_at_most.value);
  for (std::size_t g = 0; g < reference.groups.size(); ++g)
    limits.groups.push_back(
        std::max((1 + options.slowdown_bound) * reference.groups_at_most[g].value,
                 best_static.groups_at_most[g].value));
  return limits;
}

/// The cheapest of the choices that keep the limits.
class Best {
 public:
  void offer(const teams::Search& search) {
    if (!search.allowed() || (choice_ && search.drawn() >= drawn_)) return;
    choice_ = search.choice();
    drawn_ = search.drawn();
  }
  [[nodiscard]] const std::optional<TeamChoice>& choice() const { return choice_; }

 private:
  std::optional<TeamChoice> choice_;
  double drawn_ = 0;
};

/// Spreads the time that is allowed over groups: where time has a price, each takes as much as it
/// is worth there. The price is the least at which the whole keeps its limit.
void descend_at_prices(const teams::Model& model, const teams::Limits& limits,
                       const TeamChoice& start, Best& best) {
  teams::Search search(model, limits, start);
  double low = 0;
  double high = 4 * search.drawn() / std::max(search.weighed(), 1e-300);
  for (int step = 0; step < kPrices; ++step) {
    const double price = step == 0 ? 0 : (low + high) / 2;
    search.set_price(price);
    search.descend(kMostSweeps);
    if (!search.allowed()) {
      low = price;
      continue;
    }
    teams::Search rest(model, limits, search.choice());
    rest.descend(kMostSweeps);
    best.offer(rest);
    if (step == 0) return;
    high = price;
  }
}

TeamChoice improved_choice(const teams::Model& model, const TeamChoice& fastest,
                           const teams::Limits& limits, const TeamStrategyOptions& options) {
  std::vector<TeamChoice> starts = {reference_choice(model.program()), fastest,
                                    teams::coordinated_choice(model, fastest, options)};
  const TeamPrediction lengths = teams::predict(model, fastest);
  for (const double share : {1.0, 0.9, 0.8}) {
    std::vector<double> deadlines;
    for (const Seconds length : lengths.groups_at_most)
      deadlines.push_back(share * (1 + options.above_static) * length.value);
    starts.push_back(teams::deadline_choice(model, deadlines, options));
  }
  Best best;
  for (const TeamChoice& start : starts) {
    teams::Search search(model, limits, start);
    search.descend(kMostSweeps);
    best.offer(search);
  }
  descend_at_prices(model, limits, best.choice().value_or(fastest), best);
  // Only a tolerance of slack can forbid the fastest mapping, which needs none of it.
  return best.choice().value_or(fastest);
}

/// The share that the strategy itself believes to save.
double believed_gain(const teams::Model& model, const TeamPlan& plan,
                     const TeamStrategyOptions& options) {
  const bool energy = options.objective == TeamObjective::kEnergy;
  if (energy && options.strategy == TeamStrategy::kImprovedOnePhase)
    return 1 - plan.after.energy / plan.before.energy;
  double before = 0;
  double after = 0;
  for_each_region(model.program(), [&](auto rank, auto group, auto i, const TeamRegion& region) {
    before += teams::alone(model, rank, group, i, region.reference, options.objective);
    after += teams::alone(model, rank, group, i, plan.choice[rank][group][i], options.objective);
  });
  return before > 0 ? 1 - after / before : 0;
}

std::string percent_of(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string reason_of(const TeamPlan& plan, double gain, const TeamStrategyOptions& options) {
  if (!plan.changes)
    return gain > 0 ? fmt::format(
                          "Nothing changes: {} of energy would be saved, below the least "
                          "gain of {}.",
                          percent_of(gain), percent_of(options.least_gain))
                    : std::string(
                          "Nothing changes: no other configuration saves energy within "
                          "the bounds.");
  const double saved = 1 - plan.after.energy / plan.before.energy;
  const double longer = plan.after.time / plan.before.time - 1;
  return fmt::format("The program is predicted to take {} {} energy and {} {} time.",
                     percent_of(std::abs(saved)), saved < 0 ? "more" : "less",
                     percent_of(std::abs(longer)), longer > 0 ? "more" : "less");
}

/// The outcome of a wish, and why it is not the sum of what a rank's regions become where it is
/// not.
std::string reason_of_wish(const TeamPlan& plan) {
  const Seconds longer = plan.after.time - plan.before.time;
  const Joules drawn = plan.after.energy - plan.before.energy;
  std::string text = fmt::format(
      "asked for: {:+.3g} s ({:+.2g} %) of time, {:+.3g} J ({:+.2g} %) of energy", longer.value,
      100 * (longer / plan.before.time), drawn.value, 100 * (drawn / plan.before.energy));
  double most = 0;
  for (std::size_t rank = 0; rank < plan.after.ranks.size(); ++rank) {
    double own = 0;
    for (std::size_t g = 0; g < plan.after.ranks[rank].size(); ++g)
      own += (plan.after.ranks[rank][g] - plan.before.ranks[rank][g]).value;
    if (std::abs(own) > std::abs(most)) most = own;
  }
  const double hidden = most - longer.value;
  if (std::abs(hidden) <= 1e-3 * plan.before.time.value) return text;
  return text + fmt::format(
                    "; the rank that changes most takes {:+.3g} s by itself, but each group of "
                    "phases ends when its last rank does",
                    most);
}

bool keeps_bound(const TeamPlan& plan, double bound) {
  return plan.after.time_at_most.value <= (1 + bound) * plan.before.time_at_most.value * (1 + 1e-9);
}

}  // namespace

TeamChoice best_static_mapping(const TeamProgram& program) {
  return teams::best_static(teams::Model(program, 0, false));
}

TeamPlan plan_of_choice(const TeamProgram& program, TeamChoice choice, double slowdown_bound) {
  const teams::Model model(program, 0, false, 0);
  TeamPlan plan;
  plan.before = teams::predict(model, reference_choice(program));
  plan.after = teams::predict(model, choice);
  plan.changes = choice != reference_choice(program);
  plan.choice = std::move(choice);
  plan.within_bound = keeps_bound(plan, slowdown_bound);
  plan.reason = reason_of_wish(plan);
  teams::explain(model, {}, plan);
  for_each_region(program, [&](auto rank, auto group, auto i, const TeamRegion& region) {
    plan.rows[rank][group][i].reason = plan.choice[rank][group][i] != region.reference
                                           ? "Asked for."
                                           : "As it ran: nothing else was asked for.";
  });
  return plan;
}

TeamPlan choose_teams(const TeamProgram& program, const TeamStrategyOptions& options) {
  const bool times_clock = options.objective == TeamObjective::kTimesClock;
  const teams::Model model(program, options.slack_tolerance, times_clock);
  const teams::Model joules(program, 0, false);
  TeamPlan plan;
  const TeamChoice reference = reference_choice(program);
  plan.before = teams::predict(joules, reference);
  double least_gain = options.least_gain;
  switch (options.strategy) {
    case TeamStrategy::kStatic:
      plan.choice = teams::static_choice(model, options.objective);
      break;
    case TeamStrategy::kOnePhase:
      plan.choice = teams::one_phase_choice(model, options.objective);
      break;
    case TeamStrategy::kImprovedOnePhase: {
      const TeamChoice fastest = teams::best_static(model);
      const teams::Limits limits = limits_of(plan.before, teams::predict(model, fastest), options);
      plan.choice = improved_choice(model, fastest, limits, options);
      // To stay would break the promise about the best static mapping.
      if (plan.before.time_at_most.value > limits.total) least_gain = 0;
      break;
    }
  }
  plan.after = teams::predict(joules, plan.choice);
  const double gain = believed_gain(model, plan, options);
  plan.changes = plan.choice != reference && gain > 0 && gain >= least_gain;
  if (!plan.changes) {
    plan.choice = reference;
    plan.after = plan.before;
  }
  plan.within_bound = keeps_bound(plan, options.slowdown_bound);
  plan.reason = reason_of(plan, gain, options);
  teams::explain(model, options, plan);
  return plan;
}

}  // namespace huddle::hybrid
