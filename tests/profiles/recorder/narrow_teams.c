/* One region of OpenMP after the other, of as many threads as the runtime gives them. usage: narrow_teams REGIONS MICROSECONDS [count|fail]
   A region lasts two milliseconds, and MICROSECONDS where its threads have fewer processors than they are; ranks meet
   after each 40. With "count" a rank sizes its teams by the processors that it counts, with "fail" it ends there. Each rank prints what it has. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel_mask.h"

static int processors(void) {
  const cpu_set_t set = kernel_mask();
  return CPU_COUNT(&set);
}

static void rest(long microseconds) {
  struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

static const char* value_of(const char* name) {
  const char* const value = getenv(name);
  return value == NULL ? "none" : value;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const long regions = atol(argv[1]), slow = atol(argv[2]);
  MPI_Init(&argc, &argv);
  const int own = processors();
  if (argc > 3 && strcmp(argv[3], "count") == 0) omp_set_num_threads(own);
  if (argc > 3 && strcmp(argv[3], "fail") == 0 && own < omp_get_max_threads()) MPI_Abort(MPI_COMM_WORLD, 3);
  int team = 0, rank;
  for (long region = 0; region < regions; ++region) {
#pragma omp parallel
    {
#pragma omp single nowait
      team = omp_get_num_threads();
      rest(processors() < omp_get_num_threads() ? slow : 2000);
    }
    if (region % 40 == 39) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  printf("rank %d: team %d, processors %d, host %s, SLURM_CPUS_PER_TASK %s, OMP_NUM_THREADS %s, GOMP_SPINCOUNT %s\n",
         rank, team, own, host, value_of("SLURM_CPUS_PER_TASK"), value_of("OMP_NUM_THREADS"), value_of("GOMP_SPINCOUNT"));
  MPI_Finalize();
  return 0;
}
