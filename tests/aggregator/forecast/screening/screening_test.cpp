#include "aggregator/forecast/screening/screening.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;

namespace {

struct MadeUpRows {
  MeasurementTable table;
  std::vector<double>& column(const std::string& name) {
    for (MeasuredColumn& known : table.columns)
      if (known.name == name) return known.values;
    FAIL("no such column");
    return table.columns[0].values;
  }
};

// Two regions, sizes 100 to 2000, 1 to 8 threads, two runs each, with noise of some percent.
MadeUpRows rows_of_a_program() {
  MadeUpRows made;
  made.table.regions = {"solve", "smooth"};
  made.table.columns = {
      {ColumnRole::size, "size", "", {}},       {ColumnRole::threads, "threads", "", {}},
      {ColumnRole::time, "time", "s", {}},      {ColumnRole::energy, "energy", "J", {}},
      {ColumnRole::variable, "misses", "", {}}, {ColumnRole::variable, "instructions", "", {}}};
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.03);
  for (std::uint32_t region = 0; region < 2; ++region)
    for (int size = 100; size <= 2000; size += 100)
      for (int threads = 1; threads <= 8; threads *= 2)
        for (int run = 0; run < 2; ++run) {
          const double work = size * size * (region == 0 ? 1.0 : 0.3);
          const double time = 1e-4 * work / threads * std::exp(noise(random));
          const std::vector<double> values = {static_cast<double>(size),
                                              static_cast<double>(threads),
                                              time,
                                              time * (60 + 15 * threads) * std::exp(noise(random)),
                                              std::round(2e3 * work * std::exp(noise(random))),
                                              std::round(5e4 * work)};
          made.table.region.push_back(region);
          for (std::size_t i = 0; i < values.size(); ++i)
            made.table.columns[i].values.push_back(values[i]);
        }
  return made;
}

const LeftOutRows* with_reason(const Screening& screening, const std::string& part) {
  for (const LeftOutRows& left_out : screening.left_out)
    if (left_out.reason.find(part) != std::string::npos) return &left_out;
  return nullptr;
}

