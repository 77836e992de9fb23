#pragma once

// Configurations of runs and predictions of them: the words that all forecasts share.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace huddle::forecast {

/// Configuration of a run. A program measured without one of them has 1 there in all of its rows.
struct Configuration {
  double size = 1;           ///< problem size, above 0
  double processes = 1;      ///< at least 1
  double threads = 1;        ///< of each process, at least 1
  double frequency_ghz = 1;  ///< above 0
  double nodes = 1;          ///< that the processes are on, at least 1
  double packages = 1;       ///< used on each node, at least 1

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// A predicted number, with the interval that holds the true one 9 times in 10.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// The factors of a configuration by number, for code that treats them alike.
inline constexpr std::size_t kFactors = 6;
inline constexpr std::size_t kSize = 0;
inline constexpr std::size_t kProcesses = 1;
inline constexpr std::size_t kThreads = 2;
inline constexpr std::size_t kFrequency = 3;
inline constexpr std::size_t kNodes = 4;
inline constexpr std::size_t kPackages = 5;

/// The values of a configuration's factors, or their logarithms.
using Factors = std::array<double, kFactors>;

inline Factors factors_of(const Configuration& where) {
  return {where.size,          where.processes, where.threads,
          where.frequency_ghz, where.nodes,     where.packages};
}

inline Configuration configuration_of(const Factors& factors) {
  return {factors[kSize],      factors[kProcesses], factors[kThreads],
          factors[kFrequency], factors[kNodes],     factors[kPackages]};
}

/// Natural logarithms of the factors.
inline Factors logs_of(const Factors& where) {
  Factors logs{};
  for (std::size_t factor = 0; factor < kFactors; ++factor) logs[factor] = std::log(where[factor]);
  return logs;
}

/// "size", "processes", "threads", "frequency", "nodes", "packages".
inline std::string_view factor_name(std::size_t factor) {
  constexpr std::array<std::string_view, kFactors> names = {"size",      "processes", "threads",
                                                            "frequency", "nodes",     "packages"};
  return names[factor];
}

}  // namespace huddle::forecast
