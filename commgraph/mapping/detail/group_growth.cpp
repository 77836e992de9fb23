#include "commgraph/mapping/detail/group_growth.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace huddle::commgraph {
namespace {

// A number that stands for a vertex in the hash of a set (SplitMix64's finish; Steele, Lea and
// Flood, 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

class Growth {
 public:
  Growth(const WorkGraph& graph, const GrowthOptions& options)
      : graph_(graph),
        options_(options),
        group_of_(graph.vertices(), kUngrouped),
        whole_(graph.vertices(), 0),
        seen_(graph.vertices(), 0),
        mark_(graph.vertices(), 0),
        inward_(graph.vertices(), 0) {
    for (Vertex v = 0; v < graph.vertices(); ++v)
      for (const Arc& arc : graph.arcs_of(v)) whole_[v] += arc.weight;
    open_ = whole_;
  }

  std::vector<std::uint32_t> run(std::span<const std::uint32_t> sizes) {
    for (std::uint32_t group = 0; group < sizes.size(); ++group) {
      grow(sizes[group]);
      settle(best(), group);
    }
    return std::move(group_of_);
  }

 private:
  // A set of vertices on its way to be a group: `cost` is what it leaves open (see GrowthOptions),
  // `hash` the sum of its vertices' mixed numbers.
  struct Set {
    float cost = 0;
    std::uint64_t hash = 0;
    std::vector<Vertex> members;
  };

  // An extension of a set of the beam by a vertex; made into a Set only if it stays in the beam.
  struct Extension {
    float cost = 0;
    std::uint64_t hash = 0;
    std::uint32_t parent = 0;
    Vertex added = 0;
  };

  // Most constrained first; then who was reached first.
  struct Candidate {
    float open = 0;
    std::uint32_t reached = 0;
    Vertex vertex = 0;
    bool operator<(const Candidate& other) const {
      return open != other.open ? open > other.open : reached > other.reached;
    }
  };

  // Returns the cost of a vertex alone.
  [[nodiscard]] float cost_of(Vertex v) const {
    return options_.cost_of_open_arcs * open_[v] +
           options_.cost_of_closed_arcs * (whole_[v] - open_[v]);
  }

  // The vertex to go on with that is in no group and not in `set`; there must be one.
  Vertex next_seed(std::span<const Vertex> set) {
    const auto taken = [&](Vertex v) {
      return group_of_[v] != kUngrouped || std::find(set.begin(), set.end(), v) != set.end();
    };
    while (!front_.empty()) {
      const Candidate top = front_.top();
      if (!taken(top.vertex) && top.open == open_[top.vertex]) return top.vertex;
      front_.pop();
    }
    // The vertices from here on have no grouped neighbour.
    Vertex v = untouched_;
    while (taken(v)) ++v;
    while (untouched_ < graph_.vertices() && group_of_[untouched_] != kUngrouped) ++untouched_;
    return v;
  }

  void grow(std::uint32_t size) {
    const Vertex seed = next_seed({});
    beam_.resize(1);
    beam_[0].members.assign(1, seed);
    beam_[0].cost = cost_of(seed);
    beam_[0].hash = mixed(seed);
    for (std::uint32_t k = 1; k < size; ++k) {
      extensions_.clear();
      for (std::uint32_t i = 0; i < beam_.size(); ++i) extend(i);
      if (extensions_.empty()) {
        const Vertex v = next_seed(beam_[0].members);
        extensions_.push_back({beam_[0].cost + cost_of(v), beam_[0].hash + mixed(v), 0, v});
      }
      make_beam();
    }
  }

  // All extensions of beam_[index] by a neighbour.
  void extend(std::uint32_t index) {
    const Set& set = beam_[index];
    ++stamp_;
    for (const Vertex v : set.members) mark_[v] = stamp_;
    reached_.clear();
    for (const Vertex v : set.members)
      for (const Arc& arc : graph_.arcs_of(v)) {
        if (group_of_[arc.to] != kUngrouped) continue;
        if (mark_[arc.to] != stamp_) {
          mark_[arc.to] = stamp_;
          inward_[arc.to] = 0;
          reached_.push_back(arc.to);
        }
        inward_[arc.to] += arc.weight;
      }
    // The members were marked before, so that they are not among those reached.
    for (const Vertex v : reached_)
      offer({set.cost + cost_of(v) - 2 * inward_[v], set.hash + mixed(v), index, v});
  }

