/* Nonblocking collectives: what they wait for is placed at their completion, and counts from when
 * that begins. */
#include "tests/programs/waits/experiment.h"

enum { kMostRanks = 64 };

/* The call that began the operation gives, the one that completes it needs. */
#define COMPLETED_BY_WAIT(pattern, request)        \
  do {                                             \
    gives("all", 0);                               \
    delayed_until_ms(4 * world->rank + 8);         \
    CALL(MPI_Wait(&(request), MPI_STATUS_IGNORE)); \
    needs(pattern, "all", 0);                      \
  } while (0)

EXPERIMENT wait_at_ibarrier(const struct World* world) {
  MPI_Request request;
  if (world->rank == 0) delayed_until_ms(24);
  CALL(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  COMPLETED_BY_WAIT("wait_at_barrier", request);
}

EXPERIMENT wait_at_iallreduce(const struct World* world) {
  MPI_Request request;
  double in = 1;
  double out = 0;
  if (world->rank == 1) delayed_until_ms(25);
  CALL(MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
  COMPLETED_BY_WAIT("wait_at_nxn", request);
}

EXPERIMENT wait_at_ialltoall(const struct World* world) {
  MPI_Request request;
  int out[kMostRanks] = {0};
  int in[kMostRanks];
  if (world->rank == 2) delayed_until_ms(26);
  CALL(MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request));
  COMPLETED_BY_WAIT("wait_at_nxn", request);
}

EXPERIMENT late_ibroadcast(const struct World* world) {
  MPI_Request request;
  int value = 0;
  if (world->rank == 0) delayed_until_ms(23);
  CALL(MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
  if (world->rank == 0) gives("handed_out", 0);
  delayed_until_ms(5);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (world->rank != 0) needs("late_broadcast", "handed_out", 0);
}

EXPERIMENT early_ireduce(const struct World* world) {
  MPI_Request request;
  int out = 0;
  int in;
  if (world->rank != 1) delayed_until_ms(21);
  CALL(MPI_Ireduce(&out, &in, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &request));
  if (world->rank != 1) gives("collected", 0);
  delayed_until_ms(6);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  if (world->rank == 1) needs("early_reduce", "collected", 0);
}

EXPERIMENT early_iscan(const struct World* world) {
  MPI_Request request;
  int out = 0;
  int in;
  if (world->rank == 0) delayed_until_ms(22);
  CALL(MPI_Iscan(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  gives("scanned", world->rank);
  CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < world->rank; ++i) needs("early_scan", "scanned", i);
}

const struct Experiment kNonblockingExperiments[] = {
    {"wait_at_ibarrier", wait_at_ibarrier},
    {"wait_at_iallreduce", wait_at_iallreduce},
    {"wait_at_ialltoall", wait_at_ialltoall},
    {"late_ibroadcast", late_ibroadcast},
    {"early_ireduce", early_ireduce},
    {"early_iscan", early_iscan},
    {0},
};
