#include "commgraph/mapping/detail/grouping.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "commgraph/mapping/detail/annealing.hpp"
#include "commgraph/mapping/detail/group_growth.hpp"
#include "commgraph/partition/exact_partition.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle::commgraph {
namespace {

using Groups = std::vector<std::uint32_t>;

// Growth looks at a vertex' heaviest arcs only: on dense graphs the others matter little.
constexpr std::size_t kHeaviest = 24;
// On graphs more than twice as large the ways to grow are tried on a part of this size, and only
// the best on all.
constexpr std::uint32_t kSample = 1U << 14U;
// METIS divides well what growth from below does badly: large groups.
constexpr std::uint32_t kLargeForGrowth = 24;
// Number of recipes that are tried if it must be quick: the first ones are the most different.
constexpr std::size_t kQuickRecipes = 3;
constexpr std::uint64_t kMostArcsForMetis = std::uint64_t{1} << 19U;

class Search {
 public:
  Search(const WorkGraph& graph, std::span<const std::uint32_t> sizes, const SearchControl& control)
      : graph_(graph), sizes_(sizes), control_(control) {
    if (graph.arcs.size() > 2 * kHeaviest * graph.vertices())
      sparse_ = heaviest_arcs(graph, kHeaviest);
  }

  Groups run(const Groups& given) {
    consider(given);
    control_.progress("growing groups");
    // METIS first: in order, since it is not made for threads.
    if (!control_.quick && sizes_[0] >= kLargeForGrowth && graph_.arcs.size() <= kMostArcsForMetis)
      divide_by_metis();
    for (Groups& groups : grown()) consider(std::move(groups));
    if (!control_.stop()) refine();
    return std::move(best_);
  }

 private:
  [[nodiscard]] const WorkGraph& to_grow() const { return sparse_ ? *sparse_ : graph_; }

  void consider(Groups groups) {
    const double cut = cut_weight(graph_, groups);
    if (!best_.empty() && cut >= best_cut_) return;
    best_cut_ = cut;
    best_ = std::move(groups);
  }

  void divide_by_metis() {
    // Rounded weights may sum to a little more than the exact ones, which fit just so.
    constexpr double kMost = 1e18;
    const double scale =
        std::min(1.0, kMost / (mean_weight(graph_) * static_cast<double>(graph_.arcs.size()) + 1));
    std::vector<Vertex> neighbours;
    std::vector<std::uint64_t> weights;
    for (const Arc& arc : graph_.arcs) {
      neighbours.push_back(arc.to);
      weights.push_back(
          static_cast<std::uint64_t>(std::max(1.0, static_cast<double>(arc.weight) * scale)));
    }
    const GraphView view{graph_.first, neighbours, weights};
    const std::uint64_t tries =
        control_.quick
            ? 1
            : std::clamp<std::uint64_t>(kMostArcsForMetis / 16 / (graph_.arcs.size() + 1), 1, 4);
    for (std::uint64_t attempt = 0; attempt < tries; ++attempt)
      for (const SplitMethod method : {SplitMethod::kRecursive, SplitMethod::kKway})
        if (!control_.stop())
          consider(partition_exactly(
              view, sizes_,
              {method, control_.seed + attempt, method == SplitMethod::kKway ? 100U : 1U}));
  }

  std::vector<Groups> grown() const {
    const std::vector<std::size_t> recipes = chosen_recipes();
    std::vector<Groups> results(recipes.size());
    for_each_index(control_.threads, recipes.size(), [&](std::size_t i) {
      if (i > 0 && control_.stop()) return;
      results[i] = grow_by(kGrowthRecipes[recipes[i]], to_grow(), sizes_);
    });
    std::erase_if(results, [](const Groups& groups) { return groups.empty(); });
    return results;
  }

