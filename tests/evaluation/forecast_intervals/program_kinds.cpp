#include "tests/evaluation/forecast_intervals/program_kinds.hpp"

#include <cmath>

namespace huddle::evaluation {
namespace {

// Sizes begin here: laws are in multiples of it, so that shares are those of the smallest run.
constexpr double kSmallest = 1000;

double from(double least, double most, Noise& lot) {
  return least + (most - least) * lot.uniform();
}

double evenly_by_log(double least, double most, Noise& lot) {
  return least * std::pow(most / least, lot.uniform());
}

TimeLaw power(Noise& lot) {
  const double seconds = evenly_by_log(0.1, 100, lot);
  const double exponent = from(0.5, 3, lot);
  return [=](const forecast::Configuration& at) {
    return seconds * std::pow(at.size / kSmallest, exponent);
  };
}

TimeLaw power_and_fixed(Noise& lot) {
  const double exponent = from(0.8, 3, lot);
  const double fixed = evenly_by_log(0.05, 3, lot);
  return [=](const forecast::Configuration& at) {
    return fixed + std::pow(at.size / kSmallest, exponent);
  };
}

TimeLaw n_log_n(Noise& lot) {
  const double seconds = evenly_by_log(1e-5, 1e-2, lot);
  return [=](const forecast::Configuration& at) { return seconds * at.size * std::log2(at.size); };
}

TimeLaw two_powers(Noise& lot) {
  const double low = from(0.5, 1.5, lot);
  const double high = low + from(0.5, 1.5, lot);
  const double share = evenly_by_log(0.03, 0.5, lot);
  return [=](const forecast::Configuration& at) {
    const double n = at.size / kSmallest;
    return (1 - share) * std::pow(n, low) + share * std::pow(n, high);
  };
}

TimeLaw amdahl(Noise& lot) {
  const double exponent = from(0.8, 2, lot);
  const double serial = evenly_by_log(0.003, 0.2, lot);
  return [=](const forecast::Configuration& at) {
    return 10 * std::pow(at.size / kSmallest, exponent) * (serial + (1 - serial) / at.threads);
  };
}

TimeLaw messages(Noise& lot) {
  const double surface = evenly_by_log(0.02, 0.5, lot);
  const double tree = evenly_by_log(0.001, 0.1, lot);
  return [=](const forecast::Configuration& at) {
    const double n = at.size / kSmallest;
    return std::pow(n, 3) / at.threads + surface * n * n / std::sqrt(at.threads) +
           tree * std::log2(1 + at.threads);
  };
}

TimeLaw contention(Noise& lot) {
  const double exponent = from(0.8, 1.5, lot);
  const double serial = evenly_by_log(0.01, 0.1, lot);
  const double coherence = evenly_by_log(3e-4, 1e-2, lot);
  return [=](const forecast::Configuration& at) {
    return 10 * std::pow(at.size / kSmallest, exponent) *
           (1 / at.threads + serial + coherence * at.threads);
  };
}

TimeLaw whole_iterations(Noise& lot) {
  const double length = std::floor(from(20, 60, lot));
  const double serial = evenly_by_log(0.01, 0.1, lot);
  const double exponent = from(0.8, 2, lot);
  return [=](const forecast::Configuration& at) {
    return 10 * std::pow(at.size / kSmallest, exponent) *
           (serial + std::ceil(length / at.threads) / length);
  };
}

}  // namespace

const std::vector<ProgramKind>& program_kinds() {
  static const std::vector<ProgramKind> kinds = {
      {"power", forecast::kSize, {1}, power},
      {"power and fixed cost", forecast::kSize, {1}, power_and_fixed},
      {"n log n", forecast::kSize, {1}, n_log_n},
      {"two powers", forecast::kSize, {1}, two_powers},
      {"Amdahl", forecast::kSize, {1, 2, 4, 8, 16}, amdahl},
      {"computation and messages", forecast::kSize, {1, 4, 16, 64}, messages},
      {"contention", forecast::kSize, {1, 2, 4, 8, 16, 32}, contention},
      {"whole iterations", forecast::kSize, {2, 4, 6, 8, 12, 16}, whole_iterations},
      {"Amdahl, threads alone", forecast::kThreads, {}, amdahl},
      {"contention, threads alone", forecast::kThreads, {}, contention},
  };
  return kinds;
}

}  // namespace huddle::evaluation
