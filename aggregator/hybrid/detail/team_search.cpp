#include "aggregator/hybrid/detail/team_search.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace huddle::hybrid::teams {
namespace {

/// A change must be worth more than what sums lose by rounding.
constexpr double kLeastChange = 1e-9;

/// The part of a configuration that a move sets.
enum class Aspect : std::uint8_t { kAll, kCores, kClock };

hybrid::TeamConfiguration with(const hybrid::TeamConfiguration& present,
                               const hybrid::TeamConfiguration& wanted, Aspect aspect) {
  if (aspect == Aspect::kAll) return wanted;
  hybrid::TeamConfiguration result = aspect == Aspect::kCores ? wanted : present;
  result.clock = aspect == Aspect::kCores ? present.clock : wanted.clock;
  return result;
}

/// Regions whose cores or clocks may be set together: those of a rank in a group, of a node, of all
/// ranks, the same one in all ranks, those of a rank in all groups, all.
std::vector<std::vector<Change>> scopes_of(const Model& model) {
  std::set<std::vector<std::vector<std::size_t>>> seen;
  std::vector<std::vector<Change>> result;
  const auto add = [&](const std::vector<Change>& scope) {
    std::vector<std::vector<std::size_t>> key;
    for (const Change& c : scope) key.push_back({c.rank, c.group, c.region});
    if (scope.size() > 1 && seen.insert(std::move(key)).second) result.push_back(scope);
  };
  const auto append = [&](std::vector<Change>& scope, std::size_t rank, std::size_t group) {
    const auto& regions = model.program().ranks[rank].groups[group].regions;
    for (std::size_t i = 0; i < regions.size(); ++i)
      if (!model.region(rank, group, i).follows) scope.push_back({rank, group, i, 0});
  };
  std::vector<Change> whole;
  for (std::size_t g = 0; g < model.groups(); ++g) {
    std::vector<Change> of_group;
    for (const auto& node : model.nodes()) {
      std::vector<Change> of_node;
      for (const std::size_t rank : node) {
        std::vector<Change> of_rank;
        append(of_rank, rank, g);
        add(of_rank);
        of_node.insert(of_node.end(), of_rank.begin(), of_rank.end());
      }
      add(of_node);
      of_group.insert(of_group.end(), of_node.begin(), of_node.end());
    }
    std::size_t most = 0;
    for (const Change& c : of_group) most = std::max(most, c.region + 1);
    for (std::size_t i = 0; i < most; ++i) {
      std::vector<Change> same;
      for (const Change& c : of_group)
        if (c.region == i) same.push_back(c);
      add(same);
    }
    add(of_group);
    whole.insert(whole.end(), of_group.begin(), of_group.end());
  }
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    std::vector<Change> of_rank;
    for (std::size_t g = 0; g < model.groups(); ++g) append(of_rank, rank, g);
    add(of_rank);
  }
  add(whole);
  return result;
}

}  // namespace

std::size_t option_like(const Model& model, std::size_t rank, std::size_t group, std::size_t region,
                        const hybrid::TeamConfiguration& wanted, std::size_t present) {
  const RegionModel& resolved = model.region(rank, group, region);
  const auto& options = model.program().ranks[rank].groups[group].regions[region].options;
  for (std::size_t o = 0; o < options.size(); ++o) {
    const hybrid::TeamConfiguration& has = options[o].configuration;
    // Serial code takes part in the clock only.
    if (resolved.team ? has == wanted : has.clock == wanted.clock) return o;
  }
  return present;
}

std::vector<hybrid::TeamConfiguration> all_configurations(const hybrid::TeamProgram& program) {
  std::set<hybrid::TeamConfiguration> result;
  hybrid::for_each_region(program, [&](auto, auto, auto, const hybrid::TeamRegion& region) {
    for (const hybrid::TeamOption& option : region.options) result.insert(option.configuration);
  });
  return {result.begin(), result.end()};
}

