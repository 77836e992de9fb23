/* One region of four threads after the other, between barriers. usage: packed_teams SECONDS same|slower|quicker [alone|REGIONS [SLOW]]
   A region lasts a millisecond; with "slower" SLOW microseconds (default: 4000) where its threads are bound to one processor, with
   "quicker" two milliseconds where they are not, as if they stood in each other's way; a barrier comes after each region or after so many, with "alone" none. It goes on for longer where a busy machine would show too
   few regions. Prints how many regions there were, and
   in how many of them the threads were bound so, and how many processors it may use after MPI_Finalize. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel_mask.h"

static int processors(void) {
  const cpu_set_t set = kernel_mask();
  return CPU_COUNT(&set);
}

static void rest(long microseconds) {
  struct timespec time = {0, microseconds * 1000};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) return 2;
  MPI_Init(&argc, &argv);
  const double seconds = atof(argv[1]), begin = MPI_Wtime();
  const long between = argc == 3 ? 1 : atol(argv[3]); /* "alone": 0 */
  const long slow = argc == 5 ? atol(argv[4]) : 4000;
  /* For references and what follows them. */
  const long fewest = between == 0 ? 700 : between == 1 ? 40 : 14 * between;
  const int slower = strcmp(argv[2], "slower") == 0, quicker = strcmp(argv[2], "quicker") == 0;
  long regions = 0, bound = 0;
  int goes_on = 1;
  while (goes_on) {
    int alone = 0;
#pragma omp parallel num_threads(4) reduction(+ : alone)
    {
      alone = processors() == 1;
      rest(alone ? (slower ? slow : 1000) : quicker ? 2000 : 1000);
    }
    ++regions;
    bound += alone == 4;
    if (between > 0 && regions % between != 0) continue;
    goes_on = MPI_Wtime() - begin < seconds || regions < fewest;
    if (between > 0) MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  printf("rank %d: %ld regions, %ld packed, %d processors at the end\n", rank, regions, bound, processors());
  return 0;
}
