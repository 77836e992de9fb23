#include "commgraph/mapping/detail/annealing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "profiles/vocabulary/parallel.hpp"

namespace huddle::commgraph {

namespace {

// Fast numbers for searches: the same on every machine for the same seed. (Knuth's MMIX constants,
// whose high half is mixed once more.) Not for anything that has to be unpredictable.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}

  std::uint32_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t x = state_ ^ (state_ >> 32U);
    return static_cast<std::uint32_t>(x ^ (x >> 29U));
  }

  // 32 random bits mapped to 0 to `bound` - 1.
  static std::uint32_t scaled(std::uint32_t bits, std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{bits} * bound) >> 32U);
  }

 private:
  std::uint64_t state_;
};

// Vertices of a range that one thread works on: what it touches should stay in its cache.
constexpr std::uint32_t kRange = 1U << 15U;
// Borders between ranges move this many times.
constexpr std::uint32_t kRounds = 6;
// Members of a group that has an inside.
constexpr std::size_t kLargeGroup = 16;
// A gain has to stand out from the rounding of sums.
constexpr double kLeastMoveGain = 1e-5;

// -ln(u) for u in the middle of each of equal parts of (0, 1): the height of an energy barrier that
// one proposal may pass, over the temperature.
constexpr std::uint32_t kBarrierBits = 12;
using Barriers = std::array<float, std::size_t{1} << kBarrierBits>;

const Barriers& barriers() {
  static const Barriers table = [] {
    Barriers filled{};
    for (std::size_t i = 0; i < filled.size(); ++i)
      filled[i] = static_cast<float>(
          -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(filled.size())));
    return filled;
  }();
  return table;
}

// A range of groups that is worked on by itself.
struct GroupRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] bool holds(std::uint32_t group) const { return group >= begin && group < end; }
};

// The weight of each vertex' arcs: of all, and of those within its group. It lets most proposals be
// turned down without a look at an arc. Doubles, since `inside` is kept up to date by differences.
struct ArcWeights {
  explicit ArcWeights(const WorkGraph& graph) : whole(graph.vertices()), inside(graph.vertices()) {
    for (Vertex v = 0; v < graph.vertices(); ++v)
      for (const Arc& arc : graph.arcs_of(v)) whole[v] += static_cast<double>(arc.weight);
  }

  // Returns the least that leaving its group costs `v`: if all its other arcs led to where it goes.
  [[nodiscard]] double least_loss(Vertex v) const { return 2 * inside[v] - whole[v]; }

  std::vector<double> whole;
  std::vector<double> inside;
};

// Swaps within a range of groups.
class RangeSearch {
 public:
  // `weights` is shared by all ranges; each keeps to its own vertices.
  RangeSearch(const WorkGraph& graph, GroupAssignment& groups, GroupRange range,
              ArcWeights& weights)
      : graph_(graph),
        groups_(groups),
        range_(range),
        weights_(weights),
        tried_by_(range.end - range.begin, 0) {
    for (std::uint32_t group = range.begin; group < range.end; ++group)
      for (const Vertex v : groups.members(group)) {
        weights.inside[v] = weight_towards(v, group);
        if (!graph.arcs_of(v).empty()) vertices_.push_back(v);
      }
    // Vertices are numbered by locality, seats are not.
    std::sort(vertices_.begin(), vertices_.end());
  }

  // `first` and `factor`: the temperature of the first sweep, and how it changes from one to the
  // next.
  void anneal(std::uint32_t sweeps, double first, double factor, std::uint64_t seed) {
    Random random(seed);
    double temperature = first;
    for (std::uint32_t sweep = 0; sweep < sweeps; ++sweep, temperature *= factor)
      for (const Vertex v : vertices_) propose(v, temperature, random);
  }

  // Lets each vertex make its best swap; whether any did.
  bool descend(double least_gain) {
    bool any = false;
    for (const Vertex v : vertices_)
      if (improve(v, least_gain)) any = true;
    return any;
  }

 private:
  void propose(Vertex v, double temperature, Random& random) {
    const std::uint32_t bits = random.next();
    const auto arcs = graph_.arcs_of(v);
    const Vertex near = arcs[Random::scaled(bits, static_cast<std::uint32_t>(arcs.size()))].to;
    const std::uint32_t a = groups_.group_of(v);
    const std::uint32_t b = groups_.group_of(near);
    if (a == b || !range_.holds(b)) return;
    const std::uint32_t more = random.next();
    const Vertex w = partner(near, b, more);
    if (w == near || w == v) return;
    const double barrier =
        temperature * static_cast<double>(table_[more & ((1U << kBarrierBits) - 1)]);
    if (weights_.least_loss(v) + weights_.least_loss(w) > barrier) return;
    // Cheapest questions first: how much `v` would lose is known before w's arcs are looked at.
    const double loss = weights_.inside[v] - weight_towards(v, b);
    if (loss + weights_.least_loss(w) > barrier) return;
    if (loss + loss_of_partner(w, a, v) <= barrier) swap(v, a, w, b);
  }

  // Returns the cost of the swap beyond v's own loss, if w of another group takes v's place in
  // group a. An arc between the two joins different groups before and after, but both ends took it
  // for one that comes home.
  [[nodiscard]] double loss_of_partner(Vertex w, std::uint32_t a, Vertex v) const {
    return weights_.inside[w] - weight_towards(w, a) + 2 * weight_between(v, w);
  }

