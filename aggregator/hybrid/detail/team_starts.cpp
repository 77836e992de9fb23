#include "aggregator/hybrid/detail/team_starts.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "aggregator/hybrid/frequency_knapsack.hpp"

namespace huddle::hybrid::teams {
namespace {

const hybrid::TeamRegion& region_of(const Model& model, std::size_t rank, std::size_t group,
                                    std::size_t region) {
  return model.program().ranks[rank].groups[group].regions[region];
}

/// A region's options on these cores, the highest clock first. For serial code all options.
std::vector<std::size_t> options_on(const Model& model, std::size_t rank, std::size_t group,
                                    std::size_t region, const hybrid::TeamConfiguration& cores) {
  const auto& options = region_of(model, rank, group, region).options;
  std::vector<std::size_t> result;
  for (std::size_t o = 0; o < options.size(); ++o) {
    hybrid::TeamConfiguration has = options[o].configuration;
    has.clock = cores.clock;
    if (!model.region(rank, group, region).team || has == cores) result.push_back(o);
  }
  const auto& resolved = model.region(rank, group, region).options;
  std::stable_sort(result.begin(), result.end(), [&](std::size_t a, std::size_t b) {
    return resolved[a].state.clock > resolved[b].state.clock;
  });
  return result;
}

/// A group of a rank on some cores: which options each region has there, and what they take.
struct OnCores {
  std::vector<std::vector<std::size_t>> options;  ///< by region, the highest clock first
  std::vector<std::size_t> chosen;
  double time = 0;
  double drawn = 0;
};

OnCores on_cores(const Model& model, std::size_t rank, std::size_t group,
                 const hybrid::TeamConfiguration& cores, hybrid::TeamObjective objective) {
  OnCores result;
  const auto& regions = model.program().ranks[rank].groups[group].regions;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    result.options.push_back(options_on(model, rank, group, i, cores));
    if (result.options.back().empty() || model.region(rank, group, i).follows)
      result.options.back() = {regions[i].reference};
    result.chosen.push_back(result.options.back().front());
    result.drawn += alone(model, rank, group, i, result.chosen.back(), objective);
  }
  // As if it had been on these cores before.
  const State end = model.state_after(rank, group, result.chosen, model.first_state(rank));
  result.time = model.run(rank, group, result.chosen, end, end).at_most;
  return result;
}

/// Lower clocks for a group of a rank, within its slack.
void spend_slack(const Model& model, std::size_t rank, std::size_t group, double critical,
                 const hybrid::TeamStrategyOptions& options, OnCores& on) {
  const double clock_change =
      model.program().switching.clock.value * model.program().groups[group].passes;
  const Seconds slack = slack_of({.critical = {std::max(critical, 0.0)},
                                  .own = {on.time},
                                  .send = {model.offset(rank, group)},
                                  .clock_change = {clock_change},
                                  .tolerance = options.slack_tolerance});
  if (slack.value <= 0) return;
  std::vector<std::vector<hybrid::PhaseClock>> phases;
  for (std::size_t i = 0; i < on.options.size(); ++i) {
    const double passes = region_of(model, rank, group, i).passes;
    const auto& resolved = model.region(rank, group, i).options;
    const double at_first = resolved[on.options[i].front()].at_most;
    phases.emplace_back();
    for (const std::size_t o : on.options[i])
      phases.back().push_back({std::max(0.0, passes * (resolved[o].at_most - at_first)),
                               alone(model, rank, group, i, o, options.objective)});
  }
  const std::vector<std::size_t> clocks =
      hybrid::choose_phase_clocks(phases, slack.value, options.slack_steps);
  for (std::size_t i = 0; i < clocks.size(); ++i) on.chosen[i] = on.options[i][clocks[i]];
}

}  // namespace

hybrid::TeamChoice uniform_choice(const Model& model,
                                  const hybrid::TeamConfiguration& configuration) {
  hybrid::TeamChoice choice = hybrid::reference_choice(model.program());
  hybrid::for_each_region(model.program(), [&](auto rank, auto group, auto i,
                                               const hybrid::TeamRegion& region) {
    choice[rank][group][i] = option_like(model, rank, group, i, configuration, region.reference);
  });
  return choice;
}

hybrid::TeamChoice best_static(const Model& model) {
  hybrid::TeamChoice best = hybrid::reference_choice(model.program());
  double least = predict(model, best).time_at_most.value;
  for (const hybrid::TeamConfiguration& configuration : all_configurations(model.program())) {
    hybrid::TeamChoice choice = uniform_choice(model, configuration);
    const double time = predict(model, choice).time_at_most.value;
    if (time < least * (1 - 1e-9)) {
      least = time;
      best = std::move(choice);
    }
  }
  return best;
}

double alone(const Model& model, std::size_t rank, std::size_t group, std::size_t region,
             std::size_t option, hybrid::TeamObjective objective) {
  const OptionState& state = model.region(rank, group, region).options[option];
  double watts = model.watts(rank, state.state, false);
  if (objective == hybrid::TeamObjective::kEnergy)
    watts += model.program().node.idle.value /
             static_cast<double>(model.nodes()[model.node_of(rank)].size());
  return region_of(model, rank, group, region).passes * state.seconds * watts;
}

