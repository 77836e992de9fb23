/* Loads the MPI library that its argument names and takes functions from it by dlsym(), as Julia's MPI.jl does. Ends with 0 if all
   went well. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : 0;
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(library, "MPI_Init");
  int (*finalize)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
  return !init || !finalize || init(0, 0) || finalize();
}
