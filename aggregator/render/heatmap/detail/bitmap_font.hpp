#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace huddle {

/// Capital letters take the upper seven; the others are for what hangs below the line.
inline constexpr int kGlyphRows = 9;
inline constexpr int kCapitalRows = 7;
inline constexpr int kGlyphColumns = 5;

/// A letter of 5 x 9 dots.
struct Glyph {
  /// Row by row from the top; bit 4 is the leftmost dot.
  std::array<std::uint8_t, kGlyphRows> rows{};

  /// Precondition: 0 <= row < kGlyphRows, 0 <= column < kGlyphColumns.
  [[nodiscard]] bool has_dot(int row, int column) const {
    return (rows[static_cast<std::size_t>(row)] >> (kGlyphColumns - 1 - column) & 1) != 0;
  }
};

/// What can be drawn of UTF-8 text: "?" stands for each character that is not printable ASCII.
std::string letters_for(std::string_view text);

/// Precondition: `letter` is printable ASCII.
const Glyph& glyph_of(char letter);

}  // namespace huddle
