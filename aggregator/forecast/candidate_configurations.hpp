#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"

namespace huddle {

/// Values of factors to consider; a list that is empty stands for those that were measured.
struct AskedFactors {
  std::vector<double> processes;
  std::vector<double> threads;
  std::vector<double> frequencies_ghz;

  [[nodiscard]] bool any() const {
    return !processes.empty() || !threads.empty() || !frequencies_ghz.empty();
  }
};

/// Configurations at most, beyond which a question is a mistake.
inline constexpr std::size_t kMostCandidates = 100'000;

/// What to choose from for one problem size, ordered by processes, threads and frequency, none
/// twice: the combinations of processes, threads and frequency that were measured with any size; if
/// something is asked, all combinations of what is asked and what was measured. Throws UsageError
/// if a factor is asked to be what it never was while it never changed, so that nothing is known of
/// it, or if there are more than kMostCandidates.
std::vector<Configuration> candidate_configurations(const std::vector<Configuration>& measured,
                                                    double size, const AskedFactors& asked);

/// The size to choose for: the one that is asked (0: none is), else the only one that was measured.
/// Throws UsageError, with the sizes there are, if it can't be told, or if another one is asked
/// than the only one.
double size_to_choose_for(const std::vector<Configuration>& measured, double asked);

/// The configuration of that size, processes and threads to compare with; `frequency_ghz` 0: the
/// highest that was measured. Throws UsageError as candidate_configurations().
Configuration reference_configuration(const std::vector<Configuration>& measured, double size,
                                      double processes, double threads, double frequency_ghz);

}  // namespace huddle
