#include "tests/evaluation/hybrid/team_truth.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace huddle::hybrid {
namespace {

double gigahertz(const TrueProgram& program, const TrueSetting& setting) {
  const double asked = setting.configuration.clock.value;
  return asked > 0 ? asked * 1e-9 : program.node.clocks_ghz.back();
}

std::uint32_t die_of(const TrueNode& node, std::uint32_t core) {
  return core / node.cores_per_die;
}

std::uint32_t package_of(const TrueNode& node, std::uint32_t core) {
  return die_of(node, core) / node.dies_per_package;
}

std::map<std::uint32_t, double> cores_by_package(const TrueNode& node,
                                                 const std::vector<std::uint32_t>& cores) {
  std::map<std::uint32_t, double> result;
  for (const std::uint32_t core : cores) ++result[package_of(node, core)];
  return result;
}

double dies_of(const TrueNode& node, const std::vector<std::uint32_t>& cores) {
  std::set<std::uint32_t> dies;
  for (const std::uint32_t core : cores) dies.insert(die_of(node, core));
  return static_cast<double>(dies.size());
}

double flow_of(const TrueNode& node, const TrueRank& rank, const TrueSetting& setting) {
  const double package_cores = node.dies_per_package * node.cores_per_die;
  std::map<std::uint32_t, double> own = cores_by_package(node, rank.cores);
  double flow = 0;
  for (const auto& [package, cores] : cores_by_package(node, setting.cores)) {
    const double most = node.package_flow * own[package] / package_cores;
    const double asked = cores * node.core_flow;
    const double over = std::max(0.0, asked / most - 1);
    flow += std::min(asked, most / (1 + node.crowding * over));
  }
  return flow;
}

/// A part of a rank's pass through a group: the cores that are busy, and until when, from the
/// pass's begin.
struct Stretch {
  double until = 0;
  std::vector<std::uint32_t> cores;
  double ghz = 0;
};

double watts_of(const TruePower& power, double ghz) {
  return power.at_rest + power.per_cube * ghz * ghz * ghz;
}

/// Joules of a node in one pass of a group that takes `length`.
double node_joules(const TrueNode& node, const std::vector<std::vector<Stretch>>& ranks,
                   double length) {
  std::set<double> ends = {length};
  for (const auto& stretches : ranks)
    for (const Stretch& stretch : stretches) ends.insert(std::min(stretch.until, length));
  double joules = node.idle_watts * length;
  double begin = 0;
  for (const double end : ends) {
    if (end <= begin) continue;
    std::map<std::uint32_t, double> cores;
    std::map<std::uint32_t, double> packages;
    for (const auto& stretches : ranks) {
      const auto now = std::find_if(stretches.begin(), stretches.end(),
                                    [&](const Stretch& s) { return s.until > begin; });
      if (now == stretches.end()) continue;
      for (const std::uint32_t core : now->cores) {
        cores[core] = std::max(cores[core], now->ghz);
        double& package = packages[package_of(node, core)];
        package = std::max(package, now->ghz);
      }
    }
    std::map<std::uint32_t, double> dies;
    double watts = 0;
    for (auto& [core, ghz] : cores) {
      if (node.clock_of_package) ghz = packages[package_of(node, core)];
      double& die = dies[die_of(node, core)];
      die = std::max(die, ghz);
      watts += watts_of(node.core, ghz);
    }
    for (const auto& [die, ghz] : dies) watts += watts_of(node.die, ghz);
    for (const auto& [package, ghz] : packages) watts += watts_of(node.package, ghz);
    joules += watts * (end - begin);
    begin = end;
  }
  return joules;
}

/// The last setting of a rank: serial code leaves its team where it was.
TrueSetting after(TrueSetting before, const TrueSetting& setting) {
  if (setting.configuration.threads > 1) before.cores = setting.cores;
  before.configuration = setting.configuration;
  return before;
}

/// The last setting of a rank at the end of `group`, after any number of iterations; at first it
/// has all of its cores.
TrueSetting last_of(const TrueRank& rank, const std::vector<std::vector<TrueSetting>>& groups,
                    std::size_t group) {
  TrueSetting last;
  last.cores = rank.cores;
  for (std::size_t g = group + 1; g <= group + groups.size(); ++g)
    for (const TrueSetting& setting : groups[g % groups.size()]) last = after(last, setting);
  return last;
}

/// One pass of a group for one rank, entered from `before`. Adds up switches.
std::vector<Stretch> pass_of(const TrueProgram& program, std::size_t rank_index, std::size_t group,
                             const std::vector<TrueSetting>& settings, TrueSetting before,
                             double* switches) {
  const TrueRank& rank = program.ranks[rank_index];
  std::vector<Stretch> result;
  double now = 0;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const TrueRegion& region = rank.groups[group][i];
    const TrueSetting& setting = settings[i];
    const bool moves = setting.configuration.threads > 1 && setting.cores != before.cores;
    *switches += moves || gigahertz(program, setting) != gigahertz(program, before) ? 1 : 0;
    now += switch_seconds(program, rank, region, before, setting) +
           region.passes * pass_seconds(program, rank, region, setting);
    result.push_back({now, setting.cores, gigahertz(program, setting)});
    before = after(before, setting);
  }
  return result;
}

}  // namespace

