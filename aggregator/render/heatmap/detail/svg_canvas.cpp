#include "aggregator/render/heatmap/detail/svg_canvas.hpp"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::render {
namespace {

std::string code_of(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : shortened(text, text.size())) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string_view word_for(Anchor anchor) {
  if (anchor == Anchor::kLeft) return "start";
  return anchor == Anchor::kMiddle ? "middle" : "end";
}

}  // namespace

SvgCanvas::SvgCanvas(int width, int height) {
  // A monospaced letter is 0.6 em wide.
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"{2}\" "
      "shape-rendering=\"crispEdges\">\n",
      width, height, kCharacterWidth * 10 / 6);
}

void SvgCanvas::rectangle(int x, int y, int width, int height, Colour colour) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
                       width, height, code_of(colour));
}

void SvgCanvas::text(int x, int y, std::string_view text, Anchor anchor) {
  body_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill=\"{}\" xml:space=\"preserve\">{}</text>\n",
      x, y + kCharacterHeight / 2, word_for(anchor), code_of(kBlack), escaped(text));
}

void SvgCanvas::grid(int x, int y, int cell_size, const CellGrid& grid) {
  // One path for each colour, whose pieces are runs of equal cells: far smaller than a rectangle
  // for each cell.
  std::vector<std::string> paths(grid.palette.size());
  for (std::uint32_t row = 0; row < grid.side; ++row) {
    const std::uint8_t* levels = grid.levels.data() + std::size_t{row} * grid.side;
    for (std::uint32_t column = 0; column < grid.side;) {
      const std::uint32_t first = column;
      while (column < grid.side && levels[column] == levels[first]) ++column;
      if (levels[first] != 0)
        fmt::format_to(std::back_inserter(paths[levels[first]]), "M{} {}h{}v1h-{}z", first, row,
                       column - first, column - first);
    }
  }
  body_ += fmt::format("<g transform=\"translate({} {}) scale({})\">\n", x, y, cell_size);
  for (std::size_t level = 1; level < paths.size(); ++level)
    if (!paths[level].empty())
      body_ +=
          fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", code_of(grid.palette[level]), paths[level]);
  body_ += "</g>\n";
}

}  // namespace huddle::render
