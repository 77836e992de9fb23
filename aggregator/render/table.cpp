#include "aggregator/render/table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "aggregator/render/output_width.hpp"

namespace huddle::render {
namespace {

constexpr std::string_view kBetween = "  ";
// Columns of text are left so wide, if they need it, before others go below.
constexpr std::size_t kLeastText = 16;
constexpr std::size_t kHanging = 2;

// Numbers may have titles of so many lines before texts are broken.
constexpr std::size_t kMostTitleLines = 3;

// The least width at which `title` takes no more lines than that, and no word of it is broken.
std::size_t width_of_title(const std::string& title, std::size_t most_lines) {
  if (title.empty()) return 0;
  std::size_t width = 1;
  for (std::size_t begin = 0; begin < title.size();) {
    const std::size_t end = std::min(title.find(' ', begin), title.size());
    width = std::max(width, width_of(std::string_view(title).substr(begin, end - begin)));
    begin = end + 1;
  }
  while (lines_of(title, width, 0).size() > most_lines) ++width;
  return width;
}

std::size_t width_of_all(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
         (widths.size() - 1) * kBetween.size();
}

std::string padded(const std::string& cell, std::size_t width, Table::Align align) {
  const std::string blanks(width - std::min(width, width_of(cell)), ' ');
  return align == Table::Align::kLeft ? cell + blanks : blanks + cell;
}

// The cells of one row, which has as many lines as its highest cell.
std::vector<std::vector<std::string>> cell_lines(const std::vector<std::string>& cells,
                                                 const std::vector<std::size_t>& widths,
                                                 std::size_t hanging) {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < cells.size(); ++i)
    lines.push_back(width_of(cells[i]) <= widths[i] ? std::vector<std::string>{cells[i]}
                                                    : lines_of(cells[i], widths[i], hanging));
  return lines;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::size_t Table::widest_cell(std::size_t column) const {
  std::size_t widest = 0;
  for (const Row& row : rows_) widest = std::max(widest, width_of(row[column]));
  return widest;
}

std::vector<std::size_t> Table::widths_with(std::size_t title_lines) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    widths.push_back(std::max(width_of_title(columns_[i].title, title_lines), widest_cell(i)));
  return widths;
}

// Widths of columns whose titles are broken, and whose texts are as well as far as `width` asks it.
std::vector<std::size_t> Table::narrowed(std::size_t width) const {
  std::vector<std::size_t> widths = widths_with(kMostTitleLines);
  std::vector<std::size_t> least = widths;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].align == Align::kLeft)
      least[i] = std::max(width_of_title(columns_[i].title, kMostTitleLines),
                          std::min(widths[i], kLeastText));
  for (std::size_t all = width_of_all(widths); all > width; --all) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size()) break;
    --widths[widest];
  }
  return widths;
}

// The lines of some of the columns.
std::string Table::lines(const std::vector<std::size_t>& shown,
                         const std::vector<std::size_t>& widths) const {
  std::string text;
  std::vector<std::size_t> its_widths;
  Row titles;
  for (const std::size_t column : shown) {
    its_widths.push_back(widths[column]);
    titles.push_back(columns_[column].title);
  }
  const auto add_row = [&](const Row& row, bool is_title) {
    const auto cells = cell_lines(row, its_widths, is_title ? 0 : kHanging);
    std::size_t height = 0;
    for (const auto& cell : cells) height = std::max(height, cell.size());
    for (std::size_t k = 0; k < height; ++k) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t above = is_title ? height - cells[i].size() : 0;
        const bool has_line = k >= above && k - above < cells[i].size();
        line += i > 0 ? kBetween : "";
        line +=
            padded(has_line ? cells[i][k - above] : "", its_widths[i], columns_[shown[i]].align);
      }
      line.resize(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
  };
  add_row(titles, true);
  for (const Row& row : rows_) {
    Row cells;
    for (const std::size_t column : shown) cells.push_back(row[column]);
    add_row(cells, false);
  }
  return text;
}

std::string Table::text() const {
  std::vector<std::size_t> all(columns_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::optional<std::size_t> limit = output_width();
  std::vector<std::size_t> widths;
  for (std::size_t title_lines = 1; title_lines <= kMostTitleLines; ++title_lines) {
    widths = widths_with(title_lines);
    if (!limit || width_of_all(widths) <= *limit) return lines(all, widths);
  }
  widths = narrowed(*limit);
  if (columns_.size() == 1 || width_of_all(widths) <= *limit) return lines(all, widths);
  // The first column says what the others are about: it is broken no more than it must be.
  widths[0] = std::max(widths[0], std::min(widest_cell(0), *limit / 3));
  std::string text;
  for (std::size_t next = 1; next < columns_.size();) {
    std::vector<std::size_t> shown = {0};
    std::size_t width = widths[0];
    do {
      width += kBetween.size() + widths[next];
      shown.push_back(next++);
    } while (next < columns_.size() && width + kBetween.size() + widths[next] <= *limit);
    text += (text.empty() ? "" : "\n") + lines(shown, widths);
  }
  return text;
}

}  // namespace huddle::render
