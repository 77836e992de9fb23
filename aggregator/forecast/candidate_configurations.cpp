#include "aggregator/forecast/candidate_configurations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Values = std::set<double>;

Values values_of(const std::vector<Configuration>& measured, double Configuration::*factor) {
  Values values;
  for (const Configuration& configuration : measured) values.insert(configuration.*factor);
  return values;
}

// "1, 2, 4, 8, ... 48".
std::string listed(const Values& values) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t shown = 0;
  for (const double value : values) {
    if (++shown > kMost) return fmt::format("{}, ... {:.6g}", text, *values.rbegin());
    text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  }
  return text;
}

void refuse_unknown(std::string_view option, std::string_view noun, const Values& measured,
                    double asked) {
  if (measured.size() > 1 || measured.count(asked) != 0) return;
  throw UsageError(
      fmt::format("{} {:.6g}: all rows have {} {:.6g}, so nothing is known of others: measure some",
                  option, asked, noun, measured.empty() ? 1.0 : *measured.begin()));
}

Values asked_or_measured(const std::vector<Configuration>& measured, double Configuration::*factor,
                         const std::vector<double>& asked, std::string_view option,
                         std::string_view noun) {
  Values values = values_of(measured, factor);
  if (asked.empty()) return values;
  for (const double value : asked) refuse_unknown(option, noun, values, value);
  return {asked.begin(), asked.end()};
}

bool before(const Configuration& a, const Configuration& b) {
  return std::tie(a.processes, a.threads, a.frequency_ghz) <
         std::tie(b.processes, b.threads, b.frequency_ghz);
}

std::vector<Configuration> all_measured(const std::vector<Configuration>& measured, double size) {
  std::vector<Configuration> candidates = measured;
  for (Configuration& candidate : candidates) candidate.size = size;
  std::sort(candidates.begin(), candidates.end(), before);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

}  // namespace

std::vector<Configuration> candidate_configurations(const std::vector<Configuration>& measured,
                                                    double size, const AskedFactors& asked) {
  if (!asked.any()) return all_measured(measured, size);
  const Values processes = asked_or_measured(measured, &Configuration::processes, asked.processes,
                                             "--processes", "processes");
  const Values threads =
      asked_or_measured(measured, &Configuration::threads, asked.threads, "--threads", "threads");
  const Values frequencies =
      asked_or_measured(measured, &Configuration::frequency_ghz, asked.frequencies_ghz,
                        "--frequency (in GHz)", "a frequency of");
  const std::size_t count = processes.size() * threads.size() * frequencies.size();
  if (count > kMostCandidates)
    throw UsageError(
        fmt::format("{} processes x {} threads x {} frequencies are {} "
                    "configurations, and {} can be compared: ask for fewer",
                    processes.size(), threads.size(), frequencies.size(), count, kMostCandidates));
  std::vector<Configuration> candidates;
  for (const double p : processes)
    for (const double t : threads)
      for (const double f : frequencies) candidates.push_back({size, p, t, f});
  return candidates;
}

double size_to_choose_for(const std::vector<Configuration>& measured, double asked) {
  const Values sizes = values_of(measured, &Configuration::size);
  if (asked > 0) {
    refuse_unknown("--size", "size", sizes, asked);
    return asked;
  }
  if (sizes.size() == 1) return *sizes.begin();
  throw UsageError(
      fmt::format("--size is missing, and the rows have {} problem sizes: {}; a size between or "
                  "beyond them may be given, too",
                  sizes.size(), listed(sizes)));
}

Configuration reference_configuration(const std::vector<Configuration>& measured, double size,
                                      double processes, double threads, double frequency_ghz) {
  const Values frequencies = values_of(measured, &Configuration::frequency_ghz);
  if (frequency_ghz > 0)
    refuse_unknown("--reference (in GHz)", "a frequency of", frequencies, frequency_ghz);
  refuse_unknown("--reference", "processes", values_of(measured, &Configuration::processes),
                 processes);
  refuse_unknown("--reference", "threads", values_of(measured, &Configuration::threads), threads);
  const double highest = frequencies.empty() ? 1.0 : *frequencies.rbegin();
  return {size, processes, threads, frequency_ghz > 0 ? frequency_ghz : highest};
}

}  // namespace huddle
