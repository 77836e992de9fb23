#pragma once

#include <cstdint>
#include <vector>

namespace huddle {

/// Places positive numbers on a logarithmic scale from `least` to `most`. A plain value.
class LogScale {
 public:
  /// Precondition: least <= most.
  LogScale(std::uint64_t least, std::uint64_t most) : least_(least), most_(most) {}

  /// 0 for `least`, 1 for `most` (also if they are equal), and between for what is between.
  /// Precondition: 0 < value.
  [[nodiscard]] double position(std::uint64_t value) const;

  /// One of `levels` equal steps of the scale, from 1; 0 for the value 0.
  /// Precondition: levels >= 1.
  [[nodiscard]] unsigned level(std::uint64_t value, unsigned levels) const;

  /// Two to eight round numbers on the scale, ascending: powers of `base` (2 or 10) at steps that
  /// leave so many; with the ends where there are fewer. None if the scale is empty.
  [[nodiscard]] std::vector<std::uint64_t> ticks(unsigned base) const;

 private:
  std::uint64_t least_;
  std::uint64_t most_;
};

}  // namespace huddle
