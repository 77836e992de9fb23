#include "aggregator/hybrid/detail/team_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "aggregator/hybrid/team_prediction.hpp"
#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid::teams {
namespace {

Place place_of(std::vector<std::uint32_t> cores, const hybrid::TeamNode& node) {
  Place place;
  for (const std::uint32_t core : cores) {
    const std::uint32_t die = core / node.cores_per_die;
    const std::uint32_t package = die / node.dies_per_package;
    if (place.dies.empty() || place.dies.back() != die) place.dies.push_back(die);
    if (place.packages.empty() || place.packages.back() != package) {
      place.packages.push_back(package);
      place.package_cores.push_back(0);
    }
    ++place.package_cores.back();
  }
  place.cores = std::move(cores);
  return place;
}

/// The share of `now`'s cores that `before` hasn't got.
double fresh_share(const Place& before, const Place& now) {
  const auto fresh = std::count_if(now.cores.begin(), now.cores.end(), [&](std::uint32_t core) {
    return !std::binary_search(before.cores.begin(), before.cores.end(), core);
  });
  return static_cast<double>(fresh) / static_cast<double>(now.cores.size());
}

}  // namespace

Model::Model(const hybrid::TeamProgram& program, double slack_tolerance, bool times_clock,
             double least_cycles)
    : program_(program),
      tolerance_(slack_tolerance),
      times_clock_(times_clock),
      least_cycles_(least_cycles) {
  places_.resize(ranks());
  regions_.resize(ranks());
  fresh_.resize(ranks());
  node_of_.resize(ranks());
  std::map<NodeIndex, std::size_t> numbers;
  std::vector<std::set<std::uint32_t>> packages;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    resolve_rank(rank);
    const std::size_t node =
        numbers.emplace(program.ranks[rank].node, numbers.size()).first->second;
    node_of_[rank] = node;
    if (node == nodes_.size()) {
      nodes_.emplace_back();
      packages.emplace_back();
      shares_packages_.push_back(false);
    }
    nodes_[node].push_back(rank);
    for (const std::uint32_t package : places_[rank][0].packages)
      if (!packages[node].insert(package).second) shares_packages_[node] = true;
  }
  find_offsets();
}

void Model::resolve_rank(std::size_t rank) {
  const hybrid::TeamRank& given = program_.ranks[rank];
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<Place>& places = places_[rank];
  const auto number_of = [&](const std::vector<std::uint32_t>& cores) {
    const auto [it, added] = known.emplace(cores, static_cast<std::uint32_t>(places.size()));
    if (added) places.push_back(place_of(cores, program_.node));
    return it->second;
  };
  (void)number_of(given.cores);  // place 0: all of them
  for (const hybrid::TeamGroupOfRank& group : given.groups) {
    regions_[rank].emplace_back();
    for (const hybrid::TeamRegion& region : group.regions) {
      RegionModel model;
      for (const hybrid::TeamOption& option : region.options) {
        const hybrid::TeamConfiguration& c = option.configuration;
        const double clock = c.clock.value > 0 ? c.clock.value : program_.node.usual_clock().value;
        model.options.push_back({{number_of(hybrid::cores_of_team(c, given, program_.node)), clock},
                                 option.seconds.value,
                                 option.seconds.value * (1 + option.error)});
      }
      const OptionState& reference = model.options[region.reference];
      model.follows = reference.seconds * reference.state.clock < least_cycles_;
      model.team = region.options[region.reference].configuration.threads > 1;
      regions_[rank].back().push_back(std::move(model));
    }
  }
  fresh_[rank].resize(places.size());
  for (std::size_t before = 0; before < places.size(); ++before)
    for (const Place& now : places)
      fresh_[rank][before].push_back(fresh_share(places[before], now));
}

void Model::find_offsets() {
  offsets_.assign(ranks(), std::vector<double>(groups(), 0));
  reference_times_ = offsets_;
  const hybrid::TeamChoice reference = hybrid::reference_choice(program_);
  std::vector<double> last(groups(), 0);
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    const std::vector<State> ends = ends_of(*this, rank, reference[rank]);
    for (std::size_t g = 0; g < groups(); ++g) {
      reference_times_[rank][g] =
          run(rank, g, reference[rank][g], ends[(g + groups() - 1) % groups()], ends[g]).time;
      last[g] =
          std::max(last[g], reference_times_[rank][g] + program_.ranks[rank].groups[g].send.value);
    }
  }
  for (std::size_t rank = 0; rank < ranks(); ++rank)
    for (std::size_t g = 0; g < groups(); ++g) {
      const hybrid::TeamGroupOfRank& group = program_.ranks[rank].groups[g];
      offsets_[rank][g] = group.send.value;
      if (group.wait.value >= 0)
        offsets_[rank][g] =
            std::max(group.send.value, last[g] - reference_times_[rank][g] - group.wait.value);
    }
}

