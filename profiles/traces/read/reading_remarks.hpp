#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <string>
#include <vector>

namespace huddle::otf2 {

/// What was odd in the events of a location, counted.
struct ReadingRemarks {
  std::uint64_t times_fell = 0;
  std::uint64_t largest_fall = 0;  ///< ticks
  std::uint64_t before_begin = 0;
  std::uint64_t unknown_regions = 0;
  std::uint64_t unknown_communicators = 0;  ///< windows and teams, too
  std::uint64_t unknown_peers = 0;
  std::uint64_t left_without_enter = 0;
  std::uint64_t closed_by_outer = 0;
  std::uint64_t lone_syncs = 0;
  std::uint64_t collectives_begun = 0;
  std::uint64_t collectives_ended = 0;
  std::uint64_t receives_posted = 0;
  std::uint64_t receives_ended = 0;  ///< cancelled ones, too
  std::uint64_t sends_begun = 0;
  std::uint64_t sends_ended = 0;

  /// A sentence for each kind; `at_end`: the stream was read to its end, so that what is missing
  /// is missing.
  [[nodiscard]] std::vector<std::string> sentences(bool at_end) const;
};

}  // namespace huddle::otf2
