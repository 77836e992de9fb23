#pragma once

#include <cstdint>

namespace huddle {

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
/// even in lightness, and told apart by the colour-blind and in black and white.
Colour viridis(double position);

/// The nearest of the 256 colours that terminals know, by number.
std::uint8_t terminal_colour(Colour colour);

}  // namespace huddle
