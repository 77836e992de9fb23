// Why regions do what a plan says.

#include <fmt/format.h>

#include <cmath>

#include "aggregator/hybrid/detail/team_starts.hpp"

namespace huddle::hybrid::teams {
namespace {

std::string change_of(double before, double after, const char* less, const char* more) {
  const double share = before > 0 ? after / before - 1 : 0;
  if (std::abs(share) < 0.0005) return std::string("as much ") + less + " as before";
  return fmt::format("{:.1f} % {} {}", 100 * std::abs(share), share < 0 ? "less" : "more",
                     share < 0 ? less : more);
}

std::string what_it_runs_on(const hybrid::TeamConfiguration& now,
                            const hybrid::TeamConfiguration& before, double ghz) {
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
std::string changed(const Model& model, const hybrid::TeamPlan& plan, std::size_t rank,
                    std::size_t group, const hybrid::TeamRow& row, double ghz) {
  std::string text =
      fmt::format("{} it takes {} and {}", what_it_runs_on(row.after, row.before, ghz),
                  change_of(row.time_before.value, row.time_after.value, "time", "time"),
                  change_of(row.energy_before.value, row.energy_after.value, "energy", "energy"));
  const double arrives = plan.after.ranks[rank][group].value + model.offset(rank, group);
  const double waits = plan.after.groups[group].value - arrives;
  if (row.time_after > row.time_before && waits >= 0 && arrives > 0)
    text += waits > 1e-9 * arrives
                ? fmt::format(", and the rank still waits {:.3g} s of the group's {:.3g} s", waits,
                              plan.after.groups[group].value)
                : std::string(", within what the group may take");
  return text + ".";
}

hybrid::TeamRow row_of(const Model& model, const hybrid::TeamPlan& plan, std::size_t rank,
                       std::size_t group, std::size_t region, const OptionState& now) {
  const hybrid::TeamRegion& given = model.program().ranks[rank].groups[group].regions[region];
  const RegionModel& resolved = model.region(rank, group, region);
  const OptionState& reference = resolved.options[given.reference];
  const Place& place = model.place(rank, now.state.place);
  hybrid::TeamRow row;
  row.rank = model.program().ranks[rank].rank.value;
  row.group = model.program().groups[group].id;
  row.region = given.id;
  row.name = given.name;
  row.where = given.where;
  row.passes = given.passes;
  row.before = given.options[given.reference].configuration;
  row.option = plan.choice[rank][group][region];
  row.after = given.options[row.option].configuration;
  row.follows = resolved.follows;
  if (resolved.follows) {
    row.option = given.reference;
    for (std::size_t o = 0; o < resolved.options.size(); ++o)
      if (resolved.options[o].state == now.state) row.option = o;
    row.after = row.before;
    if (!(now.state == reference.state))
      row.after = {given.options[row.option].configuration.threads,
                   static_cast<std::uint32_t>(place.cores.size()),
                   static_cast<std::uint32_t>(place.packages.size()),
                   {now.state.clock}};
  }
  row.measured = given.options[row.option].measured;
  row.tried = given.options[row.option].tried;
  row.cores = place.cores;
  row.time_before = {given.passes * reference.seconds};
  row.time_after = {given.passes * now.seconds};
  row.pass_before = row.time_before * (1 / given.passes);
  row.pass_after = row.time_after * (1 / given.passes);
  row.pass_most = row.pass_after * (1 + given.options[row.option].error);
  row.energy_before = {row.time_before.value * model.watts(rank, reference.state, false)};
  row.energy_after = {row.time_after.value * model.watts(rank, now.state, false)};
  return row;
}

}  // namespace

void explain(const Model& model, const hybrid::TeamStrategyOptions& options,
             hybrid::TeamPlan& plan) {
  const std::size_t groups = model.groups();
  // Joules, whatever the objective was.
  const Model joules(model.program(), 0, false, model.least_cycles());
  plan.rows.resize(model.ranks());
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    const std::vector<State> ends = ends_of(model, rank, plan.choice[rank]);
    plan.rows[rank].resize(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      State before = ends[(g + groups - 1) % groups];
      const auto& regions = model.program().ranks[rank].groups[g].regions;
      for (std::size_t i = 0; i < regions.size(); ++i) {
        const OptionState now = model.effective(rank, g, i, plan.choice[rank][g][i], before);
        before = Model::after(model.region(rank, g, i), now.state, before);
        hybrid::TeamRow row = row_of(joules, plan, rank, g, i, now);
        if (row.follows)
          row.reason =
              "A pass has fewer than a million cycles: it does what the region before "
              "it does.";
        else if (!plan.changes)
          row.reason = "The program stays as it is.";
        else if (row.option == regions[i].reference)
          row.reason = options.strategy == hybrid::TeamStrategy::kImprovedOnePhase
                           ? "Nothing else was found that saves energy and keeps the bounds."
                           : "Nothing else takes less energy by itself.";
        else
          row.reason = changed(model, plan, rank, g, row, now.state.clock * 1e-9);
        plan.rows[rank][g].push_back(std::move(row));
      }
    }
  }
}

}  // namespace huddle::hybrid::teams
