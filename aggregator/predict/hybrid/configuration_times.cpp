#include "aggregator/predict/hybrid/configuration_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "aggregator/predict/hybrid/target_model.hpp"
#include "aggregator/predict/hybrid/team_shapes.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

// Of a normal distribution, 90 % lie within so many deviations.
constexpr double kNinetyPercent = 1.645;
// Error between two runs beside the noise of passes, relative to the time; and what no shape
// has, where nothing was learnt from programs. Both are assumed.
constexpr double kRunToRun = 0.01;
constexpr double kShapeError = 0.03;
// The share of what is thought of shapes that is not learnt from training: these may be unlike
// others.
constexpr double kOpenMind = 0.1;

const TeamSample* sample_on(const PhaseSamples& phase,
                            const hybrid::TeamConfiguration& configuration) {
  for (const TeamSample& sample : phase.samples)
    if (sample.configuration == configuration) return &sample;
  return nullptr;
}

// In the order of `configurations`; empty if one is missing.
std::vector<TeamSample> samples_on(const PhaseSamples& phase,
                                   std::span<const hybrid::TeamConfiguration> configurations) {
  std::vector<TeamSample> found;
  for (const hybrid::TeamConfiguration& configuration : configurations) {
    const TeamSample* sample = sample_on(phase, configuration);
    if (!sample) return {};
    found.push_back(*sample);
  }
  return found;
}

TeamTime around(double log_time, double below, double above) {
  return {{std::exp(log_time)}, {std::exp(log_time - below)}, {std::exp(log_time + above)}};
}

TeamTime as_measured(const TeamSample& sample) {
  const double deviation = std::sqrt(sample.variance_s2 / static_cast<double>(sample.passes));
  const double reach = kNinetyPercent * std::hypot(deviation / sample.mean.value,
                                                   sample.passes > 1 ? kRunToRun : kShapeError);
  return around(std::log(sample.mean.value), reach, reach);
}

TeamTime untrained(const LikelyShapes::Spread& spread) {
  return around(spread.median, std::hypot(spread.median - spread.low, kNinetyPercent * kShapeError),
                std::hypot(spread.high - spread.median, kNinetyPercent * kShapeError));
}

}  // namespace

struct ConfigurationTimes::Knowledge {
  explicit Knowledge(const hybrid::TeamNode& of)
      : shapes(of), open_prior(TeamShapes::count()), prior(TeamShapes::count()) {}

  TeamShapes shapes;
  /// By shape: all alike, and as training has it.
  std::vector<float> open_prior;
  std::vector<float> prior;
  std::vector<hybrid::TeamConfiguration> samples;
  std::size_t rates = 0;
  std::map<hybrid::TeamConfiguration, TargetModel> targets;
};

