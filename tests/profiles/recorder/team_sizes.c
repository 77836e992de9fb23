/* Regions of OpenMP between barriers of MPI, some of which may have smaller teams than usual.
   usage: team_sizes SECONDS safe|asserts|clauses|nested|fails
   Each region fills an array, whose bits must be those of the first one. "asserts": it ends with abort() where a team has not its usual
   size; "clauses": regions say how many threads they want; "nested": those that say nothing lie in others; "fails": the program
   says at its end that it failed. Prints how many regions there were, in how many the team was smaller than usual, and how many
   results were wrong. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kItems = 1000 };
static double items[kItems];
static int usual, asserts;

static void work(int* smaller) {
  const struct timespec time = {0, 1000000};
  if (omp_get_num_threads() < usual) {
    if (asserts) abort();
#pragma omp master
    ++*smaller;
  }
  nanosleep(&time, NULL);
#pragma omp for schedule(static)
  for (int i = 0; i < kItems; ++i) items[i] = 1.0 / (i + 3) * i;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  const double seconds = atof(argv[1]), begin = MPI_Wtime();
  const int clauses = strcmp(argv[2], "clauses") == 0, nested = strcmp(argv[2], "nested") == 0;
  asserts = strcmp(argv[2], "asserts") == 0;
  usual = omp_get_max_threads();
  if (nested) omp_set_max_active_levels(2);
  static double first[kItems];
  long regions = 0, wrong = 0;
  int smaller = 0, goes_on = 1;
  while (goes_on) {
    memset(items, 0, sizeof items);
    if (clauses) {
#pragma omp parallel num_threads(usual)
      work(&smaller);
    } else if (nested) {
#pragma omp parallel num_threads(1)
      {
#pragma omp parallel
        work(&smaller);
      }
    } else {
#pragma omp parallel
      work(&smaller);
    }
    if (regions++ == 0) memcpy(first, items, sizeof items);
    wrong += memcmp(first, items, sizeof items) != 0;
    goes_on = MPI_Wtime() - begin < seconds || regions < 40;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  printf("%ld regions, %d smaller, %ld wrong\n", regions, smaller, wrong);
  return strcmp(argv[2], "fails") == 0 ? 3 : 0;
}
