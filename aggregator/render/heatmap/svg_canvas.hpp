#pragma once

#include <string>
#include <string_view>

#include "aggregator/render/heatmap/canvas.hpp"

namespace huddle {

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

}  // namespace huddle
