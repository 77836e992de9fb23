#include "commgraph/mapping/detail/hierarchical_mapping.hpp"

#include <algorithm>
#include <numeric>

#include "commgraph/mapping/detail/exact_arrangement.hpp"
#include "commgraph/mapping/detail/grouping.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle::commgraph {
namespace {

// Groups with the first core of each.
struct Parts {
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> first_cores;

  void add(std::uint32_t size, std::uint32_t first_core) {
    sizes.push_back(size);
    first_cores.push_back(first_core);
  }
};

class Descent {
 public:
  Descent(const Hierarchy& hierarchy, const SearchControl& control,
          std::span<const Vertex> original, std::uint32_t vertices)
      : hierarchy_(hierarchy), control_(control), original_(original), core_of_(vertices) {}

  void place_on_nodes(const WorkGraph& graph, std::span<const NodeShare> shares) {
    Parts nodes;
    for (const NodeShare& share : shares) nodes.add(share.vertices, share.first_core);
    ExactArrangement exact(hierarchy_);
    const std::vector<Vertex> members = in_order(graph.vertices());
    const std::size_t outermost = hierarchy_.levels() - 1;
    if (shares.size() == 1)
      place(graph, members, outermost - 1, shares[0].first_core, control_, exact);
    else
      place_parts(graph, members, nodes, outermost, control_);
  }

  std::vector<std::uint32_t> take() { return std::move(core_of_); }

 private:
  // Maps `graph`, whose vertex v is members[v] of the whole, to the cores from `first_core` on,
  // which are of one group of `level`.
  void place(const WorkGraph& graph, std::span<const Vertex> members, std::size_t level,
             std::uint32_t first_core, const SearchControl& control, ExactArrangement& exact) {
    while (level > 0 && graph.vertices() <= hierarchy_.group_size(level - 1)) --level;
    if (level == 0) return put(members, in_order(graph.vertices()), first_core);
    if (graph.vertices() <= ExactArrangement::kMostVertices)
      return put(members, exact.arrange(graph, level), first_core);
    const std::uint32_t size = hierarchy_.group_size(level - 1);
    Parts parts;
    for (std::uint32_t held = 0; held < graph.vertices(); held += size)
      parts.add(std::min(size, graph.vertices() - held), first_core + held);
    place_parts(graph, members, parts, level, control);
  }

  // Splits `graph` among groups of the level below `level`.
  void place_parts(const WorkGraph& graph, std::span<const Vertex> members, const Parts& parts,
                   std::size_t level, const SearchControl& control) {
    const std::vector<std::uint32_t> groups =
        find_groups(graph, parts.sizes, natural_groups(members, parts.sizes), control);
    std::vector<std::uint32_t> begin(parts.sizes.size() + 1, 0);
    std::partial_sum(parts.sizes.begin(), parts.sizes.end(), begin.begin() + 1);
    std::vector<Vertex> sorted(graph.vertices());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (Vertex v = 0; v < graph.vertices(); ++v) sorted[next[groups[v]]++] = v;

    SearchControl alone = control;
    alone.threads = 1;
    alone.progress = [](std::string_view) {};
    control.progress("arranging cores");
    // Several groups at once, since each needs scratch space as large as the graph.
    const std::size_t all = parts.sizes.size();
    const std::size_t batches = std::min<std::size_t>(all, 4 * std::size_t{control.threads});
    for_each_index(control.threads, batches, [&](std::size_t batch) {
      std::vector<Vertex> number(graph.vertices(), kNoVertex);
      ExactArrangement exact(hierarchy_);
      std::vector<Vertex> own;
      for (std::size_t g = all * batch / batches; g < all * (batch + 1) / batches; ++g) {
        const auto held = std::span(sorted).subspan(begin[g], parts.sizes[g]);
        const WorkGraph part = induced(graph, held, number);
        own.clear();
        for (const Vertex v : held) own.push_back(members[v]);
        place(part, own, level - 1, parts.first_cores[g], alone, exact);
      }
    });
  }

  static std::vector<std::uint32_t> in_order(std::uint32_t vertices) {
    std::vector<std::uint32_t> cores(vertices);
    std::iota(cores.begin(), cores.end(), 0U);
    return cores;
  }

  void put(std::span<const Vertex> members, const std::vector<std::uint32_t>& cores,
           std::uint32_t first_core) {
    for (std::size_t v = 0; v < members.size(); ++v)
      core_of_[original_[members[v]]] = first_core + cores[v];
  }

  // As the input numbers them: the first sizes[0] are group 0, and so on.
  [[nodiscard]] std::vector<std::uint32_t> natural_groups(
      std::span<const Vertex> members, std::span<const std::uint32_t> sizes) const {
    std::vector<Vertex> order = in_order(static_cast<std::uint32_t>(members.size()));
    std::sort(order.begin(), order.end(),
              [&](Vertex a, Vertex b) { return original_[members[a]] < original_[members[b]]; });
    std::vector<std::uint32_t> groups(members.size());
    auto next = order.begin();
    for (std::uint32_t group = 0; group < sizes.size(); ++group)
      for (std::uint32_t i = 0; i < sizes[group]; ++i) groups[*next++] = group;
    return groups;
  }

  const Hierarchy& hierarchy_;
  const SearchControl& control_;
  std::span<const Vertex> original_;
  std::vector<std::uint32_t> core_of_;
};

}  // namespace

std::vector<std::uint32_t> map_hierarchically(const GraphView& graph, const Hierarchy& hierarchy,
                                              std::span<const NodeShare> shares,
                                              const SearchControl& control) {
  if (shares.empty()) return {};
  control.progress("ordering the graph");
  const std::vector<Vertex> order = locality_order(graph);
  const WorkGraph work = renumbered(graph, order);
  Descent descent(hierarchy, control, order, graph.vertices());
  descent.place_on_nodes(work, shares);
  return descent.take();
}

}  // namespace huddle::commgraph
