#include "profiles/throttling/team_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

[[noreturn]] void fail_team(std::string_view place, std::string_view what, double found,
                            std::string_view expected) {
  throw Error(fmt::format("{}: {} is {}; expected: {}", place, what, found, expected));
}

void check_at_least(double value, double least, std::string_view place, std::string_view what) {
  if (!std::isfinite(value) || value < least)
    fail_team(place, what, value, fmt::format("{} or more", least));
}

void check_positive(double value, std::string_view place, std::string_view what) {
  if (!std::isfinite(value) || value <= 0) fail_team(place, what, value, "more than 0");
}

void check_team_node(const TeamNode& node) {
  constexpr std::string_view kPlace = "node of a program with teams";
  // Far more than there are, and their product fits.
  for (const std::uint32_t count : {node.packages, node.dies_per_package, node.cores_per_die})
    if (count < 1 || count > 1024)
      fail_team(kPlace, "a number of packages, dies or cores", count, "1 to 1024");
  check_at_least(node.idle.value, 0, kPlace, "idle power");
  check_at_least(node.nominal.value, 0, kPlace, "nominal clock");
  if (node.power.empty())
    throw Error("node of a program with teams: no power figures; expected: one clock at least");
  Hertz before{0};
  for (const TeamPowerPoint& point : node.power) {
    if (!std::isfinite(point.clock.value) || point.clock <= before)
      fail_team(kPlace, "a clock of its power figures (Hz)", point.clock.value, "ascending clocks");
    before = point.clock;
    for (const Watts watts : {point.package, point.die, point.core})
      check_at_least(watts.value, 0, kPlace, "power of a busy part");
  }
}

void check_configuration(const TeamConfiguration& configuration, std::size_t rank_cores,
                         std::string_view place) {
  if (configuration.threads < 1) fail_team(place, "threads", 0, "1 or more");
  if (configuration.cores < 1 || configuration.cores > rank_cores)
    fail_team(place, "cores", configuration.cores, fmt::format("1 to {}", rank_cores));
  if (configuration.packages < 1 || configuration.packages > configuration.cores)
    fail_team(place, "packages", configuration.packages,
              fmt::format("1 to {}", configuration.cores));
  check_at_least(configuration.clock.value, 0, place, "clock");
}

void check_region(const TeamRegion& region, double group_passes, std::size_t rank_cores,
                  const std::string& place) {
  check_positive(region.passes, place, "passes");
  check_at_least(region.entries, 0, place, "entries");
  const double most = std::max(region.passes, group_passes);
  if (region.entries > most)
    fail_team(place, "entries", region.entries, fmt::format("at most {}", most));
  check_at_least(region.serial.value, 0, place, "serial time");
  check_at_least(region.refill.value, 0, place, "time to refill caches");
  if (region.reference >= region.options.size())
    fail_team(place, "the reference's option", static_cast<double>(region.reference),
              fmt::format("below {}, the number of options", region.options.size()));
  std::set<TeamConfiguration> seen;
  for (std::size_t option = 0; option < region.options.size(); ++option) {
    const TeamOption& each = region.options[option];
    const std::string of_option = fmt::format("{}, option {}", place, option);
    check_configuration(each.configuration, rank_cores, of_option);
    check_positive(each.seconds.value, of_option, "time");
    check_at_least(each.error, 0, of_option, "error");
    if (!seen.insert(each.configuration).second)
      throw Error(fmt::format("{}: has the configuration of another option; expected: each once",
                              of_option));
  }
}

void check_team_rank(const TeamProgram& program, const TeamRank& rank) {
  const std::string place = fmt::format("rank {}", rank.rank.value);
  const TeamNode& node = program.node;
  const std::uint32_t node_cores = node.packages * node.dies_per_package * node.cores_per_die;
  if (rank.cores.empty()) throw Error(place + ": no cores; expected: one at least");
  for (std::size_t i = 0; i < rank.cores.size(); ++i)
    if (rank.cores[i] >= node_cores || (i > 0 && rank.cores[i] <= rank.cores[i - 1]))
      fail_team(place, "a core", rank.cores[i], fmt::format("ascending ones below {}", node_cores));
  if (rank.groups.size() != program.groups.size())
    fail_team(place, "the number of phase groups", static_cast<double>(rank.groups.size()),
              fmt::format("{}", program.groups.size()));
  for (std::size_t g = 0; g < rank.groups.size(); ++g) {
    const TeamGroupOfRank& group = rank.groups[g];
    const std::string of_group =
        fmt::format("{}, group {}", place, shortened(program.groups[g].name));
    check_at_least(group.send.value, 0, of_group, "time to send");
    if (!std::isfinite(group.wait.value)) fail_team(of_group, "wait", group.wait.value, "a time");
    for (const TeamRegion& region : group.regions)
      check_region(region, program.groups[g].passes, rank.cores.size(),
                   fmt::format("{}, region {}", of_group, shortened(region.name)));
  }
}

}  // namespace

void check_team_program(const TeamProgram& program) {
  check_team_node(program.node);
  check_at_least(program.switching.binding.value, 0, "switching", "time to bind");
  check_at_least(program.switching.clock.value, 0, "switching", "time to change a clock");
  if (program.ranks.empty() || program.groups.empty())
    throw Error(
        fmt::format("program with teams: {} ranks and {} phase groups; expected: one of each "
                    "at least",
                    program.ranks.size(), program.groups.size()));
  for (const TeamGroup& group : program.groups)
    check_positive(group.passes, "group " + shortened(group.name), "passes");
  std::map<std::pair<NodeIndex, std::uint32_t>, Rank> owners;
  for (const TeamRank& rank : program.ranks) {
    check_team_rank(program, rank);
    for (const std::uint32_t core : rank.cores) {
      const auto [owner, first] = owners.insert({{rank.node, core}, rank.rank});
      if (!first)
        throw Error(fmt::format("core {} of node {}: belongs to ranks {} and {}; expected: to one",
                                core, rank.node.value, owner->second.value, rank.rank.value));
    }
  }
}

TeamChoice reference_choice(const TeamProgram& program) {
  TeamChoice choice(program.ranks.size());
  for (std::size_t r = 0; r < program.ranks.size(); ++r)
    for (const TeamGroupOfRank& group : program.ranks[r].groups) {
      choice[r].emplace_back();
      for (const TeamRegion& region : group.regions) choice[r].back().push_back(region.reference);
    }
  return choice;
}

}  // namespace huddle
