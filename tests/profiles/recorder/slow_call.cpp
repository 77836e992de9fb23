// To be preloaded behind the recorder: makes one rank slow at one call, as a busy node would be.
// SLOW_CALL is "Init" (late out of it) or "Isend" (the first one), SLOW_RANK the rank, SLOW_MS the
// time.
#define OMPI_SKIP_MPICXX
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void slow_down(const char* call) {
  const char* which = getenv("SLOW_CALL");
  const char* slow_rank = getenv("SLOW_RANK");
  const char* milliseconds = getenv("SLOW_MS");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (which == nullptr || slow_rank == nullptr || milliseconds == nullptr || rank == nullptr)
    return;
  if (strcmp(which, call) != 0 || strcmp(slow_rank, rank) != 0) return;
  usleep(static_cast<useconds_t>(strtoul(milliseconds, nullptr, 10)) * 1000);
}

}  // namespace

extern "C" int PMPI_Init(int* argc, char*** argv) {
  const int status = real<decltype(&PMPI_Init)>("PMPI_Init")(argc, argv);
  slow_down("Init");
  return status;
}

extern "C" int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  static bool first = true;
  if (first) {
    first = false;
    slow_down("Isend");
  }
  return real<decltype(&PMPI_Isend)>("PMPI_Isend")(buffer, count, type, to, tag, comm, request);
}