  // Keeps the extension if it is new and among the best.
  void offer(const Extension& extension) {
    const bool full = extensions_.size() == options_.beam;
    if (full && extension.cost >= extensions_.back().cost) return;
    for (const Extension& other : extensions_)
      if (other.hash == extension.hash) return;
    if (full) extensions_.pop_back();
    extensions_.insert(
        std::upper_bound(extensions_.begin(), extensions_.end(), extension,
                         [](const Extension& a, const Extension& b) { return a.cost < b.cost; }),
        extension);
  }

  void make_beam() {
    next_beam_.resize(std::max(next_beam_.size(), extensions_.size()));
    for (std::size_t i = 0; i < extensions_.size(); ++i) {
      const Extension& extension = extensions_[i];
      Set& set = next_beam_[i];
      set.members = beam_[extension.parent].members;
      set.members.push_back(extension.added);
      set.cost = extension.cost;
      set.hash = extension.hash;
    }
    next_beam_.resize(extensions_.size());
    std::swap(beam_, next_beam_);
  }

  const Set& best() {
    std::size_t chosen = 0;
    if (!options_.align || beam_.size() == 1 || beam_[1].cost > beam_[0].cost) return beam_[0];
    double broadest = -1;
    for (std::size_t i = 0; i < beam_.size() && beam_[i].cost == beam_[0].cost; ++i) {
      const double breadth = alignment(beam_[i]);
      if (breadth <= broadest) continue;
      broadest = breadth;
      chosen = i;
    }
    return beam_[chosen];
  }

  // The sum over bordering groups of the squared weight towards them.
  double alignment(const Set& set) {
    bordering_.clear();
    for (const Vertex v : set.members)
      for (const Arc& arc : graph_.arcs_of(v))
        if (group_of_[arc.to] != kUngrouped) bordering_.emplace_back(group_of_[arc.to], arc.weight);
    std::sort(bordering_.begin(), bordering_.end());
    double sum = 0;
    for (std::size_t i = 0; i < bordering_.size();) {
      double weight = 0;
      const std::uint32_t group = bordering_[i].first;
      for (; i < bordering_.size() && bordering_[i].first == group; ++i)
        weight += static_cast<double>(bordering_[i].second);
      sum += weight * weight;
    }
    return sum;
  }

  void settle(const Set& set, std::uint32_t group) {
    for (const Vertex v : set.members) group_of_[v] = group;
    for (const Vertex v : set.members)
      for (const Arc& arc : graph_.arcs_of(v)) {
        if (group_of_[arc.to] != kUngrouped) continue;
        open_[arc.to] -= arc.weight;
        if (seen_[arc.to] == 0) seen_[arc.to] = ++tick_;
        front_.push({open_[arc.to], seen_[arc.to], arc.to});
      }
  }

  const WorkGraph& graph_;
  const GrowthOptions options_;
  std::vector<std::uint32_t> group_of_;
  std::vector<float> whole_;         // weight of all arcs, by vertex
  std::vector<float> open_;          // weight of those to ungrouped vertices
  std::vector<std::uint32_t> seen_;  // when the first neighbour was grouped; 0: none was
  std::priority_queue<Candidate> front_;
  Vertex untouched_ = 0;  // all below are grouped
  std::uint32_t tick_ = 0;

  std::vector<Set> beam_;
  std::vector<Set> next_beam_;
  std::vector<Extension> extensions_;  // best first
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
  std::vector<float> inward_;  // weight towards the set that is being extended
  std::vector<Vertex> reached_;
  std::vector<std::pair<std::uint32_t, float>> bordering_;
};

}  // namespace

std::vector<std::uint32_t> grow_groups(const WorkGraph& graph, std::span<const std::uint32_t> sizes,
                                       const GrowthOptions& options) {
  return Growth(graph, options).run(sizes);
}

