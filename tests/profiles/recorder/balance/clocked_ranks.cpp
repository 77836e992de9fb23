// An MPI program on cores whose clocks are files: each rank computes as fast as its core's clock
// says, by the clock on the wall, and then all meet. It knows nothing of Huddle. Prints what it
// took, and what its cores drew by 20 W + 6 W (f / 2.4 GHz)^3 each.
//
//     clocked_ranks CPUFREQ ITERATIONS MILLISECONDS KIND
//
// CPUFREQ has policyP/scaling_max_freq for PU P; a rank is bound to one. MILLISECONDS: what the
// longest computes at 2.4 GHz in an iteration. It also prints in which iteration a clock changed
// last. KIND:
//   uneven   from rank to rank less of it, down to 0.55 of it for the last
//   even     all have the same
//   doubles  as uneven, but from half of the iterations on the last rank has twice the longest's
//   stalls   as uneven, but the last rank stands still for 2 s once
//   dies     as uneven, but the last rank kills itself at half of the iterations
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void pause_for(double seconds) {
  timespec time{};
  time.tv_nsec = static_cast<long>(seconds * 1e9);
  nanosleep(&time, nullptr);
}

int own_pu() {
  cpu_set_t pus;
  CPU_ZERO(&pus);
  if (sched_getaffinity(0, sizeof pus, &pus) != 0) return 0;
  for (int pu = 0; pu < CPU_SETSIZE; ++pu)
    if (CPU_ISSET(pu, &pus)) return pu;
  return 0;
}

/// The time after which a rank looks at its clock again, in s: many ranks share few processors.
constexpr double kLook = 0.004;

/// The clock of the core that this process is on, as a share of 2.4 GHz, and the energy it takes as
/// time passes.
class Core {
 public:
  explicit Core(const std::string& cpufreq) : cpufreq_(cpufreq), last_(now()) {}

  double pass() {
    const double time = now();
    joules_ += (20 + 6 * std::pow(clock_, 3)) * (time - last_);
    last_ = time;
    double khz = 0;
    // PUs that share a clock have the file of the first one.
    std::FILE* file = nullptr;
    for (int pu = own_pu(); file == nullptr && pu >= 0; --pu)
      file = std::fopen((cpufreq_ + "/policy" + std::to_string(pu) + "/scaling_max_freq").c_str(),
                        "r");
    if (file != nullptr) {
      if (std::fscanf(file, "%lf", &khz) != 1) khz = 0;
      std::fclose(file);
    }
    if (khz > 0 && std::exchange(clock_, khz / 2.4e6) != khz / 2.4e6) ++changes_;
    return clock_;
  }
  double joules() const { return joules_; }
  int changes() const { return changes_; }

  /// So many seconds at 2.4 GHz.
  void compute(double work) {
    double before = now();
    pass();
    while (work > 0) {
      pause_for(std::min(work / clock_, kLook));
      const double time = now();
      work -= (time - before) * clock_;
      before = time;
      pass();
    }
  }

 private:
  std::string cpufreq_;
  double last_;
  double clock_ = 1;
  int changes_ = 0;
  double joules_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  MPI_Init(&count, &arguments);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int iterations = std::atoi(arguments[2]);
  const double longest = 1e-3 * std::atof(arguments[3]);
  const std::string kind = arguments[4];
  const bool last = rank == ranks - 1;
  Core core(arguments[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = now();
  int changes = 0;
  int settled = 0;
  for (int i = 0; i < iterations; ++i) {
    double work = kind == "even" ? longest : longest * (1 - 0.45 * rank / std::max(1, ranks - 1));
    const bool second_half = i >= iterations / 2;
    if (kind == "doubles" && last && second_half) work = 2 * longest;
    if (kind == "stalls" && last && i == iterations / 2) pause_for(0.999), pause_for(0.999);
    if (kind == "dies" && last && i == iterations / 2) raise(SIGKILL);
    core.compute(work);
    int all = 1;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    core.pass();
    if (all != ranks) MPI_Abort(MPI_COMM_WORLD, 1);
    if (changes != core.changes()) settled = i;
    changes = core.changes();
  }
  const double time = now() - begin;
  double joules = core.joules();
  MPI_Allreduce(MPI_IN_PLACE, &joules, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &settled, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("time %.4f energy %.2f settled %d\n", time, joules, settled);
  MPI_Finalize();
  return 0;
}
