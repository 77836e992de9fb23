#include "tests/evaluation/forecast_intervals/interval_study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "aggregator/forecast/program/program_forecast.hpp"

namespace huddle::evaluation {
namespace {

constexpr double kSmallest = 1000;
// The probability of an outlier: something else ran on the machine.
constexpr double kOutliers = 0.005;
constexpr int kFurtherMeasurements = 20;
constexpr int kConfigurations = 3;

// The measurements of a program: their scatter and number.
struct Measuring {
  double deviation = 0;
  int repetitions = 1;
};

double measured(const TimeLaw& law, const forecast::Configuration& where,
                const Measuring& measuring, Noise& lot) {
  const double usual = law(where) * std::exp(measuring.deviation * lot.normal());
  return lot.uniform() < kOutliers ? usual * (1.2 + 0.8 * lot.uniform()) : usual;
}

// Each about 1.4 to 2 times the one before.
std::vector<double> measured_values(const ProgramKind& kind, std::size_t count, Noise& lot) {
  const double step = std::pow(2, 0.5 + 0.5 * lot.uniform());
  std::vector<double> values;
  double value = kind.factor == forecast::kSize ? kSmallest : 1;
  while (values.size() < count) {
    const double rounded = std::round(value);
    if (values.empty() || rounded > values.back()) values.push_back(rounded);
    value *= step;
  }
  return values;
}

forecast::Configuration configured(const ProgramKind& kind, double value, double threads) {
  return kind.factor == forecast::kSize ? forecast::Configuration{value, 1, threads, 1}
                                        : forecast::Configuration{kSmallest, 1, value, 1};
}

std::vector<double> threads_of(const ProgramKind& kind) {
  return kind.threads.empty() ? std::vector<double>{1} : kind.threads;
}

forecast::MeasurementTable rows_of(const ProgramKind& kind, const std::vector<double>& values,
                                   const TimeLaw& law, const Measuring& measuring, Noise& lot) {
  forecast::MeasurementTable table;
  table.regions = {""};
  table.columns = {{forecast::ColumnRole::size, "size", "", {}},
                   {forecast::ColumnRole::threads, "threads", "", {}},
                   {forecast::ColumnRole::time, "time", "s", {}}};
  for (const double value : values)
    for (const double threads : threads_of(kind))
      for (int repetition = 0; repetition < measuring.repetitions; ++repetition) {
        const forecast::Configuration where = configured(kind, value, threads);
        table.region.push_back(0);
        table.columns[0].values.push_back(where.size);
        table.columns[1].values.push_back(where.threads);
        table.columns[2].values.push_back(measured(law, where, measuring, lot));
      }
  return table;
}

// A value of the factor that was not measured; 0 if there is none.
double value_asked(const ProgramKind& kind, const std::vector<double>& values, Asked asked,
                   Noise& lot) {
  if (asked != Asked::between) return values.back() * (asked == Asked::twice ? 2 : 4);
  const auto gap = static_cast<std::size_t>(lot.uniform() * static_cast<double>(values.size() - 1));
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const std::size_t lower = (gap + i) % (values.size() - 1);
    double middle = std::sqrt(values[lower] * values[lower + 1]);
    if (kind.factor == forecast::kThreads) middle = std::round(middle);
    if (middle > values[lower] && middle < values[lower + 1]) return middle;
  }
  return 0;
}

JudgedForecast judge(const forecast::ProgramForecast& forecast,
                     const forecast::Configuration& where, const TimeLaw& law,
                     const Measuring& measuring, Noise& lot) {
  const forecast::Estimate estimate = *forecast.at(where).time_s;
  int held = 0;
  for (int i = 0; i < kFurtherMeasurements; ++i) {
    const double value = measured(law, where, measuring, lot);
    held += estimate.low <= value && value <= estimate.high;
  }
  const double half = std::log(estimate.high / estimate.low) / 2;
  return {static_cast<double>(held) / kFurtherMeasurements,
          std::isfinite(half) ? half : std::numeric_limits<double>::infinity(),
          std::abs(estimate.value / law(where) - 1)};
}

}  // namespace

std::array<std::vector<JudgedForecast>, kAsked.size()> judged_forecasts(const ProgramKind& kind,
                                                                        std::size_t values,
                                                                        std::uint64_t seed) {
  Noise lot(seed_of(kind.name), 1000 * seed + values);
  const TimeLaw law = kind.drawn(lot);
  const Measuring measuring{0.005 * std::pow(20, lot.uniform()),
                            1 + static_cast<int>(5 * lot.uniform())};
  const std::vector<double> levels = measured_values(kind, values, lot);
  const std::vector<double> threads = threads_of(kind);
  const forecast::ProgramForecast forecast =
      forecast::ProgramForecast::learn(rows_of(kind, levels, law, measuring, lot));
  std::array<std::vector<JudgedForecast>, kAsked.size()> judged;
  for (std::size_t asked = 0; asked < kAsked.size(); ++asked)
    for (int i = 0; i < kConfigurations; ++i) {
      const double value = value_asked(kind, levels, kAsked[asked], lot);
      if (value == 0) continue;
      const auto which =
          static_cast<std::size_t>(lot.uniform() * static_cast<double>(threads.size()));
      judged[asked].push_back(
          judge(forecast, configured(kind, value, threads[which]), law, measuring, lot));
    }
  return judged;
}

}  // namespace huddle::evaluation
