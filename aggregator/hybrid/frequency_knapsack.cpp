#include "aggregator/hybrid/frequency_knapsack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "profiles/vocabulary/error.hpp"

namespace huddle::hybrid {
namespace {

/// True if count x slack >= longer x steps, without rounding: each product is its rounded value and
/// what fma() says is missing from that, which is at most half of the last place.
bool suffices(double count, double slack, double longer, double steps) {
  const double has = count * slack;
  const double needs = longer * steps;
  if (has != needs) return has > needs;
  return std::fma(count, slack, -has) >= std::fma(longer, steps, -needs);
}

/// Steps that this takes, rounded up; more than there are if it does not fit.
std::size_t steps_taken(double longer, double slack, std::size_t steps) {
  if (longer > slack) return steps + 1;
  if (longer == 0) return 0;
  // Near 1, so that no product is out of range.
  int exponent = 0;
  const double of = std::frexp(slack, &exponent);
  const double part = std::scalbn(longer, -exponent);
  const auto all = static_cast<double>(steps);
  double count = std::clamp(std::ceil(part / of * all), 1.0, all);
  // The quotient is rounded: it may be on the wrong side of a whole number.
  if (!suffices(count, of, part, all)) ++count;
  if (count > 1 && suffices(count - 1, of, part, all)) --count;
  return static_cast<std::size_t>(count);
}

}  // namespace

Seconds slack_of(const TeamSlack& known) {
  double slack =
      (known.critical - known.own - known.send - known.clock_change).value / (1 + known.tolerance);
  if (known.wait) slack = std::min(slack, (*known.wait - known.clock_change).value);
  return {std::max(slack, 0.0)};
}

std::vector<std::size_t> choose_phase_clocks(std::span<const std::vector<PhaseClock>> phases,
                                             double slack, std::size_t steps) {
  if (phases.size() > kMostSlackCells / (steps + 1))
    throw Error(fmt::format("slack of phases: {} phases with {} steps; expected: at most {} phases",
                            phases.size(), steps, kMostSlackCells / (steps + 1)));
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

}  // namespace huddle::hybrid
