#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "aggregator/forecast/laws/configuration.hpp"

namespace huddle {

/// The factors of a configuration by number, for code that treats them alike.
inline constexpr std::size_t kFactors = 4;
inline constexpr std::size_t kSize = 0;
inline constexpr std::size_t kProcesses = 1;
inline constexpr std::size_t kThreads = 2;
inline constexpr std::size_t kFrequency = 3;

/// The values of a configuration's factors, or their logarithms.
using Factors = std::array<double, kFactors>;

inline Factors factors_of(const Configuration& where) {
  return {where.size, where.processes, where.threads, where.frequency_ghz};
}

inline Configuration configuration_of(const Factors& factors) {
  return {factors[kSize], factors[kProcesses], factors[kThreads], factors[kFrequency]};
}

/// "size", "processes", "threads", "frequency".
inline std::string_view factor_name(std::size_t factor) {
  constexpr std::array<std::string_view, kFactors> names = {"size", "processes", "threads",
                                                            "frequency"};
  return names[factor];
}

}  // namespace huddle
