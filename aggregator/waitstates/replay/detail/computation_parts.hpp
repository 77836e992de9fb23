#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

/// What the time since a location's last MPI call was spent in: by call path, in the order in which
/// each had time first. Memory grows with the number of call paths. Not thread-safe.
class ComputationParts {
 public:
  struct Part {
    std::uint32_t path = CallPath::kRoot;
    std::uint64_t ticks = 0;  ///< above 0
  };

  void add(std::uint32_t path, std::uint64_t ticks) {
    if (ticks == 0) return;
    const std::size_t slot = path == CallPath::kRoot ? 0 : std::size_t{path} + 1;
    if (index_.size() <= slot) index_.resize(std::max(slot + 1, 2 * index_.size()), 0);
    std::uint32_t& index = index_[slot];
    // What is there may be of an earlier call.
    if (index >= parts_.size() || parts_[index].path != path) {
      index = static_cast<std::uint32_t>(parts_.size());
      parts_.push_back({path, 0});
    }
    parts_[index].ticks += ticks;
  }

  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  void drop_all_but_last() { parts_.erase(parts_.begin(), parts_.end() - 1); }
  void clear() { parts_.clear(); }

 private:
  std::vector<Part> parts_;
  std::vector<std::uint32_t> index_;  // by path: where in parts_ it is, if it is there
};

}  // namespace huddle::waitstates
