#include "profiles/throttling/frequency_knapsack.hpp"

#include <cmath>
#include <cstdint>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

void check_phases(std::span<const std::vector<PhaseClock>> phases, double slack,
                  std::size_t steps) {
  if (steps == 0 || !std::isfinite(slack) || slack < 0) {
    throw Error("slack of phases: expected 0 s or more in at least one step");
  }
  for (const auto& clocks : phases) {
    if (clocks.empty() || clocks.front().longer != 0) {
      throw Error("clocks of a phase: expected a first one at which it takes no longer");
    }
    for (const auto& clock : clocks) {
      if (!std::isfinite(clock.longer) || clock.longer < 0 || !std::isfinite(clock.cost)) {
        throw Error("clock of a phase: expected a finite cost and 0 s or more");
      }
    }
  }
}

/// Steps that this takes, rounded up; more than there are if it does not fit.
std::size_t steps_taken(double longer, double slack, std::size_t steps) {
  if (longer > slack) {
    return steps + 1;
  }
  return longer == 0
             ? 0
             : static_cast<std::size_t>(std::ceil(longer / slack * static_cast<double>(steps)));
}

}  // namespace

std::vector<std::size_t> choose_phase_clocks(std::span<const std::vector<PhaseClock>> phases,
                                             double slack, std::size_t steps) {
  check_phases(phases, slack, steps);
  const std::size_t width = steps + 1;
  std::vector<double> before(width, 0.0);
  std::vector<double> after(width);
  std::vector<std::uint32_t> chosen(phases.size() * width, 0);
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    std::uint32_t* const choice = &chosen[phase * width];
    const auto& clocks = phases[phase];
    for (std::size_t y = 0; y < width; ++y) {
      after[y] = before[y] + clocks[0].cost;
    }
    for (std::uint32_t k = 1; k < clocks.size(); ++k) {
      const double cost = clocks[k].cost;
      const std::size_t taken = steps_taken(clocks[k].longer, slack, steps);
      for (std::size_t y = taken; y < width; ++y) {
        const double sum = before[y - taken] + cost;
        choice[y] = sum < after[y] ? k : choice[y];
        after[y] = sum < after[y] ? sum : after[y];
      }
    }
    before.swap(after);
  }
  std::vector<std::size_t> result(phases.size());
  std::size_t left = steps;
  for (std::size_t phase = phases.size(); phase-- > 0;) {
    result[phase] = chosen[phase * width + left];
    left -= steps_taken(phases[phase][result[phase]].longer, slack, steps);
  }
  return result;
}

}  // namespace huddle
