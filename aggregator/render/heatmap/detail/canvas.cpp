#include "aggregator/render/heatmap/detail/canvas.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "aggregator/render/heatmap/detail/bitmap_font.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
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

static_assert(sizeof(Colour) == 3, "libpng reads the pixels as they are");

PngCanvas::PngCanvas(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), kWhite) {}

void PngCanvas::rectangle(int x, int y, int width, int height, Colour colour) {
  const int left = std::clamp(x, 0, width_);
  const int right = std::clamp(x + width, left, width_);
  const int bottom = std::min(y + height, height_);
  for (int row = std::max(y, 0); row < bottom; ++row) {
    const auto line = pixels_.begin() + static_cast<std::ptrdiff_t>(row) * width_;
    std::fill(line + left, line + right, colour);
  }
}

void PngCanvas::text(int x, int y, std::string_view text, Anchor anchor) {
  constexpr int kDot = kCharacterHeight / kCapitalRows;
  const std::string letters = letters_for(text);
  const int length = static_cast<int>(letters.size()) * kCharacterWidth - kDot;
  const int shift = anchor == Anchor::kLeft ? 0 : anchor == Anchor::kMiddle ? length / 2 : length;
  int left = x - shift;
  for (const char letter : letters) {
    const Glyph& glyph = glyph_of(letter);
    for (int row = 0; row < kGlyphRows; ++row)
      for (int column = 0; column < kGlyphColumns; ++column)
        if (glyph.has_dot(row, column))
          rectangle(left + column * kDot, y - kCharacterHeight / 2 + row * kDot, kDot, kDot,
                    kBlack);
    left += kCharacterWidth;
  }
}

void PngCanvas::grid(int x, int y, int cell_size, const CellGrid& grid) {
  const auto side = static_cast<int>(grid.side);
  auto level = grid.levels.begin();
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column, ++level)
      if (*level != 0)
        rectangle(x + column * cell_size, y + row * cell_size, cell_size, cell_size,
                  grid.palette[*level]);
}

Colour PngCanvas::at(int x, int y) const {
  return pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                 static_cast<std::size_t>(x)];
}

std::string PngCanvas::document() const {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(), 0, nullptr) == 0)
    throw Error(std::string("can't make a PNG: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace huddle
