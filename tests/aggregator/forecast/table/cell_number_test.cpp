#include "aggregator/forecast/table/cell_number.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace huddle;

namespace {

double value_of(std::string_view cell, char mark = '.') {
  const CellNumber number = cell_number(cell, mark);
  CHECK_MESSAGE(number.kind == CellKind::number, cell);
  return number.value;
}

CellKind kind_of(std::string_view cell, char mark = '.') {
  return cell_number(cell, mark).kind;
}

}  // namespace

TEST_CASE("numbers are read in all the ways that programs write them") {
  CHECK(value_of("12") == 12);
  CHECK(value_of("-0.5") == -0.5);
  CHECK(value_of("+3") == 3);
  CHECK(value_of("1e-3") == 1e-3);
  CHECK(value_of("1.5D+03") == 1500);
  CHECK(value_of("2.5d-1") == 0.25);
  CHECK(value_of(".5") == 0.5);
  CHECK(value_of("18446744073709551615") == 18446744073709551615.0);
  CHECK(value_of("1e-400") == 0);
  CHECK(value_of("1,5", ',') == 1.5);
  CHECK(value_of("-1,5e3", ',') == -1500);
  CHECK(value_of("7", ',') == 7);
}

TEST_CASE("a unit behind a number is told apart from it") {
  CHECK(cell_number("1.73GHz", '.').suffix == "GHz");
  CHECK(cell_number("5 ms", '.').suffix == "ms");
  CHECK(cell_number("12%", '.').suffix == "%");
  CHECK(cell_number("1,5 s", ',').suffix == "s");
  CHECK(cell_number("1,5 s", ',').value == 1.5);
}

TEST_CASE("what is missing, not finite, and text are three things") {
  for (const char* cell : {"", "NA", "n/a", "null", "None", "-", "?"})
    CHECK_MESSAGE(kind_of(cell) == CellKind::missing, cell);
  for (const char* cell : {"nan", "NaN", "-nan", "inf", "-Infinity", "1e400", "-1e999", "#DIV/0!"})
    CHECK_MESSAGE(kind_of(cell) == CellKind::not_finite, cell);
  for (const char* cell : {"abc", "1.2.3", "1,5", "12:30", "--5", "+-5", "1_000", "infinite", "e5"})
    CHECK_MESSAGE(kind_of(cell) == CellKind::text, cell);
  CHECK(kind_of("1.5", ',') == CellKind::text);
  CHECK(kind_of("1.234,5", ',') == CellKind::text);
  CHECK(kind_of("1,234,567", ',') == CellKind::text);
}
