#include "aggregator/render/heatmap/terminal_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "aggregator/render/heatmap/colour_scale.hpp"
#include "aggregator/render/heatmap/pair_matrix.hpp"

namespace huddle {
namespace {

constexpr unsigned kMostLines = 32;
constexpr std::string_view kShades = ".:-=+*#%@";
constexpr unsigned kColours = 64;
constexpr std::string_view kPlain = "\033[0m";

// What a cell looks like, and how many of them a line holds one above the other.
class Brush {
 public:
  Brush(const BinnedMatrix& matrix, const TerminalStyle& style, bool halves)
      : matrix_(matrix), scale_(matrix.least, matrix.most), style_(style), halves_(halves) {}

  // Two characters are about as wide as a line is high, so cells are squares either way.
  [[nodiscard]] unsigned characters() const { return halves_ ? 1 : 2; }
  [[nodiscard]] unsigned rows() const { return halves_ ? 2 : 1; }

  [[nodiscard]] std::string cell(std::uint32_t row, std::uint32_t column) const {
    const std::uint64_t sum = matrix_.at(row, column);
    if (!style_.colours) {
      const char shade = sum == 0 ? ' ' : kShades[scale_.level(sum, kShades.size()) - 1];
      return std::string(characters(), shade);
    }
    if (!halves_) return fmt::format("\033[48;5;{}m  ", colour(sum));
    const bool last = row + 1 == matrix_.bins;
    return fmt::format("\033[38;5;{}m{}▀", colour(sum),
                       last ? std::string("\033[49m")
                            : fmt::format("\033[48;5;{}m", colour(matrix_.at(row + 1, column))));
  }

  [[nodiscard]] std::string legend() const {
    std::string scale;
    if (!style_.colours) return std::string(kShades);
    constexpr unsigned kSteps = 16;
    for (unsigned step = 0; step < kSteps; ++step)
      scale += fmt::format("\033[48;5;{}m ", terminal_colour(viridis((step + 0.5) / kSteps)));
    return scale.append(kPlain);
  }

 private:
  [[nodiscard]] std::uint8_t colour(std::uint64_t sum) const {
    constexpr std::uint8_t kNone = 236;  // dark grey, since most terminals are dark
    if (sum == 0) return kNone;
    return terminal_colour(viridis((scale_.level(sum, kColours) - 0.5) / kColours));
  }

  const BinnedMatrix& matrix_;
  LogScale scale_;
  TerminalStyle style_;
  bool halves_;
};

std::size_t label_width(std::uint32_t ranks) {
  return std::max(std::to_string(ranks - 1).size(), std::string_view("from").size());
}

// The first ranks of every so many columns, so that all have room.
std::string column_labels(const BinnedMatrix& matrix, unsigned characters) {
  const auto longest = static_cast<unsigned>(std::to_string(matrix.ranks - 1).size());
  const std::uint32_t step = (longest + 1) / characters + 1;
  std::string line;
  for (std::uint32_t bin = 0; bin < matrix.bins; bin += step) {
    line.resize(std::size_t{bin} * characters, ' ');
    line += std::to_string(std::uint64_t{bin} * matrix.ranks_per_bin);
  }
  return line;
}

}  // namespace

unsigned most_bins(const TerminalStyle& style, std::uint32_t ranks) {
  const auto taken = static_cast<unsigned>(label_width(ranks)) + 4;
  const unsigned room = style.width > taken ? style.width - taken : 1;
  if (style.colours && style.utf8) return std::clamp(room, 1U, 2 * kMostLines);
  return std::clamp(room / 2, 1U, kMostLines);
}

std::string terminal_matrix(const BinnedMatrix& matrix, Weight weight, const TerminalStyle& style) {
  const bool halves = style.colours && style.utf8 && matrix.bins > kMostLines;
  const Brush brush(matrix, style, halves);
  const std::size_t width = label_width(matrix.ranks);
  std::string text =
      fmt::format("{:>{}}  {} to\n", "from", width, column_labels(matrix, brush.characters()));
  for (std::uint32_t row = 0; row < matrix.bins; row += brush.rows()) {
    std::string line = fmt::format("{:>{}} |", std::uint64_t{row} * matrix.ranks_per_bin, width);
    for (std::uint32_t column = 0; column < matrix.bins; ++column) line += brush.cell(row, column);
    text += line.append(style.colours ? kPlain : "").append("|\n");
  }
  if (matrix.most == 0) return text + "nothing\n";
  return text +
         fmt::format(
             "{} {} {}   log scale; {}: nothing{}\n", amount(matrix.least, weight), brush.legend(),
             amount(matrix.most, weight), style.colours ? "grey" : "blank",
             matrix.ranks_per_bin == 1
                 ? ""
                 : fmt::format("; a cell is the sum of {0} x {0} ranks", matrix.ranks_per_bin));
}

}  // namespace huddle
