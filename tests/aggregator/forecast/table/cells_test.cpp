#include "aggregator/forecast/table/detail/cells.hpp"

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

TEST_CASE("a unit behind a number is separated from it") {
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

TEST_CASE("durations of Slurm are seconds, with days and decimals or without") {
  CHECK(duration_in("00:01:05") == 65);
  CHECK(duration_in("01:02:03") == 3723);
  CHECK(duration_in("100:00:00") == 360'000);
  CHECK(duration_in("1-02:03:04") == 93'784);
  CHECK(duration_in("00:00:00.250") == 0.25);
  CHECK(duration_in("2-00:00:00.5") == 172'800.5);
}

TEST_CASE("what may be hours as well as minutes, or a time of day, is no duration") {
  for (const char* cell : {"", "1", "02:03", "0:12.5", "1-02:03", "1-2", "00:61:00", "00:00:75",
                           "00:00:", "00:00:1x", "-00:00:01", "00::01", "00:00:1e1", "a:b:c",
                           "2025-03-05T12:00:00", "00:00:-1", "1--00:00:01", "00:00:.5"})
    CHECK_MESSAGE(!duration_in(cell), cell);
}

TEST_CASE("units are converted to the last bit, and case counts where it must") {
  CHECK(unit_named("MHz")->in_base(1730) == 1.73);
  CHECK(unit_named("ms")->in_base(1) == 0.001);
  CHECK(unit_named("Wh")->in_base(1) == 3600);
  CHECK(unit_named("mJ")->in_base(1) == 0.001);
  CHECK(unit_named("MJ")->in_base(1) == 1e6);
  CHECK(unit_named("mj")->in_base(1) == 0.001);
  CHECK(unit_named("SEC")->dimension == Dimension::time);
  CHECK(unit_named("\u00b5s")->in_base(1) == 1e-6);
  CHECK_FALSE(unit_named("parsec"));
  CHECK_FALSE(unit_named(""));
}
