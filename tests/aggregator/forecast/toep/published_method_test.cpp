#include "aggregator/forecast/toep/published_method.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/evaluation/noise.hpp"

using namespace huddle;

namespace {

// Rows of a program whose energy is a known function of two of its variables; a third one is the
// first measured again, and a fourth is noise.
forecast::MeasurementTable made_up_rows(std::size_t count) {
  evaluation::Noise noise(count);
  forecast::MeasurementTable table;
  table.regions = {"solve"};
  table.columns = {{forecast::ColumnRole::size, "size", "", {}},
                   {forecast::ColumnRole::time, "time", "s", {}},
                   {forecast::ColumnRole::variable, "time again", "s", {}},
                   {forecast::ColumnRole::variable, "noise", "", {}},
                   {forecast::ColumnRole::variable, "load", "", {}},
                   {forecast::ColumnRole::variable, "constant", "", {}},
                   {forecast::ColumnRole::variable, "energy in Wh", "Wh", {}},
                   {forecast::ColumnRole::energy, "energy", "J", {}}};
  for (std::size_t i = 0; i < count; ++i) {
    const double size = 100 + std::floor(900 * noise.uniform());
    const double load = std::floor(4 * noise.uniform());
    const double time = size * size / 1e4 * std::exp(0.02 * noise.normal());
    const double energy = time * (100 + 80 * load) * std::exp(0.02 * noise.normal());
    const std::vector<double> values = {
        size,          time,  time * std::exp(0.001 * noise.normal()), noise.normal(), load, 7,
        energy / 3600, energy};
    for (std::size_t c = 0; c < values.size(); ++c) table.columns[c].values.push_back(values[c]);
    table.region.push_back(0);
  }
  return table;
}

forecast::MethodSettings small_forests() {
  forecast::MethodSettings settings;
  settings.trees = 30;
  settings.variables = 2;
  return settings;
}

std::vector<std::string> kept_of(const forecast::MethodStudy& study) {
  std::vector<std::string> kept;
  for (const forecast::VariableImportance& variable : study.importance)
    if (variable.kept) kept.push_back(variable.variable);
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

TEST_CASE("the published method learns from six samplings, and the more rows the better") {
  const forecast::MethodStudy study = forecast::study_published_method(
      made_up_rows(30'000), forecast::ColumnRole::energy, small_forests());
  REQUIRE(study.samplings.size() == 6);
  const std::vector<std::string> names = {"1/2000", "1/1000", "1/100", "1/10", "1/4", "1/3"};
  const std::vector<std::size_t> rows = {15, 30, 300, 3000, 7500, 10'000};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(study.samplings[i].name == names[i]);
    CHECK(study.samplings[i].training_rows == rows[i]);
    CHECK(study.samplings[i].test_rows == 30'000 - rows[i]);
    CHECK(study.samplings[i].possible);
    CHECK(study.samplings[i].selection ==
          doctest::Approx(100 * study.samplings[i].r2 / study.samplings[i].seconds));
  }
  CHECK(study.samplings[5].r2 > 0.99);
  CHECK(study.samplings[5].r2 > study.samplings[5].linear_r2 + 0.02);
  CHECK(study.samplings[2].r2 > study.samplings[0].r2);
  CHECK(study.compared == 3);
  CHECK(study.kept_variables_r2 == study.samplings[3].r2);
  CHECK(study.all_variables_r2 > 0.98);
}

TEST_CASE("the elected sampling is that of the largest Selection") {
  const forecast::MethodStudy study = forecast::study_published_method(
      made_up_rows(5000), forecast::ColumnRole::energy, small_forests());
  for (const forecast::SamplingResult& sampling : study.samplings)
    if (sampling.possible) CHECK(study.samplings[study.elected].selection >= sampling.selection);
  CHECK(study.samplings[study.elected].possible);
}

TEST_CASE("variables are kept that carry different information, not the same twice") {
  const forecast::MethodStudy study = forecast::study_published_method(
      made_up_rows(3000), forecast::ColumnRole::energy, small_forests());
  const std::vector<std::string> kept = kept_of(study);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0] == "load");
  CHECK(kept[1] != "noise");
  CHECK(study.importance.back().variable == "noise");
}

TEST_CASE("what says no more than the target, or nothing at all, is no variable") {
  const forecast::MethodStudy study = forecast::study_published_method(
      made_up_rows(300), forecast::ColumnRole::energy, small_forests());
  for (const forecast::VariableImportance& variable : study.importance) {
    CHECK(variable.variable != "constant");
    CHECK(variable.variable != "energy in Wh");
    CHECK(variable.variable != "energy");
  }
  REQUIRE(study.remarks.size() == 1);
  CHECK(study.remarks[0] == "energy in Wh is no variable: it is energy times a constant");
}

TEST_CASE("when time is predicted, energy is among the variables") {
  forecast::MethodSettings settings = small_forests();
  settings.keep = {"energy"};
  const forecast::MethodStudy study =
      forecast::study_published_method(made_up_rows(3000), forecast::ColumnRole::time, settings);
  CHECK(kept_of(study) == std::vector<std::string>{"energy"});
  settings.keep = {"energies"};
  CHECK_THROWS_WITH_AS(
      forecast::study_published_method(made_up_rows(3000), forecast::ColumnRole::time, settings),
      doctest::Contains("energies is none of the variables, which are size, "), Error);
}

TEST_CASE("samplings with too few rows are impossible and elect nothing") {
  const forecast::MethodStudy study = forecast::study_published_method(
      made_up_rows(48), forecast::ColumnRole::energy, small_forests());
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK_FALSE(study.samplings[i].possible);
    CHECK(std::isnan(study.samplings[i].r2));
    CHECK(std::isnan(study.samplings[i].selection));
  }
  CHECK(study.samplings[4].possible);
  CHECK(study.elected >= 4);
}

TEST_CASE("with too few rows for any sampling it says how many it needs") {
  CHECK_NOTHROW(forecast::study_published_method(made_up_rows(28), forecast::ColumnRole::energy,
                                                 small_forests()));
  CHECK_THROWS_WITH_AS(
      forecast::study_published_method(made_up_rows(27), forecast::ColumnRole::energy,
                                       small_forests()),
      "27 rows are too few for the published method: it needs 28, to learn from a third", Error);
}

TEST_CASE("a target that is the same everywhere, or was not measured, is an error") {
  forecast::MeasurementTable rows = made_up_rows(100);
  for (double& energy : rows.columns[7].values) energy = 5;
  CHECK_THROWS_WITH_AS(
      forecast::study_published_method(rows, forecast::ColumnRole::energy, small_forests()),
      "energy is 5 J in each of 100 rows: there is nothing to predict", Error);
  rows.columns.pop_back();
  CHECK_THROWS_WITH_AS(
      forecast::study_published_method(rows, forecast::ColumnRole::energy, small_forests()),
      "no energy was measured: there is nothing to predict", Error);
}

TEST_CASE("the fewest rows are those whose cross-validated R^2 reaches what is asked") {
  forecast::MethodSettings settings = small_forests();
  const forecast::MeasurementTable rows = made_up_rows(30'000);
  settings.asked_r2 = 0.98;
  const forecast::MethodStudy study =
      forecast::study_published_method(rows, forecast::ColumnRole::energy, settings);
  REQUIRE(study.fewest);
  for (std::size_t i = 0; i < *study.fewest; ++i)
    CHECK(study.samplings[i].cross_validated_r2 < 0.98);
  const forecast::SamplingResult& fewest = study.samplings[*study.fewest];
  CHECK(fewest.cross_validated_r2 >= 0.98);
  CHECK(fewest.r2 == doctest::Approx(fewest.cross_validated_r2).epsilon(0.02));
  settings.asked_r2 = 1;
  CHECK_FALSE(
      forecast::study_published_method(rows, forecast::ColumnRole::energy, settings).fewest);
}

TEST_CASE("the same seed gives the same study on any number of threads") {
  forecast::MethodSettings settings = small_forests();
  const forecast::MeasurementTable rows = made_up_rows(2000);
  settings.threads = 1;
  const forecast::MethodStudy one =
      forecast::study_published_method(rows, forecast::ColumnRole::energy, settings);
  settings.threads = 3;
  const forecast::MethodStudy three =
      forecast::study_published_method(rows, forecast::ColumnRole::energy, settings);
  for (std::size_t i = 1; i < 6; ++i) {
    if (!one.samplings[i].possible) continue;
    CHECK(one.samplings[i].r2 == three.samplings[i].r2);
    CHECK(one.samplings[i].cross_validated_r2 == three.samplings[i].cross_validated_r2);
  }
  CHECK(kept_of(one) == kept_of(three));
}

TEST_CASE("progress rises from above 0 to 1") {
  forecast::MethodSettings settings = small_forests();
  std::vector<double> reported;
  settings.progress = [&](double done) { reported.push_back(done); };
  static_cast<void>(
      forecast::study_published_method(made_up_rows(1000), forecast::ColumnRole::energy, settings));
  REQUIRE(reported.size() > 5);
  CHECK(std::is_sorted(reported.begin(), reported.end()));
  CHECK(reported.front() > 0);
  CHECK(reported.back() == doctest::Approx(1));
}
