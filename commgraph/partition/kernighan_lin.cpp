#include "commgraph/partition/kernighan_lin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <random>

#include "commgraph/partition/group_assignment.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The 2-way procedure of Kernighan and Lin, on two parts of many. Holds what it works with, so one
// object serves many pairs; not safe for use by two threads at once. `graph` and `members` must
// outlive it.
class PairImprovement {
 public:
  PairImprovement(const GraphView& graph, GroupAssignment& members);

  // Makes passes over parts `a` and `b` until one gains nothing; returns whether any gained.
  bool improve(std::uint32_t a, std::uint32_t b);

 private:
  // A vertex of the two parts by its number among them.
  using Local = std::uint32_t;
  __extension__ typedef __int128 Gain;

  struct Arc {
    Local to = 0;
    std::uint64_t weight = 0;
  };
  struct Swap {
    Local a = 0;
    Local b = 0;
    Gain gain = 0;
  };
  // The vertices of one side that were not set aside, first those whose move gains most.
  using Side = std::vector<Local>;

  bool pass(std::uint32_t a, std::uint32_t b);
  bool gather(std::uint32_t a, std::uint32_t b);
  bool add_arcs_of(Local local);
  void add_arc(Local from, Local to, std::uint64_t weight);
  [[nodiscard]] Swap best_swap();
  void set_aside(Local local);
  void shift(Local local, std::uint64_t weight, bool gains);
  [[nodiscard]] Side::iterator place_in_order(Local local);
  [[nodiscard]] std::uint32_t side_of(Local local) const { return local < size_of_a_ ? 0 : 1; }
  [[nodiscard]] bool comes_before(Local x, Local y) const {
    return gain_[x] != gain_[y] ? gain_[x] > gain_[y] : x < y;
  }

  const GraphView& graph_;
  GroupAssignment& members_;

  // The Local of each vertex of the graph, or none.
  std::vector<Local> local_;
  // The vertex of each Local.
  std::vector<Vertex> vertex_;
  Local size_of_a_ = 0;
  std::vector<std::uint64_t> first_arc_;
  std::vector<Arc> arcs_;
  // The gain of moving the vertex alone to the other side: D of the paper. It is a difference of
  // sums of different edges, and those of the whole graph sum to less than 2^63.
  std::vector<std::int64_t> gain_;
  std::vector<bool> is_aside_;
  std::array<Side, 2> sides_;
  // Weights of the arcs from the vertex that is being looked at, by Local; all 0 between.
  std::vector<std::uint64_t> weight_to_;
  std::vector<Swap> swaps_;
};

PairImprovement::PairImprovement(const GraphView& graph, GroupAssignment& members)
    : graph_(graph), members_(members), local_(graph.vertices(), kNone) {}

bool PairImprovement::improve(std::uint32_t a, std::uint32_t b) {
  bool improved = false;
  while (pass(a, b)) improved = true;
  return improved;
}

bool PairImprovement::pass(std::uint32_t a, std::uint32_t b) {
  if (!gather(a, b)) return false;
  swaps_.clear();
  Gain sum = 0;
  Gain most = 0;
  std::size_t taken = 0;
  while (!sides_[0].empty() && !sides_[1].empty()) {
    const Swap swap = best_swap();
    swaps_.push_back(swap);
    sum += swap.gain;
    if (sum > most) {
      most = sum;
      taken = swaps_.size();
    }
    set_aside(swap.a);
    set_aside(swap.b);
  }
  for (std::size_t i = 0; i < taken; ++i) members_.swap(vertex_[swaps_[i].a], vertex_[swaps_[i].b]);
  return taken > 0;
}

