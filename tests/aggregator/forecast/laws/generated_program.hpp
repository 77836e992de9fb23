#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"

namespace huddle::forecast {

using Law = std::function<double(const Configuration&)>;

/// A program's measurements: a law with noise.
struct GeneratedProgram {
  std::vector<Configuration> where;
  std::vector<double> values;
};

/// Each combination of the values, once for each repetition; `noise` is the standard deviation of
/// the logarithm. The same numbers for the same arguments, with every library.
inline GeneratedProgram generated_program(const Law& law, const std::vector<double>& sizes,
                                          const std::vector<double>& processes,
                                          const std::vector<double>& threads, double noise,
                                          int repetitions = 1, std::uint64_t seed = 11) {
  std::mt19937_64 random(seed);
  GeneratedProgram program;
  const auto uniform = [&random] {
    return (static_cast<double>(random() >> 11U) + 0.5) / 9007199254740992.0;
  };
  for (const double size : sizes)
    for (const double process_count : processes)
      for (const double thread_count : threads)
        for (int repetition = 0; repetition < repetitions; ++repetition) {
          const Configuration where{size, process_count, thread_count, 1};
          const double normal =
              std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
          program.where.push_back(where);
          program.values.push_back(law(where) * std::exp(noise * normal));
        }
  return program;
}

/// Those for which `keep` holds.
inline GeneratedProgram some_of(const GeneratedProgram& program,
                                const std::function<bool(const Configuration&)>& keep) {
  GeneratedProgram some;
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    if (!keep(program.where[i])) continue;
    some.where.push_back(program.where[i]);
    some.values.push_back(program.values[i]);
  }
  return some;
}

}  // namespace huddle::forecast
