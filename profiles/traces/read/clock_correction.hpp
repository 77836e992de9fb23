#pragma once

// Internal to the reader of traces.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/traces/read/local_definitions.hpp"

namespace huddle::otf2 {

/// From a location's clock to ticks since the trace's begin, by the offsets that the trace has of
/// it: linear between two of them and beyond the last, as OTF2's own reader does it. Made for times
/// that mostly rise.
class ClockCorrection {
 public:
  /// `begin` is the trace's, by its own clock. Sorts `offsets`; of equal times the first counts.
  /// None: only `begin` is taken off.
  explicit ClockCorrection(std::uint64_t begin,
                           std::vector<LocalDefinitions::ClockOffset> offsets = {});

  /// 0 for a time before the begin, and the largest number for one beyond what a count holds.
  std::uint64_t since_begin(std::uint64_t time) {
    if (pieces_.empty() && time >= begin_) return time - begin_;
    return by_offsets(time);
  }
  /// How many of the times were before the begin.
  [[nodiscard]] std::uint64_t before_begin() const { return before_begin_; }

 private:
  struct Piece {
    std::uint64_t begin, end;
    std::int64_t offset;  // at its begin
    double slope;         // ticks for a tick
  };
  std::uint64_t by_offsets(std::uint64_t time);
  std::int64_t offset_at(std::uint64_t time);

  std::uint64_t begin_;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  std::uint64_t before_begin_ = 0;
};

}  // namespace huddle::otf2
