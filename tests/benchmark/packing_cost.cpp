// What it costs a region of OpenMP to be steered without a change: the calls that what sees regions
// makes to the packing of its team, without the seeing itself. The bar is 60 ns a region.
//
//   packing_cost       run with GOMP_SPINCOUNT=300; prints medians over blocks of regions, with and
//   without in turns
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "profiles/recorder/packing/packing_driver.hpp"

namespace {

using huddle::recorder::PackingDriver;
using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point begin, double count) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / count;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr int kBlocks = 401;
constexpr int kRegions = 500;

// Threads of a region read something that who begins it wrote, as those of programs do.
double plain_block(int team) {
  const auto begin = Clock::now();
  for (int i = 0; i < kRegions; ++i) {
    const std::uint32_t data = static_cast<std::uint32_t>(i);
#pragma omp parallel num_threads(team)
    asm volatile("" : : "r"(data));
  }
  return nanoseconds_since(begin, kRegions);
}

double steered_block(int team, PackingDriver& driver) {
  const auto begin = Clock::now();
  for (int i = 0; i < kRegions; ++i) {
    const std::uint32_t configuration = driver.region_begins(static_cast<std::uint32_t>(team), 0);
#pragma omp parallel num_threads(team)
    driver.thread_begins(configuration, static_cast<std::uint32_t>(omp_get_thread_num()));
  }
  return nanoseconds_since(begin, kRegions);
}

// The calls alone, of one thread: those of others go on at the same time.
double calls_alone(PackingDriver& driver, std::uint32_t team) {
  constexpr int kCalls = 1'000'000;
  const auto begin = Clock::now();
  for (int i = 0; i < kCalls; ++i) {
    driver.thread_begins(driver.region_begins(team, 0), 0);
    asm volatile("" ::: "memory");
  }
  return nanoseconds_since(begin, kCalls);
}

void compare(int team, PackingDriver& driver, const char* what) {
  std::vector<double> plain, steered, alone, difference;
  for (int block = 0; block < kBlocks; ++block) {
    plain.push_back(plain_block(team));
    steered.push_back(steered_block(team, driver));
    difference.push_back(steered.back() - plain.back());
  }
  for (int block = 0; block < 11; ++block)
    alone.push_back(calls_alone(driver, static_cast<std::uint32_t>(team)));
  fmt::print(
      "{} threads, {}: {:.0f} ns a region, steered {:.0f} ns, difference {:.1f} ns; the calls "
      "alone {:.1f} ns\n",
      team, what, median(plain), median(steered), median(difference), median(alone));
}

}  // namespace

int main() {
  const auto driver = PackingDriver::from(
      [](const char* name) -> const char* {
        return std::string_view(name) == huddle::kThreadsVariable ? huddle::kPackedThreads
                                                                  : std::getenv(name);
      },
      true);
  if (!driver->note().empty()) {
    fmt::print(stderr, "packing_cost: {} Set GOMP_SPINCOUNT=300.\n", driver->note());
    return 1;
  }
  const auto& pus = driver->packing().home().members();
  compare(1, *driver, "not packed");
  compare(2, *driver, "not packed");
  driver->packing().pack({pus[0], pus[1]});
  compare(2, *driver, "each on a core");
  driver->packing().pack({pus[0], pus[0]});
  compare(2, *driver, "both on one core");
  return 0;
}
