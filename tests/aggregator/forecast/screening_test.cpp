#include "aggregator/forecast/screening.hpp"

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
  forecast::MeasurementTable table;
  std::vector<double>& column(const std::string& name) {
    for (forecast::MeasuredColumn& known : table.columns)
      if (known.name == name) return known.values;
    FAIL("no such column");
    return table.columns[0].values;
  }
};

// Two regions, sizes 100 to 2000, 1 to 8 threads, two runs each, with noise of some percent.
MadeUpRows rows_of_a_program() {
  MadeUpRows made;
  made.table.regions = {"solve", "smooth"};
  made.table.columns = {{forecast::ColumnRole::size, "size", "", {}},
                        {forecast::ColumnRole::threads, "threads", "", {}},
                        {forecast::ColumnRole::time, "time", "s", {}},
                        {forecast::ColumnRole::energy, "energy", "J", {}},
                        {forecast::ColumnRole::variable, "misses", "", {}},
                        {forecast::ColumnRole::variable, "instructions", "", {}}};
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

const forecast::LeftOutRows* with_reason(const forecast::Screening& screening,
                                         const std::string& part) {
  for (const forecast::LeftOutRows& left_out : screening.left_out)
    if (left_out.reason.find(part) != std::string::npos) return &left_out;
  return nullptr;
}

bool has_remark(const forecast::Screening& screening, const std::string& part) {
  for (const std::string& remark : screening.remarks)
    if (remark.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("screening leaves good rows as they are") {
  MadeUpRows made = rows_of_a_program();
  const forecast::MeasurementTable before = made.table;
  const forecast::Screening screening = forecast::screen(made.table, {});
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
  CHECK(forecast::screen(made.table, {}).left_out.empty());
}

TEST_CASE("times, energies, sizes and counts must be above 0") {
  MadeUpRows made = rows_of_a_program();
  made.column("time")[3] = 0;
  made.column("energy")[5] = -4;
  made.column("threads")[8] = 0;
  const forecast::Screening screening = forecast::screen(made.table, {});
  CHECK(screening.kept == 317);
  REQUIRE(with_reason(screening, "time is not above 0") != nullptr);
  CHECK(with_reason(screening, "time is not above 0")->first == "row 4 (\"solve\"), size 100");
  CHECK(with_reason(screening, "energy is not above 0")->first == "row 6 (\"solve\"), size 100");
  CHECK(with_reason(screening, "threads are not above 0")->first == "row 9 (\"solve\"), size 200");
}

TEST_CASE("energy that is mostly 0 was not measured: the rows stay, without it") {
  MadeUpRows made = rows_of_a_program();
  for (double& energy : made.column("energy")) energy = 0;
  const forecast::Screening screening = forecast::screen(made.table, {});
  CHECK(screening.kept == 320);
  CHECK(made.table.find(forecast::ColumnRole::energy) == nullptr);
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
  const forecast::Screening screening = forecast::screen(made.table, {});
  CHECK(made.table.find(forecast::ColumnRole::energy) != nullptr);
  CHECK(screening.kept == 120);
  REQUIRE(with_reason(screening, "their energy is not above 0") != nullptr);
}

TEST_CASE("where regions are added up, short rows without energy are a part like others") {
  MadeUpRows made = rows_of_a_program();
  let_meter_tick_slowly(made);
  made.column("energy")[300] = -1;
  const forecast::Screening screening =
      forecast::screen(made.table, {.least_share = 0, .sums = true});
  CHECK(screening.kept == 319);
  REQUIRE(with_reason(screening, "their energy is below 0") != nullptr);
  MadeUpRows alone = rows_of_a_program();
  alone.table.regions = {""};
  for (std::uint32_t& region : alone.table.region) region = 0;
  alone.column("energy")[40] = 0;
  CHECK(forecast::screen(alone.table, {.sums = true}).kept == 319);
}

TEST_CASE("regions that matter little are left out, but never the largest") {
  MadeUpRows made = rows_of_a_program();
  made.table.regions.push_back("initialise");
  for (std::size_t i = 0; i < 10; ++i) made.table.region[200 + i] = 2;
  for (std::size_t i = 0; i < 10; ++i) {
    made.column("time")[200 + i] *= 0.01;
    made.column("energy")[200 + i] *= 0.01;
  }
  forecast::MeasurementTable kept_all = made.table;
  const forecast::Screening screening = forecast::screen(made.table, {});
  REQUIRE(screening.left_out.size() == 1);
  CHECK(screening.left_out[0].reason == "their region (1 of 3) has less than 1 % of the energy");
  CHECK(screening.left_out[0].rows == 10);
  CHECK(forecast::screen(kept_all, {.least_share = 0}).left_out.empty());
  MadeUpRows again = rows_of_a_program();
  forecast::screen(again.table, {.least_share = 1});
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
  forecast::MeasurementTable nested = made.table;
  CHECK(forecast::screen(made.table, {.least_share = 0.005}).left_out.empty());
  // Nearly all of "solve" once more, in five regions inside of it.
  for (int part = 0; part < 5; ++part) {
    const auto number = static_cast<std::uint32_t>(nested.regions.size());
    nested.regions.push_back("solve/" + std::to_string(part));
    nested.region.insert(nested.region.end(), 160, number);
    for (forecast::MeasuredColumn& column : nested.columns) {
      const bool parted =
          column.role == forecast::ColumnRole::time || column.role == forecast::ColumnRole::energy;
      for (std::size_t row = 0; row < 160; ++row)
        column.values.push_back(column.values[row] * (parted ? 0.19 : 1));
    }
  }
  const forecast::Screening screening = forecast::screen(nested, {.least_share = 0.005});
  CHECK(with_reason(screening, "has less than") == nullptr);
}

TEST_CASE("only rows of regions that are asked for stay, however small these are") {
  MadeUpRows made = rows_of_a_program();
  const forecast::Screening screening =
      forecast::screen(made.table, {.regions = {"smooth"}, .least_share = 1});
  CHECK(screening.kept == 160);
  REQUIRE(screening.left_out.size() == 1);
  CHECK(screening.left_out[0].reason == "their region is not asked for");
  CHECK(screening.left_out[0].rows == 160);
  CHECK(made.table.regions == std::vector<std::string>{"smooth"});
  MadeUpRows both = rows_of_a_program();
  CHECK(forecast::screen(both.table, {.regions = {"smooth", "solve"}, .least_share = 1}).kept ==
        320);
  MadeUpRows none = rows_of_a_program();
  CHECK_THROWS_WITH_AS(forecast::screen(none.table, {.regions = {"solve", "Smooth"}}),
                       "region Smooth: no row is of this region; there are: \"solve\", \"smooth\"",
                       UsageError);
}

TEST_CASE("columns that are the same in all rows are named") {
  MadeUpRows made = rows_of_a_program();
  for (double& threads : made.column("threads")) threads = 4;
  CHECK(has_remark(forecast::screen(made.table, {}),
                   "The same in all rows, and so no help: \"threads\"."));
}

TEST_CASE("where no row would stay, the error says why") {
  MadeUpRows made = rows_of_a_program();
  for (double& time : made.column("time")) time = 0;
  CHECK_THROWS_WITH_AS(forecast::screen(made.table, {}),
                       "no row is left of 320: 320 since their time is not above 0", Error);
  forecast::MeasurementTable nothing;
  CHECK_THROWS_AS(forecast::screen(nothing, {}), Error);
}

TEST_CASE("one row is screened as well") {
  forecast::MeasurementTable table;
  table.regions = {""};
  table.region = {0};
  table.columns = {{forecast::ColumnRole::time, "time", "s", {2}},
                   {forecast::ColumnRole::energy, "energy", "J", {200}}};
  CHECK(forecast::screen(table, {}).kept == 1);
}
