#pragma once

#include <string>
#include <vector>

namespace huddle {

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

}  // namespace huddle
