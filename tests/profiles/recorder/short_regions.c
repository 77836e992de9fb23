/* Two regions of one thread take turns, and each takes less than a microsecond. usage: short_regions BLOCKS; a block has 1,000
   passes of each and a barrier. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? atoi(argv[1]) : 50;
  MPI_Init(&argc, &argv);
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < 1000; ++i) {
#pragma omp parallel num_threads(1)
      { (void)sink; }
#pragma omp parallel num_threads(1)
      { sink = i; }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  puts("done");
  return 0;
}
