#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregator/render/heatmap/canvas.hpp"

namespace huddle {

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
