#include "commgraph/partition/pair_improvement.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "commgraph/partition/kernighan_lin.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PairImprovement::PairImprovement(const GraphView& graph, PartMembers& members)
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
  vertex_.assign(members_.of(a).begin(), members_.of(a).end());
  size_of_a_ = static_cast<Local>(vertex_.size());
  vertex_.insert(vertex_.end(), members_.of(b).begin(), members_.of(b).end());
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

// Of all pairs that are not set aside. Both sides are in order, so a pair further down is better
// than the best one only if it has less weight between its ends.
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

}  // namespace huddle
