#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace huddle::render {

/// A table for people: columns as wide as they need, numbers to the right.
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
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
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
