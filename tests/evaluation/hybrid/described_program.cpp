#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "aggregator/hybrid/team_menu.hpp"
#include "aggregator/hybrid/team_program.hpp"
#include "tests/evaluation/hybrid/true_programs.hpp"

namespace huddle::hybrid {
namespace {

double at_clock(const TruePower& power, double ghz) {
  return power.at_rest + power.per_cube * ghz * ghz * ghz;
}

TeamNode told_node(const TrueNode& node) {
  TeamNode described;
  described.packages = node.packages;
  described.dies_per_package = node.dies_per_package;
  described.cores_per_die = node.cores_per_die;
  described.idle = {node.idle_watts};
  described.nominal = {node.clocks_ghz.back() * 1e9};
  described.clock_of_package = node.clock_of_package;
  for (const double ghz : node.clocks_ghz)
    described.power.push_back({{ghz * 1e9},
                               {at_clock(node.package, ghz)},
                               {at_clock(node.die, ghz)},
                               {at_clock(node.core, ghz)}});
  return described;
}

TeamRank bare_rank(const TrueRank& rank, std::uint32_t number) {
  TeamRank described;
  described.rank = {number};
  described.node = {rank.node};
  described.cores = rank.cores;
  return described;
}

/// `wanted` of them by chance, the last (the reference's) among them.
template <class T>
std::set<T> some_of(const std::set<T>& all, std::size_t wanted, const T& always,
                    std::mt19937_64& random) {
  if (wanted == 0 || wanted >= all.size()) return all;
  std::vector<T> others(all.begin(), all.end());
  std::erase(others, always);
  std::shuffle(others.begin(), others.end(), random);
  others.resize(wanted - 1);
  std::set<T> result(others.begin(), others.end());
  result.insert(always);
  return result;
}

TeamConfiguration reference_of(const std::vector<TeamConfiguration>& menu) {
  return *std::max_element(
      menu.begin(), menu.end(), [](const TeamConfiguration& a, const TeamConfiguration& b) {
        return std::tie(a.cores, a.packages, a.clock) < std::tie(b.cores, b.packages, b.clock);
      });
}

/// The configurations with some of the sets of cores and some of the clocks, out of all.
std::vector<TeamConfiguration> small_menu(std::vector<TeamConfiguration> menu,
                                          const Description& described) {
  // All regions of a size have the same.
  std::mt19937_64 random(described.seed + 99);
  const TeamConfiguration reference = reference_of(menu);
  const auto cores_of = [](TeamConfiguration configuration) {
    configuration.clock = {};
    return configuration;
  };
  std::set<TeamConfiguration> cores;
  std::set<Hertz> clocks;
  for (const TeamConfiguration& each : menu) {
    cores.insert(cores_of(each));
    clocks.insert(each.clock);
  }
  cores = some_of(cores, described.cores, cores_of(reference), random);
  clocks = some_of(clocks, described.clocks, reference.clock, random);
  std::erase_if(menu, [&](const TeamConfiguration& each) {
    return !cores.contains(cores_of(each)) || !clocks.contains(each.clock);
  });
  return menu;
}

TeamRegion told_region(const TrueProgram& program, const TrueRank& rank, const TrueRegion& region,
                       double group_passes, const Description& described, std::mt19937_64& random) {
  const TeamNode node = told_node(program.node);
  const TeamRank bare = bare_rank(rank, 0);
  TeamRegion result;
  result.name = region.name;
  result.passes = region.passes * group_passes;
  result.entries = group_passes;
  std::normal_distribution<double> normal;
  const auto menu = small_menu(full_menu(program, rank, region.threads), described);
  const TeamConfiguration reference = reference_of(menu);
  for (const TeamConfiguration& each : menu) {
    TeamOption option;
    option.configuration = each;
    const TrueSetting setting = {each, cores_of_team(each, bare, node)};
    option.seconds = {pass_seconds(program, rank, region, setting)};
    const double wrong = std::clamp(normal(random), -2.0, 2.0);
    if (each == reference) {
      result.reference = result.options.size();
      // The wait of a program that has every core anew, without binding.
      const TrueSetting nowhere = {each, {}};
      result.refill = {switch_seconds(program, rank, region, nowhere, setting) -
                       (region.threads > 1 ? program.node.binding_s : 0)};
    } else if (described.error > 0) {
      option.seconds.value *= 1 + described.error * wrong;
      option.error = 1 / (1 - 2 * described.error) - 1;  // the most that there is
    }
    result.options.push_back(option);
  }
  return result;
}

}  // namespace

std::vector<TeamConfiguration> full_menu(const TrueProgram& program, const TrueRank& rank,
                                         std::uint32_t threads) {
  std::vector<Hertz> clocks;
  for (const double ghz : program.node.clocks_ghz) clocks.push_back({ghz * 1e9});
  return team_configurations(threads, bare_rank(rank, 0), told_node(program.node), clocks);
}

TeamProgram described_program(const TrueProgram& program, const Description& described) {
  std::mt19937_64 random(described.seed);
  TeamProgram result;
  result.node = told_node(program.node);
  result.switching = {{program.node.binding_s}, {program.node.clock_s}};
  for (std::size_t g = 0; g < program.group_passes.size(); ++g)
    result.groups.push_back({"group " + std::to_string(g), program.group_passes[g]});
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    const TrueRank& rank = program.ranks[r];
    TeamRank each = bare_rank(rank, static_cast<std::uint32_t>(r));
    for (std::size_t g = 0; g < program.group_passes.size(); ++g) {
      TeamGroupOfRank group;
      group.send = {rank.send_s[g] * program.group_passes[g]};
      for (const TrueRegion& region : rank.groups[g])
        group.regions.push_back(
            told_region(program, rank, region, program.group_passes[g], described, random));
      each.groups.push_back(group);
    }
    result.ranks.push_back(each);
  }
  const TrueRun measured = run_truth(program, settings_of(result, reference_choice(result)));
  for (std::size_t r = 0; r < program.ranks.size(); ++r)
    for (std::size_t g = 0; g < program.group_passes.size(); ++g)
      result.ranks[r].groups[g].wait = {measured.waits[r][g]};
  return result;
}

