#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/render/heatmap/colour_scale.hpp"

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

/// A picture as SVG that needs no other file.
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(int width, int height);

  void rectangle(int x, int y, int width, int height, Colour colour) override;
  void text(int x, int y, std::string_view text, Anchor anchor) override;
  void grid(int x, int y, int cell_size, const CellGrid& grid) override;

  /// The file's content.
  [[nodiscard]] std::string document() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

/// A picture as PNG. Texts are drawn with the letters of bitmap_font.hpp.
class PngCanvas : public Canvas {
 public:
  /// White. Precondition: both are positive.
  PngCanvas(int width, int height);

  void rectangle(int x, int y, int width, int height, Colour colour) override;
  void text(int x, int y, std::string_view text, Anchor anchor) override;
  void grid(int x, int y, int cell_size, const CellGrid& grid) override;

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  /// Precondition: inside.
  [[nodiscard]] Colour at(int x, int y) const;

  /// The file's content. Throws Error if the PNG library refuses.
  [[nodiscard]] std::string document() const;

 private:
  int width_;
  int height_;
  std::vector<Colour> pixels_;  // row by row
};

}  // namespace huddle
