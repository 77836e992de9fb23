// Programs in small that look at where their threads may run, or say where they are to run.
#include <hwloc.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "spank_plugin/runtime/packing/cpu_mask.hpp"
#include "tests/spank_plugin/runtime/packing/shaken_region.hpp"

// libgomp's other fact for OMP_DYNAMIC, beside the mask, must not change.
extern "C" int getloadavg(double* loads, int count) noexcept {
  for (int i = 0; i < count; ++i) loads[i] = 0;
  return count;
}

namespace huddle::runtime {
namespace {

constexpr int kSteps = 60;
constexpr int kTeam = 4;

/// Its value depends on everything that was added, in any order of threads.
class Digest {
 public:
  void add(double value) {
    const auto scaled = static_cast<std::uint64_t>(value * 8);
    sum_.fetch_add(scaled * 0x9e3779b97f4a7c15ULL % 1'000'003, std::memory_order_relaxed);
  }
  [[nodiscard]] double value() const { return static_cast<double>(sum_.load()); }

 private:
  std::atomic<std::uint64_t> sum_{0};
};

cpu_set_t from_kernel() {
  CpuMask mask;
  mask.read_of(0);
  cpu_set_t set;
  mask.copy_to(&set, sizeof set);
  return set;
}

double number_of(const cpu_set_t& set) {
  double number = CPU_COUNT(&set);
  for (std::size_t pu = 0; pu < 64; ++pu)
    if (CPU_ISSET(pu, &set)) number += static_cast<double>(pu * 100);
  return number;
}

double from_syscall(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const long bytes = ::syscall(SYS_sched_getaffinity, thread, sizeof set, &set);
  return bytes > 0 ? number_of(set) : -1;
}

double from_sched(pid_t thread) {
  cpu_set_t set;
  return ::sched_getaffinity(thread, sizeof set, &set) == 0 ? number_of(set) : -1;
}

double from_pthread(pthread_t thread) {
  cpu_set_t set;
  return ::pthread_getaffinity_np(thread, sizeof set, &set) == 0 ? number_of(set) : -1;
}

double from_attributes(pthread_t thread) {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(thread, &attributes) != 0) return -1;
  cpu_set_t set;
  const int failure = ::pthread_attr_getaffinity_np(&attributes, sizeof set, &set);
  ::pthread_attr_destroy(&attributes);
  return failure == 0 ? number_of(set) : -1;
}

// A thread is where the kernel says, on one of the PUs that it may run on.
bool is_where_it_may_be() {
  const cpu_set_t set = from_kernel();
  const int pu = ::sched_getcpu();
  return pu >= 0 && CPU_ISSET(static_cast<std::size_t>(pu), &set);
}

double output_of(const char* command) {
  std::FILE* const pipe = ::popen(command, "r");
  double number = -1;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &number) != 1) number = -2;
  if (pipe != nullptr) ::pclose(pipe);
  return number;
}

int status_of_spawned(const char* command) {
  std::array<char*, 4> arguments = {const_cast<char*>("sh"), const_cast<char*>("-c"),
                                    const_cast<char*>(command), nullptr};
  pid_t child = 0;
  int status = -1;
  if (::posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments.data(), environ) == 0)
    ::waitpid(child, &status, 0);
  return status;
}

// As Python's subprocess does.
int status_of_vforked(const char* command) {
  const pid_t child = ::vfork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command, nullptr);
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

void* mask_of_new_thread(void* result) {
  *static_cast<double*>(result) = number_of(from_kernel());
  return nullptr;
}

int mask_of_new_standard_thread(void* result) {
  mask_of_new_thread(result);
  return 0;
}

}  // namespace

// Teams are as large as the processors that can be seen.
double by_processors() {
  Digest seen;
  for (int step = 0; step < kSteps; ++step) {
    const int team = omp_get_num_procs();
    seen.add(team);
    region(team, [&] {
      // libgomp has one place in memory for the masks of all threads that ask.
      for (int i = 0; i < 500; ++i) seen.add(omp_get_num_procs() * 10 + omp_get_num_threads());
      seen.add(static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)));
      seen.add(::get_nprocs());
      seen.add(std::thread::hardware_concurrency());
    });
    seen.add(::get_nprocs());
  }
  return seen.value();
}

double by_dynamic() {
  Digest seen;
  omp_set_dynamic(1);
  for (int step = 0; step < kSteps; ++step) {
    region(kTeam, [&] { seen.add(omp_get_num_threads() * 64 + omp_get_thread_num()); });
    seen.add(omp_get_max_threads());
  }
  omp_set_dynamic(0);
  return seen.value();
}

// Each thread looks at itself, at its neighbour and at the leader.
double by_masks() {
  Digest seen;
  std::array<std::atomic<pid_t>, kTeam> numbers{};
  std::array<pthread_t, kTeam> handles{};
  for (int step = 0; step < kSteps; ++step) {
    region(kTeam, [&] {
      const auto mine = static_cast<std::size_t>(omp_get_thread_num());
      numbers[mine] = static_cast<pid_t>(::syscall(SYS_gettid));
      handles[mine] = ::pthread_self();
#pragma omp barrier
      const std::size_t other = (mine + 1) % kTeam;
      for (const pid_t thread : {0, numbers[mine].load(), numbers[other].load(), ::getpid()}) {
        seen.add(from_sched(thread));
        seen.add(from_syscall(thread));
      }
      for (const pthread_t thread : {handles[mine], handles[other]}) {
        seen.add(from_pthread(thread));
        seen.add(from_attributes(thread));
      }
      seen.add(is_where_it_may_be() ? 1 : 0);
#pragma omp barrier
    });
    seen.add(from_sched(0));
    seen.add(from_syscall(0));
    seen.add(from_pthread(::pthread_self()));
    seen.add(is_where_it_may_be() ? 1 : 0);
  }
  return seen.value();
}

