#pragma once

// Internal to the reader of traces.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/traces/local_definitions.hpp"

namespace huddle::otf2 {

/// From a location's clock to the trace's, by the offsets that the trace has of it: linear between
/// two of them and beyond the last, as OTF2's own reader does it. Made for times that mostly rise.
class ClockCorrection {
 public:
  /// Sorts `offsets`; of equal times the first counts. None: nothing is corrected.
  explicit ClockCorrection(std::vector<LocalDefinitions::ClockOffset> offsets = {});

  /// Never below 0, nor above what a tick count holds.
  std::uint64_t corrected(std::uint64_t time) { return pieces_.empty() ? time : by_offsets(time); }

 private:
  struct Piece {
    std::uint64_t begin, end;
    std::int64_t offset;  // at its begin
    double slope;         // ticks for a tick
  };
  std::uint64_t by_offsets(std::uint64_t time);

  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
};

}  // namespace huddle::otf2
