#include "commgraph/partition/exact_partition.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace huddle::commgraph {
namespace {

// Chains are searched part by part; a graph without short ones must not cost quadratic time.
constexpr std::uint64_t kChainWorkPerArc = 64;

// A vertex that could move. Losses are differences of sums of weights, and these are below 2^63.
struct Move {
  std::int64_t loss = 0;
  Vertex vertex = 0;
  std::uint32_t to = 0;
  friend auto operator<=>(const Move&, const Move&) = default;
};

using CheapestFirst = std::priority_queue<Move, std::vector<Move>, std::greater<>>;

class Repair {
 public:
  Repair(const GraphView& graph, std::span<const std::uint32_t> sizes,
         std::vector<std::uint32_t>& part_of)
      : graph_(graph),
        sizes_(sizes),
        part_of_(part_of),
        members_(sizes.size()),
        place_(graph.vertices()),
        link_(sizes.size()) {
    for (Vertex v = 0; v < graph.vertices(); ++v) join(v, part_of[v]);
  }

  void run() {
    move_to_adjacent_parts();
    move_along_chains();
    move_straight();
  }

 private:
  [[nodiscard]] bool overfull(std::uint32_t part) const {
    return members_[part].size() > sizes_[part];
  }
  [[nodiscard]] bool underfull(std::uint32_t part) const {
    return members_[part].size() < sizes_[part];
  }

  void join(Vertex v, std::uint32_t part) {
    part_of_[v] = part;
    place_[v] = members_[part].size();
    members_[part].push_back(v);
  }

  void move(Vertex v, std::uint32_t to) {
    std::vector<Vertex>& left = members_[part_of_[v]];
    left[place_[v]] = left.back();
    place_[left.back()] = place_[v];
    left.pop_back();
    join(v, to);
  }

  // The cheapest move of `v` into an adjacent part that `wanted` accepts.
  template <class Wanted>
  std::optional<Move> cheapest_move(Vertex v, const Wanted& wanted) {
    const auto neighbours = graph_.neighbours_of(v);
    const auto weights = graph_.weights_of(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      link_[part_of_[neighbours[i]]] += static_cast<std::int64_t>(weights[i]);
    std::optional<Move> best;
    const std::int64_t here = link_[part_of_[v]];
    for (const Vertex u : neighbours) {
      const std::uint32_t part = part_of_[u];
      if (part == part_of_[v] || !wanted(part)) continue;
      const Move candidate{here - link_[part], v, part};
      if (!best || candidate < *best) best = candidate;
    }
    for (const Vertex u : neighbours) link_[part_of_[u]] = 0;
    return best;
  }

  void move_to_adjacent_parts() {
    const auto wanted = [this](std::uint32_t part) { return underfull(part); };
    CheapestFirst queue;
    const auto offer = [&](Vertex v) {
      if (!overfull(part_of_[v])) return;
      if (const auto candidate = cheapest_move(v, wanted)) queue.push(*candidate);
    };
    for (Vertex v = 0; v < graph_.vertices(); ++v) offer(v);
    while (!queue.empty()) {
      const Move promised = queue.top();
      queue.pop();
      if (!overfull(part_of_[promised.vertex])) continue;
      const auto now = cheapest_move(promised.vertex, wanted);
      if (!now) continue;
      if (*now > promised) {
        queue.push(*now);
        continue;
      }
      move(now->vertex, now->to);
      for (const Vertex u : graph_.neighbours_of(now->vertex)) offer(u);
    }
  }

  // Breadth first from an overfull part to the nearest underfull one; the parts on the way, both
  // ends included, or nothing if there is none.
  std::vector<std::uint32_t> chain_from(std::uint32_t start, std::uint64_t& work) {
    std::unordered_map<std::uint32_t, std::uint32_t> came_from{{start, start}};
    std::deque<std::uint32_t> frontier{start};
    while (!frontier.empty() && work > 0) {
      const std::uint32_t part = frontier.front();
      frontier.pop_front();
      for (const Vertex v : members_[part]) {
        work -= std::min<std::uint64_t>(work, graph_.neighbours_of(v).size() + 1);
        for (const Vertex u : graph_.neighbours_of(v)) {
          const std::uint32_t next = part_of_[u];
          if (!came_from.try_emplace(next, part).second) continue;
          if (underfull(next)) return path_to(next, start, came_from);
          frontier.push_back(next);
        }
      }
    }
    return {};
  }

  static std::vector<std::uint32_t> path_to(
      std::uint32_t end, std::uint32_t start,
      const std::unordered_map<std::uint32_t, std::uint32_t>& came_from) {
    std::vector<std::uint32_t> path{end};
    while (path.back() != start) path.push_back(came_from.at(path.back()));
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Precondition: a vertex of `from` has a neighbour in `to`.
  void hand_over(std::uint32_t from, std::uint32_t to) {
    std::optional<Move> best;
    for (const Vertex v : members_[from]) {
      const auto candidate = cheapest_move(v, [to](std::uint32_t part) { return part == to; });
      if (candidate && (!best || *candidate < *best)) best = candidate;
    }
    move(best->vertex, best->to);
  }

  void move_along_chains() {
    std::uint64_t work = kChainWorkPerArc * (graph_.arcs() + graph_.vertices());
    for (std::uint32_t part = 0; part < sizes_.size(); ++part) {
      while (overfull(part)) {
        const std::vector<std::uint32_t> chain = chain_from(part, work);
        if (chain.empty()) break;
        for (std::size_t i = 1; i < chain.size(); ++i) hand_over(chain[i - 1], chain[i]);
      }
    }
  }

  // The vertices least tied to their overfull part, wherever there is room.
  void move_straight() {
    CheapestFirst queue;
    for (Vertex v = 0; v < graph_.vertices(); ++v)
      if (overfull(part_of_[v])) queue.push({tie(v), v, 0});
    std::uint32_t room = 0;
    for (; !queue.empty(); queue.pop()) {
      const Vertex v = queue.top().vertex;
      if (!overfull(part_of_[v])) continue;
      while (!underfull(room)) ++room;
      move(v, room);
    }
  }

  [[nodiscard]] std::int64_t tie(Vertex v) const {
    std::int64_t sum = 0;
    const auto neighbours = graph_.neighbours_of(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      if (part_of_[neighbours[i]] == part_of_[v])
        sum += static_cast<std::int64_t>(graph_.weights_of(v)[i]);
    return sum;
  }

  GraphView graph_;
  std::span<const std::uint32_t> sizes_;
  std::vector<std::uint32_t>& part_of_;
  std::vector<std::vector<Vertex>> members_;
  std::vector<std::size_t> place_;  // of each vertex in its part's members
  std::vector<std::int64_t> link_;  // scratch of cheapest_move, by part; all 0 between calls
};

}  // namespace

void repair_balance(const GraphView& graph, std::span<const std::uint32_t> sizes,
                    std::vector<std::uint32_t>& part_of) {
  Repair(graph, sizes, part_of).run();
}

}  // namespace huddle::commgraph
