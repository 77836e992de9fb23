#include "profiles/balancing/clock_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle::balancing {
namespace {

/// Ends of work are compared but for rounding.
constexpr double kSame = 1 + 1e-9;

}  // namespace

Hertz least_clock(const Workload& work, Seconds deadline, const ClockSteps& steps) {
  for (const Hertz clock : steps.ascending())
    if (time_at(work, clock, steps.most()) <= deadline * kSame) return clock;
  return steps.most();
}

double imbalance_of(std::span<const Workload> work) {
  if (work.empty()) return 1;
  const auto [least, most] =
      std::minmax_element(work.begin(), work.end(),
                          [](const Workload& a, const Workload& b) { return a.time < b.time; });
  if (most->time.value <= 0) return 1;
  if (least->time.value <= 0) return std::numeric_limits<double>::infinity();
  return most->time / least->time;
}

ClockChoice choose_clocks(std::span<const Workload> work, std::span<const std::uint32_t> domain_of,
                          std::uint32_t domains, const ClockSteps& steps) {
  if (work.size() != domain_of.size())
    throw Error(fmt::format("{} workloads and {} domains of cores; expected: as many", work.size(),
                            domain_of.size()));
  ClockChoice choice;
  choice.clocks.assign(domains, steps.least());
  for (const Workload& one : work) choice.length = std::max(choice.length, one.time);
  for (std::size_t core = 0; core < work.size(); ++core) {
    if (domain_of[core] >= domains)
      throw Error(fmt::format("clock domain {} of {}", domain_of[core], domains));
    Hertz& clock = choice.clocks[domain_of[core]];
    // Who decides the length has the top clock, however little it follows the clock: what is known
    // of that is estimated.
    const bool critical = work[core].time * kSame >= choice.length && choice.length.value > 0;
    clock =
        std::max(clock, critical ? steps.most() : least_clock(work[core], choice.length, steps));
  }
  choice.imbalance = imbalance_of(work);
  choice.beyond_clocks = choice.imbalance > steps.range() * kSame;
  return choice;
}

}  // namespace huddle::balancing
