#include "aggregator/teams/profile_teams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/predict/hybrid/configuration_times.hpp"
#include "aggregator/predict/pattern/other_machine.hpp"
#include "aggregator/teams/region_menus.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::teams {
namespace {

hybrid::TeamPowerPoint power_point(const PowerFigures& figures, Hertz clock) {
  return {clock, figures.package, figures.die, figures.core};
}

/// The cores of the node's numbering that a rank may use.
std::vector<std::uint32_t> cores_of(const RankRecord& record, const commgraph::NodeTopology& node,
                                    const std::string& machine) {
  std::vector<std::uint32_t> cores;
  for (std::uint32_t core = 0; core < node.cores.size(); ++core)
    if (std::ranges::any_of(node.cores[core].pus.members(),
                            [&](std::uint32_t pu) { return record.pus.contains(pu); }))
      cores.push_back(core);
  if (cores.empty())
    throw Error(fmt::format(
        "rank {} ran on PUs {}, which nodes of the machine {} don't have; expected: the machine "
        "that the profile was measured on (--machine)",
        record.rank.value, shortened(record.pus.list()), shortened(machine)));
  return cores;
}

void refuse_shared_cores(const std::vector<hybrid::TeamRank>& ranks) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> owner;
  for (const hybrid::TeamRank& rank : ranks)
    for (const std::uint32_t core : rank.cores) {
      const auto [place, is_new] = owner.emplace(std::pair(rank.node.value, core), rank.rank.value);
      if (!is_new)
        throw Error(
            fmt::format("ranks {} and {} may run on the same cores, so that nothing can be said of "
                        "the cores of one; measure a run whose ranks are bound to cores of their "
                        "own (srun --cpus-per-task, mpirun --map-by slot:PE=n)",
                        place->second, rank.rank.value));
    }
}

/// Groups in the order in which they follow each other, as far as their delimiters show it.
std::vector<PhaseGroup> in_order(std::vector<PhaseGroup> groups) {
  std::vector<PhaseGroup> ordered;
  std::string at = "init";
  while (!groups.empty()) {
    auto next = std::ranges::find_if(groups, [&](const PhaseGroup& g) { return g.begin == at; });
    if (next == groups.end()) next = groups.begin();
    at = next->end;
    ordered.push_back(std::move(*next));
    groups.erase(next);
  }
  return ordered;
}

/// In the order of their positions, which is that in which they run; what has none comes last.
std::vector<RegionPart> parts_of_group(const RankRecord& record, std::uint64_t group) {
  std::vector<RegionPart> parts;
  const bool are_tried = are_positions_tried(record);
  for (const OpenMpRegionRecord& row : record.openmp_regions) {
    if (row.group != group) continue;
    if (!are_tried)
      parts.push_back({row, static_cast<double>(row.passes), {}});
    else
      for (RegionPart& part : parts_by_position(record, row)) parts.push_back(std::move(part));
  }
  std::ranges::stable_sort(parts, {}, [](const RegionPart& part) {
    return part.where.position == 0 ? UINT32_MAX : part.where.position;
  });
  return parts;
}

hybrid::TeamGroupOfRank group_of_rank(const RankRecord& record, const PhaseRecord& phase,
                                      const RegionMenus& maker, Hertz nominal) {
  hybrid::TeamGroupOfRank group;
  const auto passes = static_cast<double>(phase.count);
  double in_regions = 0;
  for (const RegionPart& part : parts_of_group(record, phase.group)) {
    std::optional<hybrid::TeamRegion> region = maker.region(part);
    if (!region) continue;
    in_regions += part.record.mean.value * part.passes;
    group.regions.push_back(*std::move(region));
  }
  const double serial = std::max(0.0, phase.mean.value * passes - in_regions);
  if (!group.regions.empty()) {
    group.regions.front().serial.value = serial;
  } else if (serial > 0) {
    hybrid::TeamRegion alone;
    alone.name = "code outside of regions";
    alone.passes = alone.entries = passes;
    alone.options = {{{1, 1, 1, nominal}, {serial / passes}, 0}};
    group.regions.push_back(std::move(alone));
  }
  group.send = phase.mpi_time;
  group.wait = phase.delimiter_time;
  return group;
}

void check(const Profile& profile) {
  if (!profile.complete || profile.rank_records.empty())
    throw Error(
        "the profile is not complete: regions of all ranks are needed; measure a run to "
        "its end");
  if (profile.shared.phase_groups.empty())
    throw Error(
        "the profile has no phases; expected: one that the recorder of this version made "
        "(huddle record)");
  if (profile.shared.openmp_regions.empty())
    throw Error(
        "the profile has no parallel regions of OpenMP: the program has none, or its "
        "runtime is one whose regions are not seen (see the notes of huddle show)");
}

/// The figures of a machine that has power states of cores alone, each with its share of what else
/// the node draws: a core that is not busy idles in the state that programs run in.
void add_power_of_states(const Machine& machine, hybrid::TeamNode& node) {
  const std::vector<PowerState>& states = machine.power_states->states;
  const double idle = states.front().idle_w;
  node.idle.value = idle * node.packages * node.cores_per_package();
  const double top = states.front().frequency_hz;
  if (top > 0) node.nominal.value = top;
  // Nobody says whether a core has a clock of its own: what holds for both is promised.
  node.clock_of_package =
      !machine.frequencies || machine.frequencies->domain == ClockDomain::kPackage;
  for (const PowerState& state : states) {
    const bool is_first = &state == &states.front();
    const bool is_lower = state.frequency_hz > 0 && state.frequency_hz < top;
    if (!is_first && !is_lower) continue;
    const Hertz clock = is_first ? node.nominal : Hertz{state.frequency_hz};
    node.power.push_back({clock, {}, {}, {std::max(0.0, state.active_w - idle)}});
  }
  std::ranges::sort(node.power, {}, &hybrid::TeamPowerPoint::clock);
}

