#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "profiles/recorder/openmp/pending_regions.hpp"
#include "profiles/recorder/openmp/region_counters.hpp"

namespace huddle::recorder {

/// The regions of one rank, by the group of phases that they lie in. Safe from any thread.
class RegionRecords {
 public:
  /// Regions that no phase is known of: of threads that are not the rank's first, and those after
  /// the last delimiter.
  static constexpr std::uint64_t kNoGroup = 0;
  /// The most pairs of group and region that are kept apart; those beyond are counted under the
  /// group and function 0.
  static constexpr std::size_t kMost = 8192;
  struct Row {
    std::uint64_t group = kNoGroup;
    std::uintptr_t function = 0;
    RegionPasses passes;
    RegionCounts counts;  ///< of a part of them
  };

  /// The period in the regions of the rank's first thread.
  struct Period {
    std::uint64_t first = 0;   ///< the number of a pass, from 0 on, from which on it was seen
    std::uint64_t passes = 0;  ///< in how many
    std::vector<std::uint64_t> functions;  ///< of one period, from `first` on
  };

  /// Attributes what was pending to `group`; `counts` is what was counted of it, if anything is.
  /// Throws std::bad_alloc.
  void attribute(std::uint64_t group, const PendingRegions& pending,
                 const RegionCounters::Pending& counts = {});
  /// Ordered by group and function. Throws std::bad_alloc.
  [[nodiscard]] std::vector<Row> rows() const;
  /// In place of the one that was known before; nothing: it is none any more.
  void set_period(std::optional<Period> period);
  /// Throws std::bad_alloc.
  [[nodiscard]] std::optional<Period> period() const;

 private:
  using Key = std::pair<std::uint64_t, std::uintptr_t>;
  struct Sums {
    RegionPasses passes;
    std::unique_ptr<RegionCounts> counts;  // null: none yet
  };
  // The key under which the region's passes are counted.
  [[nodiscard]] Key key_of(std::uint64_t group, std::uintptr_t function) const;

  mutable std::mutex mutex_;
  std::map<Key, Sums> regions_;
  std::optional<Period> period_;
};

}  // namespace huddle::recorder