bool has_remark(const Screening& screening, const std::string& part) {
  for (const std::string& remark : screening.remarks)
    if (remark.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("screening leaves good rows as they are") {
  MadeUpRows made = rows_of_a_program();
  const MeasurementTable before = made.table;
  const Screening screening = screen(made.table, {});
  CHECK(screening.left_out.empty());
  CHECK(screening.remarks.empty());
  CHECK(screening.kept == before.rows());
  CHECK(made.table == before);
}

TEST_CASE("rows that are outliers of the noise stay") {
  MadeUpRows made = rows_of_a_program();
  made.column("time")[30] *= 5;
  made.column("energy")[70] *= 4;
  made.column("energy")[90] /= 4;
  made.column("misses")[110] *= 8;
  made.column("misses")[20] /= 3;
  CHECK(screen(made.table, {}).left_out.empty());
}

TEST_CASE("a table behind itself is the table once") {
  MadeUpRows made = rows_of_a_program();
  const MeasurementTable before = made.table;
  for (std::uint32_t& region : std::vector<std::uint32_t>(before.region))
    made.table.region.push_back(region);
  for (MeasuredColumn& column : made.table.columns) {
    const std::vector<double> once = column.values;
    column.values.insert(column.values.end(), once.begin(), once.end());
  }
  const Screening screening = screen(made.table, {});
  REQUIRE(screening.left_out.size() == 1);
  CHECK(screening.left_out[0].reason == "they are copies of earlier rows");
  CHECK(screening.left_out[0].rows == before.rows());
  CHECK(screening.left_out[0].first == "row 321 (\"solve\"), size 100");
  CHECK(made.table == before);
}

TEST_CASE("equal rows with few digits stay, since two runs may well give them") {
  MeasurementTable table;
  table.regions = {""};
  table.columns = {{ColumnRole::size, "size", "", {}},
                   {ColumnRole::time, "time", "s", {}},
                   {ColumnRole::variable, "calls", "", {}}};
  for (int run = 0; run < 2; ++run)
    for (int size = 1; size <= 5; ++size) {
      table.region.push_back(0);
      table.columns[0].values.push_back(size);
      table.columns[1].values.push_back(0.5 * size);
      table.columns[2].values.push_back(123456789.0 * size);
    }
  const Screening screening = screen(table, {});
  CHECK(screening.kept == 10);
  CHECK(has_remark(screening, "5 rows are like earlier ones"));
}

TEST_CASE("times, energies, sizes and counts must be above 0") {
  MadeUpRows made = rows_of_a_program();
  made.column("time")[3] = 0;
  made.column("energy")[5] = -4;
  made.column("threads")[8] = 0;
  const Screening screening = screen(made.table, {});
  CHECK(screening.kept == 317);
  REQUIRE(with_reason(screening, "time is not above 0") != nullptr);
  CHECK(with_reason(screening, "time is not above 0")->first == "row 4 (\"solve\"), size 100");
  CHECK(with_reason(screening, "energy is not above 0")->first == "row 6 (\"solve\"), size 100");
  CHECK(with_reason(screening, "threads are not above 0")->first == "row 9 (\"solve\"), size 200");
}

TEST_CASE("energy that is mostly 0 was not measured: the rows stay, without it") {
  MadeUpRows made = rows_of_a_program();
  for (double& energy : made.column("energy")) energy = 0;
  const Screening screening = screen(made.table, {});
  CHECK(screening.kept == 320);
  CHECK(made.table.find(ColumnRole::energy) == nullptr);
  CHECK(has_remark(screening, "there was no meter"));
}

// The second region becomes many short calls, which the meter does not resolve.
void let_meter_tick_slowly(MadeUpRows& made) {
  for (std::size_t row = 120; row < made.table.rows(); ++row) {
    made.table.region[row] = 1;
    made.column("time")[row] *= 0.01;
    made.column("energy")[row] = 0;
  }
}

TEST_CASE("many short rows without energy do not mean that there was no meter") {
  MadeUpRows made = rows_of_a_program();
  let_meter_tick_slowly(made);
  const Screening screening = screen(made.table, {});
  CHECK(made.table.find(ColumnRole::energy) != nullptr);
  CHECK(screening.kept == 120);
  REQUIRE(with_reason(screening, "their energy is not above 0") != nullptr);
}

TEST_CASE("where regions are added up, short rows without energy are a part like others") {
  MadeUpRows made = rows_of_a_program();
  let_meter_tick_slowly(made);
  made.column("energy")[40] *= 30;
  made.column("energy")[300] = -1;
  const Screening screening = screen(made.table, {.least_share = 0, .sums = true});
  CHECK(screening.kept == 318);
  REQUIRE(with_reason(screening, "their energy is below 0") != nullptr);
  REQUIRE(with_reason(screening, "implausible") != nullptr);
  CHECK(with_reason(screening, "implausible")->rows == 1);
  MadeUpRows alone = rows_of_a_program();
  alone.table.regions = {""};
  for (std::uint32_t& region : alone.table.region) region = 0;
  alone.column("energy")[40] = 0;
  CHECK(screen(alone.table, {.sums = true}).kept == 319);
}

TEST_CASE("energy that no node can draw, and energy far off that of like rows, is left out") {
  MadeUpRows made = rows_of_a_program();
  made.column("energy")[40] *= 30;
  made.column("energy")[200] /= 50;
  made.column("energy")[300] *= 1e6;
  const Screening screening = screen(made.table, {});
  REQUIRE(with_reason(screening, "energy is implausible") != nullptr);
  CHECK(with_reason(screening, "energy is implausible")->rows == 3);
  CHECK(screening.kept == 317);
}

TEST_CASE("short rows of a slow meter are not taken for implausible") {
  MadeUpRows made = rows_of_a_program();
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> share(0.5, 20);
  // A meter that ticks once in many of these rows: any energy is possible for them.
  std::vector<double> times = made.column("time");
  std::ranges::nth_element(times, times.begin() + 106);
  for (std::size_t row = 0; row < 320; ++row)
    if (made.column("time")[row] <= times[106]) made.column("energy")[row] *= share(random);
  CHECK(with_reason(screen(made.table, {}), "implausible") == nullptr);
}

TEST_CASE("a wrong unit of energy is remarked on, and takes no rows out") {
  MadeUpRows made = rows_of_a_program();
  for (double& energy : made.column("energy")) energy *= 1e6;
  const Screening screening = screen(made.table, {});
  CHECK(screening.kept == 320);
  CHECK(has_remark(screening, "is their unit right?"));
}

TEST_CASE("a negative count is an overflow, a negative number that is no count is not") {
  MadeUpRows made = rows_of_a_program();
  made.column("misses")[10] = -12345;
  made.table.columns.push_back({ColumnRole::variable, "drift", "", made.column("time")});
  for (double& drift : made.column("drift")) drift = 3 - drift;
  const Screening screening = screen(made.table, {});
  REQUIRE(screening.left_out.size() == 1);
  CHECK(screening.left_out[0].reason == "a counter has overflowed: \"misses\"");
  CHECK(screening.left_out[0].rows == 1);
}

TEST_CASE("counters of 32 bits that have overflowed are found wherever sizes are large") {
  MadeUpRows made = rows_of_a_program();
  std::size_t overflowed = 0;
  std::size_t hardly = 0;
  for (double& misses : made.column("misses")) {
    if (misses < 0x1p32) continue;
    const double left = std::fmod(misses, 0x1p32);
    if (left < 0.6 * misses)
      ++overflowed;
    else
      ++hardly;
    misses = left;
  }
  REQUIRE(overflowed > 20);
  const Screening screening = screen(made.table, {});
  const LeftOutRows* found = with_reason(screening, "overflowed");
  REQUIRE(found != nullptr);
  CHECK(found->rows >= overflowed * 95 / 100);
  CHECK(found->rows <= overflowed + hardly);
}

TEST_CASE("one overflow of an energy counter among good rows is found") {
  MadeUpRows made = rows_of_a_program();
  std::size_t row = 0;
  for (std::size_t i = 0; i < 320; ++i)
    if (made.column("size")[i] == 1500 && made.column("threads")[i] == 8 &&
        made.table.region[i] == 0)
      row = i;
  const double before = made.column("energy")[row];
  REQUIRE(before > 4294.967296);
  made.column("energy")[row] = before - 4294.967296;
  const Screening screening = screen(made.table, {});
  REQUIRE(screening.left_out.size() == 1);
  CHECK(screening.left_out[0].reason == "a counter has overflowed: \"energy\"");
  CHECK(screening.left_out[0].rows == 1);
}

TEST_CASE("regions that matter little are left out, but never the largest") {
  MadeUpRows made = rows_of_a_program();
  made.table.regions.push_back("initialise");
  for (std::size_t i = 0; i < 10; ++i) made.table.region[200 + i] = 2;
  for (std::size_t i = 0; i < 10; ++i) {
    made.column("time")[200 + i] *= 0.01;
    made.column("energy")[200 + i] *= 0.01;
  }
  MeasurementTable kept_all = made.table;
  const Screening screening = screen(made.table, {});
  REQUIRE(screening.left_out.size() == 1);
  CHECK(screening.left_out[0].reason == "their region (1 of 3) has less than 1 % of the energy");
  CHECK(screening.left_out[0].rows == 10);
  CHECK(screen(kept_all, {.least_share = 0}).left_out.empty());
  MadeUpRows again = rows_of_a_program();
  screen(again.table, {.least_share = 1});
  CHECK(again.table.rows() == 160);
}

TEST_CASE("what matters is the share of the program, in which nested regions count once") {
  MadeUpRows made = rows_of_a_program();
  made.table.regions.push_back("initialise");
  for (std::size_t i = 0; i < 40; ++i) {
    made.table.region[280 + i] = 2;
    made.column("time")[280 + i] *= 0.04;
    made.column("energy")[280 + i] *= 0.04;
  }
  MeasurementTable nested = made.table;
  CHECK(screen(made.table, {.least_share = 0.005}).left_out.empty());
  // Nearly all of "solve" once more, in five regions inside of it.
  for (int part = 0; part < 5; ++part) {
    const auto number = static_cast<std::uint32_t>(nested.regions.size());
    nested.regions.push_back("solve/" + std::to_string(part));
    nested.region.insert(nested.region.end(), 160, number);
    for (MeasuredColumn& column : nested.columns) {
      const bool parted = column.role == ColumnRole::time || column.role == ColumnRole::energy;
      for (std::size_t row = 0; row < 160; ++row)
        column.values.push_back(column.values[row] * (parted ? 0.19 : 1));
    }
  }
  const Screening screening = screen(nested, {.least_share = 0.005});
  CHECK(with_reason(screening, "has less than") == nullptr);
  CHECK(screening.nesting.containing.size() == 1);
}

TEST_CASE("only rows of regions that are asked for stay, however small these are") {
  MadeUpRows made = rows_of_a_program();
  const Screening screening = screen(made.table, {.regions = {"smooth"}, .least_share = 1});
  CHECK(screening.kept == 160);
  REQUIRE(screening.left_out.size() == 1);
  CHECK(screening.left_out[0].reason == "their region is not asked for");
  CHECK(screening.left_out[0].rows == 160);
  MadeUpRows both = rows_of_a_program();
  CHECK(screen(both.table, {.regions = {"smooth", "solve"}, .least_share = 1}).kept == 320);
  MadeUpRows none = rows_of_a_program();
  CHECK_THROWS_WITH_AS(screen(none.table, {.regions = {"solve", "Smooth"}}),
                       "region Smooth: no row is of this region; there are: \"solve\", \"smooth\"",
                       UsageError);
}

TEST_CASE("columns that are the same in all rows are named") {
  MadeUpRows made = rows_of_a_program();
  for (double& threads : made.column("threads")) threads = 4;
  CHECK(has_remark(screen(made.table, {}), "The same in all rows, and so no help: \"threads\"."));
  CHECK(is_constant({ColumnRole::variable, "x", "", {2, 2, 2}}));
  CHECK_FALSE(is_constant({ColumnRole::variable, "x", "", {2, 2, 3}}));
}

TEST_CASE("where no row would stay, the error says why") {
  MadeUpRows made = rows_of_a_program();
  for (double& time : made.column("time")) time = 0;
  CHECK_THROWS_WITH_AS(screen(made.table, {}),
                       "no row is left of 320: 320 since their time is not above 0", Error);
  MeasurementTable nothing;
  CHECK_THROWS_AS(screen(nothing, {}), Error);
}

TEST_CASE("one row is screened as well") {
  MeasurementTable table;
  table.regions = {""};
  table.region = {0};
  table.columns = {{ColumnRole::time, "time", "s", {2}},
                   {ColumnRole::energy, "energy", "J", {200}}};
  CHECK(screen(table, {}).kept == 1);
}
