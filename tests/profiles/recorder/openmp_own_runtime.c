/* A program without OpenMP that loads a library which has a runtime of it, for this library alone.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  enum { SIZE = 100 };
  const int passes = argc > 1 ? atoi(argv[1]) : 10;
  char path[4096];
  long values[SIZE], sum = 0;
  int rank = 0;
  /* Beside the program. */
  const char* slash = strrchr(argv[0], '/');
  snprintf(path, sizeof path, "%.*s/openmp_clang_library.so",
           slash == NULL ? 1 : (int)(slash - argv[0]), slash == NULL ? "." : argv[0]);
  for (int i = 0; i < SIZE; ++i) values[i] = i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  long (*add_all)(const long*, long) =
      library == NULL ? NULL : (long (*)(const long*, long))dlsym(library, "add_all");
  if (add_all == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < passes; ++i) {
    sum += add_all(values, SIZE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%ld\n", sum);
  MPI_Finalize();
  return 0;
}
