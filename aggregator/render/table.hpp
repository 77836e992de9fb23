#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace huddle::render {

/// A table for people: columns as wide as they need, numbers to the right. Where output_width() is
/// less, titles and texts are broken into lines, and columns that still don't fit go below, beside
/// the first one once more.
class Table {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };

  explicit Table(std::vector<Column> columns);

  /// Precondition: one cell for each column.
  void add(std::vector<std::string> cells);
  /// Lines, each ended by a newline, without spaces at their ends.
  [[nodiscard]] std::string text() const;

 private:
  using Row = std::vector<std::string>;
  [[nodiscard]] std::size_t widest_cell(std::size_t column) const;
  [[nodiscard]] std::vector<std::size_t> widths_with(std::size_t title_lines) const;
  [[nodiscard]] std::vector<std::size_t> narrowed(std::size_t width) const;
  [[nodiscard]] std::string lines(const std::vector<std::size_t>& shown,
                                  const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// `text` as a cell of comma-separated values (RFC 4180).
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace huddle::render
