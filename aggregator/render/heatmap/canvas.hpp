#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "aggregator/render/heatmap/colour.hpp"

namespace huddle {

enum class Anchor : std::uint8_t { kLeft, kMiddle, kRight };

/// Square cells side by side, each of one of at most 256 colours.
struct CellGrid {
  /// Rows, and columns.
  std::uint32_t side = 0;
  /// Row by row, an index into `palette`; cells of index 0 are not drawn.
  std::vector<std::uint8_t> levels;
  std::vector<Colour> palette;
};

/// What a picture is drawn on. All lengths are pixels, x to the right and y downwards from the left
/// upper corner. What lies outside is cut off.
class Canvas {
 public:
  /// The room that a character of a text takes.
  static constexpr int kCharacterWidth = 12;
  static constexpr int kCharacterHeight = 14;

  Canvas() = default;
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  virtual void rectangle(int x, int y, int width, int height, Colour colour) = 0;
  /// One line of UTF-8; the anchor is at x, the middle of capital letters at y. What a canvas has
  /// no letter for becomes "?".
  virtual void text(int x, int y, std::string_view text, Anchor anchor) = 0;
  virtual void grid(int x, int y, int cell_size, const CellGrid& grid) = 0;
};

}  // namespace huddle
