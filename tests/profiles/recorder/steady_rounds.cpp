// Rounds of a short computation and a sum over all ranks, for so many seconds:
//   steady_rounds SECONDS [bind]   with "bind", each rank binds itself to PU 7 after a second
// Checks its sums, and that each rank ends where it began, or where it has bound itself.
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

double computed(double start) {
  volatile double value = start;
  for (int i = 0; i < 100'000; ++i) value = value * 0.5 + 1;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  const bool binds = argc > 2 && std::string(argv[2]) == "bind";
  cpu_set_t expected = affinity();
  bool bound = false;
  bool right = true;
  const double begin = MPI_Wtime();
  for (int last = 0; last == 0;) {
    const double elapsed = MPI_Wtime() - begin;
    if (binds && !bound && elapsed > 1) {
      CPU_ZERO(&expected);
      CPU_SET(7, &expected);
      bound = sched_setaffinity(0, sizeof expected, &expected) == 0;
    }
    const double mine[2] = {computed(rank) > 1.99 ? 1.0 : 0.0,
                            rank == 0 && elapsed > seconds ? 1.0 : 0.0};
    double sum[2] = {0, 0};
    MPI_Allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    right = right && sum[0] == ranks;
    last = sum[1] > 0 ? 1 : 0;
  }
  MPI_Finalize();
  const cpu_set_t now = affinity();
  if (!right) std::fprintf(stderr, "rank %d: a sum is wrong\n", rank);
  if (CPU_EQUAL(&now, &expected) == 0)
    std::fprintf(stderr, "rank %d is elsewhere at the end\n", rank);
  return right && CPU_EQUAL(&now, &expected) != 0 ? 0 : 1;
}