TeamProgram without_positions(const TeamProgram& described) {
  TeamProgram merged = described;
  for (TeamRank& rank : merged.ranks)
    for (TeamGroupOfRank& group : rank.groups) {
      std::vector<TeamRegion> regions;
      for (const TeamRegion& each : group.regions) {
        auto known = std::ranges::find(regions, each.name, &TeamRegion::name);
        if (known == regions.end()) {
          regions.push_back(each);
          continue;
        }
        const double share = each.passes / (known->passes + each.passes);
        for (std::size_t option = 0; option < known->options.size(); ++option) {
          Seconds& mean = known->options[option].seconds;
          mean += (each.options[option].seconds - mean) * share;
        }
        known->refill += (each.refill - known->refill) * share;
        known->serial += each.serial;
        known->passes += each.passes;
        known->entries += each.entries;
      }
      group.regions = std::move(regions);
    }
  return merged;
}

TeamChoice at_all_positions(const TeamProgram& described, const TeamProgram& merged,
                            const TeamPlan& plan) {
  TeamChoice choice = reference_choice(described);
  for (std::size_t r = 0; r < choice.size(); ++r)
    for (std::size_t g = 0; g < choice[r].size(); ++g) {
      const auto& kinds = merged.ranks[r].groups[g].regions;
      for (std::size_t i = 0; i < choice[r][g].size(); ++i) {
        const TeamRegion& region = described.ranks[r].groups[g].regions[i];
        const auto kind = std::ranges::find(kinds, region.name, &TeamRegion::name) - kinds.begin();
        choice[r][g][i] = plan.choice[r][g][static_cast<std::size_t>(kind)];
      }
    }
  return choice;
}

TrueSettings settings_of(const TeamProgram& described, const TeamChoice& choice) {
  TrueSettings settings(choice.size());
  for (std::size_t r = 0; r < choice.size(); ++r)
    for (std::size_t g = 0; g < choice[r].size(); ++g) {
      settings[r].emplace_back();
      for (std::size_t i = 0; i < choice[r][g].size(); ++i) {
        const auto& configuration =
            described.ranks[r].groups[g].regions[i].options[choice[r][g][i]].configuration;
        settings[r].back().push_back(
            {configuration, cores_of_team(configuration, described.ranks[r], described.node)});
      }
    }
  return settings;
}

TrueSettings settings_of(const TeamPlan& plan) {
  TrueSettings settings(plan.rows.size());
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    for (const auto& group : plan.rows[r]) {
      settings[r].emplace_back();
      for (const TeamRow& row : group) settings[r].back().push_back({row.after, row.cores});
    }
  return settings;
}

}  // namespace huddle::hybrid
