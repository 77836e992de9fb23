#include "commgraph/mapping/swap_refinement.hpp"

#include <algorithm>
#include <deque>

#include "commgraph/mapping/detail/work_graph.hpp"
#include "commgraph/mapping/objective.hpp"

namespace huddle::commgraph {
namespace {

constexpr std::size_t kHeaviestNeighbours = 12;
constexpr std::uint32_t kCoresAround = 16;
// Distances looked up: plenty for a sparse graph; a dense one, whose vertices cost more each, gets
// fewer of them tried.
constexpr std::uint64_t kWorkPerVertex = std::uint64_t{1} << 16U;
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 31U;

// Costs are doubles: exact below 2^53, and beyond that near enough for a search whose result is
// compared exactly at the end. A gain has to stand out from rounding.
constexpr double kLeastGain = 1e-9;

class SwapSearch {
 public:
  SwapSearch(const GraphView& graph, const Hierarchy& hierarchy, std::vector<std::uint32_t> core_of)
      : graph_(graph),
        hierarchy_(hierarchy),
        core_of_(std::move(core_of)),
        vertex_on_(hierarchy.cores(), kNoVertex),
        waiting_(core_of_.size(), true) {
    for (Vertex v = 0; v < core_of_.size(); ++v) vertex_on_[core_of_[v]] = v;
    for (Vertex v = 0; v < core_of_.size(); ++v) queue_.push_back(v);
    work_ = std::min(graph.vertices() * kWorkPerVertex, kMostWork);
  }

  std::vector<std::uint32_t> run() {
    while (!queue_.empty() && work_ > 0) {
      const Vertex v = queue_.front();
      queue_.pop_front();
      waiting_[v] = false;
      improve(v);
    }
    return std::move(core_of_);
  }

 private:
  // Returns the cost of `v` on core `at`, while `other` is on core `other_at`.
  double cost(Vertex v, std::uint32_t at, Vertex other, std::uint32_t other_at) {
    const auto neighbours = graph_.neighbours_of(v);
    const auto weights = graph_.weights_of(v);
    work_ -= std::min<std::uint64_t>(work_, neighbours.size() + 1);
    double sum = 0;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const Vertex u = neighbours[i];
      const std::uint32_t core = u == other ? other_at : core_of_[u];
      sum += static_cast<double>(weights[i]) * static_cast<double>(hierarchy_.distance(at, core));
    }
    return sum;
  }

  // The cores worth a try for `v`: those around each of its heaviest neighbours.
  const std::vector<std::uint32_t>& targets(Vertex v) {
    const auto neighbours = graph_.neighbours_of(v);
    const auto weights = graph_.weights_of(v);
    order_.resize(neighbours.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    const std::size_t heaviest = std::min(order_.size(), kHeaviestNeighbours);
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(heaviest),
                      order_.end(), [&](std::size_t i, std::size_t j) {
                        return weights[i] != weights[j] ? weights[i] > weights[j] : i < j;
                      });
    targets_.clear();
    for (std::size_t i = 0; i < heaviest; ++i) {
      const std::uint32_t core = core_of_[neighbours[order_[i]]];
      const std::uint32_t group = group_around();
      const std::uint32_t begin = core / group * group;
      for (std::uint32_t c = begin; c < vertex_on_.size() && c - begin < group; ++c)
        if (vertex_on_[c] != kNoVertex) targets_.push_back(c);
    }
    std::sort(targets_.begin(), targets_.end());
    targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
    return targets_;
  }

  // The largest group of the hierarchy that is small enough to try all its cores.
  [[nodiscard]] std::uint32_t group_around() const {
    std::uint32_t size = 1;
    for (std::size_t level = 0; level < hierarchy_.levels(); ++level)
      if (hierarchy_.group_size(level) <= kCoresAround) size = hierarchy_.group_size(level);
    return size == 1 ? kCoresAround : size;
  }

  void improve(Vertex v) {
    const std::uint32_t from = core_of_[v];
    const double here = cost(v, from, v, from);
    double best_gain = here * kLeastGain;
    Vertex best = v;
    for (const std::uint32_t to : targets(v)) {
      const Vertex w = vertex_on_[to];
      if (w == v) continue;
      // v alone has to gain before w can lose less: costs are not negative.
      const double there = cost(v, to, w, from);
      const double before = here + cost(w, to, w, to);
      if (before - there <= best_gain) continue;
      const double gain = before - there - cost(w, from, v, to);
      if (gain <= best_gain) continue;
      best_gain = gain;
      best = w;
    }
    if (best != v) swap(v, best);
  }

  void swap(Vertex v, Vertex w) {
    std::swap(core_of_[v], core_of_[w]);
    vertex_on_[core_of_[v]] = v;
    vertex_on_[core_of_[w]] = w;
    for (const Vertex moved : {v, w}) {
      wake(moved);
      for (const Vertex u : graph_.neighbours_of(moved)) wake(u);
    }
  }

  void wake(Vertex v) {
    if (waiting_[v]) return;
    waiting_[v] = true;
    queue_.push_back(v);
  }

  GraphView graph_;
  const Hierarchy& hierarchy_;
  std::vector<std::uint32_t> core_of_;
  std::vector<Vertex> vertex_on_;
  std::deque<Vertex> queue_;
  std::vector<bool> waiting_;
  std::vector<std::size_t> order_;
  std::vector<std::uint32_t> targets_;
  std::uint64_t work_ = 0;
};

}  // namespace

std::vector<std::uint32_t> refine_by_swaps(const GraphView& graph, const Hierarchy& hierarchy,
                                           const std::vector<std::uint32_t>& core_of) {
  std::vector<std::uint32_t> refined = SwapSearch(graph, hierarchy, core_of).run();
  return exact_cost(graph, hierarchy, refined) <= exact_cost(graph, hierarchy, core_of) ? refined
                                                                                        : core_of;
}

}  // namespace huddle::commgraph
