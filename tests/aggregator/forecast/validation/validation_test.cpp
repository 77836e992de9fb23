#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "aggregator/forecast/validation/validation.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/rows_of_programs.hpp"

namespace huddle {
namespace {

double seconds(const Configuration& at) {
  return 1e-9 * std::pow(at.size, 1.4) * (0.03 + 0.97 / at.threads);
}
double watts(const Configuration& at) {
  return 90 + 5 * at.threads;
}

const std::vector<double> kThreads = {1, 2, 4, 8, 16};
std::vector<double> doubling_sizes(int count) {
  std::vector<double> sizes;
  for (int i = 0; i < count; ++i) sizes.push_back(1e5 * std::pow(1.5, i));
  return sizes;
}

const ValidationResult& result(const Validation& validation, HeldOut held_out,
                               const std::string& model) {
  const auto found = std::find_if(
      validation.results.begin(), validation.results.end(),
      [&](const auto& entry) { return entry.held_out == held_out && entry.model == model; });
  REQUIRE(found != validation.results.end());
  return *found;
}

TEST_CASE("sizes beyond the largest show that a forest can't extrapolate, and that a law can") {
  const auto program = generated_program(seconds, doubling_sizes(12), {1}, kThreads, 0.03);
  const Validation validation = validate(rows_of(program, watts), ColumnRole::time, 1, 2);
  CHECK(validation.factor == "size");
  const ValidationResult forest = result(validation, HeldOut::sizes_beyond, "forest");
  const ValidationResult law = result(validation, HeldOut::sizes_beyond, "scaling law");
  CHECK(forest.median_error > 0.25);
  CHECK(law.median_error < 0.08);
  CHECK(law.r2 > forest.r2);
  CHECK(std::isnan(forest.coverage));
  CHECK(result(validation, HeldOut::rows, "linear regression").r2 < 0.9);
  CHECK(std::isnan(result(validation, HeldOut::rows, "linear regression").coverage));
}

TEST_CASE("intervals between sizes hold about 9 of 10 rows of sizes that were held out") {
  const auto program = generated_program(seconds, doubling_sizes(24), {1, 2, 4}, kThreads, 0.05, 3);
  const Validation validation = validate(rows_of(program, watts), ColumnRole::energy, 1, 2);
  for (const char* model : {"scaling law", "scaling law x forest"}) {
    INFO(model);
    const ValidationResult between = result(validation, HeldOut::sizes_between, model);
    CHECK(between.coverage > 0.86);
    CHECK(between.coverage < 0.95);
    CHECK(between.rows == 22 * 3 * 5 * 3);
  }
}

TEST_CASE("of few sizes, too, a forest's intervals between sizes hold most rows") {
  double coverage = 0;
  for (const double noise : {0.01, 0.03, 0.1}) {
    const auto program = generated_program(seconds, doubling_sizes(7), {1}, kThreads, noise, 2);
    const Validation validation = validate(rows_of(program, watts), ColumnRole::time, 1, 2);
    coverage += result(validation, HeldOut::sizes_between, "forest").coverage / 3;
  }
  CHECK(coverage > 0.85);
}

TEST_CASE("of rows that differ by noise alone no share can be predicted") {
  const auto program = generated_program(seconds, doubling_sizes(6), {1}, {4}, 0.02, 3);
  const Validation validation = validate(rows_of(program, watts), ColumnRole::time, 1, 1);
  const ValidationResult beyond = result(validation, HeldOut::sizes_beyond, "scaling law");
  CHECK(beyond.rows == 3);
  CHECK(std::isnan(beyond.r2));
  CHECK(beyond.median_error < 0.1);
}

TEST_CASE("each size that was held out has its error") {
  const auto program = generated_program(seconds, doubling_sizes(6), {1}, kThreads, 0.02);
  const Validation validation = validate(rows_of(program, watts), ColumnRole::time, 1, 1);
  const auto count = std::count_if(
      validation.by_size.begin(), validation.by_size.end(), [](const SizeError& error) {
        return error.held_out == HeldOut::sizes_between && error.model == "forest";
      });
  CHECK(count == 4);
  CHECK(!validation.rows.empty());
  for (const PredictedRow& row : validation.rows) CHECK(std::isfinite(row.predicted.low));
}

TEST_CASE("with one size whole values of another factor are held out, and a remark says so") {
  const auto program = generated_program(seconds, {4096}, {1}, {1, 2, 3, 4, 6, 8, 12, 16}, 0.02);
  const Validation validation = validate(rows_of(program, watts), ColumnRole::time, 1, 1);
  CHECK(validation.factor == "threads");
  REQUIRE(validation.remarks.size() == 1);
  CHECK(validation.remarks[0] ==
        "all rows have size 4096: whole values of threads are held out instead");
  CHECK(result(validation, HeldOut::sizes_between, "scaling law").rows == 6);
}

TEST_CASE("rows without a size are not reported to have one") {
  const auto program = generated_program(seconds, {1}, {1}, {1, 2, 3, 4, 6, 8, 12, 16}, 0.02);
  MeasurementTable rows = rows_of(program, watts);
  std::erase_if(rows.columns,
                [](const MeasuredColumn& column) { return column.role == ColumnRole::size; });
  const Validation validation = validate(rows, ColumnRole::time, 1, 1);
  REQUIRE(validation.remarks.size() == 1);
  CHECK(validation.remarks[0] ==
        "no column has sizes: whole values of threads are held out instead");
}

TEST_CASE("rows of one configuration are validated at random only, and a remark says why") {
  const auto program = generated_program(seconds, {4096}, {1}, {2}, 0.02, 30);
  const Validation validation = validate(rows_of(program, watts), ColumnRole::time, 1, 1);
  CHECK(!validation.results.empty());
  for (const ValidationResult& entry : validation.results) CHECK(entry.held_out == HeldOut::rows);
  CHECK(validation.remarks.size() == 1);
}

TEST_CASE("a single row validates nothing") {
  const auto program = generated_program(seconds, {4096}, {1}, {2}, 0);
  const Validation validation = validate(rows_of(program, watts), ColumnRole::time, 1, 1);
  CHECK(validation.results.empty());
  CHECK(validation.remarks == std::vector<std::string>{"there are too few rows to hold any out"});
}

TEST_CASE("a target that was not measured can't be validated") {
  MeasurementTable rows = rows_of(generated_program(seconds, {1, 2, 3}, {1}, {1}, 0), watts);
  rows.columns.pop_back();
  CHECK_THROWS_AS(validate(rows, ColumnRole::energy, 1, 1), Error);
}

TEST_CASE("the same seed validates the same on any number of threads") {
  const auto program = generated_program(seconds, doubling_sizes(6), {1, 2}, kThreads, 0.05);
  const MeasurementTable rows = rows_of(program, watts);
  const Validation one = validate(rows, ColumnRole::time, 3, 1);
  const Validation four = validate(rows, ColumnRole::time, 3, 4);
  REQUIRE(one.results.size() == four.results.size());
  for (std::size_t i = 0; i < one.results.size(); ++i) {
    CHECK(one.results[i].r2 == four.results[i].r2);
    CHECK(one.results[i].median_error == four.results[i].median_error);
  }
}

}  // namespace
}  // namespace huddle
