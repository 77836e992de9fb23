#pragma once

// Internal to the reader of profiles.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/formats/document/document.hpp"

namespace huddle {

/// Orders `rows` by `key_of`; returns one whose key another has, too, or nullptr.
template <class Row, class KeyOf>
const Row* sort_by(std::vector<Row>& rows, KeyOf key_of) {
  const auto before = [&](const Row& a, const Row& b) { return key_of(a) < key_of(b); };
  const auto same = [&](const Row& a, const Row& b) { return key_of(a) == key_of(b); };
  if (!std::is_sorted(rows.begin(), rows.end(), before))
    std::sort(rows.begin(), rows.end(), before);
  const auto twice = std::adjacent_find(rows.begin(), rows.end(), same);
  return twice == rows.end() ? nullptr : &*twice;
}

/// Reads a table that is written as columns: an object of arrays of equal length.
template <class Row>
class TableColumns {
 public:
  /// As long as its column `first`, which must be there. Throws FormatError.
  TableColumns(const Field& table, std::string_view first)
      : table_(table), first_(first), rows_(table.at(first).array_size()) {}

  /// Calls `read(row, value)` for each value of the column `name`. Throws FormatError if there is
  /// no such column or it is not as long as the first one.
  template <class Read>
  void read(std::string_view name, Read&& read) {
    const Field column = table_.at(name);
    if (column.array_size() != rows_.size())
      column.fail(fmt::format("an array of {}, as long as \"{}\"", rows_.size(), first_));
    auto row = rows_.begin();
    column.for_each([&](const Field& value) { read(*row++, value); });
  }

  [[nodiscard]] std::vector<Row>& rows() { return rows_; }

  /// The rows, ordered by `key_of`. Throws FormatError if two have the same key: what
  /// `describe(row)` says of it is there twice, and `expected` what there should be.
  template <class KeyOf, class Describe>
  std::vector<Row> take_sorted(KeyOf key_of, Describe describe, std::string_view expected) {
    if (const Row* const twice = sort_by(rows_, key_of))
      table_.fail(fmt::format("{} twice", describe(*twice)), expected);
    return std::move(rows_);
  }

 private:
  Field table_;
  std::string_view first_;
  std::vector<Row> rows_;
};

/// A number, 0 or more; NaN for null.
inline double count_or_nan(const Field& field) {
  return field.is_null() ? std::numeric_limits<double>::quiet_NaN() : field.non_negative();
}

/// Reads what was counted in `rows`, of which `passes_of(row)`, the column `passes`, were: a column
/// for each of `events` events, as long as the column `first`. Throws FormatError.
template <class Row, class PassesOf>
void read_counts(const Field& counts, std::size_t events, std::string_view first,
                 std::string_view passes, std::vector<Row>& rows, PassesOf passes_of) {
  if (counts.array_size() != events)
    counts.fail(fmt::format("an array of {}, as long as \"events\"", events));
  for (Row& row : rows)
    if (passes_of(row) > 0) row.counts.reserve(events);
  counts.for_each([&](const Field& column) {
    if (column.array_size() != rows.size())
      column.fail(fmt::format("an array of {}, as long as \"{}\"", rows.size(), first));
    auto row = rows.begin();
    column.for_each([&](const Field& value) {
      const double count = count_or_nan(value);
      if (passes_of(*row) > 0)
        row->counts.push_back(count);
      else if (!std::isnan(count))
        value.fail(fmt::format("null, since {} is 0", passes));
      ++row;
    });
  });
}

}  // namespace huddle
