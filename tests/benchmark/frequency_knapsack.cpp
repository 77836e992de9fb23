// Measures how long it takes to choose clocks for phases by the knapsack over discretised slack.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string_view>
#include <vector>

#include "aggregator/hybrid/frequency_knapsack.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/benchmark_main.hpp"

namespace huddle {
namespace {

constexpr std::string_view kUsage =
    "usage: frequency_knapsack [--phases N] [--clocks N] [--steps N] [--rounds N]\n"
    "Prints the median and the least time over the rounds, and checks each choice against the\n"
    "slack. Default: 64 phases, 16 clocks, 1000 steps, 101 rounds.\n";

/// Phases of 0.5 to 1.5 s at clocks from 1 down to 1/2 of the top one, a drawn part of each bound
/// by memory.
std::vector<std::vector<hybrid::PhaseClock>> drawn_phases(std::size_t phases, std::size_t clocks) {
  std::mt19937_64 random(22);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<std::vector<hybrid::PhaseClock>> result(phases);
  for (auto& phase : result) {
    const double time = 0.5 + share(random);
    const double sensitivity = share(random);
    for (std::size_t k = 0; k < clocks; ++k) {
      const double clock = 1 - 0.5 * static_cast<double>(k) / static_cast<double>(clocks);
      const double longer = time * sensitivity * (1 / clock - 1);
      phase.push_back({longer, (time + longer) * (50 + 100 * clock * clock * clock)});
    }
  }
  return result;
}

void measure(const std::vector<std::string_view>& arguments) {
  std::map<std::string_view, std::uint64_t> sizes = {
      {"--phases", 64}, {"--clocks", 16}, {"--steps", 1000}, {"--rounds", 101}};
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const auto size = sizes.find(arguments[i]);
    if (size == sizes.end() || i + 1 == arguments.size())
      throw UsageError(fmt::format("unexpected \"{}\"", arguments[i]));
    size->second = number_from(arguments[i + 1], 1, 100'000);
  }
  const auto steps = sizes.at("--steps");
  const auto phases = drawn_phases(sizes.at("--phases"), sizes.at("--clocks"));
  const double slack = 0.2 * static_cast<double>(phases.size());
  std::vector<double> times;
  for (std::size_t round = 0; round < sizes.at("--rounds"); ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<std::size_t> chosen = hybrid::choose_phase_clocks(phases, slack, steps);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
    double longer = 0;
    for (std::size_t phase = 0; phase < phases.size(); ++phase)
      longer += phases[phase][chosen[phase]].longer;
    if (!(longer > 0 && longer <= slack * (1 + 1e-12)))
      throw Error(
          fmt::format("phases take {} s longer; expected: more than 0, at most {}", longer, slack));
  }
  std::sort(times.begin(), times.end());
  fmt::print("{} phases x {} clocks x {} steps: median {:.3f} ms, least {:.3f} ms\n", phases.size(),
             phases.front().size(), steps, times[times.size() / 2], times.front());
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  return huddle::benchmark_main("frequency_knapsack", huddle::kUsage, argc, argv, huddle::measure);
}
