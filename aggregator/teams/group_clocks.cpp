#include "aggregator/teams/group_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::teams {
namespace {

/// A group of a rank as one region, and its cores on average.
struct WholeGroup {
  double seconds = 0;  // of the run
  double at_most = 0;
  double core_seconds = 0;
};

WholeGroup whole_group(const hybrid::TeamGroupOfRank& group,
                       const std::vector<hybrid::TeamRow>& rows, Seconds own) {
  WholeGroup whole;
  double errors = 0;
  for (std::size_t i = 0; i < group.regions.size(); ++i) {
    const hybrid::TeamRegion& region = group.regions[i];
    const double seconds = rows[i].time_after.value;
    errors += seconds * region.options[rows[i].option].error;
    whole.core_seconds += region.serial.value + seconds * rows[i].after.cores;
  }
  whole.seconds = own.value;
  whole.at_most = own.value + errors;
  return whole;
}

/// True if every clock of the rank's cores is its own. A rank of one core has no team that could
/// be acted on.
bool owns_its_clocks(const hybrid::TeamRank& rank, const hybrid::TeamNode& node) {
  if (rank.cores.size() < 2) return false;
  if (!node.clock_of_package) return true;
  std::map<std::uint32_t, std::uint32_t> cores;
  for (const std::uint32_t core : rank.cores) ++cores[node.package_of(core)];
  return std::ranges::all_of(
      cores, [&](const auto& entry) { return entry.second == node.cores_per_package(); });
}

/// The program as ranks and groups alone, each group with all clocks that are no higher than the
/// usual one. The reference is what the plan makes of it.
class GroupProgram {
 public:
  GroupProgram(const hybrid::TeamProgram& given, const hybrid::TeamPlan& plan)
      : given_(given), plan_(plan) {
    program_.node = given.node;
    program_.switching = given.switching;
    program_.groups = given.groups;
    for (const hybrid::TeamPowerPoint& point : program_.node.power)
      if (point.clock < program_.node.nominal * (1 - 1e-6)) lower_.push_back(point.clock);
    for (std::size_t r = 0; r < given.ranks.size(); ++r) add_rank(r);
  }

  [[nodiscard]] const hybrid::TeamProgram& program() const { return program_; }
  [[nodiscard]] bool has_choices() const { return has_choices_; }

 private:
  void add_rank(std::size_t r) {
    const hybrid::TeamRank& given = given_.ranks[r];
    hybrid::TeamRank rank{given.rank, given.node, given.cores, {}};
    const bool may = owns_its_clocks(given, program_.node);
    for (std::size_t g = 0; g < given.groups.size(); ++g) {
      hybrid::TeamGroupOfRank group;
      group.send = given.groups[g].send;
      group.wait = given.groups[g].wait;
      const Seconds own = plan_.after.ranks[r][g];
      // The rank waits less by what the plan takes longer, and what it saves the rank that is
      // waited for.
      const double later = std::max(0.0, (own - plan_.before.ranks[r][g]).value);
      const double earlier = std::max(0.0, (plan_.before.groups[g] - plan_.after.groups[g]).value);
      if (group.wait.value > 0)
        group.wait.value = std::max(0.0, group.wait.value - later - earlier);
      if (own.value > 0) {
        group.regions.push_back(
            region_of(whole_group(given.groups[g], plan_.rows[r][g], own), g, may));
        has_choices_ = has_choices_ || group.regions.back().options.size() > 1;
      }
      rank.groups.push_back(std::move(group));
    }
    program_.ranks.push_back(std::move(rank));
  }

  [[nodiscard]] hybrid::TeamRegion region_of(const WholeGroup& whole, std::size_t g,
                                             bool may) const {
    hybrid::TeamRegion region;
    region.name = program_.groups[g].name;
    region.passes = region.entries = program_.groups[g].passes;
    // Rounded down, so that no more energy is predicted to be saved than is.
    const auto cores =
        static_cast<std::uint32_t>(std::max(1.0, std::floor(whole.core_seconds / whole.seconds)));
    hybrid::TeamOption usual;
    usual.configuration = {cores, cores, 1, program_.node.nominal};
    usual.seconds.value = whole.seconds / region.passes;
    usual.error = whole.at_most / whole.seconds - 1;
    region.options = {usual};
    for (const Hertz clock : may ? lower_ : std::vector<Hertz>()) {
      hybrid::TeamOption slower = usual;
      slower.configuration.clock = clock;
      slower.seconds = usual.seconds * (program_.node.nominal / clock);
      region.options.push_back(slower);
    }
    return region;
  }

