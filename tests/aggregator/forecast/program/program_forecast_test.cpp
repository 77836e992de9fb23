#include "aggregator/forecast/program/program_forecast.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/rows_of_programs.hpp"

namespace huddle::forecast {
namespace {

double seconds(const Configuration& at) {
  return 1e-6 * at.size * (0.03 + 0.97 / (at.processes * at.threads));
}

double watts(const Configuration& at) {
  return 100 + 8 * at.processes * at.threads;
}

MeasurementTable measured(const std::vector<double>& sizes, double noise = 0.01) {
  return rows_of(generated_program(seconds, sizes, {1, 2, 4}, {1, 2, 4, 8}, noise), watts, "loop");
}

const std::vector<double> kSizes = {1e5, 2e5, 4e5, 8e5, 16e5};

TEST_CASE("time and energy are predicted between and beyond measured sizes") {
  const ProgramForecast forecast = ProgramForecast::learn(measured(kSizes));
  for (const double size : {3e5, 32e5}) {
    const Configuration at{size, 2, 4, 1};
    const ForecastAt predicted = forecast.at(at);
    INFO(size);
    CHECK(predicted.time_s->value == doctest::Approx(seconds(at)).epsilon(0.05));
    CHECK(predicted.energy_j->value == doctest::Approx(seconds(at) * watts(at)).epsilon(0.08));
    CHECK(predicted.measured_rows == 0);
    CHECK(predicted.time_model != "measured");
    CHECK(predicted.beyond.empty() == (size < 16e5));
  }
  CHECK(forecast.measured().size() == 60);
}

TEST_CASE("what was measured is given back") {
  const MeasurementTable rows = measured(kSizes);
  const ProgramForecast forecast = ProgramForecast::learn(rows);
  const ForecastAt predicted = forecast.at({1e5, 1, 1, 1});
  CHECK(predicted.time_s->value == doctest::Approx(rows.columns[3].values[0]));
  CHECK(predicted.time_s->low < predicted.time_s->value);
  CHECK(predicted.time_model == "measured");
  CHECK(predicted.measured_rows == 1);
}

TEST_CASE("a remark names factors that were never measured together, and the interval is wider") {
  GeneratedProgram program = generated_program(seconds, kSizes, {4}, {1}, 0.005);
  const GeneratedProgram other = generated_program(seconds, {1e5}, {1, 2, 4, 8}, {1}, 0.005);
  program.where.insert(program.where.end(), other.where.begin(), other.where.end());
  program.values.insert(program.values.end(), other.values.begin(), other.values.end());
  const ProgramForecast forecast = ProgramForecast::learn(rows_of(program, watts));
  const ForecastAt apart = forecast.at({12e5, 8, 1, 1});
  CHECK(apart.beyond == std::vector<std::string>{"processes with size"});
  const ForecastAt inside = forecast.at({12e5, 4, 1, 1});
  CHECK(inside.beyond.empty());
  CHECK(apart.time_s->high / apart.time_s->low > inside.time_s->high / inside.time_s->low);
}

TEST_CASE(
    "effects of what only ever varied together can't be separated, and the interval shows it") {
  const std::vector<double> threads = {1, 2, 4, 8, 16, 32};
  const Law law = [](const Configuration& at) {
    return 1e-5 * at.size * (0.05 + 0.95 / at.threads);
  };
  const std::vector<double> noise = {0.968, 1.034, 0.969, 1.012, 1.016, 1.119,
                                     0.984, 0.967, 1.077, 0.956, 0.983, 1.050};
  GeneratedProgram program;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const Configuration where{1e5 * std::pow(2, i / 2), 1, threads[i / 2], 1};
    program.where.push_back(where);
    program.values.push_back(law(where) * noise[i]);
  }
  const ProgramForecast forecast = ProgramForecast::learn(rows_of(program, watts));
  for (const Configuration& apart : {Configuration{32e5, 1, 1, 1}, {1e5, 1, 32, 1}}) {
    const ForecastAt predicted = forecast.at(apart);
    CHECK(!predicted.beyond.empty());
    CHECK(predicted.time_s->low < law(apart));
    CHECK(law(apart) < predicted.time_s->high);
  }
}

TEST_CASE("in weak scaling, what lies between runs is between, and what leaves their line is not") {
  GeneratedProgram program;
  for (const double processes : {1, 2, 4, 8, 16, 32, 64})
    program.where.push_back({1e5 * processes, processes, 1, 1});
  const Law law = [](const Configuration& at) { return 10 + 0.5 * std::log2(at.processes); };
  for (const Configuration& where : program.where)
    program.values.push_back(law(where) * (where.processes == 8 ? 1.01 : 0.995));
  const ProgramForecast forecast = ProgramForecast::learn(rows_of(program, watts));
  const ForecastAt between = forecast.at({24e5, 24, 1, 1});
  CHECK(between.beyond.empty());
  CHECK(between.time_s->value == doctest::Approx(law(between.where)).epsilon(0.03));
  CHECK(between.time_s->high < 1.2 * between.time_s->low);
  const ForecastAt larger = forecast.at({128e5, 128, 1, 1});
  CHECK(larger.beyond == std::vector<std::string>{"size", "processes"});
  CHECK(larger.time_s->high < 1.3 * larger.time_s->low);
  // Nothing shows what twice the processes do to one size: nothing, or half the time.
  const ForecastAt off = forecast.at({64e5, 128, 1, 1});
  CHECK(off.beyond == std::vector<std::string>{"processes", "processes with size"});
  CHECK(off.time_s->low < 0.5 * law({64e5, 64, 1, 1}));
  CHECK(off.time_s->high > law({64e5, 64, 1, 1}));
}

TEST_CASE("regions add up, and those inside of others do not") {
  MeasurementTable rows = measured(kSizes, 0);
  for (const std::string region : {"sweep", "sweep => copy"})
    add_region(rows, rows_of(generated_program([](const auto& at) { return 2 * seconds(at); },
                                               kSizes, {1, 2, 4}, {1, 2, 4, 8}, 0),
                             watts, region));
  const Configuration at{3e5, 2, 4, 1};
  const ProgramForecast forecast = ProgramForecast::learn(rows);
  CHECK(forecast.at(at).time_s->value == doctest::Approx(3 * seconds(at)).epsilon(0.02));
  CHECK(forecast.remarks().size() == 1);
  CHECK(forecast.at({1e5, 1, 1, 1}).measured_rows == 2);
}

TEST_CASE("a configuration that lacks a region that matters is not taken for a cheap one") {
  MeasurementTable rows = measured(kSizes, 0);
  const auto all = generated_program(seconds, kSizes, {1, 2, 4}, {1, 2, 4, 8}, 0);
  add_region(rows,
             rows_of(some_of(all, [](const auto& at) { return at.threads != 4; }), watts, "sweep"));
  const Configuration lacking{2e5, 2, 4, 1};
  const ProgramForecast forecast = ProgramForecast::learn(rows);
  const ForecastAt predicted = forecast.at(lacking);
  CHECK(predicted.measured_rows == 0);
  CHECK(predicted.time_s->value == doctest::Approx(2 * seconds(lacking)).epsilon(0.05));
  CHECK(forecast.remarks() ==
        std::vector<std::string>{
            "15 of 60 configurations are left out of the program's forecast for want of regions "
            "that take 1 % or more of the others (size 100000, 1 x 4 has no \"sweep\")"});
  CHECK(ProgramForecast::learn(measured(kSizes)).remarks().empty());
}

TEST_CASE("a run without any energy is left out, with a remark") {
  MeasurementTable rows = measured(kSizes);
  MeasurementTable short_calls = rows_of(
      generated_program([](const Configuration& at) { return 0.02 * seconds(at); }, kSizes,
                        {1, 2, 4}, {1, 2, 4, 8}, 0.01),
      [](const Configuration&) { return 0.0; }, "short calls");
  add_region(rows, short_calls);
  const ForecastAt whole = ProgramForecast::learn(rows).at({1e5, 1, 1, 1});
  CHECK(whole.time_s->value == doctest::Approx(1.02 * seconds({1e5, 1, 1, 1})).epsilon(0.05));
  rows.columns[4].values[0] = 0;
  const ProgramForecast without = ProgramForecast::learn(rows);
  REQUIRE(without.remarks().size() == 1);
  CHECK(without.remarks()[0] ==
        "1 run is left out of the program's forecast: no region of it has a time and an energy "
        "above 0");
  CHECK(without.at({1e5, 1, 1, 1}).measured_rows == 0);
}

TEST_CASE("repetitions determine how wide the interval of what was measured is") {
  const auto program = generated_program(seconds, kSizes, {1}, {1, 2, 4, 8}, 0.02, 5);
  const ForecastAt predicted = ProgramForecast::learn(rows_of(program, watts)).at({4e5, 1, 2, 1});
  CHECK(predicted.measured_rows == 5);
  const double half = std::log(predicted.time_s->high / predicted.time_s->value);
  CHECK(half > 0.02);
  CHECK(half < 0.06);
}

TEST_CASE("a law that goes through the few rows there are does not pass for a certain one") {
  for (const std::vector<double>& sizes : {std::vector<double>{1e5}, {1e5, 2e5}, {1e5, 2e5, 4e5}}) {
    const auto program = generated_program(seconds, sizes, {2}, {4}, 0.05);
    const ForecastAt predicted =
        ProgramForecast::learn(rows_of(program, watts)).at({sizes[0], 2, 4, 1});
    INFO(sizes.size());
    CHECK(std::log(predicted.time_s->high / predicted.time_s->value) > 0.02);
    CHECK(std::log(predicted.energy_j->high / predicted.energy_j->value) > 0.02);
  }
}

TEST_CASE("rows without time and energy do not serve") {
  MeasurementTable rows = measured(kSizes);
  rows.columns.resize(3);
  CHECK_THROWS_AS(ProgramForecast::learn(rows), Error);
}

}  // namespace
}  // namespace huddle::forecast
