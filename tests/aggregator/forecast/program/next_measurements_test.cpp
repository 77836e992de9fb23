#include "aggregator/forecast/program/next_measurements.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/forecast/rows_of_programs.hpp"

namespace huddle::forecast {
namespace {

double seconds_of_run(const Configuration& at) {
  return 0.2 + 1e-6 * at.size * (0.05 + 0.95 / at.threads);
}

double watts_of_run(const Configuration& at) {
  return 100 + 8 * at.threads;
}

const std::vector<double> kRunSizes = {1e5, 2e5, 4e5, 8e5};

ProgramForecast learnt_from(const GeneratedProgram& program) {
  return ProgramForecast::learn(rows_of(program, watts_of_run));
}

TEST_CASE(
    "beyond the measured sizes, a run halfway there is worth most, and narrows the interval") {
  GeneratedProgram program =
      generated_program(seconds_of_run, kRunSizes, {1}, {1, 2, 4, 8}, 0.02, 2);
  const Configuration asked{128e5, 1, 8, 1};
  const ProgramForecast before = learnt_from(program);
  const std::vector<ForecastAt> next = next_measurements(before, {asked});
  REQUIRE(next.size() == 1);
  CHECK(next[0].where == Configuration{32e5, 1, 8, 1});
  CHECK(next[0].measured_rows == 0);
  const GeneratedProgram more = generated_program(seconds_of_run, {32e5}, {1}, {8}, 0.02, 2, 3);
  program.where.insert(program.where.end(), more.where.begin(), more.where.end());
  program.values.insert(program.values.end(), more.values.begin(), more.values.end());
  const Estimate wide = *before.at(asked).time_s;
  const Estimate narrow = *learnt_from(program).at(asked).time_s;
  CHECK(narrow.high / narrow.low < wide.high / wide.low);
}

TEST_CASE(
    "where factors were not measured together, a combination around the place is worth most") {
  GeneratedProgram program = generated_program(seconds_of_run, kRunSizes, {1}, {1}, 0.01);
  const GeneratedProgram other = generated_program(seconds_of_run, {1e5}, {1}, {2, 4, 8}, 0.01);
  program.where.insert(program.where.end(), other.where.begin(), other.where.end());
  program.values.insert(program.values.end(), other.values.begin(), other.values.end());
  const std::vector<ForecastAt> next =
      next_measurements(learnt_from(program), {{6e5, 1, 4, 1}, {6e5, 1, 4, 1}});
  REQUIRE(next.size() >= 1);
  CHECK(next[0].where.threads == 4);
  CHECK((next[0].where.size == 4e5 || next[0].where.size == 8e5));
}

TEST_CASE("of several combinations around a place the least certain ones come, three at most") {
  GeneratedProgram program = generated_program(seconds_of_run, kRunSizes, {1}, {1}, 0.01);
  const GeneratedProgram other = generated_program(seconds_of_run, {1e5}, {1}, {2, 4, 8}, 0.01);
  program.where.insert(program.where.end(), other.where.begin(), other.where.end());
  program.values.insert(program.values.end(), other.values.begin(), other.values.end());
  const ProgramForecast learnt = learnt_from(program);
  const std::vector<ForecastAt> next = next_measurements(learnt, {{6e5, 1, 6, 1}});
  REQUIRE(next.size() == 3);
  for (std::size_t i = 0; i < next.size(); ++i) {
    CHECK(next[i].measured_rows == 0);
    for (std::size_t other_run = 0; other_run < i; ++other_run)
      CHECK_FALSE(next[i].where == next[other_run].where);
  }
}

TEST_CASE("nothing is left to measure around a place between measured ones, or at one of them") {
  const ProgramForecast program =
      learnt_from(generated_program(seconds_of_run, kRunSizes, {1}, {1, 2, 4}, 0.01));
  CHECK(next_measurements(program, {{3e5, 1, 3, 1}}).empty());
  CHECK(next_measurements(program, {{2e5, 1, 2, 1}}).empty());
}

TEST_CASE("counts that are asked for halfway are whole, and never those that were measured") {
  const ProgramForecast program =
      learnt_from(generated_program(seconds_of_run, kRunSizes, {1}, {1, 2, 4}, 0.01));
  CHECK(next_measurements(program, {{2e5, 1, 9, 1}})[0].where == Configuration{2e5, 1, 6, 1});
  CHECK(next_measurements(program, {{2e5, 1, 5, 1}}).empty());
}

}  // namespace
}  // namespace huddle::forecast
