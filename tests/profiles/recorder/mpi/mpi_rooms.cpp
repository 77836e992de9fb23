// Runs the test cases beside this file on all ranks of an MPI program, without the recorder: each
// rank runs each case, and they communicate in them. Fails if a check fails on any rank.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "profiles/recorder/mpi/mpi_library.hpp"

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  doctest::Context context(count, arguments);
  // A check that throws would leave the other ranks waiting; without it all go on.
  int failed = context.run();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