  // All recipes on a small graph; on a large one those that do best on a part of it.
  [[nodiscard]] std::vector<std::size_t> chosen_recipes() const {
    std::vector<std::size_t> recipes = different_recipes(sizes_[0]);
    if (control_.quick) recipes.resize(std::min(recipes.size(), kQuickRecipes));
    if (graph_.vertices() <= 2 * kSample || sizes_[0] > kSample / 8 || !are_alike(sizes_))
      return recipes;
    // Vertices are numbered by locality, so these are near one another.
    std::vector<Vertex> part(kSample / sizes_[0] * sizes_[0]);
    std::iota(part.begin(), part.end(), 0U);
    std::vector<Vertex> number(graph_.vertices(), kNoVertex);
    const WorkGraph sample = induced(to_grow(), part, number);
    const std::vector<bool> inner = far_from_outside(sample);
    std::vector<double> cuts(kGrowthRecipes.size(), 0);
    for_each_index(control_.threads, recipes.size(), [&](std::size_t i) {
      const Groups groups = grow_alike(kGrowthRecipes[recipes[i]], sample, sizes_[0]);
      cuts[recipes[i]] = cut_weight_at(sample, groups, inner);
    });
    std::stable_sort(recipes.begin(), recipes.end(),
                     [&](std::size_t a, std::size_t b) { return cuts[a] < cuts[b]; });
    recipes.resize(graph_.vertices() <= (1U << 17U) ? 2 : 1);
    return recipes;
  }

  // Returns the vertices of a part, the first of the graph, that have no arc out of it, and whose
  // neighbours have none: a bad grouping that comes only of the rest's not being there should not
  // count.
  [[nodiscard]] std::vector<bool> far_from_outside(const WorkGraph& part) const {
    std::vector<bool> whole(part.vertices());
    for (Vertex v = 0; v < part.vertices(); ++v)
      whole[v] = part.arcs_of(v).size() == to_grow().arcs_of(v).size();
    std::vector<bool> inner = whole;
    for (Vertex v = 0; v < part.vertices(); ++v)
      for (const Arc& arc : part.arcs_of(v))
        if (!whole[arc.to]) inner[v] = false;
    return inner;
  }

  static double cut_weight_at(const WorkGraph& graph, const Groups& groups,
                              const std::vector<bool>& vertices) {
    double cut = 0;
    for (Vertex v = 0; v < graph.vertices(); ++v) {
      if (!vertices[v]) continue;
      for (const Arc& arc : graph.arcs_of(v))
        if (groups[v] != groups[arc.to]) cut += static_cast<double>(arc.weight);
    }
    return cut;
  }

  // Returns the number of times that each vertex is proposed: so that small graphs take
  // milliseconds, and a million vertices some seconds. It follows the size of the graph, not the
  // clock: results repeat.
  [[nodiscard]] std::uint32_t sweeps() const {
    const std::uint32_t vertices = graph_.vertices();
    std::uint32_t wanted = 130;
    if (vertices <= 128)
      wanted = 800;
    else if (vertices <= 512)
      wanted = std::min(2400U, 600'000 / vertices);
    else if (vertices <= 2048)
      wanted = 300;
    else if (vertices <= (1U << 16U))
      wanted = 125;
    // On dense graphs a proposal costs more.
    const std::uint64_t affordable =
        std::max<std::uint64_t>(200'000'000, 1300 * std::uint64_t{vertices}) /
        (graph_.arcs.size() + 1);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(affordable, 4, control_.quick ? wanted / 5 : wanted));
  }

  // Cold keeps what is regular in the start; hot forgets it, which is better where nothing is.
  void refine() {
    control_.progress("annealing");
    std::vector<double> temperatures = {0.5};
    if (graph_.vertices() <= (1U << 15U) && !control_.quick) temperatures.push_back(1.0);
    if (graph_.vertices() <= 128 && !control_.quick) temperatures.push_back(1.0);
    std::vector<Groups> results(temperatures.size());
    const unsigned inside = temperatures.size() > 1 ? 1 : control_.threads;
    for_each_index(control_.threads, temperatures.size(), [&](std::size_t i) {
      GroupAssignment groups(best_, sizes_);
      anneal(graph_, groups, {temperatures[i], 0.15, sweeps(), control_.seed + i, inside},
             control_.stop);
      descend(graph_, groups, 2, inside);
      results[i].assign(groups.all_groups().begin(), groups.all_groups().end());
    });
    for (Groups& groups : results) consider(std::move(groups));
  }

  const WorkGraph& graph_;
  std::span<const std::uint32_t> sizes_;
  const SearchControl& control_;
  std::optional<WorkGraph> sparse_;
  Groups best_;
  double best_cut_ = 0;
};

}  // namespace

std::vector<std::uint32_t> find_groups(const WorkGraph& graph, std::span<const std::uint32_t> sizes,
                                       const std::vector<std::uint32_t>& given,
                                       const SearchControl& control) {
  return Search(graph, sizes, control).run(given);
}

}  // namespace huddle::commgraph
