// Measures what it costs a region of OpenMP to be steered without a change: the calls that report
// it to the packing of its team, without the work of seeing it. The bar is 60 ns a region.
//
//   packing_cost       run with GOMP_SPINCOUNT=300; prints medians over blocks of regions, with and
//   without in turns
//   packing_cost --sizes    what a team of two on one core takes, and a team of one
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "spank_plugin/runtime/packing/packing_driver.hpp"

namespace {

using huddle::runtime::PackingDriver;
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

// As the recorder calls it, but for the clock, which it has read anyway.
std::uint64_t begin_region(PackingDriver& driver, std::uint32_t team) {
  return driver.region_begins(0x1000, team, 0, 1);
}

double steered_block(int team, PackingDriver& driver) {
  const auto begin = Clock::now();
  for (int i = 0; i < kRegions; ++i) {
    const std::uint64_t token = begin_region(driver, static_cast<std::uint32_t>(team));
#pragma omp parallel num_threads(team)
    driver.thread_begins(token, static_cast<std::uint32_t>(omp_get_thread_num()));
    driver.region_ended(token, static_cast<std::uint32_t>(team), 1, 1);
  }
  return nanoseconds_since(begin, kRegions);
}

// The calls alone, of one thread: those of others go on at the same time.
double calls_alone(PackingDriver& driver, std::uint32_t team) {
  constexpr int kCalls = 1'000'000;
  const auto begin = Clock::now();
  for (int i = 0; i < kCalls; ++i) {
    const std::uint64_t token = begin_region(driver, team);
    driver.thread_begins(token, 0);
    driver.region_ended(token, team, 1, 1);
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

// A loop that takes `items` multiplications, one after the other, by a team of so many threads.
double loop_of(int team, long items) {
  const auto begin = Clock::now();
#pragma omp parallel for num_threads(team) schedule(static)
  for (long i = 0; i < items; ++i) asm volatile("imul %%rax, %%rax" : : : "rax");
  return nanoseconds_since(begin, 1);
}

// The team of two has both threads on one core, by the driver.
void compare_sizes(PackingDriver& driver) {
  for (const long items : {100L, 1000L, 10'000L, 100'000L}) {
    std::vector<double> packed, smaller;
    for (int pass = 0; pass < (items < 100'000 ? 2000 : 300); ++pass) {
      const std::uint64_t token = begin_region(driver, 2);
#pragma omp parallel num_threads(2)
      driver.thread_begins(token, static_cast<std::uint32_t>(omp_get_thread_num()));
      packed.push_back(loop_of(2, items));
      smaller.push_back(loop_of(1, items));
    }
    fmt::print("{} multiplications: two threads on one core {:.2f} us, one thread {:.2f} us\n",
               items, median(packed) / 1e3, median(smaller) / 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto driver = PackingDriver::from(
      [](const char* name) -> const char* {
        const std::string_view wanted = name;
        if (wanted == huddle::kThreadsVariable) return huddle::kPackedThreads;
        return wanted == huddle::kTeamsVariable ? "bound 0.05;0 1=1" : std::getenv(name);
      },
      {});
  if (!driver->may_pack()) {
    fmt::print(stderr, "packing_cost: {} Set GOMP_SPINCOUNT=300.\n", driver->note(1));
    return 1;
  }
  const auto& pus = driver->packing().home().members();
  if (argc == 2 && std::string_view(argv[1]) == "--sizes") {
    driver->packing().pack({pus[0], pus[0]});
    compare_sizes(*driver);
    return 0;
  }
  compare(1, *driver, "not packed");
  compare(2, *driver, "not packed");
  driver->packing().pack({pus[0], pus[1]});
  compare(2, *driver, "each on a core");
  driver->packing().pack({pus[0], pus[0]});
  compare(2, *driver, "both on one core");
  return 0;
}
