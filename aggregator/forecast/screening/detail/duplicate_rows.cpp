#include "aggregator/forecast/screening/detail/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace huddle {
namespace {

// Runs of one configuration differ by about a percent, so that digits behind the second are like
// drawn by lot: this many equal ones have a probability of 10^-6.
constexpr std::size_t kNoisyDigits = 2;
constexpr std::size_t kEnoughDigits = 6;

// Counts of what a program does may well be the same in each run.
bool differs_by_run(const MeasuredColumn& column) {
  return column.role == ColumnRole::time || column.role == ColumnRole::energy;
}

std::uint64_t hash_of(const MeasurementTable& rows, std::size_t row) {
  std::uint64_t hash = rows.region[row];
  for (const MeasuredColumn& column : rows.columns) {
    hash ^= std::bit_cast<std::uint64_t>(column.values[row]);
    hash *= 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

bool are_equal(const MeasurementTable& rows, std::size_t left, std::size_t right) {
  return rows.region[left] == rows.region[right] &&
         std::ranges::all_of(rows.columns, [&](const MeasuredColumn& column) {
           return column.values[left] == column.values[right];
         });
}

// Between the first and the last that is not 0.
std::size_t significant_digits(double value) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}", value);
  std::size_t digits = 0;
  std::size_t zeros = 0;
  for (const char c : std::string_view(text.data(), text.size())) {
    if (c == 'e') break;
    if (c < '0' || c > '9' || (c == '0' && digits == 0)) continue;
    zeros = c == '0' ? zeros + 1 : 0;
    ++digits;
  }
  return digits - zeros;
}

std::size_t telling_digits(const MeasurementTable& rows, std::size_t row) {
  std::size_t digits = 0;
  for (const MeasuredColumn& column : rows.columns)
    if (differs_by_run(column) && digits < kEnoughDigits)
      digits += std::max(significant_digits(column.values[row]), kNoisyDigits) - kNoisyDigits;
  return digits;
}

// For each row the earlier one that it is equal to.
std::vector<std::optional<std::size_t>> earlier_twins(const MeasurementTable& rows) {
  std::unordered_map<std::uint64_t, std::size_t> first;
  first.reserve(rows.rows());
  std::vector<std::optional<std::size_t>> twins(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto [found, is_new] = first.emplace(hash_of(rows, row), row);
    if (!is_new && are_equal(rows, found->second, row)) twins[row] = found->second;
  }
  return twins;
}

}  // namespace

DuplicateRows find_duplicates(const MeasurementTable& rows) {
  DuplicateRows found;
  const auto twins = earlier_twins(rows);
  for (std::size_t begin = 0; begin < rows.rows();) {
    std::size_t end = begin + 1;
    if (twins[begin]) {
      const std::size_t distance = begin - *twins[begin];
      std::size_t digits = telling_digits(rows, begin);
      for (; end < rows.rows() && twins[end] && end - *twins[end] == distance; ++end)
        if (digits < kEnoughDigits) digits += telling_digits(rows, end);
      if (digits >= kEnoughDigits)
        for (std::size_t row = begin; row < end; ++row) found.copies.push_back(row);
      else
        found.maybe_repeated += end - begin;
    }
    begin = end;
  }
  return found;
}

}  // namespace huddle