std::vector<std::uint32_t> grow_nested_groups(const WorkGraph& graph,
                                              std::span<const std::uint32_t> steps,
                                              const GrowthOptions& options) {
  std::vector<std::uint32_t> sizes(graph.vertices() / steps[0], steps[0]);
  std::vector<std::uint32_t> group_of = grow_groups(graph, sizes, options);
  std::vector<std::uint32_t> step_group = group_of;
  WorkGraph coarse;
  const WorkGraph* current = &graph;
  for (const std::uint32_t step : steps.subspan(1)) {
    coarse = contracted(*current, step_group, static_cast<std::uint32_t>(sizes.size()));
    current = &coarse;
    sizes.assign(sizes.size() / step, step);
    step_group = grow_groups(coarse, sizes, options);
    for (std::uint32_t& group : group_of) group = step_group[group];
  }
  return group_of;
}

namespace {

std::uint32_t smallest_factor(std::uint32_t number) {
  for (std::uint32_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0) return factor;
  return number;
}

// A factor of `number` that is as large as the limit permits; or else its smallest one.
std::uint32_t largest_factor(std::uint32_t number, std::uint32_t limit) {
  for (std::uint32_t factor = limit; factor > 1; --factor)
    if (number % factor == 0) return factor;
  return smallest_factor(number);
}

}  // namespace

std::vector<std::uint32_t> steps_to(std::uint32_t size, Steps kind) {
  constexpr std::uint32_t kTwelve = 12;
  constexpr std::uint32_t kEight = 8;
  std::vector<std::uint32_t> steps;
  if (kind == Steps::kFoursFirst && size % 4 == 0) {
    steps.push_back(4);
    size /= 4;
  }
  while (size > 1) {
    steps.push_back(kind == Steps::kSmallest
                        ? smallest_factor(size)
                        : largest_factor(size, kind == Steps::kUpToEight ? kEight : kTwelve));
    size /= steps.back();
  }
  if (steps.empty()) steps.push_back(1);
  return steps;
}

std::vector<std::size_t> different_recipes(std::uint32_t size) {
  std::vector<std::size_t> chosen;
  const auto same = [&](std::size_t a, std::size_t b) {
    return kGrowthRecipes[a].growth == kGrowthRecipes[b].growth &&
           steps_to(size, kGrowthRecipes[a].steps) == steps_to(size, kGrowthRecipes[b].steps);
  };
  for (std::size_t i = 0; i < kGrowthRecipes.size(); ++i)
    if (std::none_of(chosen.begin(), chosen.end(),
                     [&](std::size_t other) { return same(i, other); }))
      chosen.push_back(i);
  return chosen;
}

bool are_alike(std::span<const std::uint32_t> sizes) {
  return sizes.back() <= sizes[0] &&
         std::all_of(sizes.begin(), sizes.end() - 1,
                     [&](std::uint32_t size) { return size == sizes[0]; });
}

std::vector<std::uint32_t> grow_alike(const GrowthRecipe& recipe, const WorkGraph& graph,
                                      std::uint32_t size) {
  const std::vector<std::uint32_t> steps = steps_to(size, recipe.steps);
  const std::uint32_t full = graph.vertices() / size;
  const std::uint32_t left = graph.vertices() % size;
  if (left == 0) return grow_nested_groups(graph, steps, recipe.growth);
  // The rest is grown first, so that the others come out even.
  const std::vector<std::uint32_t> by_left = grow_groups(graph, std::span(&left, 1), recipe.growth);
  std::vector<Vertex> others;
  for (Vertex v = 0; v < graph.vertices(); ++v)
    if (by_left[v] == kUngrouped) others.push_back(v);
  std::vector<Vertex> number(graph.vertices(), kNoVertex);
  const std::vector<std::uint32_t> among_others =
      grow_nested_groups(induced(graph, others, number), steps, recipe.growth);
  std::vector<std::uint32_t> result(graph.vertices(), full);
  for (std::size_t i = 0; i < others.size(); ++i) result[others[i]] = among_others[i];
  return result;
}

std::vector<std::uint32_t> grow_by(const GrowthRecipe& recipe, const WorkGraph& graph,
                                   std::span<const std::uint32_t> sizes) {
  return are_alike(sizes) ? grow_alike(recipe, graph, sizes[0])
                          : grow_groups(graph, sizes, recipe.growth);
}

}  // namespace huddle::commgraph
