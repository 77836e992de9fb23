#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>

#include "profiles/recorder/profile/pass_periods.hpp"

namespace huddle::runtime {

/// A period of a thread's regions, and what of it comes once in each.
struct PeriodAnchor {
  /// As PeriodPlace has it.
  std::uint64_t id = 0;
  /// Regions in a period.
  std::uint32_t length = 0;
  /// The number of times that each of them comes in a period.
  std::map<std::uint64_t, std::uint32_t> passes;
};

/// Looks for an anchor in the last regions of a thread, all of which are timed: find_period() says
/// what comes again, and what is in it once, each time, is one. Groups of phases are taken before
/// regions and these before pairs of regions, and of several the one with the lowest id, so that
/// ranks that do the same have the same one. One thread's.
class AnchorSearch {
 public:
  /// A delimiter of MPI ends `group`. Of several without a region in between only the last one can
  /// be an anchor.
  void delimiter(std::uint64_t group);
  /// A region has ended, which took `ticks`. An anchor, if there is one now: looked for in the
  /// first 32, 64, ... passes, and when all that are kept have been replaced, but for at most 1 in
  /// 300 of the regions' time.
  std::optional<PeriodAnchor> ended(std::uint64_t region, std::uint64_t ticks);

 private:
  static constexpr std::size_t kKept = recorder::PassPeriods::kKept;
  static constexpr std::size_t kMostHidden = 1024;

  [[nodiscard]] std::optional<PeriodAnchor> look() const;

  std::array<recorder::GroupPass, kKept> passes_{};
  std::array<std::uint64_t, kKept> before_{};  // the delimiter before each; 0: none
  std::uint64_t count_ = 0;
  std::uint64_t next_look_ = 32;
  std::uint64_t elapsed_ = 0;  // in passes since the last look, in ticks
  std::uint64_t cost_ = 0;     // of that
  std::uint64_t delimiter_ = 0;
  std::unordered_set<std::uint64_t> hidden_;  // those that another followed at once
};

}  // namespace huddle::runtime