  const hybrid::TeamProgram& given_;
  const hybrid::TeamPlan& plan_;
  hybrid::TeamProgram program_;
  std::vector<Hertz> lower_;
  bool has_choices_ = false;
};

/// The one at that clock: a group that is too short for its own has that of the one before.
const hybrid::TeamOption& option_at(Hertz clock, const hybrid::TeamRegion& region) {
  const auto found = std::ranges::find_if(region.options, [&](const hybrid::TeamOption& one) {
    return one.configuration.clock == clock;
  });
  return found == region.options.end() ? region.options.front() : *found;
}

GroupClocks nothing(std::string reason) {
  GroupClocks clocks;
  clocks.reason = std::move(reason);
  return clocks;
}

/// The bound as it is after what the plan spent of it at most, in the group in which that is most.
hybrid::TeamStrategyOptions rest_of(hybrid::TeamStrategyOptions options,
                                    const hybrid::TeamPlan& plan) {
  double spent = std::max(1.0, plan.after.time_at_most / plan.before.time);
  for (std::size_t g = 0; g < plan.before.groups.size(); ++g)
    if (plan.before.groups[g].value > 0)
      spent = std::max(spent, plan.after.groups_at_most[g] / plan.before.groups[g]);
  options.slowdown_bound = std::max(0.0, (1 + options.slowdown_bound) / spent - 1);
  options.above_static = std::min(options.above_static, options.slowdown_bound);
  return options;
}

}  // namespace

GroupClocks choose_group_clocks(const hybrid::TeamProgram& program, const hybrid::TeamPlan& plan,
                                const hybrid::TeamStrategyOptions& options) {
  const hybrid::TeamNode& node = program.node;
  if (node.power.size() < 2) return nothing("the machine document knows no power at lower clocks");
  const GroupProgram whole(program, plan);
  if (!whole.has_choices()) return nothing("no rank has a clock of its own that can be lower");
  const hybrid::TeamPlan chosen = hybrid::choose_teams(whole.program(), rest_of(options, plan));
  const double at_most = plan.before.time.value * (1 + options.slowdown_bound);
  if (!chosen.changes || chosen.after.time_at_most.value > at_most * (1 + 1e-9))
    return nothing("no lower clock saves enough energy within the bounds");
  GroupClocks clocks;
  clocks.longer_at_most.value = std::max(0.0, (chosen.after.time - chosen.before.time).value);
  clocks.saved = chosen.before.energy - chosen.after.energy;
  std::set<std::uint32_t> ranks;
  std::set<std::uint64_t> groups;
  for (std::size_t r = 0; r < whole.program().ranks.size(); ++r)
    for (std::size_t g = 0; g < program.groups.size(); ++g) {
      if (chosen.rows[r][g].empty()) continue;
      hybrid::TeamRow row = chosen.rows[r][g].front();
      if (row.after.clock >= node.nominal * (1 - 1e-6)) continue;
      const hybrid::TeamRegion& region = whole.program().ranks[r].groups[g].regions.front();
      const hybrid::TeamOption& option = option_at(row.after.clock, region);
      row.pass_most = option.seconds * (1 + option.error);
      clocks.rows.push_back(std::move(row));
      ranks.insert(clocks.rows.back().rank);
      groups.insert(clocks.rows.back().group);
    }
  clocks.reason = fmt::format(
      "lower clocks in {} of phases, of {}, are predicted to save {:.2f} % of energy at {:.2f} % "
      "of "
      "time at most",
      pluralize(groups.size(), "group"), pluralize(ranks.size(), "rank"),
      100 * (clocks.saved / plan.before.energy), 100 * (clocks.longer_at_most / plan.before.time));
  return clocks;
}

}  // namespace huddle::teams
