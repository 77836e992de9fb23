#include "aggregator/render/heatmap/matrix_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "aggregator/render/heatmap/colour_scale.hpp"
#include "aggregator/render/heatmap/detail/svg_canvas.hpp"
#include "aggregator/render/heatmap/pair_matrix.hpp"

namespace huddle::render {
namespace {

constexpr std::uint32_t kMostBins = 1024;
// Larger cells, where ranks have to share them anyway: lone ones should be seen.
constexpr std::uint32_t kMostSharedBins = 512;
constexpr std::size_t kMostBorders = 256;
constexpr unsigned kLevels = 255;

constexpr int kLetter = SvgCanvas::kCharacterWidth;
constexpr int kLine = SvgCanvas::kCharacterHeight + 10;
constexpr int kGap = 16;
constexpr int kTick = 6;
constexpr int kBarWidth = 24;
constexpr int kSmallestBar = 160;
constexpr Colour kBorder{0xe0, 0x50, 0x30};
// Many borders would hide what they part: these are paler, and under the cells.
constexpr std::size_t kManyBorders = 15;
constexpr Colour kPaleBorder{0xc4, 0xc4, 0xc4};

// Where everything goes.
struct Layout {
  int cell = 1;
  int left = 0;  // of the matrix
  int top = 0;
  int side = 0;
  int bar_left = 0;
  int bar_height = 0;
  int width = 0;
  int height = 0;
};

// So that ten ticks at most fit: 1, 2 or 5 times a power of ten, or a power of two where ranks
// share cells.
std::uint32_t tick_step(std::uint32_t ranks) {
  std::uint64_t step = 1;
  for (unsigned i = 0; step * 10 < ranks; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return static_cast<std::uint32_t>(step);
}

int letters(std::size_t count) {
  return static_cast<int>(count) * kLetter;
}

Layout layout_of(const MatrixPicture& picture) {
  constexpr int kSide = 1024;
  constexpr int kLargestCell = 48;
  constexpr std::string_view kLongestCaption = "messages, log scale";
  Layout layout;
  const auto bins = static_cast<int>(picture.matrix.bins);
  layout.cell = std::clamp(kSide / bins, 1, kLargestCell);
  layout.side = layout.cell * bins;
  const std::size_t digits =
      std::max(std::to_string(picture.matrix.ranks).size(), std::string_view("sender").size());
  layout.left = kGap + letters(digits + 1) + kTick + 8;
  layout.top = kGap + 4 * kLine + kTick + 8;
  layout.bar_left = layout.left + layout.side + 2 * kGap;
  layout.bar_height = std::clamp(layout.side - 3 * kLine, kSmallestBar, 400);
  const std::size_t title =
      std::max({picture.title.size(), picture.subtitle.size(), std::size_t{40}});
  layout.width = std::max(layout.bar_left + letters(kLongestCaption.size()),
                          std::min(kGap + letters(title), 1280)) +
                 2 * kGap;
  layout.height = layout.top + std::max(layout.side, layout.bar_height + 3 * kLine) + kGap + kLine;
  return layout;
}

CellGrid grid_of(const BinnedMatrix& matrix) {
  const LogScale scale(matrix.least, matrix.most);
  CellGrid grid;
  grid.side = matrix.bins;
  grid.levels.reserve(matrix.sums.size());
  for (const std::uint64_t sum : matrix.sums)
    grid.levels.push_back(static_cast<std::uint8_t>(scale.level(sum, kLevels)));
  grid.palette.push_back(kPale);
  for (unsigned level = 1; level <= kLevels; ++level)
    grid.palette.push_back(viridis((level - 0.5) / kLevels));
  return grid;
}

void draw_axes(SvgCanvas& canvas, const MatrixPicture& picture, const Layout& layout) {
  const BinnedMatrix& matrix = picture.matrix;
  canvas.text(layout.left + layout.side / 2, layout.top - kTick - 8 - kLine - kLine / 2, "receiver",
              Anchor::kMiddle);
  canvas.text(layout.left - kTick - 4 - kLetter, layout.top - kTick - 4 - kLine / 2, "sender",
              Anchor::kRight);
  for (std::uint64_t rank = 0; rank < matrix.ranks; rank += tick_step(matrix.ranks)) {
    const int middle =
        static_cast<int>(rank / matrix.ranks_per_bin) * layout.cell + layout.cell / 2;
    const std::string label = std::to_string(rank);
    canvas.rectangle(layout.left + middle, layout.top - kTick, 1, kTick, kBlack);
    canvas.rectangle(layout.left - kTick, layout.top + middle, kTick, 1, kBlack);
    canvas.text(layout.left + middle, layout.top - kTick - 4 - kLine / 2, label, Anchor::kMiddle);
    canvas.text(layout.left - kTick - 4, layout.top + middle, label, Anchor::kRight);
  }
}

Colour border_colour(const MatrixPicture& picture) {
  return picture.node_borders.size() > kManyBorders ? kPaleBorder : kBorder;
}

void draw_borders(SvgCanvas& canvas, const MatrixPicture& picture, const Layout& layout) {
  if (picture.node_borders.empty()) return;
  const Colour colour = border_colour(picture);
  const int thickness = layout.cell >= 8 ? 2 : 1;
  for (const std::uint32_t rank : picture.node_borders) {
    const int at = static_cast<int>(std::uint64_t{rank} * static_cast<unsigned>(layout.cell) /
                                    picture.matrix.ranks_per_bin) -
                   thickness / 2;
    canvas.rectangle(layout.left + at, layout.top, thickness, layout.side, colour);
    canvas.rectangle(layout.left, layout.top + at, layout.side, thickness, colour);
  }
  const int y = layout.height - kLine;
  canvas.rectangle(layout.left, y - 1, 2 * kLetter, 2, colour);
  canvas.text(layout.left + 3 * kLetter, y, "borders of nodes", Anchor::kLeft);
}

void draw_legend(SvgCanvas& canvas, const MatrixPicture& picture, const Layout& layout) {
  const BinnedMatrix& matrix = picture.matrix;
  const bool bytes = picture.weight == commgraph::Weight::kBytes;
  const int top = layout.top + kLine + kGap / 2;
  canvas.text(layout.bar_left, layout.top + 4, bytes ? "bytes, log scale" : "messages, log scale",
              Anchor::kLeft);
  if (matrix.most > 0) {
    for (int y = 0; y < layout.bar_height; ++y)
      canvas.rectangle(layout.bar_left, top + y, kBarWidth, 1,
                       viridis(1 - (y + 0.5) / layout.bar_height));
    const LogScale scale(matrix.least, matrix.most);
    for (const std::uint64_t tick : scale.ticks(bytes ? 2 : 10)) {
      const int y =
          top + static_cast<int>((1 - scale.position(tick)) * (layout.bar_height - 1) + 0.5);
      canvas.rectangle(layout.bar_left + kBarWidth, y, kTick, 1, kBlack);
      canvas.text(layout.bar_left + kBarWidth + kTick + 4, y, amount(tick, picture.weight),
                  Anchor::kLeft);
    }
  }
  const int none = top + layout.bar_height + kLine / 2;
  canvas.rectangle(layout.bar_left, none, kBarWidth, SvgCanvas::kCharacterHeight + 4, kGrey);
  canvas.rectangle(layout.bar_left + 1, none + 1, kBarWidth - 2, SvgCanvas::kCharacterHeight + 2,
                   kPale);
  canvas.text(layout.bar_left + kBarWidth + kTick + 4, none + SvgCanvas::kCharacterHeight / 2 + 2,
              "none", Anchor::kLeft);
}

void draw(SvgCanvas& canvas, const MatrixPicture& picture, const Layout& layout) {
  canvas.rectangle(0, 0, layout.width, layout.height, kWhite);
  const auto fitting = static_cast<std::size_t>((layout.width - 2 * kGap) / kLetter);
  canvas.text(kGap, kGap + kLine / 2, picture.title.substr(0, fitting), Anchor::kLeft);
  canvas.text(kGap, kGap + kLine + kLine / 2, picture.subtitle.substr(0, fitting), Anchor::kLeft);
  canvas.rectangle(layout.left - 1, layout.top - 1, layout.side + 2, layout.side + 2, kGrey);
  canvas.rectangle(layout.left, layout.top, layout.side, layout.side, kPale);
  const bool borders_below = picture.node_borders.size() > kManyBorders;
  if (borders_below) draw_borders(canvas, picture, layout);
  canvas.grid(layout.left, layout.top, layout.cell, grid_of(picture.matrix));
  if (!borders_below) draw_borders(canvas, picture, layout);
  draw_axes(canvas, picture, layout);
  draw_legend(canvas, picture, layout);
}

}  // namespace

std::vector<std::uint32_t> node_borders(const Profile& profile) {
  std::vector<std::uint32_t> borders;
  if (!profile.complete) return borders;
  std::set<std::string_view> nodes;
  std::string_view last;
  for (const RankRecord& record : profile.rank_records) {
    if (record.node == last && !nodes.empty()) continue;
    last = record.node;
    if (record.node.empty() || !nodes.insert(last).second || nodes.size() > kMostBorders + 1)
      return {};
    if (nodes.size() > 1) borders.push_back(record.rank.value);
  }
  return borders.size() + 1 == profile.ranks ? std::vector<std::uint32_t>() : borders;
}

MatrixPicture matrix_picture(const Profile& profile, PairMatrix traffic, commgraph::Weight weight) {
  MatrixPicture picture;
  picture.matrix = binned_matrix(profile, traffic, weight,
                                 profile.ranks > kMostBins ? kMostSharedBins : kMostBins);
  picture.weight = weight;
  picture.title = profile.label;
  picture.subtitle =
      fmt::format("{} {}, {} ranks", weight == commgraph::Weight::kBytes ? "bytes" : "messages",
                  words_for(traffic), profile.ranks);
  if (picture.matrix.ranks_per_bin > 1)
    picture.subtitle += fmt::format(", a cell is {0} x {0}", picture.matrix.ranks_per_bin);
  picture.node_borders = node_borders(profile);
  return picture;
}

std::string svg_of(const MatrixPicture& picture) {
  const Layout layout = layout_of(picture);
  SvgCanvas canvas(layout.width, layout.height);
  draw(canvas, picture, layout);
  return canvas.document();
}

}  // namespace huddle::render