  bool improve(Vertex v, double least_gain) {
    const std::uint32_t a = groups_.group_of(v);
    double best_change = -least_gain;
    Vertex best = v;
    ++tried_;
    for (const Arc& arc : graph_.arcs_of(v)) {
      const std::uint32_t b = groups_.group_of(arc.to);
      if (b == a || !range_.holds(b) || tried_by_[b - range_.begin] == tried_) continue;
      tried_by_[b - range_.begin] = tried_;
      const double loss = weights_.inside[v] - weight_towards(v, b);
      for (const Vertex w : groups_.members(b)) {
        if (loss + weights_.least_loss(w) >= best_change) continue;
        const double change = loss + loss_of_partner(w, a, v);
        if (change >= best_change) continue;
        best_change = change;
        best = w;
      }
    }
    if (best == v) return false;
    swap(v, a, best, groups_.group_of(best));
    return true;
  }

  // Who of group b may make room near `near`: any in a small group, most of which are at its border
  // anyway; in a large one a neighbour of `near`, if that is in b, too.
  [[nodiscard]] Vertex partner(Vertex near, std::uint32_t b, std::uint32_t bits) const {
    const auto members = groups_.members(b);
    if (members.size() > kLargeGroup) {
      const auto arcs = graph_.arcs_of(near);
      const Vertex w = arcs[Random::scaled(bits, static_cast<std::uint32_t>(arcs.size()))].to;
      if (groups_.group_of(w) == b) return w;
    }
    return members[Random::scaled(bits, static_cast<std::uint32_t>(members.size()))];
  }

  // Without branches: no processor could guess where a neighbour is.
  [[nodiscard]] double weight_towards(Vertex v, std::uint32_t group) const {
    float sum = 0;
    for (const Arc& arc : graph_.arcs_of(v))
      sum += groups_.group_of(arc.to) == group ? arc.weight : 0.0F;
    return static_cast<double>(sum);
  }

  [[nodiscard]] double weight_between(Vertex v, Vertex w) const {
    float sum = 0;
    for (const Arc& arc : graph_.arcs_of(v)) sum += arc.to == w ? arc.weight : 0.0F;
    return static_cast<double>(sum);
  }

  void swap(Vertex v, std::uint32_t a, Vertex w, std::uint32_t b) {
    groups_.swap(v, w);
    moved(v, a, b);
    moved(w, b, a);
    weights_.inside[v] = weight_towards(v, b);
    weights_.inside[w] = weight_towards(w, a);
  }

  // `v` has moved; its neighbours in either group have gained or lost one inside.
  void moved(Vertex v, std::uint32_t from, std::uint32_t to) {
    for (const Arc& arc : graph_.arcs_of(v)) {
      const std::uint32_t group = groups_.group_of(arc.to);
      if (group == from) weights_.inside[arc.to] -= static_cast<double>(arc.weight);
      if (group == to) weights_.inside[arc.to] += static_cast<double>(arc.weight);
    }
  }

  const WorkGraph& graph_;
  GroupAssignment& groups_;
  const GroupRange range_;
  ArcWeights& weights_;
  const Barriers& table_ = barriers();
  std::vector<Vertex> vertices_;
  // The last vertex, counted from 1, that improve() tried to bring into each group.
  std::vector<std::uint64_t> tried_by_;
  std::uint64_t tried_ = 0;
};

// Cuts all groups into ranges of about kRange vertices; every other time half a range further. A
// graph that is not much larger is one range.
std::vector<GroupRange> ranges_of(const GroupAssignment& groups, std::uint32_t round) {
  if (groups.vertices() <= 2 * kRange) return {{0, groups.groups()}};
  std::vector<GroupRange> ranges;
  GroupRange range;
  std::uint32_t held = round % 2 == 1 ? kRange / 2 : 0;
  for (std::uint32_t group = 0; group < groups.groups(); ++group) {
    held += groups.size_of(group);
    range.end = group + 1;
    if (held < kRange) continue;
    ranges.push_back(range);
    range.begin = group + 1;
    held = 0;
  }
  if (range.begin < groups.groups()) {
    range.end = groups.groups();
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

void anneal(const WorkGraph& graph, GroupAssignment& groups, const AnnealingOptions& options,
            const std::function<bool()>& stop) {
  const std::uint32_t rounds =
      ranges_of(groups, 0).size() == 1 ? 1 : std::min(kRounds, options.sweeps);
  const std::uint32_t sweeps = options.sweeps / rounds;
  const double unit = mean_weight(graph);
  const double factor = std::pow(options.last_temperature / options.first_temperature,
                                 1.0 / std::max(1U, sweeps * rounds - 1));
  double temperature = options.first_temperature * unit;
  ArcWeights weights(graph);
  for (std::uint32_t round = 0; round < rounds && !stop(); ++round) {
    const std::vector<GroupRange> ranges = ranges_of(groups, round);
    for_each_index(options.threads, ranges.size(), [&](std::size_t i) {
      RangeSearch(graph, groups, ranges[i], weights)
          .anneal(sweeps, temperature, factor, options.seed * 1'000'003 + round * 65'537 + i);
    });
    temperature *= std::pow(factor, sweeps);
  }
}

void descend(const WorkGraph& graph, GroupAssignment& groups, std::uint32_t rounds,
             unsigned threads) {
  const double least_gain = mean_weight(graph) * kLeastMoveGain;
  ArcWeights weights(graph);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::vector<GroupRange> ranges = ranges_of(groups, round);
    std::vector<char> changed(ranges.size(), 0);
    for_each_index(threads, ranges.size(), [&](std::size_t i) {
      if (RangeSearch(graph, groups, ranges[i], weights).descend(least_gain)) changed[i] = 1;
    });
    if (std::find(changed.begin(), changed.end(), 1) == changed.end()) return;
  }
}

}  // namespace huddle::commgraph