// The two parts as a graph of their own; false if no edge joins them.
bool PairImprovement::gather(std::uint32_t a, std::uint32_t b) {
  vertex_.assign(members_.members(a).begin(), members_.members(a).end());
  size_of_a_ = static_cast<Local>(vertex_.size());
  vertex_.insert(vertex_.end(), members_.members(b).begin(), members_.members(b).end());
  const auto size = static_cast<Local>(vertex_.size());
  for (Local i = 0; i < size; ++i) local_[vertex_[i]] = i;
  arcs_.clear();
  first_arc_.assign(1, 0);
  gain_.assign(size, 0);
  bool joined = false;
  for (Local i = 0; i < size; ++i) {
    joined |= add_arcs_of(i);
    first_arc_.push_back(arcs_.size());
  }
  for (const Vertex v : vertex_) local_[v] = kNone;
  if (!joined) return false;
  is_aside_.assign(size, false);
  weight_to_.assign(size, 0);
  for (std::uint32_t side = 0; side < 2; ++side) {
    sides_[side].clear();
    for (Local i = side == 0 ? 0 : size_of_a_; i < (side == 0 ? size_of_a_ : size); ++i)
      sides_[side].push_back(i);
    std::sort(sides_[side].begin(), sides_[side].end(),
              [this](Local x, Local y) { return comes_before(x, y); });
  }
  return true;
}

// Returns whether one of them goes to the other side.
bool PairImprovement::add_arcs_of(Local local) {
  const auto neighbours = graph_.neighbours_of(vertex_[local]);
  const auto weights = graph_.weights_of(vertex_[local]);
  const std::size_t arcs_before = arcs_.size();
  // In a dense graph it takes less to search for the few vertices of two parts.
  if (neighbours.size() >
      vertex_.size() * static_cast<unsigned>(std::bit_width(neighbours.size()))) {
    for (Local to = 0; to < vertex_.size(); ++to) {
      const auto found = std::lower_bound(neighbours.begin(), neighbours.end(), vertex_[to]);
      if (found != neighbours.end() && *found == vertex_[to])
        add_arc(local, to, weights[static_cast<std::size_t>(found - neighbours.begin())]);
    }
  } else {
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      if (local_[neighbours[i]] != kNone) add_arc(local, local_[neighbours[i]], weights[i]);
  }
  return std::any_of(arcs_.begin() + static_cast<std::ptrdiff_t>(arcs_before), arcs_.end(),
                     [&](const Arc& arc) { return side_of(arc.to) != side_of(local); });
}

void PairImprovement::add_arc(Local from, Local to, std::uint64_t weight) {
  arcs_.push_back({to, weight});
  const auto change = static_cast<std::int64_t>(weight);
  gain_[from] += side_of(from) == side_of(to) ? -change : change;
}

// Returns the best swap of all pairs that are not set aside. Both sides are in order, so a pair
// further down is better than the best one only if it has less weight between its ends.
PairImprovement::Swap PairImprovement::best_swap() {
  Swap best;
  bool found = false;
  std::uint64_t pairs = 0;
  for (const Local a : sides_[0]) {
    if (found && Gain{gain_[a]} + gain_[sides_[1].front()] <= best.gain) break;
    if (pairs >= kMostPairsPerSwap) break;
    const auto arcs = std::span(arcs_).subspan(first_arc_[a], first_arc_[a + 1] - first_arc_[a]);
    for (const Arc& arc : arcs) weight_to_[arc.to] = arc.weight;
    for (const Local b : sides_[1]) {
      const Gain apart = Gain{gain_[a]} + gain_[b];
      if (found && apart <= best.gain) break;
      const Gain gain = apart - 2 * Gain{weight_to_[b]};
      if (!found || gain > best.gain) best = {a, b, gain};
      found = true;
      ++pairs;
      if (weight_to_[b] == 0) break;
    }
    for (const Arc& arc : arcs) weight_to_[arc.to] = 0;
  }
  return best;
}

// As if it had moved to the other side.
void PairImprovement::set_aside(Local local) {
  sides_[side_of(local)].erase(place_in_order(local));
  is_aside_[local] = true;
  for (std::uint64_t i = first_arc_[local]; i < first_arc_[local + 1]; ++i) {
    const Arc& arc = arcs_[i];
    if (!is_aside_[arc.to]) shift(arc.to, arc.weight, side_of(arc.to) == side_of(local));
  }
}

