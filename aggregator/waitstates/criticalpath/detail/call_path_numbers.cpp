#include "aggregator/waitstates/criticalpath/detail/call_path_numbers.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

// Names become small numbers first, so that each is hashed once.
class PathIndex {
 public:
  explicit PathIndex(const std::vector<CallPath>& report) {
    for (std::uint32_t path = 0; path < report.size(); ++path) {
      const auto [name, fresh] =
          names_.emplace(report[path].region, static_cast<std::uint32_t>(names_.size()));
      paths_.emplace(Key{report[path].parent, name->second, report[path].mpi}, path);
    }
  }

  [[nodiscard]] std::uint32_t name(std::string_view region) const {
    const auto found = names_.find(region);
    return found == names_.end() ? CallPath::kRoot : found->second;
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t parent, std::uint32_t name, bool mpi) const {
    const auto found = paths_.find(Key{parent, name, mpi});
    return found == paths_.end() ? CallPath::kRoot : found->second;
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, bool>;
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::map<Key, std::uint32_t> paths_;
};

// Ranks number their paths one by one; more than this is something else.
constexpr std::uint32_t kMostPaths = 1U << 28U;

}  // namespace

CallPathNumbers::CallPathNumbers(const std::vector<ActivityBuffer::PathRecord>& paths,
                                 std::uint32_t ranks, const std::vector<CallPath>& report,
                                 const traces::TraceDefinitions& definitions)
    : numbers_(ranks) {
  const PathIndex index(report);
  std::vector<std::uint32_t> names;
  for (const traces::TraceRegion& region : definitions.regions)
    names.push_back(index.name(region.name));
  for (const ActivityBuffer::PathRecord& path : paths) {
    if (path.rank >= ranks || path.region >= names.size()) continue;
    if (path.path >= kMostPaths)
      throw Error(fmt::format("rank {} has a call path of the number {}; at most {} are expected",
                              path.rank, path.path, kMostPaths));
    std::vector<std::uint32_t>& of_rank = numbers_[path.rank];
    if (path.path >= of_rank.size()) of_rank.resize(path.path + 1, CallPath::kRoot);
    const std::uint32_t parent = in_report(path.rank, path.parent);
    // Below a path that the report does not have, there is none either.
    if (parent == CallPath::kRoot && path.parent != CallPath::kRoot) continue;
    of_rank[path.path] = index.find(parent, names[path.region], path.mpi != 0);
  }
}

}  // namespace huddle::waitstates
