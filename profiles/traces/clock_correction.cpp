#include "profiles/traces/clock_correction.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::otf2 {

ClockCorrection::ClockCorrection(std::vector<LocalDefinitions::ClockOffset> offsets) {
  std::stable_sort(offsets.begin(), offsets.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  offsets.erase(std::unique(offsets.begin(), offsets.end(),
                            [](const auto& a, const auto& b) { return a.time == b.time; }),
                offsets.end());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto& [time, offset] = offsets[i];
    const auto& [next_time, next_offset] = offsets[i + 1];
    const double rise = static_cast<double>(next_offset) - static_cast<double>(offset);
    pieces_.push_back({time, next_time, offset, rise / static_cast<double>(next_time - time)});
  }
  if (offsets.size() == 1) pieces_.push_back({offsets[0].time, UINT64_MAX, offsets[0].offset, 0});
}

std::uint64_t ClockCorrection::by_offsets(std::uint64_t time) {
  while (at_ + 1 < pieces_.size() && time > pieces_[at_].end) ++at_;
  while (at_ > 0 && time < pieces_[at_].begin) --at_;
  const Piece& piece = pieces_[at_];
  const double since = time >= piece.begin ? static_cast<double>(time - piece.begin)
                                           : -static_cast<double>(piece.begin - time);
  // Beyond what a clock can be off, only hostile traces go.
  constexpr double kMost = 4e18;
  const double rise = std::clamp(std::rint(piece.slope * since), -kMost, kMost);
  const double offset = static_cast<double>(piece.offset) + rise;
  const std::int64_t exact = std::abs(offset) < kMost
                                 ? piece.offset + static_cast<std::int64_t>(rise)
                                 : static_cast<std::int64_t>(std::clamp(offset, -kMost, kMost));
  if (exact < 0) {
    const std::uint64_t back = 0 - static_cast<std::uint64_t>(exact);
    return time < back ? 0 : time - back;
  }
  const std::uint64_t corrected = time + static_cast<std::uint64_t>(exact);
  return corrected < time ? UINT64_MAX : corrected;
}

}  // namespace huddle::otf2