double pass_seconds(const TrueProgram& program, const TrueRank& rank, const TrueRegion& region,
                    const TrueSetting& setting) {
  const TrueNode& node = program.node;
  const double threads = region.threads;
  const double cores = std::min<double>(static_cast<double>(setting.cores.size()), threads);
  const double dies = dies_of(node, setting.cores);
  const double a_core = std::ceil(threads / cores);
  const double s = region.serial_share;
  const double cycles =
      region.gigacycles / gigahertz(program, setting) * (s + (1 - s) * a_core / threads);
  const double held =
      region.working_set > 0 ? std::min(1.0, dies * node.die_cache / region.working_set) : 1;
  const double crowd = node.cores_per_die > 1 ? (cores / dies - 1) / (node.cores_per_die - 1.0) : 0;
  const double fetched =
      region.bytes * (1 - region.reuse * held) * (1 + region.sharing * std::max(0.0, crowd));
  const double memory = fetched / flow_of(node, rank, setting);
  return std::max(cycles, memory) + 0.15 * std::min(cycles, memory) +
         region.barriers *
             (node.barrier_s * std::log2(threads) + node.shared_core_s * (a_core - 1));
}

double switch_seconds(const TrueProgram& program, const TrueRank& rank, const TrueRegion& region,
                      const TrueSetting& before, const TrueSetting& now) {
  const TrueNode& node = program.node;
  double seconds = 0;
  if (now.configuration.threads > 1 && now.cores != before.cores) {
    const auto fresh = std::count_if(now.cores.begin(), now.cores.end(), [&](std::uint32_t core) {
      return std::find(before.cores.begin(), before.cores.end(), core) == before.cores.end();
    });
    const double held =
        region.reuse * std::min(region.working_set, dies_of(node, now.cores) * node.die_cache);
    seconds += node.binding_s + held * static_cast<double>(fresh) /
                                    static_cast<double>(now.cores.size()) /
                                    flow_of(node, rank, now);
  }
  if (gigahertz(program, now) != gigahertz(program, before)) seconds += node.clock_s;
  return seconds;
}

TrueRun run_truth(const TrueProgram& program, const TrueSettings& settings,
                  const std::vector<double>& at_least) {
  const std::size_t groups = program.group_passes.size();
  TrueRun run;
  run.group_seconds.assign(groups, 0);
  run.waits.assign(program.ranks.size(), std::vector<double>(groups, 0));
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t previous = (group + groups - 1) % groups;
    const double passes = program.group_passes[group];
    const double from_previous = std::min(passes, program.group_passes[previous]);
    for (const bool repeated : {false, true}) {
      const double times = repeated ? passes - from_previous : from_previous;
      if (times <= 0) continue;
      std::vector<double> arrives(program.ranks.size(), 0);
      std::map<std::uint32_t, std::vector<std::vector<Stretch>>> nodes;
      std::vector<std::pair<std::uint32_t, std::size_t>> places;
      double switches = 0;
      for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
        const TrueSetting before =
            last_of(program.ranks[rank], settings[rank], repeated ? group : previous);
        std::vector<Stretch> stretches =
            pass_of(program, rank, group, settings[rank][group], before, &switches);
        arrives[rank] =
            (stretches.empty() ? 0 : stretches.back().until) + program.ranks[rank].send_s[group];
        auto& of_node = nodes[program.ranks[rank].node];
        places.emplace_back(program.ranks[rank].node, of_node.size());
        of_node.push_back(std::move(stretches));
      }
      const double length = std::max(*std::max_element(arrives.begin(), arrives.end()),
                                     at_least.empty() ? 0 : at_least[group]);
      for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
        const TrueSetting last = last_of(program.ranks[rank], settings[rank], group);
        nodes[places[rank].first][places[rank].second].push_back(
            {length, {last.cores.front()}, gigahertz(program, last)});
        run.waits[rank][group] += times * (length - arrives[rank]);
      }
      for (const auto& [node, ranks] : nodes)
        run.joules += times * node_joules(program.node, ranks, length);
      run.group_seconds[group] += times * length;
      run.seconds += times * length;
      run.switches += times * switches;
    }
  }
  return run;
}

}  // namespace huddle::hybrid
