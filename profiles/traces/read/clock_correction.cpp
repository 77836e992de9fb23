#include "profiles/traces/read/clock_correction.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::otf2 {

ClockCorrection::ClockCorrection(std::uint64_t begin,
                                 std::vector<LocalDefinitions::ClockOffset> offsets)
    : begin_(begin) {
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

std::int64_t ClockCorrection::offset_at(std::uint64_t time) {
  if (pieces_.empty()) return 0;
  while (at_ + 1 < pieces_.size() && time > pieces_[at_].end) ++at_;
  while (at_ > 0 && time < pieces_[at_].begin) --at_;
  const Piece& piece = pieces_[at_];
  const double since = time >= piece.begin ? static_cast<double>(time - piece.begin)
                                           : -static_cast<double>(piece.begin - time);
  // Beyond that only hostile traces go.
  constexpr double kMost = 4e18;
  const double rise = std::rint(piece.slope * since);
  const double offset = static_cast<double>(piece.offset) + rise;
  if (std::abs(rise) < kMost && std::abs(offset) < kMost)
    return piece.offset + static_cast<std::int64_t>(rise);
  return static_cast<std::int64_t>(std::clamp(offset, -kMost, kMost));
}

std::uint64_t ClockCorrection::by_offsets(std::uint64_t time) {
  __extension__ using Wide = __int128;
  const Wide ticks = Wide{time} + offset_at(time) - Wide{begin_};
  if (ticks < 0) {
    ++before_begin_;
    return 0;
  }
  return ticks > Wide{UINT64_MAX} ? UINT64_MAX : static_cast<std::uint64_t>(ticks);
}

}  // namespace huddle::otf2
