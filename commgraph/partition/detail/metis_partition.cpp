#include "commgraph/partition/detail/metis_partition.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <mutex>
#include <numeric>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

// METIS sums weights in idx_t, and during coarsening adds up to two such sums.
constexpr std::uint64_t kMostWeight =
    static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max()) / 2;
constexpr std::uint64_t kMostArcs = kMostWeight / 2;

std::vector<idx_t> scaled_weights(std::span<const std::uint64_t> weights) {
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  const std::uint64_t budget = kMostWeight - weights.size();  // every weight may round up to 1
  const std::uint64_t divisor = sum / budget + 1;
  std::vector<idx_t> scaled;
  scaled.reserve(weights.size());
  for (const std::uint64_t weight : weights)
    scaled.push_back(static_cast<idx_t>(std::max<std::uint64_t>(1, weight / divisor)));
  return scaled;
}

// METIS prints on standard output when its recursion runs out of vertices, which is no failure (the
// repair fills the parts) and would end up in what a user reads. glibc lets `stdout` be replaced.
class SilentStdout {
 public:
  SilentStdout() : nowhere_(std::fopen("/dev/null", "w")) {
    if (nowhere_ != nullptr) stdout = nowhere_;
  }
  ~SilentStdout() {
    stdout = saved_;
    if (nowhere_ != nullptr) std::fclose(nowhere_);
  }
  SilentStdout(const SilentStdout&) = delete;
  SilentStdout& operator=(const SilentStdout&) = delete;

 private:
  std::FILE* saved_ = stdout;
  std::FILE* nowhere_;
};

template <class From>
std::vector<idx_t> as_indices(std::span<const From> values) {
  std::vector<idx_t> indices;
  indices.reserve(values.size());
  for (const From value : values) indices.push_back(static_cast<idx_t>(value));
  return indices;
}

// Empty if all parts are alike: METIS then divides by itself.
std::vector<real_t> shares(std::span<const std::uint32_t> sizes, std::uint32_t vertices) {
  if (std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end())
    return {};
  std::vector<real_t> share;
  share.reserve(sizes.size());
  for (const std::uint32_t size : sizes)
    share.push_back(static_cast<real_t>(static_cast<double>(size) / vertices));
  return share;
}

std::array<idx_t, METIS_NOPTIONS> settings_of(const SplitOptions& options) {
  std::array<idx_t, METIS_NOPTIONS> settings{};
  METIS_SetDefaultOptions(settings.data());
  settings[METIS_OPTION_NUMBERING] = 0;
  settings[METIS_OPTION_SEED] =
      static_cast<idx_t>((options.seed ^ (options.seed >> 31U)) & 0x7fffffffU);
  settings[METIS_OPTION_UFACTOR] =
      static_cast<idx_t>(std::clamp<std::uint32_t>(options.slack_permille, 1, 1000));
  return settings;
}

void check(const GraphView& graph, std::span<const std::uint32_t> sizes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max());
  if (graph.arcs() > kMostArcs || graph.vertices() >= kMost || sizes.size() >= kMost)
    throw Error(fmt::format("a graph of {} vertices and {} edges is more than METIS can hold",
                            graph.vertices(), graph.arcs() / 2));
}

}  // namespace

std::vector<std::uint32_t> metis_partition(const GraphView& graph,
                                           std::span<const std::uint32_t> sizes,
                                           const SplitOptions& options) {
  check(graph, sizes);
  std::vector<idx_t> first = as_indices(graph.first);
  std::vector<idx_t> neighbours = as_indices(graph.neighbours);
  std::vector<idx_t> weights = scaled_weights(graph.weights);
  std::vector<real_t> share = shares(sizes, graph.vertices());
  auto vertices = static_cast<idx_t>(graph.vertices());
  auto parts = static_cast<idx_t>(sizes.size());
  idx_t constraints = 1;
  idx_t cut = 0;
  std::vector<idx_t> part_of(graph.vertices(), 0);
  auto settings = settings_of(options);

  static std::mutex one_at_a_time;
  const std::lock_guard guard(one_at_a_time);
  const SilentStdout silent;
  const auto split =
      options.method == SplitMethod::kKway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int result = split(&vertices, &constraints, first.data(), neighbours.data(), nullptr,
                           nullptr, weights.data(), &parts, share.empty() ? nullptr : share.data(),
                           nullptr, settings.data(), &cut, part_of.data());
  if (result == METIS_ERROR_MEMORY) throw Error("METIS ran out of memory");
  if (result != METIS_OK)
    throw Error(fmt::format("METIS failed to split {} vertices into {} parts (code {})",
                            graph.vertices(), sizes.size(), result));
  return {part_of.begin(), part_of.end()};
}

}  // namespace huddle::commgraph
