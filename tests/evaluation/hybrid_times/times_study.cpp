#include "tests/evaluation/hybrid_times/times_study.hpp"

#include "aggregator/predict/hybrid/published_terms.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "aggregator/predict/hybrid/configuration_times.hpp"

namespace huddle::hybrid {
namespace {

constexpr std::uint64_t kPasses = 6;

predict::PhaseSamples measure_phase(const StudiedPhase& phase,
                                    const std::vector<TeamConfiguration>& configurations,
                                    const Means& means, evaluation::Noise& random) {
  predict::PhaseSamples measured{phase.program, {}};
  for (const TeamConfiguration& configuration : configurations) {
    measured.samples.push_back(phase.measure(configuration, kPasses, random));
    if (!means.events) measured.samples.back().event_rates.clear();
  }
  return measured;
}

std::vector<TeamConfiguration> not_among(const std::vector<TeamConfiguration>& configurations,
                                         const std::vector<TeamConfiguration>& samples) {
  std::vector<TeamConfiguration> others;
  for (const TeamConfiguration& configuration : configurations)
    if (std::find(samples.begin(), samples.end(), configuration) == samples.end())
      others.push_back(configuration);
  return others;
}

void compare(const predict::ConfigurationTimes& times, const predict::PhaseSamples& measured,
             const StudiedPhase& phase, const std::vector<TeamConfiguration>& targets,
             StudyOutcome& outcome) {
  const std::vector<predict::TeamTime> predicted = times.predict(measured, targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Seconds truth = phase.time(targets[i]);
    outcome.comparisons.push_back({targets[i], std::abs(predicted[i].time / truth - 1),
                                   predicted[i].low <= truth && truth <= predicted[i].high,
                                   predicted[i].high / predicted[i].low});
  }
}

}  // namespace

void StudyOutcome::add(const StudyOutcome& other) {
  comparisons.insert(comparisons.end(), other.comparisons.begin(), other.comparisons.end());
}

double StudyOutcome::share_within(double most) const {
  const auto within = std::count_if(comparisons.begin(), comparisons.end(),
                                    [&](const Comparison& one) { return one.error <= most; });
  return static_cast<double>(within) / static_cast<double>(comparisons.size());
}

double StudyOutcome::error_quantile(double share) const {
  std::vector<double> errors;
  for (const Comparison& one : comparisons) errors.push_back(one.error);
  std::sort(errors.begin(), errors.end());
  return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size() - 1) + 0.5)];
}

double StudyOutcome::coverage() const {
  const auto held = std::count_if(comparisons.begin(), comparisons.end(),
                                  [](const Comparison& one) { return one.held; });
  return static_cast<double>(held) / static_cast<double>(comparisons.size());
}

double StudyOutcome::median_width() const {
  std::vector<double> widths;
  for (const Comparison& one : comparisons) widths.push_back(one.width);
  std::sort(widths.begin(), widths.end());
  return widths[widths.size() / 2];
}

StudyOutcome study_times(const StudiedNode& node, std::uint64_t seed, const Means& means) {
  std::vector<TeamConfiguration> samples =
      predict::published_samples(node.cores, node.clocks[1], means.packed);
  samples.resize(means.samples);
  const std::vector<TeamConfiguration> targets =
      not_among(configurations_of(node, means.packed), samples);
  std::vector<TeamConfiguration> all = samples;
  all.insert(all.end(), targets.begin(), targets.end());

  evaluation::Noise random(seed, evaluation::seed_of(node.name));
  const std::vector<StudiedPhase> phases = node.draw(seed);
  std::set<std::string> programs;
  std::vector<predict::PhaseSamples> trained_on;
  std::vector<predict::PhaseSamples> measured;
  for (const StudiedPhase& phase : phases) {
    programs.insert(phase.program);
    trained_on.push_back(measure_phase(phase, all, means, random));
    measured.push_back(measure_phase(phase, samples, means, random));
  }
  StudyOutcome outcome;
  for (const std::string& program : programs) {
    std::vector<predict::PhaseSamples> others;
    for (const predict::PhaseSamples& phase : trained_on)
      if (phase.program != program) others.push_back(phase);
    const predict::ConfigurationTimes times =
        means.training
            ? predict::ConfigurationTimes::trained(node.cores, others, samples, means.method)
            : predict::ConfigurationTimes::without_training(node.cores);
    for (std::size_t i = 0; i < phases.size(); ++i)
      if (phases[i].program == program) compare(times, measured[i], phases[i], targets, outcome);
  }
  return outcome;
}

}  // namespace huddle::hybrid
