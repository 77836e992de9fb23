#include "tests/aggregator/forecast/table/read_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle::forecast {
namespace {

bool one_contains(const std::vector<std::string>& sentences, std::string_view part) {
  return std::ranges::any_of(sentences, [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

}  // namespace

const std::vector<double>& ReadRows::of(ColumnRole role) const {
  const MeasuredColumn* column = table.find(role);
  REQUIRE_MESSAGE(column != nullptr, name_of(role));
  return column->values;
}

const std::vector<double>& ReadRows::of(std::string_view name) const {
  const MeasuredColumn* column = table.find(name);
  REQUIRE_MESSAGE(column != nullptr, name);
  return column->values;
}

bool ReadRows::remarks(std::string_view part) const {
  return one_contains(reading.remarks, part);
}

bool ReadRows::warns(std::string_view part) const {
  return one_contains(reading.warnings, part);
}

ReadRows read_rows(std::string_view text, const MeasurementCsvOptions& options) {
  ReadRows rows;
  rows.table = parse_measurements(text, "rows.csv", options, rows.reading);
  return rows;
}

std::string error_of(std::string_view text, const MeasurementCsvOptions& options) {
  try {
    read_rows(text, options);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace huddle::forecast
