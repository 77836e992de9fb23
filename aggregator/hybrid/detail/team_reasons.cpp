// Why regions do what a plan says.

#include <fmt/format.h>

#include <cmath>

#include "aggregator/hybrid/detail/team_starts.hpp"

namespace huddle::teams {
namespace {

std::string change_of(double before, double after, const char* less, const char* more) {
  const double share = before > 0 ? after / before - 1 : 0;
  if (std::abs(share) < 0.0005) return std::string("as much ") + less + " as before";
  return fmt::format("{:.1f} % {} {}", 100 * std::abs(share), share < 0 ? "less" : "more",
                     share < 0 ? less : more);
}

std::string what_it_runs_on(const TeamConfiguration& now, const TeamConfiguration& before,
                            double ghz) {
  const char* plural = now.cores == 1 ? "" : "s";
  std::string text =
      now.cores == before.cores && now.packages == before.packages
          ? fmt::format("On its {} core{}", now.cores, plural)
          : fmt::format("{} {} of {} cores, on {} package{},",
                        now.threads < before.threads
                            ? fmt::format("With {} of {} threads, on", now.threads, before.threads)
                            : std::string("On"),
                        now.cores, before.cores, now.packages, now.packages == 1 ? "" : "s");
  return now.clock == before.clock ? text : text + fmt::format(" at {:.4g} GHz", ghz);
}

/// Why a region that changes does.
std::string changed(const Model& model, const TeamPlan& plan, std::size_t rank, std::size_t group,
                    const TeamDecision& decision, const TeamConfiguration& before, double ghz) {
  std::string text = fmt::format(
      "{} it takes {} and {}", what_it_runs_on(decision.configuration, before, ghz),
      change_of(decision.time_before.value, decision.time_after.value, "time", "time"),
      change_of(decision.energy_before.value, decision.energy_after.value, "energy", "energy"));
  const double arrives = plan.after.ranks[rank][group].value + model.offset(rank, group);
  const double waits = plan.after.groups[group].value - arrives;
  if (decision.time_after > decision.time_before && waits >= 0 && arrives > 0)
    text += waits > 1e-9 * arrives
                ? fmt::format(", and the rank still waits {:.3g} s of the group's {:.3g} s", waits,
                              plan.after.groups[group].value)
                : std::string(", within what the group may take");
  return text + ".";
}

TeamDecision decision_of(const Model& model, const TeamPlan& plan, std::size_t rank,
                         std::size_t group, std::size_t region, const OptionState& now) {
  const TeamRegion& given = model.program().ranks[rank].groups[group].regions[region];
  const RegionModel& resolved = model.region(rank, group, region);
  const OptionState& reference = resolved.options[given.reference];
  const Place& place = model.place(rank, now.state.place);
  TeamDecision decision;
  decision.option = plan.choice[rank][group][region];
  decision.configuration = given.options[decision.option].configuration;
  decision.follows = resolved.follows;
  if (resolved.follows) {
    decision.option = given.reference;
    for (std::size_t o = 0; o < resolved.options.size(); ++o)
      if (resolved.options[o].state == now.state) decision.option = o;
    decision.configuration = given.options[given.reference].configuration;
    if (!(now.state == reference.state)) {
      decision.configuration.threads = given.options[decision.option].configuration.threads;
      decision.configuration.cores = static_cast<std::uint32_t>(place.cores.size());
      decision.configuration.packages = static_cast<std::uint32_t>(place.packages.size());
      decision.configuration.clock = {now.state.clock};
    }
  }
  decision.cores = place.cores;
  decision.time_before = {given.passes * reference.seconds};
  decision.time_after = {given.passes * now.seconds};
  decision.energy_before = {decision.time_before.value * model.watts(rank, reference.state, false)};
  decision.energy_after = {decision.time_after.value * model.watts(rank, now.state, false)};
  return decision;
}

}  // namespace

void explain(const Model& model, const TeamStrategyOptions& options, TeamPlan& plan) {
  const std::size_t groups = model.groups();
  // Joules, whatever the objective was.
  const Model joules(model.program(), 0, false);
  plan.decisions.resize(model.ranks());
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    const std::vector<State> ends = ends_of(model, rank, plan.choice[rank]);
    plan.decisions[rank].resize(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      State before = ends[(g + groups - 1) % groups];
      const auto& regions = model.program().ranks[rank].groups[g].regions;
      for (std::size_t i = 0; i < regions.size(); ++i) {
        const OptionState now = model.effective(rank, g, i, plan.choice[rank][g][i], before);
        before = Model::after(model.region(rank, g, i), now.state, before);
        TeamDecision decision = decision_of(joules, plan, rank, g, i, now);
        const TeamConfiguration& reference = regions[i].options[regions[i].reference].configuration;
        if (decision.follows)
          decision.reason =
              "A pass has fewer than a million cycles: it does what the region before "
              "it does.";
        else if (!plan.changes)
          decision.reason = "The program stays as it is.";
        else if (decision.option == regions[i].reference)
          decision.reason = options.strategy == TeamStrategy::kImprovedOnePhase
                                ? "Nothing else was found that saves energy and keeps the bounds."
                                : "Nothing else takes less energy by itself.";
        else
          decision.reason =
              changed(model, plan, rank, g, decision, reference, now.state.clock * 1e-9);
        plan.decisions[rank][g].push_back(std::move(decision));
      }
    }
  }
}

}  // namespace huddle::teams