void note_regions(const Profile& profile, bool team_varies, std::size_t of_other_work,
                  hybrid::TeamProgram& teams) {
  double seconds = 0;
  for (const RankRecord& record : profile.rank_records)
    for (const OpenMpRegionRecord& row : record.openmp_regions)
      if (row.group == 0) seconds += row.mean.value * static_cast<double>(row.passes);
  if (seconds > 0)
    teams.notes.push_back(fmt::format(
        "regions of {:.3g} s (of all ranks) are in no known phase, such as those that other "
        "threads begin: they stay as they are",
        seconds));
  if (team_varies)
    teams.notes.emplace_back("some regions have teams of different sizes: they stay as they are");
  if (of_other_work > 0)
    teams.notes.push_back(fmt::format(
        "{} took less than half of the usual time on fewer cores, which no machine does: the "
        "passes that were tried had less to do, and are no measurement",
        pluralize(of_other_work, "region")));
}

}  // namespace

bool knows_clocks(const Machine& machine) {
  if (machine.frequencies) return true;
  return !machine.power && machine.power_states &&
         machine.power_states->states.front().frequency_hz > 0;
}

hybrid::TeamNode team_node_of(const Machine& machine) {
  const bool has_states = machine.power_states && !machine.power_states->states.empty();
  if (!machine.power && !has_states)
    throw Error(
        fmt::format("the machine {} has no power figures: add \"power\" or \"power_states\" to its "
                    "document (huddle-machine(1)), or take one on file that has them, such as "
                    "xeon-x5560",
                    shortened(machine.name)));
  const commgraph::NodeTopology topology =
      commgraph::load_topology(machine.topology, "the machine's topology");
  hybrid::TeamNode node;
  node.packages = topology.packages;
  node.dies_per_package = topology.dies_per_package;
  node.cores_per_die = topology.cores_per_die;
  // Without frequencies there is one clock, whatever it is.
  node.nominal = machine.frequencies ? machine.frequencies->nominal : Hertz{1e9};
  if (!machine.power) {
    add_power_of_states(machine, node);
    return node;
  }
  node.idle = machine.power->idle_node;
  if (!machine.frequencies || !predict::power_depends_on_frequency(machine)) {
    node.power = {power_point(*machine.power, node.nominal)};
    return node;
  }
  node.clock_of_package = machine.frequencies->domain == ClockDomain::kPackage;
  for (const Hertz clock : machine.frequencies->settable)
    node.power.push_back(power_point(predict::power_at(machine, clock), clock));
  return node;
}

std::string power_origin_of(const Machine& machine) {
  if (machine.power) return std::string(name_of(machine.power->origin));
  const CorePowerStates& states = *machine.power_states;
  std::string origin(name_of(states.origin));
  if (!states.source.empty()) origin += ": " + states.source;
  return origin + "; what a package draws beside its cores is not known, and counted as theirs";
}

TimesPredictor untrained_predictor(const Machine& machine) {
  const predict::ConfigurationTimes times =
      predict::ConfigurationTimes::without_training(team_node_of(machine));
  return [times](const predict::PhaseSamples& samples,
                 std::span<const hybrid::TeamConfiguration> targets) {
    return times.predict(samples, targets);
  };
}

hybrid::TeamProgram teams_of_profile(const Profile& profile, const Machine& machine,
                                     const TimesPredictor& predict,
                                     const std::set<std::uint64_t>& may_shrink) {
  check(profile);
  hybrid::TeamProgram program;
  program.node = team_node_of(machine);
  const commgraph::NodeTopology topology =
      commgraph::load_topology(machine.topology, "the machine's topology");
  std::map<std::string, std::uint32_t> nodes;
  for (const RankRecord& record : profile.rank_records) {
    const auto node = nodes.emplace(record.node, static_cast<std::uint32_t>(nodes.size())).first;
    program.ranks.push_back({record.rank,
                             {node->second},
                             cores_of(record, topology, machine.name),
                             {},
                             record.region_positions.anchor});
  }
  refuse_shared_cores(program.ranks);

  for (const PhaseGroup& group : in_order(profile.shared.phase_groups))
    program.groups.push_back({fmt::format("{} to {}", group.begin, group.end), 0, group.id});
  RegionMenus maker(profile, program.node, predict, may_shrink);
  bool team_varies = false;
  for (std::size_t r = 0; r < profile.rank_records.size(); ++r) {
    const RankRecord& record = profile.rank_records[r];
    hybrid::TeamRank& rank = program.ranks[r];
    maker.begin_rank(record, rank);
    team_varies = team_varies || !std::ranges::all_of(record.openmp_regions, [&](const auto& row) {
                    return maker.has_usual_team(row);
                  });
    for (hybrid::TeamGroup& group : program.groups) {
      const auto phase = std::ranges::find(record.phases, group.id, &PhaseRecord::group);
      const bool came = phase != record.phases.end() && phase->count > 0;
      rank.groups.push_back(came ? group_of_rank(record, *phase, maker, program.node.nominal)
                                 : hybrid::TeamGroupOfRank());
      if (came) group.passes = std::max(group.passes, static_cast<double>(phase->count));
    }
  }
  for (hybrid::TeamGroup& group : program.groups) group.passes = std::max(group.passes, 1.0);
  note_regions(profile, team_varies, maker.regions_of_other_work(), program);
  if (std::string sign = predict::sign_of_another_machine(profile, machine); !sign.empty())
    program.notes.push_back(std::move(sign));
  return program;
}

}  // namespace huddle::teams
