/* A program that loads, for itself alone, a library which begins teams in many places.
 *   usage: openmp_sites ROUNDS
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) abort();
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char** argv) {
  enum { SITES = 40, FIRST_ROUNDS = 20 };
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  char path[4096];
  long sum = 0, before = 0;
  const char* slash = strrchr(argv[0], '/');
  snprintf(path, sizeof path, "%.*s/openmp_sites_library.so",
           slash == NULL ? 1 : (int)(slash - argv[0]), slash == NULL ? "." : argv[0]);
  MPI_Init(&argc, &argv);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  long (*visit)(int) = library == NULL ? NULL : (long (*)(int))dlsym(library, "visit");
  if (visit == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int round = 0; round < rounds; ++round) {
    if (round == FIRST_ROUNDS) before = resident_kib();
    for (int site = 0; site < SITES; ++site) sum += visit(site);
  }
  printf("%ld%s\n", sum, before != 0 && resident_kib() > before + 4096 ? ", and memory grows" : "");
  MPI_Finalize();
  return 0;
}
