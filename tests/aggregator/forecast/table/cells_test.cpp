#include "aggregator/forecast/table/detail/cells.hpp"

#include <doctest/doctest.h>

using namespace huddle;

namespace {

double value_of_cell(std::string_view cell) {
  const forecast::CellNumber number = forecast::cell_number(cell);
  CHECK_MESSAGE(number.kind == forecast::CellKind::number, cell);
  return number.value;
}

}  // namespace

TEST_CASE("numbers have a point, an exponent, and maybe a unit behind them") {
  CHECK(value_of_cell("12") == 12);
  CHECK(value_of_cell("-0.5") == -0.5);
  CHECK(value_of_cell("+3") == 3);
  CHECK(value_of_cell("1e-3") == 1e-3);
  CHECK(value_of_cell(".5") == 0.5);
  CHECK(value_of_cell("18446744073709551615") == 18446744073709551615.0);
  CHECK(value_of_cell("1e-400") == 0);
  CHECK(forecast::cell_number("1.73GHz").suffix == "GHz");
  CHECK(forecast::cell_number("5 ms").suffix == "ms");
}

TEST_CASE("cells without a finite number are missing, and all else is text") {
  for (const char* cell : {"", "NA", "n/a", "null", "None", "-", "?", "nan", "NaN", "-nan", "inf",
                           "-Infinity", "1e400", "-1e999"})
    CHECK_MESSAGE(forecast::cell_number(cell).kind == forecast::CellKind::missing, cell);
  for (const char* cell : {"abc", "1.2.3", "1,5", "12:30", "--5", "+-5", "1_000", "infinite", "e5"})
    CHECK_MESSAGE(forecast::cell_number(cell).kind == forecast::CellKind::text, cell);
}
