#include "tests/evaluation/forecast_rows/generated_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {
namespace {

constexpr std::uint32_t kProcesses = 4;
constexpr std::uint32_t kMostThreads = 32;

double spread(Noise& noise, double deviation) {
  return std::exp(deviation * noise.normal());
}

// The mean of what spread() gives.
double mean_spread(double deviation) {
  return std::exp(deviation * deviation / 2);
}

// The time of a team's slowest thread over that of the mean thread, on average.
double mean_slowest(std::uint32_t threads, double imbalance) {
  constexpr int kTeams = 4000;
  Noise noise(threads);
  double sum = 0;
  for (int team = 0; team < kTeams; ++team) {
    double slowest = 0;
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      slowest = std::max(slowest, spread(noise, imbalance));
    sum += slowest;
  }
  return sum / kTeams;
}

// The state that a run's threads and nodes share.
struct RunState {
  double slowness = 1;
  double watts = 1;
};

class Generator {
 public:
  Generator(const ProgramLaw& law, const MeasurementNoise& noise, std::uint64_t seed)
      : law_(law), deviations_(noise), noise_(seed, seed_of(law.name)) {
    for (double& node : nodes_) node = spread(noise_, deviations_.node_watts);
    const auto column = [&](forecast::ColumnRole role, const char* name, const char* unit) {
      rows_.table.columns.push_back({role, name, unit, {}});
    };
    column(forecast::ColumnRole::size, "ProbSize", "");
    column(forecast::ColumnRole::processes, "Processes", "");
    column(forecast::ColumnRole::threads, "Threads", "");
    column(forecast::ColumnRole::variable, "NumCalls", "");
    column(forecast::ColumnRole::time, "Inclusive Time", "s");
    column(forecast::ColumnRole::variable, "Exclusive Time", "s");
    column(forecast::ColumnRole::energy, "Energy", "J");
    column(forecast::ColumnRole::variable, "PAPI_NATIVE_SIMD_FP_256", "");
    column(forecast::ColumnRole::variable, "PAPI_NATIVE_LAST_LEVEL_CACHE_MISSES", "");
    column(forecast::ColumnRole::variable, "PAPI_NATIVE_L1D:REPLACEMENT", "");
    column(forecast::ColumnRole::variable, "PAPI_NATIVE_INSTRUCTION_RETIRED", "");
    column(forecast::ColumnRole::variable, "PAPI_NATIVE_RESOURCE_STALLS:ANY", "");
    rows_.table.regions = {std::string(law.name)};
  }

  GeneratedRows made(std::uint32_t each_nth_size) {
    for (std::uint32_t i = 0; i < law_.sizes; i += each_nth_size)
      for (std::uint32_t threads = 1; threads <= kMostThreads; threads *= 2)
        run(law_.size(i), threads);
    return std::move(rows_);
  }

 private:
  void run(std::uint32_t size, std::uint32_t threads) {
    constexpr double kMeanDelay = 0.4;
    const LawfulRow law = law_.row(node_, size, threads);
    RunState state;
    state.slowness = spread(noise_, deviations_.run);
    if (noise_.uniform() < deviations_.slow_runs)
      state.slowness *= 1 - kMeanDelay * std::log(1 - noise_.uniform());
    state.watts = spread(noise_, deviations_.run_watts);
    const double expected = law.seconds * slowest(threads) * mean_spread(deviations_.run) *
                            (1 + deviations_.slow_runs * kMeanDelay) * law.watts *
                            mean_spread(deviations_.run_watts) * mean_node();
    for (std::uint32_t process = 0; process < kProcesses; ++process)
      team(law, size, threads, state, nodes_[process], expected);
  }

  void team(const LawfulRow& law, std::uint32_t size, std::uint32_t threads, const RunState& state,
            double node, double expected) {
    std::array<double, kMostThreads> busy{};
    double longest = 0;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      busy[thread] = law.seconds * state.slowness * spread(noise_, law_.imbalance);
      if (noise_.uniform() < deviations_.slow_threads) busy[thread] *= 1.5 + 2 * noise_.uniform();
      longest = std::max(longest, busy[thread]);
    }
    const double joules = longest * law.watts * state.watts * node;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      rows_.by_law.push_back(expected);
      rows_.without_meter.push_back(joules);
      row({static_cast<double>(size), static_cast<double>(kProcesses), static_cast<double>(threads),
           law.calls, longest, busy[thread], metered(joules, joules / longest, law.calls),
           law.simd * spread(noise_, deviations_.simd),
           law.misses * spread(noise_, deviations_.misses),
           law.lines * spread(noise_, deviations_.lines), instructions(law, longest - busy[thread]),
           law.stalls * state.slowness * spread(noise_, deviations_.stalls)});
    }
  }

  void row(const std::array<double, 12>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      rows_.table.columns[i].values.push_back(values[i]);
    rows_.table.region.push_back(0);
  }

  // Each call's energy is the difference of two readings, each up to an update old: that errs by a
  // triangle's deviation, and calls add up. A counter shows one update's energy at least.
  double metered(double joules, double watts, double calls) {
    const double update = watts * deviations_.meter_update_s;
    double seen = joules * spread(noise_, deviations_.row_watts) +
                  update * std::sqrt(calls / 6) * noise_.normal();
    if (noise_.uniform() < deviations_.odd_energies) seen *= noise_.uniform() < 0.5 ? 0.5 : 2;
    return std::max(seen, update);
  }

  // Who waits at the barrier spins.
  double instructions(const LawfulRow& law, double waiting) {
    constexpr double kSpinning = 0.8;
    return law.instructions * spread(noise_, deviations_.instructions) +
           waiting * node_.hertz * kSpinning;
  }

  double slowest(std::uint32_t threads) {
    double& known = slowest_[threads];
    if (known == 0) known = mean_slowest(threads, law_.imbalance);
    return known;
  }

  [[nodiscard]] double mean_node() const {
    double sum = 0;
    for (const double node : nodes_) sum += node;
    return sum / kProcesses;
  }

  const ProgramLaw& law_;
  const MeasurementNoise& deviations_;
  Noise noise_;
  MeasuredNode node_;
  std::array<double, kProcesses> nodes_{};
  std::array<double, kMostThreads + 1> slowest_{};
  GeneratedRows rows_;
};

}  // namespace

GeneratedRows generated_rows(const ProgramLaw& law, const MeasurementNoise& noise,
                             std::uint64_t seed, std::uint32_t each_nth_size) {
  return Generator(law, noise, seed).made(each_nth_size);
}

}  // namespace huddle::evaluation
