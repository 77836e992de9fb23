/* Another tool in MPI's profiling interface, which keeps a rank of MPI_COMM_WORLD for itself, as
 * tools with a controller do: the program has the others, by a communicator that takes the place of
 * MPI_COMM_WORLD. KEPT_RANK is first or last. In its MPI_Init the kept rank ends as KEPT_ENDS says:
 * at_once; waits (for the program's ranks to say that they end); by_exit (without MPI_Finalize);
 * aborts. */
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm program = MPI_COMM_NULL;
static int kept;
static long calls;

static int says(const char* name, const char* value) {
  const char* const found = getenv(name);
  return found != NULL && strcmp(found, value) == 0;
}

static void be_the_controller(void) {
  if (says("KEPT_ENDS", "aborts")) PMPI_Abort(MPI_COMM_WORLD, 3);
  if (says("KEPT_ENDS", "by_exit")) _exit(5);
  if (says("KEPT_ENDS", "waits")) {
    long seen = 0;
    PMPI_Recv(&seen, 1, MPI_LONG, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fprintf(stdout, "layer: the controller was told of %ld calls\n", seen);
    fflush(stdout);
  }
  PMPI_Finalize();
  /* Not _exit: MPICH 4.2 kills the other ranks if one calls that right after MPI_Finalize. */
  exit(0);
}

static void split(void) {
  int rank = 0, size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  kept = says("KEPT_RANK", "first") ? 0 : size - 1;
  PMPI_Comm_split(MPI_COMM_WORLD, rank == kept, rank, &program);
  if (rank == kept) be_the_controller();
}

int MPI_Init(int* argc, char*** argv) {
  const int status = PMPI_Init(argc, argv);
  split();
  return status;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = PMPI_Init_thread(argc, argv, required, provided);
  split();
  return status;
}

static MPI_Comm in(MPI_Comm comm) {
  ++calls;
  return comm == MPI_COMM_WORLD ? program : comm;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  return PMPI_Comm_rank(in(comm), rank);
}
int MPI_Comm_size(MPI_Comm comm, int* size) {
  return PMPI_Comm_size(in(comm), size);
}
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Send(data, count, type, to, tag, in(comm));
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return PMPI_Recv(data, count, type, from, tag, in(comm), status);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Isend(data, count, type, to, tag, in(comm), request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Irecv(data, count, type, from, tag, in(comm), request);
}
int MPI_Barrier(MPI_Comm comm) {
  return PMPI_Barrier(in(comm));
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return PMPI_Allreduce(from, to, count, type, op, in(comm));
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return PMPI_Comm_dup(in(comm), made);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(program, &rank);
  if (rank == 0 && says("KEPT_ENDS", "waits"))
    PMPI_Send(&calls, 1, MPI_LONG, kept, 9, MPI_COMM_WORLD);
  if (rank == 0) fprintf(stdout, "layer: %ld calls seen\n", calls);
  fflush(stdout);
  return PMPI_Finalize();
}
