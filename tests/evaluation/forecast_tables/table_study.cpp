#include "tests/evaluation/forecast_tables/table_study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "aggregator/forecast/program/program_forecast.hpp"

namespace huddle::evaluation {
namespace {

constexpr double kOutliers = 0.005;
constexpr int kFurtherMeasurements = 20;
constexpr std::size_t kAsked = 4;
// With fewer numbers of threads nobody would ask.
constexpr std::size_t kFewestThreads = 3;

struct Measuring {
  double time_deviation = 0;
  double power_deviation = 0;
  int repetitions = 1;
};

struct Measured {
  double time_s = 0;
  double energy_j = 0;
};

Measured measured(const MadeUpNode& node, double size, double threads, const Measuring& measuring,
                  Noise& lot) {
  const double outlier = lot.uniform() < kOutliers ? 1.2 + 0.8 * lot.uniform() : 1;
  const double slower = outlier * std::exp(measuring.time_deviation * lot.normal());
  return {
      node.time_s(size, threads) * slower,
      node.energy_j(size, threads) * slower * std::exp(measuring.power_deviation * lot.normal())};
}

// Numbers of threads up to `most`, as tables have them.
std::vector<double> usual_threads(double most, Noise& lot) {
  std::set<double> values = {1, most};
  const double way = lot.uniform();
  if (way < 0.4)
    for (double threads = 2; threads < most; threads *= 2) values.insert(threads);
  else
    for (double threads = way < 0.7 ? 2 : 4; threads < most; threads += way < 0.7 ? 2 : 4)
      values.insert(threads);
  return {values.begin(), values.end()};
}

// The configurations that are measured, and those that are asked for.
struct Question {
  std::vector<double> threads;
  std::vector<double> sizes;
  std::vector<double> asked_threads;
  double asked_size = 1;
};

// Up to kAsked of `least` + 1 ... `most` that were not measured.
std::vector<double> some_threads(double least, double most, const std::vector<double>& measured,
                                 Noise& lot) {
  std::vector<double> some;
  for (int trial = 0; trial < 100 && some.size() < kAsked; ++trial) {
    const double threads = std::floor(least + 1 + lot.uniform() * (most - least));
    const auto is = [&](const std::vector<double>& values) {
      return std::ranges::find(values, threads) != values.end();
    };
    if (threads <= most && !is(measured) && !is(some)) some.push_back(threads);
  }
  return some;
}

Question drawn_question(const MadeUpNode& node, Learnt learnt, Noise& lot) {
  Question question;
  const double all = node.most_threads();
  const double most = learnt == Learnt::socket ? node.cores
                      : learnt == Learnt::half ? all / 2
                                               : all;
  question.threads = usual_threads(most, lot);
  const double sizes = learnt == Learnt::sizes ? 3 + std::floor(3 * lot.uniform())
                                               : 1 + std::floor(3 * lot.uniform());
  for (double size = 1; question.sizes.size() < static_cast<std::size_t>(sizes); size *= 2)
    question.sizes.push_back(size);
  question.asked_size = question.sizes.back();
  if (learnt == Learnt::sizes) {
    question.asked_size *= 2;
    for (std::size_t i = 0; i < kAsked; ++i)
      question.asked_threads.push_back(question.threads[static_cast<std::size_t>(
          lot.uniform() * static_cast<double>(question.threads.size()))]);
  } else if (learnt == Learnt::every_other) {
    question.asked_threads = some_threads(1, all, question.threads, lot);
  } else {
    question.asked_threads = some_threads(most, std::min(2 * most, all), question.threads, lot);
  }
  return question;
}

forecast::MeasurementTable table_of(const MadeUpNode& node, const Question& question,
                                    const Measuring& measuring, Noise& lot) {
  forecast::MeasurementTable table;
  table.regions = {""};
  table.columns = {{forecast::ColumnRole::size, "size", "", {}},
                   {forecast::ColumnRole::threads, "threads", "", {}},
                   {forecast::ColumnRole::time, "time", "s", {}},
                   {forecast::ColumnRole::energy, "energy", "J", {}}};
  for (const double size : question.sizes)
    for (const double threads : question.threads)
      for (int repetition = 0; repetition < measuring.repetitions; ++repetition) {
        const Measured run = measured(node, size, threads, measuring, lot);
        table.region.push_back(0);
        const std::array row = {size, threads, run.time_s, run.energy_j};
        for (std::size_t i = 0; i < row.size(); ++i) table.columns[i].values.push_back(row[i]);
      }
  return table;
}

JudgedQuantity judged(const forecast::Estimate& estimate, bool told, double truth,
                      const std::vector<double>& further) {
  const auto held = std::ranges::count_if(
      further, [&](double value) { return estimate.low <= value && value <= estimate.high; });
  const double half = std::log(estimate.high / estimate.low) / 2;
  return {static_cast<double>(held) / static_cast<double>(further.size()),
          std::isfinite(half) ? half : std::numeric_limits<double>::infinity(),
          std::abs(estimate.value / truth - 1), told};
}

}  // namespace

std::string_view name_of(Learnt learnt) {
  constexpr std::array<std::string_view, 4> names = {
      "threads between", "beyond a socket", "beyond half of the threads", "twice the size"};
  return names[static_cast<std::size_t>(learnt)];
}

JudgedTable judged_table(Effect effect, Learnt learnt, std::uint64_t seed) {
  Noise lot(seed_of(std::string(name_of(effect)) + std::string(name_of(learnt))), seed);
  Question question;
  MadeUpNode node;
  do {
    node = drawn_node(effect, lot);
    question = drawn_question(node, learnt, lot);
  } while (question.threads.size() < kFewestThreads || question.asked_threads.empty());
  const Measuring measuring{0.003 * std::pow(17, lot.uniform()), 0.02 * lot.uniform(),
                            1 + static_cast<int>(5 * lot.uniform())};
  const forecast::ProgramForecast forecast =
      forecast::ProgramForecast::learn(table_of(node, question, measuring, lot));
  JudgedTable judgement;
  for (const double threads : question.asked_threads) {
    const forecast::ForecastAt at = forecast.at({question.asked_size, 1, threads, 1});
    std::vector<double> times;
    std::vector<double> energies;
    for (int i = 0; i < kFurtherMeasurements; ++i) {
      const Measured run = measured(node, question.asked_size, threads, measuring, lot);
      times.push_back(run.time_s);
      energies.push_back(run.energy_j);
    }
    judgement.time.push_back(judged(*at.time_s, at.time_not_predicted.empty(),
                                    node.time_s(question.asked_size, threads), times));
    judgement.energy.push_back(judged(*at.energy_j, at.energy_not_predicted.empty(),
                                      node.energy_j(question.asked_size, threads), energies));
  }
  return judgement;
}

}  // namespace huddle::evaluation