// New threads and processes begin where the program may run, and their makers go on where they
// were.
double by_makers() {
  Digest seen;
  std::atomic<int> moved{0};
  for (int step = 0; step < kSteps / 6; ++step) {
    region(kTeam, [&] {
      const CpuMask before = [] {
        CpuMask mask;
        mask.read_of(0);
        return mask;
      }();
      std::array<double, 3> masks{};
      pthread_t thread{};
      ::pthread_create(&thread, nullptr, mask_of_new_thread, masks.data());
      ::pthread_join(thread, nullptr);
      thrd_t standard{};
      ::thrd_create(&standard, mask_of_new_standard_thread, &masks[1]);
      ::thrd_join(standard, nullptr);
      std::thread([&] { mask_of_new_thread(&masks[2]); }).join();
      for (const double mask : masks) seen.add(mask);
      CpuMask after;
      after.read_of(0);
      if (after != before) ++moved;
    });
    seen.add(output_of("nproc"));
    const std::string command = "exit $(nproc)";
    seen.add(::system(command.c_str()));
    seen.add(status_of_spawned(command.c_str()));
    seen.add(status_of_vforked(command.c_str()));
    region(kTeam, [&] { seen.add(from_sched(0)); });
  }
  return seen.value() + moved.load();
}

// As an MPI library or a runtime does that looks for its place in the midst of a program.
double by_hwloc() {
  Digest seen;
  for (int step = 0; step < 5; ++step) {
    hwloc_topology_t topology = nullptr;
    hwloc_topology_init(&topology);
    hwloc_topology_set_flags(
        topology, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
    hwloc_topology_load(topology);
    seen.add(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
    std::array<pthread_t, kTeam> handles{};
    region(kTeam, [&] {
      const auto mine = static_cast<std::size_t>(omp_get_thread_num());
      handles[mine] = ::pthread_self();
#pragma omp barrier
      hwloc_bitmap_t set = hwloc_bitmap_alloc();
      for (const int flag : {HWLOC_CPUBIND_PROCESS, HWLOC_CPUBIND_THREAD}) {
        seen.add(hwloc_get_cpubind(topology, set, flag));
        seen.add(hwloc_bitmap_weight(set));
      }
      seen.add(hwloc_get_proc_cpubind(topology, ::getpid(), set, 0));
      seen.add(hwloc_bitmap_weight(set));
      seen.add(hwloc_get_thread_cpubind(topology, handles[(mine + 1) % kTeam], set, 0));
      seen.add(hwloc_bitmap_weight(set));
      hwloc_bitmap_free(set);
#pragma omp barrier
    });
    hwloc_topology_destroy(topology);
  }
  return seen.value();
}

// Threads look around from each PU, as libraries do, and go back to where they think they were.
double by_visiting() {
  Digest seen;
  const cpu_set_t home = from_kernel();
  for (int step = 0; step < kSteps; ++step) {
    region(kTeam, [&] {
      cpu_set_t before;
      ::pthread_getaffinity_np(::pthread_self(), sizeof before, &before);
      for (std::size_t pu = 0; pu < CPU_SETSIZE; ++pu) {
        if (!CPU_ISSET(pu, &before)) continue;
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(pu, &set);
        ::sched_setaffinity(0, sizeof set, &set);
        seen.add(from_sched(0) + ::sched_getcpu());
      }
      ::pthread_setaffinity_np(::pthread_self(), sizeof before, &before);
      seen.add(number_of(from_kernel()));
    });
    seen.add(from_syscall(0) - number_of(home));
  }
  return seen.value();
}

// Threads are bound in the midst of the work, and must stay there: 1 if they do. Half of them bind
// themselves, the others are bound by their neighbour.
double by_binding() {
  std::array<std::atomic<pid_t>, kTeam> numbers{};
  std::array<pthread_t, kTeam> handles{};
  std::array<int, kTeam> places{};
  bool good = true;
  std::vector<int> pus;
  const cpu_set_t home = from_kernel();
  for (int pu = 0; pu < CPU_SETSIZE; ++pu)
    if (CPU_ISSET(static_cast<std::size_t>(pu), &home)) pus.push_back(pu);
  const auto one = [](int pu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(pu), &set);
    return set;
  };
  for (int step = 0; step < kSteps; ++step) {
    region(kTeam, [&] {
      const auto mine = static_cast<std::size_t>(omp_get_thread_num());
      numbers[mine] = static_cast<pid_t>(::syscall(SYS_gettid));
      handles[mine] = ::pthread_self();
#pragma omp barrier
      if (step == 20 && mine > 0) {
        const std::size_t whom = mine < 2 ? mine : mine == 2 ? 3 : 2;
        places[whom] = pus[whom % pus.size()];
        const cpu_set_t set = one(places[whom]);
        if (mine == 1) ::syscall(SYS_sched_setaffinity, numbers[whom].load(), sizeof set, &set);
        if (mine == 2) ::pthread_setaffinity_np(handles[whom], sizeof set, &set);
        if (mine == 3) ::sched_setaffinity(numbers[whom], sizeof set, &set);
      }
#pragma omp barrier
      const cpu_set_t wanted = step >= 20 && mine > 0 ? one(places[mine]) : home;
      bool is_right = from_sched(0) == number_of(wanted);
      if (step >= 20 && mine > 0)
        is_right = is_right && number_of(from_kernel()) == number_of(wanted);
#pragma omp critical
      good = good && is_right;
    });
  }
  // The next run begins as this one did.
  region(kTeam, [&] {
    if (omp_get_thread_num() > 0) ::sched_setaffinity(0, sizeof home, &home);
  });
  return good ? 1 : 0;
}

}  // namespace huddle::runtime
