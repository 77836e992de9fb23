/* Regions of OpenMP between barriers of MPI, some of which may have smaller teams than usual.
   usage: team_sizes SECONDS safe|asserts|clauses|nested|fails|quicker [REGIONS]
   Each region fills an array, whose bits must be those of the first one. "asserts": it ends with abort() where a team has not its usual
   size; "clauses": regions say how many threads they want; "nested": those that say nothing lie in others; "fails": the program
   says at its end that it failed; "quicker": a region takes two milliseconds, and one where its team is smaller. A barrier comes after each
   region or after so many. Each rank prints how many regions there were, in how many the team was smaller than usual, and how many
   results were wrong; with "quicker" also how many threads its teams had at least, and a sum of all results. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kItems = 1000 };
static double items[kItems];
static int usual, asserts, quicker, least;

static void work(int* smaller) {
  const int threads = omp_get_num_threads();
  const struct timespec time = {0, quicker && threads == usual ? 2000000 : 1000000};
  if (threads < usual) {
    if (asserts) abort();
#pragma omp master
    {
      ++*smaller;
      if (threads < least) least = threads;
    }
  }
  nanosleep(&time, NULL);
#pragma omp for schedule(static) nowait
  for (int i = 0; i < kItems; ++i) items[i] = 1.0 / (i + 3) * i;
}

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) return 2;
  MPI_Init(&argc, &argv);
  const double seconds = atof(argv[1]), begin = MPI_Wtime();
  const long between = argc == 4 ? atol(argv[3]) : 1;
  const int clauses = strcmp(argv[2], "clauses") == 0, nested = strcmp(argv[2], "nested") == 0;
  asserts = strcmp(argv[2], "asserts") == 0;
  quicker = strcmp(argv[2], "quicker") == 0;
  least = usual = omp_get_max_threads();
  if (nested) omp_set_max_active_levels(2);
  static double first[kItems];
  long regions = 0, wrong = 0;
  double sum = 0;
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
    if (regions % between != 0) continue;
    goes_on = MPI_Wtime() - begin < seconds || regions < (between == 1 ? 40 : 10 * between);
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (int i = 0; i < kItems; ++i) sum += items[i];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  printf("%ld regions, %d smaller, %ld wrong\n", regions, smaller, wrong);
  if (quicker) printf("rank %d: of %d threads at least %d in %d regions, sum %.17g\n", rank, usual, least, smaller, sum);
  return strcmp(argv[2], "fails") == 0 ? 3 : 0;
}
