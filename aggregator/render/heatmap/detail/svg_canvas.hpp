#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/render/heatmap/colour_scale.hpp"

namespace huddle::render {

enum class Anchor : std::uint8_t { kLeft, kMiddle, kRight };

/// Square cells side by side, each of one of at most 256 colours.
struct CellGrid {
  /// Rows, and columns.
  std::uint32_t side = 0;
  /// Row by row, an index into `palette`; cells of index 0 are not drawn.
  std::vector<std::uint8_t> levels;
  std::vector<Colour> palette;
};

/// A picture as SVG that needs no other file. All lengths are pixels, x to the right and y
/// downwards from the left upper corner.
class SvgCanvas {
 public:
  /// The room that a character of a text takes.
  static constexpr int kCharacterWidth = 12;
  static constexpr int kCharacterHeight = 14;

  SvgCanvas(int width, int height);

  void rectangle(int x, int y, int width, int height, Colour colour);
  /// One line of UTF-8; the anchor is at x, the middle of capital letters at y.
  void text(int x, int y, std::string_view text, Anchor anchor);
  void grid(int x, int y, int cell_size, const CellGrid& grid);

  /// The file's content.
  [[nodiscard]] std::string document() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace huddle::render
