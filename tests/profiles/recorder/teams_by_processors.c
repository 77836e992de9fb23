/* Teams as large as the processors that the program sees: as CP2K does, it remembers how many those were, and ends with status 7 if
   a team has another size. usage: teams_by_processors SECONDS */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  const double seconds = atof(argv[1]), begin = MPI_Wtime();
  const int first = omp_get_num_procs();
  const struct timespec work = {0, 1000000};
  int goes_on = 1;
  for (long regions = 1; goes_on; ++regions) {
    int size = 0;
#pragma omp parallel num_threads(omp_get_num_procs())
    {
      nanosleep(&work, NULL);
#pragma omp single
      size = omp_get_num_threads();
    }
    if (size != first) {
      printf("a team of %d threads, of %d at first, after %ld regions\n", size, first, regions);
      fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 7);
    }
    goes_on = MPI_Wtime() - begin < seconds;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
