// Programs in small whose teams are packed in another way at each region: what they compute must be
// what it is without that. Each region calls the driver as what sees regions does.
//
//   shaken_teams KERNEL RUNS      prints a number for each run as it is and shaken; status 1 if two
//   differ
//
// KERNEL: split (a loop split by a count learnt outside of the region), threadprivate, nested,
// tasks, unequal (teams of several sizes), masters (teams of several threads at once), forks, sum
// (a reduction: equal to a share of 1e-10, else bit by bit); and those of shaken_masks.cpp:
// processors, dynamic, masks, makers, hwloc, visiting, binding (which must end packing).
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "spank_plugin/runtime/packing/packing_driver.hpp"
#include "tests/spank_plugin/runtime/packing/shaken_region.hpp"

namespace {

using namespace huddle::runtime;  // NOLINT: a program of its own

constexpr int kThreads = 4;
constexpr int kRegions = 150;

double mixed(double value, int step) {
  return std::sin(value + step) * 1.25 + value / (step + 2);
}

double by_split() {
  std::vector<double> values(4096, 0.5);
  const int threads = kThreads;  // learnt outside
  const std::size_t part = values.size() / threads;
  for (int step = 0; step < kRegions; ++step)
    region(threads, [&] {
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      for (std::size_t i = me * part; i < (me + 1) * part; ++i) values[i] = mixed(values[i], step);
    });
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

double own = 0;
#pragma omp threadprivate(own)

double by_threadprivate() {
  region(kThreads, [] { own = omp_get_thread_num(); });
  for (int step = 0; step < kRegions; ++step) region(kThreads, [&] { own = mixed(own, step); });
  std::vector<double> all(kThreads);
  region(kThreads, [&] { all[static_cast<std::size_t>(omp_get_thread_num())] = own; });
  return all[0] + all[1] * 3 + all[2] * 5 + all[3] * 7;
}

double by_nested() {
  omp_set_max_active_levels(2);
  std::vector<double> values(kThreads * 2, 1);
  for (int step = 0; step < kRegions / 3; ++step)
    region(kThreads, [&] {
      const auto outer = static_cast<std::size_t>(omp_get_thread_num());
      region(2, [&, outer] {
        double& mine = values[outer * 2 + static_cast<std::size_t>(omp_get_thread_num())];
        mine = mixed(mine, step);
      });
    });
  double sum = 0;
  for (const double value : values) sum = sum * 3 + value;
  return sum;
}

std::uint64_t fibonacci(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0, b = 0;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

double by_tasks() {
  std::uint64_t sum = 0;
  for (int step = 0; step < kRegions / 10; ++step)
    region(kThreads, [&] {
#pragma omp single
      sum += fibonacci(9 + step % 3);
    });
  return static_cast<double>(sum);
}

double by_unequal() {
  std::vector<double> values(12, 2);
  for (int step = 0; step < kRegions; ++step) {
    const int team = step % 3 == 0 ? 6 : step % 3 == 1 ? 4 : 3;
    region(team, [&] {
      double& mine = values[static_cast<std::size_t>(omp_get_thread_num())];
      mine = mixed(mine, step + omp_get_num_threads());
    });
  }
  double sum = 0;
  for (const double value : values) sum = sum * 1.5 + value;
  return sum;
}

double by_masters() {
  double results[2] = {};
  const auto work = [&](int which) {
    std::vector<double> values(kThreads, which + 1);
    for (int step = 0; step < kRegions; ++step)
      region(kThreads, [&] {
        double& mine = values[static_cast<std::size_t>(omp_get_thread_num())];
        mine = mixed(mine, step);
      });
    for (const double value : values) results[which] += value;
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  return results[0] * 3 + results[1];
}

// A child of a packed thread may run where the program may.
double by_forks() {
  const std::size_t home = huddle::PuSet::of_this_thread().size();
  int good = 0;
  for (int step = 0; step < 10; ++step) {
    region(kThreads, [] {});
    const pid_t child = ::fork();
    if (child == 0) ::_exit(huddle::PuSet::of_this_thread().size() >= home ? 0 : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    good += status == 0 ? 1 : 0;
  }
  return good;
}

double by_sum() {
  double sum = 0;
  for (int step = 0; step < kRegions; ++step) {
    double part = 0;
    region(kThreads, [&] {
      double mine = 0;
#pragma omp for schedule(dynamic, 7)
      for (int i = 0; i < 2000; ++i) mine += std::sqrt(i + step);
#pragma omp atomic
      part += mine;
    });
    sum += part;
  }
  return sum;
}

struct Kernel {
  const char* name;
  double (*compute)();
  double tolerance = 0;
  bool ends_packing = false;
};
constexpr Kernel kKernels[] = {
    {"split", by_split},
    {"threadprivate", by_threadprivate},
    {"nested", by_nested},
    {"tasks", by_tasks},
    {"unequal", by_unequal},
    {"masters", by_masters},
    {"forks", by_forks},
    {"sum", by_sum, 1e-10},
    {"processors", by_processors},
    {"dynamic", by_dynamic},
    {"masks", by_masks},
    {"makers", by_makers},
    {"hwloc", by_hwloc},
    {"visiting", by_visiting},
    {"binding", by_binding, 0, true},
};

bool equal(double plain, double other, double tolerance) {
  if (tolerance == 0)
    return std::bit_cast<std::uint64_t>(plain) == std::bit_cast<std::uint64_t>(other);
  return std::abs(plain - other) <= tolerance * std::abs(plain);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  shaking_driver = huddle::runtime::PackingDriver::from(
      [](const char* name) -> const char* { return std::getenv(name); }, {});
  if (!shaking_driver || !shaking_driver->may_pack()) {
    std::printf("not shaken: %s\n",
                shaking_driver ? shaking_driver->note(1).c_str() : "not asked for");
    return 77;
  }
  for (const Kernel& kernel : kKernels) {
    if (std::strcmp(kernel.name, argv[1]) != 0) continue;
    const double plain = kernel.compute();
    shaken = true;
    int wrong = 0;
    for (int run = std::atoi(argv[2]); run > 0; --run)
      if (!equal(plain, kernel.compute(), kernel.tolerance)) ++wrong;
    std::printf("%s: %s runs, %llu changes of places, %d wrong results, %s\n", kernel.name, argv[2],
                static_cast<unsigned long long>(shaking_driver->changes()), wrong,
                shaking_driver->may_pack() ? "shaken to the end" : shaking_driver->note(1).c_str());
    if (shaking_driver->may_pack() == kernel.ends_packing) return 1;
    return wrong == 0 && shaking_driver->changes() > 0 ? 0 : 1;
  }
  return 2;
}
