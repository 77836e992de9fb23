#include "aggregator/forecast/program/detail/more_cores.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/forecast/program/program_forecast.hpp"
#include "tests/aggregator/forecast/rows_of_programs.hpp"

namespace huddle::forecast {
namespace {

// 1 to 16 threads of one process, three sizes.
const Levels kLevels = {{{1000, 2000, 4000}, {1}, {1, 2, 4, 8, 16}, {1}, {1}, {1}}};

Factors threads_at(double threads) {
  return {1000, 1, threads, 1, 1, 1};
}

// A law that falls with that power of the threads.
Reach reach_of(double power, double threads, ForecastTarget target) {
  return reach_of_more_cores(kLevels, threads_at(threads), {}, target,
                             [&](const Factors& at) { return power * std::log(at[kThreads]); });
}

double whole_width(const Estimate& estimate) {
  return estimate.high / estimate.low;
}

TEST_CASE("within the measured threads nothing is added for what more of them may do") {
  for (const ForecastTarget target : {ForecastTarget::time, ForecastTarget::energy}) {
    const Reach reach = reach_of(-0.5, 16, target);
    CHECK(reach.below == 0);
    CHECK(reach.above == 0);
  }
}

TEST_CASE("time that threads no longer lower may fall with those of another socket") {
  const Reach used_up = reach_of(0, 32, ForecastTarget::time);
  const Reach scaling = reach_of(-0.9, 32, ForecastTarget::time);
  CHECK(std::exp(-used_up.below) < 0.5);
  CHECK(std::exp(-scaling.below) > 0.9);
  // And threads that share cores may add nothing where the law goes on to fall.
  CHECK(std::exp(scaling.above) > 1.7);
  CHECK(std::exp(used_up.above) < 1.1);
}

TEST_CASE("energy may have a step of idle power however few threads more there are") {
  CHECK(std::exp(reach_of(-0.5, 17, ForecastTarget::energy).above) > 1.4);
}

TEST_CASE("in weak scaling, threads that come with their work are not more than their share") {
  std::array<bool, kFactors> with_size{};
  with_size[kThreads] = true;
  const auto flat = [](const Factors&) { return 0.0; };
  const Factors larger = {8000, 1, 32, 1, 1, 1};
  CHECK(reach_of_more_cores(kLevels, larger, with_size, ForecastTarget::time, flat).below == 0);
  CHECK(reach_of_more_cores(kLevels, larger, {}, ForecastTarget::time, flat).below > 0.5);
}

TEST_CASE("no interval is narrower than measurements repeat, nor wider than what says anything") {
  const Reach floor = bounded({0, 0}, kLevels, threads_at(4));
  CHECK(floor.below == doctest::Approx(0.005));
  CHECK(bounded({0, 0}, kLevels, threads_at(64)).above > floor.above);
  const Reach cap = bounded({57, HUGE_VAL}, kLevels, threads_at(64));
  CHECK(std::exp(cap.above) < 101);
  CHECK(std::exp(cap.below) < 101);
}

TEST_CASE("where nothing is predicted, words say why") {
  const Estimate wide{10, 1, 100};
  CHECK(why_not_told({10, 9, 11}, kLevels, threads_at(64), false).empty());
  const std::string far = why_not_told(wide, kLevels, threads_at(64), false);
  CHECK(far.starts_with("can't be predicted from these rows, because threads 64 is far from"));
  CHECK(far.find("1 to 16") != std::string::npos);
  CHECK(why_not_told(wide, kLevels, threads_at(4), false).find("has no column") !=
        std::string::npos);
  CHECK(why_not_told(wide, kLevels, threads_at(4), true).find("two factors at once") !=
        std::string::npos);
}

TEST_CASE("three exact rows do not make a forecast exact") {
  MeasurementTable table;
  table.regions = {""};
  table.region = {0, 0, 0};
  table.columns = {{ColumnRole::size, "size", "", {1000, 2000, 4000}},
                   {ColumnRole::time, "time", "s", {1, 2, 4}},
                   {ColumnRole::energy, "energy", "J", {100, 200, 400}}};
  const ProgramForecast forecast = ProgramForecast::learn(table);
  double before = 1.0;
  for (const double size : {2000.0, 3000.0, 8000.0, 64000.0}) {
    INFO(size);
    const ForecastAt at = forecast.at({size});
    CHECK(whole_width(*at.time_s) >= std::max(1.0099, before));
    CHECK(whole_width(*at.energy_j) >= 1.0099);
    CHECK(at.time_s->low <= at.time_s->value);
    before = whole_width(*at.time_s) * 0.999;
  }
}

TEST_CASE("absurdly far from what was measured, limits are finite and words say so") {
  const Law time = [](const Configuration& at) {
    return 1e-3 * at.size * (0.1 + 0.9 / at.threads);
  };
  const auto program = generated_program(time, {1000, 2000}, {1}, {1, 2, 4}, 0.02);
  const ProgramForecast forecast =
      ProgramForecast::learn(rows_of(program, [](const Configuration&) { return 100.0; }));
  const ForecastAt at = forecast.at({1e9, 1, 4096, 1});
  CHECK(at.time_s->high <= 101 * at.time_s->value);
  CHECK(at.time_s->low >= at.time_s->value / 101);
  CHECK(at.time_not_predicted.starts_with("can't be predicted from these rows"));
  CHECK(forecast.at({1500, 1, 2, 1}).time_not_predicted.empty());
}

}  // namespace
}  // namespace huddle::forecast
