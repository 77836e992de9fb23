#pragma once

#include <cstdint>
#include <vector>

namespace huddle::render {

/// sRGB, 8 bits each.
struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend constexpr bool operator==(Colour, Colour) = default;
};

inline constexpr Colour kBlack{0x20, 0x20, 0x20};
inline constexpr Colour kGrey{0x80, 0x80, 0x80};
inline constexpr Colour kPale{0xf0, 0xf0, 0xf0};
inline constexpr Colour kWhite{0xff, 0xff, 0xff};

/// The colour at `position`, 0 to 1, of the map "viridis": from dark violet over green to yellow,
/// even in lightness, and distinguishable for the colour-blind and in black and white.
Colour viridis(double position);

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

}  // namespace huddle::render