namespace {

/// Training phases that have all samples, and what each program says of shapes.
struct Training {
  std::vector<const PhaseSamples*> phases;
  std::vector<std::vector<TeamSample>> samples;
  std::vector<std::size_t> programs;
  std::vector<std::vector<double>> weights_of_program;
};

Training usable(std::span<const PhaseSamples> phases,
                std::span<const hybrid::TeamConfiguration> samples) {
  Training training;
  std::map<std::string, std::size_t> programs;
  for (const PhaseSamples& phase : phases) {
    std::vector<TeamSample> found = samples_on(phase, samples);
    if (found.empty()) continue;
    training.phases.push_back(&phase);
    training.samples.push_back(std::move(found));
    training.programs.push_back(programs.try_emplace(phase.program, programs.size()).first->second);
  }
  training.weights_of_program.assign(programs.size(), std::vector<double>(TeamShapes::count()));
  return training;
}

std::size_t common_rates(const Training& training) {
  if (training.samples.empty()) return 0;
  const std::size_t rates = training.samples.front().front().event_rates.size();
  for (const auto& samples : training.samples)
    for (const TeamSample& sample : samples)
      if (sample.event_rates.size() != rates)
        throw UsageError(fmt::format("a training phase has {} event rates, another one {}", rates,
                                     sample.event_rates.size()));
  return rates;
}

// Likelihoods of shapes after all programs but one.
std::vector<float> prior_of(const Training& training, std::size_t without) {
  std::vector<double> sums(TeamShapes::count());
  double phases = 0;
  for (std::size_t program = 0; program < training.weights_of_program.size(); ++program) {
    if (program == without) continue;
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += training.weights_of_program[program][i];
  }
  for (const double sum : sums) phases += sum;
  std::vector<float> logs(sums.size());
  const double open = 1 / static_cast<double>(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    logs[i] = static_cast<float>(
        std::log(phases > 0 ? kOpenMind * open + (1 - kOpenMind) * sums[i] / phases : open));
  return logs;
}

std::map<hybrid::TeamConfiguration, std::vector<TargetRow>> rows_by_target(
    const Training& training, const TeamShapes& shapes,
    std::span<const hybrid::TeamConfiguration> samples) {
  std::map<hybrid::TeamConfiguration, std::vector<TargetRow>> rows;
  for (std::size_t program = 0; program < training.weights_of_program.size(); ++program) {
    const std::vector<float> prior = prior_of(training, program);
    for (std::size_t i = 0; i < training.phases.size(); ++i) {
      if (training.programs[i] != program) continue;
      const LikelyShapes likely(shapes, prior, training.samples[i]);
      for (const TeamSample& sample : training.phases[i]->samples) {
        if (std::find(samples.begin(), samples.end(), sample.configuration) != samples.end())
          continue;
        rows[sample.configuration].push_back({training.samples[i], likely.at(sample.configuration),
                                              std::log(sample.mean.value), program});
      }
    }
  }
  return rows;
}

}  // namespace

ConfigurationTimes::ConfigurationTimes(std::shared_ptr<const Knowledge> knowledge)
    : knowledge_(std::move(knowledge)) {}

ConfigurationTimes ConfigurationTimes::without_training(const hybrid::TeamNode& node) {
  return ConfigurationTimes(std::make_shared<const Knowledge>(node));
}

ConfigurationTimes ConfigurationTimes::trained(const hybrid::TeamNode& node,
                                               std::span<const PhaseSamples> phases,
                                               std::vector<hybrid::TeamConfiguration> samples,
                                               TimesMethod method) {
  auto knowledge = std::make_shared<Knowledge>(node);
  knowledge->samples = std::move(samples);
  Training training = usable(phases, knowledge->samples);
  knowledge->rates = common_rates(training);
  for (std::size_t i = 0; i < training.phases.size(); ++i)
    LikelyShapes(knowledge->shapes, knowledge->open_prior, training.phases[i]->samples)
        .add_to(training.weights_of_program[training.programs[i]]);
  knowledge->prior = prior_of(training, training.weights_of_program.size());
  knowledge->targets =
      fit_targets(rows_by_target(training, knowledge->shapes, knowledge->samples), method);
  return ConfigurationTimes(std::move(knowledge));
}

std::vector<TeamTime> ConfigurationTimes::predict(
    const PhaseSamples& measured, std::span<const hybrid::TeamConfiguration> targets) const {
  const Knowledge& known = *knowledge_;
  const std::vector<TeamSample> samples = samples_on(measured, known.samples);
  const bool as_trained = std::all_of(samples.begin(), samples.end(), [&](const auto& sample) {
    return sample.event_rates.size() == known.rates;
  });
  std::optional<LikelyShapes> trained;
  std::optional<LikelyShapes> open;
  std::vector<TeamTime> times;
  times.reserve(targets.size());
  for (const hybrid::TeamConfiguration& target : targets) {
    if (const TeamSample* sample = sample_on(measured, target)) {
      times.push_back(as_measured(*sample));
      continue;
    }
    const auto model = known.targets.find(target);
    if (samples.empty() || !as_trained || model == known.targets.end()) {
      if (!open) open.emplace(known.shapes, known.open_prior, measured.samples);
      times.push_back(untrained(open->at(target)));
      continue;
    }
    if (!trained) trained.emplace(known.shapes, known.prior, samples);
    const LikelyShapes::Spread spread = trained->at(target);
    const double reach = model->second.reach * scale(spread);
    times.push_back(around(model->second.at(samples, spread), reach, reach));
  }
  return times;
}

}  // namespace huddle::predict