Search::Search(const Model& model, const Limits& limits, hybrid::TeamChoice choice)
    : model_(model), limits_(limits), choice_(std::move(choice)), scopes_(scopes_of(model)) {
  runs_.assign(model.groups(), std::vector<RankRun>(model.ranks()));
  for (std::size_t rank = 0; rank < model.ranks(); ++rank) {
    ends_.push_back(ends_of(model, rank, choice_[rank]));
    for (std::size_t g = 0; g < model.groups(); ++g)
      runs_[g][rank] =
          model.run(rank, g, choice_[rank][g],
                    ends_[rank][(g + model.groups() - 1) % model.groups()], ends_[rank][g]);
  }
  for (std::size_t g = 0; g < model.groups(); ++g) {
    const GroupSums nothing = {-1, 0, 0, std::vector<double>(model.nodes().size(), 0.0)};
    groups_.push_back(lengths_of(g, nothing));
    draw(g, {}, nothing, groups_.back());
    drawn_ += groups_.back().drawn;
    weighed_ += groups_.back().weighed;
  }
}

bool Search::allowed() const {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (groups_[g].weighed > limits_.groups[g] * (1 + 1e-12)) return false;
  return weighed_ <= limits_.total * (1 + 1e-12);
}

Search::GroupSums Search::lengths_of(std::size_t group, const GroupSums& before) const {
  GroupSums sums;
  sums.length = before.length;
  sums.weighed = before.weighed;
  bool last_changed = before.length < 0;
  for (const Saved& saved : saved_) {
    if (saved.group != group) continue;
    const RankRun& now = runs_[group][saved.rank];
    const double offset = model_.offset(saved.rank, group);
    last_changed = last_changed || saved.run.time + offset >= before.length ||
                   model_.weighed(saved.rank, group, saved.run) >= before.weighed;
    sums.length = std::max(sums.length, now.time + offset);
    sums.weighed = std::max(sums.weighed, model_.weighed(saved.rank, group, now));
  }
  // Only if a rank changed that others waited for, all must be looked at.
  if (last_changed) {
    sums.length = sums.weighed = 0;
    for (std::size_t rank = 0; rank < model_.ranks(); ++rank) {
      const RankRun& run = runs_[group][rank];
      sums.length = std::max(sums.length, run.time + model_.offset(rank, group));
      sums.weighed = std::max(sums.weighed, model_.weighed(rank, group, run));
    }
  }
  return sums;
}

void Search::draw(std::size_t group, const std::vector<std::size_t>& nodes, const GroupSums& before,
                  GroupSums& sums) const {
  sums.nodes = before.nodes;
  sums.drawn = before.drawn;
  const auto draw_node = [&](std::size_t node) {
    const double drawn = model_.drawn(node, runs_[group], sums.length);
    sums.drawn += drawn - sums.nodes[node];
    sums.nodes[node] = drawn;
  };
  // A group of another length is another wait for all.
  if (sums.length == before.length)
    for (const std::size_t node : nodes) draw_node(node);
  else
    for (std::size_t node = 0; node < sums.nodes.size(); ++node) draw_node(node);
}

double Search::objective(double drawn, double weighed) const {
  return price_ < 0 ? drawn : drawn + price_ * weighed;
}

/// Runs of a rank again whose options or entry changed, into runs_; what was there into saved_.
void Search::rerun(std::size_t rank, const std::vector<State>& ends, std::vector<bool>& touched) {
  const std::size_t count = model_.groups();
  std::vector<bool> of_rank(count, false);
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t previous = (g + count - 1) % count;
    of_rank[g] = ends[g] != ends_[rank][g] || ends[previous] != ends_[rank][previous];
  }
  for (std::size_t g = 0; g < count; ++g) {
    // touched[] says here which groups of the rank have other options.
    if (!of_rank[g] && !touched[g]) continue;
    const std::size_t previous = (g + count - 1) % count;
    saved_.push_back({rank, g, std::move(runs_[g][rank])});
    runs_[g][rank] = model_.run(rank, g, choice_[rank][g], ends[previous], ends[g]);
    touched[g] = true;
  }
}

void Search::forget() {
  for (auto saved = saved_.rbegin(); saved != saved_.rend(); ++saved)
    runs_[saved->group][saved->rank] = std::move(saved->run);
  saved_.clear();
}