State Model::first_state(std::size_t rank) const {
  State state = {0, program_.node.usual_clock().value};
  for (std::size_t g = 0; g < groups(); ++g)
    for (std::size_t i = 0; i < regions_[rank][g].size(); ++i) {
      const RegionModel& model = regions_[rank][g][i];
      state.clock = model.options[program_.ranks[rank].groups[g].regions[i].reference].state.clock;
      if (model.team)
        return model.options[program_.ranks[rank].groups[g].regions[i].reference].state;
    }
  return state;
}

OptionState Model::effective(std::size_t rank, std::size_t group, std::size_t region,
                             std::size_t option, State before) const {
  const RegionModel& model = regions_[rank][group][region];
  if (!model.follows) return model.options[option];
  OptionState result = model.options[program_.ranks[rank].groups[group].regions[region].reference];
  result.state = after(model, {before.place, before.clock}, result.state);
  for (const OptionState& each : model.options)
    if (each.state == result.state) return each;
  return result;
}

State Model::state_after(std::size_t rank, std::size_t group, std::span<const std::size_t> options,
                         State entry) const {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const RegionModel& region = regions_[rank][group][i];
    if (!region.follows) entry = after(region, region.options[options[i]].state, entry);
  }
  return entry;
}

RankRun Model::run(std::size_t rank, std::size_t group, std::span<const std::size_t> options,
                   State previous, State own) const {
  RankRun result;
  const hybrid::TeamGroupOfRank& given = program_.ranks[rank].groups[group];
  const double passes = program_.groups[group].passes;
  const double before_passes = program_.groups[(group + groups() - 1) % groups()].passes;
  State before = previous;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const hybrid::TeamRegion& region = given.regions[i];
    const RegionModel& model = regions_[rank][group][i];
    const OptionState now = effective(rank, group, i, options[i], before);
    double changes = 0;
    const auto enter = [&](State from, double times) {
      double seconds = 0;
      if (model.team && from.place != now.state.place)
        seconds += program_.switching.binding.value +
                   region.refill.value * fresh_[rank][from.place][now.state.place];
      if (from.clock != now.state.clock) seconds += program_.switching.clock.value;
      const bool changed =
          (model.team && from.place != now.state.place) || from.clock != now.state.clock;
      result.switches += changed ? times : 0;
      changes += times * seconds;
    };
    // The first region follows on the group before, and for the rest on its own group's last.
    const double from_previous =
        i > 0 ? region.entries : std::min({region.entries, passes, before_passes});
    enter(before, from_previous);
    if (region.entries > from_previous) enter(own, region.entries - from_previous);
    if (region.serial.value > 0) {
      result.time += region.serial.value;
      result.at_most += region.serial.value;
      result.stretches.push_back({result.time, before, true});
    }
    result.time += changes + region.passes * now.seconds;
    result.at_most += changes + region.passes * now.at_most;
    result.stretches.push_back({result.time, now.state, false});
    before = after(model, now.state, before);
  }
  result.end = before;
  return result;
}

double Model::weighed(std::size_t rank, std::size_t group, const RankRun& run) const {
  return run.at_most + offsets_[rank][group] +
         tolerance_ * std::max(0.0, run.time - reference_times_[rank][group]);
}

std::vector<State> ends_of(const Model& model, std::size_t rank,
                           const std::vector<std::vector<std::size_t>>& options) {
  std::vector<State> ends(options.size());
  State state = model.first_state(rank);
  // The second iteration begins as all later ones do.
  for (int iteration = 0; iteration < 2; ++iteration)
    for (std::size_t g = 0; g < options.size(); ++g)
      ends[g] = state = model.state_after(rank, g, options[g], state);
  return ends;
}

hybrid::TeamPrediction predict(const Model& model, const hybrid::TeamChoice& choice) {
  const std::size_t groups = model.groups();
  hybrid::TeamPrediction result;
  result.groups.resize(groups);
  result.groups_at_most.resize(groups);
  result.ranks.assign(model.ranks(), std::vector<Seconds>(groups));
  std::vector<std::vector<RankRun>> runs(groups);
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    const std::vector<State> ends = ends_of(model, rank, choice[rank]);
    for (std::size_t g = 0; g < groups; ++g) {
      RankRun run = model.run(rank, g, choice[rank][g], ends[(g + groups - 1) % groups], ends[g]);
      const double offset = model.offset(rank, g);
      result.groups[g] = std::max(result.groups[g], Seconds{run.time + offset});
      result.groups_at_most[g] = std::max(result.groups_at_most[g], Seconds{run.at_most + offset});
      result.ranks[rank][g] = {run.time};
      result.switches += run.switches;
      runs[g].push_back(std::move(run));
    }
  }
  for (std::size_t g = 0; g < groups; ++g) {
    result.time += result.groups[g];
    result.time_at_most += result.groups_at_most[g];
    for (std::size_t node = 0; node < model.nodes().size(); ++node)
      result.energy.value += model.drawn(node, runs[g], result.groups[g].value);
  }
  return result;
}

}  // namespace huddle::hybrid::teams

namespace huddle::hybrid {

hybrid::TeamPrediction predict_team_program(const hybrid::TeamProgram& program,
                                            const hybrid::TeamChoice& choice) {
  return teams::predict(teams::Model(program, 0, false), choice);
}

}  // namespace huddle::hybrid
