#include "commgraph/partition/kernighan_lin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "commgraph/partition/pair_improvement.hpp"
#include "commgraph/partition/part_members.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Rounds over all pairs of parts.
class Improvement {
 public:
  Improvement(const GraphView& graph, std::uint32_t parts, std::vector<std::uint32_t>& part_of)
      : graph_(graph),
        members_(parts, part_of),
        pairs_(graph, members_),
        changed_in_(parts, 0),
        seen_from_(parts, parts) {}

  void run() {
    for (bool improved = true; improved; ++round_) {
      improved = false;
      for (std::uint32_t a = 0; a < members_.parts(); ++a)
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
    for (const Vertex v : members_.of(a))
      for (const Vertex u : graph_.neighbours_of(v)) {
        const std::uint32_t b = members_.part_of(u);
        if (b <= a || seen_from_[b] == a) continue;
        seen_from_[b] = a;
        joined_.push_back(b);
      }
    for (const std::uint32_t b : joined_) seen_from_[b] = members_.parts();
    std::sort(joined_.begin(), joined_.end());
    return joined_;
  }

  const GraphView& graph_;
  PartMembers members_;
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
                                                   const KernighanLinOptions& options) {
  const std::uint64_t room = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (room != graph.vertices())
    throw Error(fmt::format("the parts hold {} vertices together, but the graph has {}", room,
                            graph.vertices()));
  std::vector<std::uint32_t> part_of;
  part_of.reserve(graph.vertices());
  for (std::uint32_t part = 0; part < sizes.size(); ++part)
    part_of.insert(part_of.end(), sizes[part], part);
  if (options.start == KernighanLinOptions::Start::kRandom) shuffle(part_of, options.seed);
  improve_by_kernighan_lin(graph, static_cast<std::uint32_t>(sizes.size()), part_of);
  return part_of;
}

void improve_by_kernighan_lin(const GraphView& graph, std::uint32_t parts,
                              std::vector<std::uint32_t>& part_of) {
  if (parts < 2) return;
  Improvement(graph, parts, part_of).run();
}

}  // namespace huddle
