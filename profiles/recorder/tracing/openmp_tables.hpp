#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "profiles/recorder/trace/call_paths.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// A place that a region of OpenMP is known by: where its outlined function begins, or where the
/// call into the runtime returns to.
struct OpenMpPlace {
  std::uintptr_t address = 0;
  bool returns_there = false;
};

/// The regions and barriers of OpenMP that a rank's events refer to. Safe from any thread.
class OpenMpTables {
 public:
  /// Those beyond are counted as one that is at no known place, for each kind.
  static constexpr std::size_t kMost = 4096;

  /// The number of the region of this kind at that place: an index in RecordedTrace::regions.
  /// `paths` knows the loaded modules. Throws std::bad_alloc.
  std::uint32_t number_of(RecordedRegion::Kind kind, OpenMpPlace place, CallPathTable& paths);

  /// Returns the number of a team that was not known before: an index in RecordedTrace::teams.
  std::uint32_t new_team() noexcept { return teams_.fetch_add(1); }

  /// Fills in regions, and teams without threads. Throws std::bad_alloc.
  void describe(RecordedTrace& trace) const;

 private:
  std::atomic<std::uint32_t> teams_{0};
  mutable std::mutex mutex_;  // of what follows
  std::map<std::pair<std::uint8_t, std::uintptr_t>, std::uint32_t> numbers_;
  std::vector<RecordedRegion> regions_;
};

}  // namespace huddle::recorder