// The edge to a neighbour of this weight now crosses (moving after it gains), or no longer does.
void PairImprovement::shift(Local local, std::uint64_t weight, bool gains) {
  Side& side = sides_[side_of(local)];
  const auto place = place_in_order(local);
  const auto change =
      gains ? static_cast<std::int64_t>(weight) : -static_cast<std::int64_t>(weight);
  // Twice, since what was an inner edge is an outer one now; 2 * weight itself might not fit.
  gain_[local] += change;
  gain_[local] += change;
  const auto in_order = [this](Local x, Local y) { return comes_before(x, y); };
  if (gains)
    std::rotate(std::lower_bound(side.begin(), place, local, in_order), place, place + 1);
  else
    std::rotate(place, place + 1, std::lower_bound(place + 1, side.end(), local, in_order));
}

PairImprovement::Side::iterator PairImprovement::place_in_order(Local local) {
  Side& side = sides_[side_of(local)];
  return std::lower_bound(side.begin(), side.end(), local,
                          [this](Local x, Local y) { return comes_before(x, y); });
}

// Rounds over all pairs of parts.
class Improvement {
 public:
  // Changes `members`, which must outlive it.
  Improvement(const GraphView& graph, GroupAssignment& members)
      : graph_(graph),
        members_(members),
        pairs_(graph, members),
        changed_in_(members.groups(), 0),
        seen_from_(members.groups(), members.groups()) {}

  void run() {
    for (bool improved = true; improved; ++round_) {
      improved = false;
      for (std::uint32_t a = 0; a < members_.groups(); ++a)
        for (const std::uint32_t b : joined_parts_above(a)) improved |= improve(a, b);
    }
  }

 private:
  bool improve(std::uint32_t a, std::uint32_t b) {
    // Then the pair was tried in the last round or before, and is as it was.
    if (std::max(changed_in_[a], changed_in_[b]) + 1 < round_) return false;
    if (!pairs_.improve(a, b)) return false;
    changed_in_[a] = round_;
    changed_in_[b] = round_;
    return true;
  }

  // Parts of a higher number that an edge joins to part `a`, ascending. What joins it later, while
  // its pairs are tried, is found in the next round.
  const std::vector<std::uint32_t>& joined_parts_above(std::uint32_t a) {
    joined_.clear();
    for (const Vertex v : members_.members(a))
      for (const Vertex u : graph_.neighbours_of(v)) {
        const std::uint32_t b = members_.group_of(u);
        if (b <= a || seen_from_[b] == a) continue;
        seen_from_[b] = a;
        joined_.push_back(b);
      }
    for (const std::uint32_t b : joined_) seen_from_[b] = members_.groups();
    std::sort(joined_.begin(), joined_.end());
    return joined_;
  }

  const GraphView& graph_;
  GroupAssignment& members_;
  PairImprovement pairs_;
  // 0: the start.
  std::vector<std::uint64_t> changed_in_;
  std::uint64_t round_ = 1;
  std::vector<std::uint32_t> seen_from_;
  std::vector<std::uint32_t> joined_;
};

// Not std::shuffle, which differs between standard libraries.
void shuffle(std::vector<std::uint32_t>& values, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

}  // namespace

std::vector<std::uint32_t> kernighan_lin_partition(const GraphView& graph,
                                                   std::span<const std::uint32_t> sizes,
                                                   std::uint64_t seed) {
  const std::uint64_t room = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (room != graph.vertices())
    throw Error(fmt::format("the parts hold {} vertices together, but the graph has {}", room,
                            graph.vertices()));
  std::vector<std::uint32_t> part_of;
  part_of.reserve(graph.vertices());
  for (std::uint32_t part = 0; part < sizes.size(); ++part)
    part_of.insert(part_of.end(), sizes[part], part);
  shuffle(part_of, seed);
  improve_by_kernighan_lin(graph, static_cast<std::uint32_t>(sizes.size()), part_of);
  return part_of;
}

void improve_by_kernighan_lin(const GraphView& graph, std::uint32_t parts,
                              std::vector<std::uint32_t>& part_of) {
  if (parts < 2) return;
  std::vector<std::uint32_t> sizes(parts, 0);
  for (const std::uint32_t part : part_of) ++sizes[part];
  GroupAssignment groups(part_of, sizes);
  Improvement(graph, groups).run();
  part_of.assign(groups.all_groups().begin(), groups.all_groups().end());
}

}  // namespace huddle::commgraph