bool Search::attempt(const std::vector<Change>& changes) {
  std::vector<Change> before;
  std::set<std::size_t> ranks;
  std::vector<bool> touched(model_.groups(), false);
  for (const Change& change : changes) {
    std::size_t& option = choice_[change.rank][change.group][change.region];
    if (option == change.option) continue;
    before.push_back({change.rank, change.group, change.region, option});
    option = change.option;
    ranks.insert(change.rank);
    touched[change.group] = true;
  }
  if (before.empty()) return false;
  std::vector<std::pair<std::size_t, std::vector<State>>> ends;
  std::vector<std::size_t> nodes;
  for (const std::size_t rank : ranks) {
    if (std::find(nodes.begin(), nodes.end(), model_.node_of(rank)) == nodes.end())
      nodes.push_back(model_.node_of(rank));
    ends.emplace_back(rank, ends_of(model_, rank, choice_[rank]));
    rerun(rank, ends.back().second, touched);
  }
  double drawn = drawn_;
  double weighed = weighed_;
  bool allowed = true;
  std::vector<std::pair<std::size_t, GroupSums>> sums;
  for (std::size_t g = 0; g < touched.size() && allowed; ++g) {
    if (!touched[g]) continue;
    sums.emplace_back(g, lengths_of(g, groups_[g]));
    const GroupSums& now = sums.back().second;
    weighed += now.weighed - groups_[g].weighed;
    // A group that is over its limit already may become shorter.
    allowed = now.weighed <= std::max(limits_.groups[g], groups_[g].weighed) * (1 + 1e-12);
  }
  if (price_ < 0 && weighed > std::max(limits_.total, weighed_) * (1 + 1e-12)) allowed = false;
  // Most changes end here: what nodes draw costs more to know than how long they take.
  if (allowed)
    for (auto& [g, now] : sums) {
      draw(g, nodes, groups_[g], now);
      drawn += now.drawn - groups_[g].drawn;
    }
  const double present = objective(drawn_, weighed_);
  if (!allowed || !(objective(drawn, weighed) < present - kLeastChange * present)) {
    for (auto change = before.rbegin(); change != before.rend(); ++change)
      choice_[change->rank][change->group][change->region] = change->option;
    forget();
    return false;
  }
  saved_.clear();
  for (auto& [rank, states] : ends) ends_[rank] = std::move(states);
  for (auto& [g, now] : sums) groups_[g] = std::move(now);
  drawn_ = drawn;
  weighed_ = weighed;
  return true;
}

bool Search::descend_alone() {
  bool helped = false;
  hybrid::for_each_region(model_.program(),
                          [&](auto rank, auto group, auto i, const hybrid::TeamRegion& region) {
                            if (model_.region(rank, group, i).follows) return;
                            for (std::size_t o = 0; o < region.options.size(); ++o)
                              helped = attempt({{rank, group, i, o}}) || helped;
                          });
  return helped;
}

bool Search::try_scope(const std::vector<Change>& scope) {
  std::set<hybrid::TeamConfiguration> wanted;
  for (const Change& c : scope)
    for (const hybrid::TeamOption& option :
         model_.program().ranks[c.rank].groups[c.group].regions[c.region].options)
      wanted.insert(option.configuration);
  bool helped = false;
  std::set<std::vector<std::size_t>> seen;
  for (const hybrid::TeamConfiguration& configuration : wanted)
    for (const Aspect aspect : {Aspect::kAll, Aspect::kCores, Aspect::kClock}) {
      std::vector<Change> changes = scope;
      std::vector<std::size_t> key;
      for (Change& c : changes) {
        const std::size_t present = choice_[c.rank][c.group][c.region];
        const auto& has = model_.program()
                              .ranks[c.rank]
                              .groups[c.group]
                              .regions[c.region]
                              .options[present]
                              .configuration;
        c.option = option_like(model_, c.rank, c.group, c.region, with(has, configuration, aspect),
                               present);
        key.push_back(c.option);
      }
      if (seen.insert(std::move(key)).second) helped = attempt(changes) || helped;
    }
  return helped;
}

bool Search::descend_together() {
  bool helped = false;
  for (const auto& scope : scopes_) helped = try_scope(scope) || helped;
  return helped;
}

void Search::descend(int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const bool together = descend_together();
    const bool alone = descend_alone();
    if (!together && !alone) return;
  }
}

}  // namespace huddle::hybrid::teams