hybrid::TeamChoice static_choice(const Model& model, hybrid::TeamObjective objective) {
  hybrid::TeamChoice choice = hybrid::reference_choice(model.program());
  hybrid::for_each_region(model.program(),
                          [&](auto rank, auto group, auto i, const hybrid::TeamRegion& region) {
                            std::size_t& best = choice[rank][group][i];
                            double least = alone(model, rank, group, i, best, objective);
                            for (std::size_t o = 0; o < region.options.size(); ++o) {
                              const double drawn = alone(model, rank, group, i, o, objective);
                              if (drawn >= least) continue;
                              least = drawn;
                              best = o;
                            }
                          });
  return choice;
}

hybrid::TeamChoice one_phase_choice(const Model& model, hybrid::TeamObjective objective) {
  hybrid::TeamChoice choice = hybrid::reference_choice(model.program());
  const auto sum = [&](std::size_t rank, const std::vector<std::vector<std::size_t>>& of_rank) {
    double drawn = 0;
    for (std::size_t g = 0; g < of_rank.size(); ++g)
      for (std::size_t i = 0; i < of_rank[g].size(); ++i)
        drawn += alone(model, rank, g, i, of_rank[g][i], objective);
    return drawn;
  };
  std::vector<double> least;
  for (std::size_t rank = 0; rank < choice.size(); ++rank) least.push_back(sum(rank, choice[rank]));
  for (const hybrid::TeamConfiguration& configuration : all_configurations(model.program())) {
    const hybrid::TeamChoice uniform = uniform_choice(model, configuration);
    for (std::size_t rank = 0; rank < choice.size(); ++rank) {
      const double drawn = sum(rank, uniform[rank]);
      if (drawn < least[rank]) {
        least[rank] = drawn;
        choice[rank] = uniform[rank];
      }
    }
  }
  return choice;
}

hybrid::TeamChoice coordinated_choice(const Model& model, const hybrid::TeamChoice& critical,
                                      const hybrid::TeamStrategyOptions& options) {
  const hybrid::TeamPrediction lengths = predict(model, critical);
  std::set<hybrid::TeamConfiguration> cores;
  for (hybrid::TeamConfiguration configuration : all_configurations(model.program())) {
    configuration.clock = {0};
    cores.insert(configuration);
  }
  hybrid::TeamChoice choice = critical;
  for (std::size_t rank = 0; rank < choice.size(); ++rank)
    for (std::size_t g = 0; g < choice[rank].size(); ++g) {
      if (choice[rank][g].empty()) continue;
      const double length = lengths.groups_at_most[g].value;
      double least = std::numeric_limits<double>::infinity();
      OnCores best;
      for (const hybrid::TeamConfiguration& each : cores) {
        if (each.cores > model.program().ranks[rank].cores.size()) continue;
        OnCores on = on_cores(model, rank, g, each, options.objective);
        if (on.time + model.offset(rank, g) > length * (1 + 1e-12) || on.drawn >= least) continue;
        least = on.drawn;
        best = std::move(on);
      }
      if (best.chosen.empty()) continue;
      spend_slack(model, rank, g, length, options, best);
      choice[rank][g] = best.chosen;
    }
  return choice;
}

hybrid::TeamChoice deadline_choice(const Model& model, const std::vector<double>& lengths,
                                   const hybrid::TeamStrategyOptions& options) {
  hybrid::TeamChoice choice = hybrid::reference_choice(model.program());
  for (std::size_t rank = 0; rank < choice.size(); ++rank)
    for (std::size_t g = 0; g < choice[rank].size(); ++g) {
      // The fastest option of each region first: its time is not for sale.
      std::vector<std::vector<std::size_t>> order;
      double slack = lengths[g] - model.offset(rank, g);
      for (std::size_t i = 0; i < choice[rank][g].size(); ++i) {
        const hybrid::TeamRegion& region = region_of(model, rank, g, i);
        const RegionModel& resolved = model.region(rank, g, i);
        order.push_back({region.reference});
        if (!resolved.follows)
          for (std::size_t o = 0; o < resolved.options.size(); ++o) {
            if (o != region.reference) order.back().push_back(o);
            if (resolved.options[o].at_most < resolved.options[order.back().front()].at_most)
              std::swap(order.back().front(), order.back().back());
          }
        slack -=
            region.serial.value + region.passes * resolved.options[order.back().front()].at_most;
      }
      std::vector<std::vector<hybrid::PhaseClock>> phases;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const double passes = region_of(model, rank, g, i).passes;
        const auto& resolved = model.region(rank, g, i).options;
        phases.emplace_back();
        for (const std::size_t o : order[i]) {
          const OptionState& option = resolved[o];
          // While it works it doesn't wait; where waiting draws nothing, as published, this is all.
          const double waiting = options.objective == hybrid::TeamObjective::kEnergy
                                     ? model.watts(rank, option.state, true)
                                     : 0;
          phases.back().push_back(
              {passes * (option.at_most - resolved[order[i].front()].at_most),
               passes * option.seconds * (model.watts(rank, option.state, false) - waiting)});
        }
      }
      const std::vector<std::size_t> chosen =
          hybrid::choose_phase_clocks(phases, std::max(0.0, slack), options.slack_steps);
      for (std::size_t i = 0; i < chosen.size(); ++i) choice[rank][g][i] = order[i][chosen[i]];
    }
  return choice;
}

}  // namespace huddle::hybrid::teams
