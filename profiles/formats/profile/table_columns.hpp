#pragma once

// Internal to the reader of profiles.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "profiles/formats/document/document_reader.hpp"

namespace huddle {

/// Reads a table that is written as columns: an object of arrays of equal length, in any order.
template <class Row, std::size_t kColumns>
class TableColumns {
 public:
  std::vector<Row> rows;

  /// Reads the column that is next; `read(row)` reads one value into its row.
  template <class Read>
  void read(DocumentReader& in, std::size_t column, Read&& read) {
    lengths_[column] = in.array([&](std::size_t i) {
      if (i == rows.size()) add_row();
      read(rows[i]);
    });
  }

  [[nodiscard]] bool has(std::size_t column) const { return lengths_[column].has_value(); }

  /// Throws FormatError unless every column that was read is as long as the first of `names`, which
  /// must have been.
  void check_lengths(DocumentReader& in,
                     const std::array<std::string_view, kColumns>& names) const {
    for (std::size_t column = 1; column < kColumns; ++column)
      if (has(column) && lengths_[column] != lengths_[0])
        in.fail(fmt::format("an array of {}", *lengths_[column]),
                fmt::format("an array of {}, as long as \"{}\"", *lengths_[0], names[0]),
                fmt::format(".{}", names[column]));
  }

  /// Orders the rows by `key_of`; returns one whose key another has, too, or nullptr.
  template <class KeyOf>
  const Row* sort_by(KeyOf key_of) {
    const auto before = [&](const Row& a, const Row& b) { return key_of(a) < key_of(b); };
    const auto same = [&](const Row& a, const Row& b) { return key_of(a) == key_of(b); };
    if (!std::is_sorted(rows.begin(), rows.end(), before))
      std::sort(rows.begin(), rows.end(), before);
    const auto twice = std::adjacent_find(rows.begin(), rows.end(), same);
    return twice == rows.end() ? nullptr : &*twice;
  }

 private:
  void add_row() {
    if (rows.empty()) rows.reserve(kUsualRows);
    rows.emplace_back();
  }

  static constexpr std::size_t kUsualRows = 32;
  std::array<std::optional<std::size_t>, kColumns> lengths_;
};

}  // namespace huddle
