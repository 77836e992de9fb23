#include "tests/aggregator/forecast/page/made_up_forecast.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace huddle {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class Maker {
 public:
  explicit Maker(const MadeUp& what) : what_(what) {}

  ForecastReport report() {
    ForecastReport report;
    report.files = {what_.prefix + "stream.csv", what_.prefix + "solver.csv"};
    for (std::size_t i = 0; i < what_.regions; ++i)
      report.regions.push_back(what_.regions == 1 ? ""
                                                  : what_.prefix + "region " + std::to_string(i));
    report.sizes = what_.sizes;
    report.configurations = 12;
    report.reading = {.bytes = 12'345'678,
                      .rows = 226'050,
                      .kept = 226'044,
                      .stride = 1,
                      .left_out = {{what_.prefix + "a value is missing", 6,
                                    what_.prefix + "stream.csv, line 17, column 5 (Time[s])"}},
                      .remarks = {what_.prefix + "the column \"Node\" is ignored: it is text"}};
    report.screening = {.left_out = {{"energies that can't be", 44, "row 12"}},
                        .kept = 226'000,
                        .nesting = {},
                        .remarks = {"regions with less than 1 % of all time were left out"}};
    report.remarks = {what_.prefix + "a remark on all of it"};
    for (const ColumnRole target : {ColumnRole::energy, ColumnRole::time}) {
      if (target == ColumnRole::energy && !what_.energy) continue;
      report.studies.push_back(study(target));
      report.validations.push_back(validation(target));
    }
    return report;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine_); }
  double noise(double spread) { return std::normal_distribution<double>(0, spread)(engine_); }
  double size(std::size_t number) const {
    return 1000 * std::pow(2.0, static_cast<double>(number));
  }

  PredictedRow row(std::size_t number) {
    PredictedRow row;
    row.region = static_cast<std::uint32_t>(number % what_.regions);
    const std::size_t which = number % what_.sizes;
    row.where = {.size = size(which),
                 .processes = static_cast<double>(1U << (number / 7 % 3)),
                 .threads = static_cast<double>(1U << (number / 3 % 4)),
                 .frequency_ghz = 2.4};
    const double share =
        (static_cast<double>(which) + uniform()) / static_cast<double>(what_.sizes);
    row.measured = std::pow(10.0, what_.decades * share) * (1 + 0.3 * row.region);
    row.predicted.value = row.measured * std::exp(noise(0.12));
    row.predicted.low = row.predicted.value * std::exp(-0.2 - 0.05 * uniform());
    row.predicted.high = row.predicted.value * std::exp(0.2 + 0.05 * uniform());
    return row;
  }

  std::vector<PredictedRow> rows() {
    std::vector<PredictedRow> rows;
    for (std::size_t i = 0; i < what_.rows; ++i) rows.push_back(row(i));
    if (what_.absent_numbers) {
      rows[1].predicted.low = kNaN;
      rows[2].measured = 0;
      rows[3].predicted.value = -1;
      rows[4].predicted.low = -5;
    }
    return rows;
  }

  MethodStudy study(ColumnRole target) {
    MethodStudy study;
    study.target = target;
    study.importance = {{what_.prefix + "L3 misses", 1.75, true},
                        {"size", 0.92, true},
                        {target == ColumnRole::energy ? "time" : "energy", 0.41, true},
                        {"instructions", 0.12, false},
                        {"calls", -0.003, false}};
    study.all_variables_r2 = 0.9781;
    study.kept_variables_r2 = 0.9812;
    study.asked_r2 = 0.95;
    study.seconds = 4.25;
    const std::uint32_t one_in[] = {2000, 1000, 100, 10, 4, 3};
    for (std::size_t i = 0; i < 6; ++i) {
      const double r2 = 1 - 0.4 * std::pow(0.45, static_cast<double>(i)) - 0.01 * uniform();
      const double seconds = 0.02 * std::pow(2.7, static_cast<double>(i));
      study.samplings.push_back({.name = "1/" + std::to_string(one_in[i]),
                                 .one_in = one_in[i],
                                 .training_rows = 226'000 / one_in[i],
                                 .test_rows = 226'000 - 226'000 / one_in[i],
                                 .r2 = r2,
                                 .linear_r2 = i == 0 ? -3.5 : 0.62 + 0.02 * static_cast<double>(i),
                                 .seconds = seconds,
                                 .linear_seconds = seconds / 9,
                                 .selection = 100 * r2 / seconds,
                                 .cross_validated_r2 = i == 0 ? kNaN : r2 - 0.02,
                                 .coverage = 0.9 + 0.02 * (uniform() - 0.5)});
    }
    study.elected = 0;
    study.fewest = 3;
    study.remarks = {what_.prefix + "\"Calls\" is no variable: it never changes"};
    study.rows = rows();
    return study;
  }

  Validation validation(ColumnRole target) {
    Validation validation;
    validation.target = target;
    validation.factor = what_.factor;
    add_results(validation, HeldOut::rows, 0.03);
    if (what_.sizes < 3) {
      validation.remarks = {what_.prefix + "all rows have size 1000: sizes can't be held out"};
      return validation;
    }
    add_results(validation, HeldOut::sizes_between, 0.08);
    add_results(validation, HeldOut::sizes_beyond, 0.2);
    validation.rows = rows();
    if (what_.absent_numbers) validation.by_size[0].median_error = kNaN;
    return validation;
  }

  void add_results(Validation& validation, HeldOut held_out, double error) {
    const double factor[] = {held_out == HeldOut::sizes_beyond ? 4.0 : 1.0, 2.5, 0.7};
    const char* const models[] = {"forest", "linear regression", "scaling law"};
    for (std::size_t m = 0; m < 3; ++m) {
      const double typical = error * factor[m];
      validation.results.push_back({held_out, models[m], 226'000, 1 - typical, typical,
                                    m == 1 ? kNaN : 0.9 + 0.05 * (uniform() - 0.5)});
      if (held_out == HeldOut::rows) continue;
      const bool beyond = held_out == HeldOut::sizes_beyond;
      const std::size_t first = beyond ? what_.sizes / 2 : 1;
      for (std::size_t i = first; i < what_.sizes - (beyond ? 0 : 1); ++i)
        validation.by_size.push_back(
            {held_out, models[m], size(i), 37'666, typical * std::exp(noise(0.3))});
    }
  }

  const MadeUp& what_;
  std::mt19937_64 engine_{7};
};

}  // namespace

ForecastReport made_up_forecast(const MadeUp& what) {
  return Maker(what).report();
}

}  // namespace huddle
