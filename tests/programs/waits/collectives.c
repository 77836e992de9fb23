/* Blocking collectives. */
#include "tests/programs/waits/experiment.h"

enum { kMostRanks = 64 };

EXPERIMENT wait_at_barrier(const struct World* world) {
  delayed_until_ms(7 * (world->rank + 1));
  CALL(MPI_Barrier(MPI_COMM_WORLD));
  meets("wait_at_barrier");
}

EXPERIMENT wait_at_barrier_of_some(const struct World* world) {
  if (world->others == MPI_COMM_NULL) return;
  delayed_until_ms(world->rank == 1 ? 20 : 3 * world->rank);
  CALL(MPI_Barrier(world->others));
  meets("wait_at_barrier");
}

EXPERIMENT wait_at_allreduce(const struct World* world) {
  double in = 1;
  double out = 0;
  delayed_until_ms(world->rank == 0 ? 20 : 4 * world->rank);
  CALL(MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  meets("wait_at_nxn");
}

EXPERIMENT wait_at_allreduce_in_place(const struct World* world) {
  double sums[128] = {0};
  delayed_until_ms(world->rank == 1 ? 18 : 0);
  CALL(MPI_Allreduce(MPI_IN_PLACE, sums, 128, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  meets("wait_at_nxn");
}

EXPERIMENT wait_at_alltoall(const struct World* world) {
  int out[kMostRanks] = {0};
  int in[kMostRanks];
  delayed_until_ms(6 * (world->ranks - world->rank));
  CALL(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
  meets("wait_at_nxn");
}

EXPERIMENT wait_at_allgather(const struct World* world) {
  int in[kMostRanks];
  delayed_until_ms(world->rank == world->ranks - 1 ? 21 : 2);
  CALL(MPI_Allgather(&world->rank, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
  meets("wait_at_nxn");
}

EXPERIMENT wait_at_reduce_scatter(const struct World* world) {
  int out[kMostRanks] = {0};
  int in;
  delayed_until_ms(world->rank == 1 ? 17 : 0);
  CALL(MPI_Reduce_scatter_block(out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  meets("wait_at_nxn");
}

/* The root of an operation that hands out data: the last CALL was it. */
static void handed_out(const struct World* world, int root) {
  if (world->rank == root)
    gives("handed_out", 0);
  else
    needs("late_broadcast", "handed_out", 0);
}

EXPERIMENT late_broadcast(const struct World* world) {
  int value = 0;
  delayed_until_ms(world->rank == 1 ? 19 : 3 * world->rank);
  CALL(MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD));
  handed_out(world, 1);
}

/* The root comes first: nobody waits for the others. */
EXPERIMENT nobody_waits_for_an_early_root(const struct World* world) {
  int value = 0;
  delayed_until_ms(world->rank == 0 ? 0 : 5 * world->rank);
  CALL(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
  handed_out(world, 0);
}

EXPERIMENT late_broadcast_of_some(const struct World* world) {
  if (world->others == MPI_COMM_NULL) return;
  int value = 0;
  const int root = world->ranks - 1; /* rank 0 there */
  delayed_until_ms(world->rank == root ? 23 : 0);
  CALL(MPI_Bcast(&value, 1, MPI_INT, 0, world->others));
  handed_out(world, root);
}

EXPERIMENT late_scatter(const struct World* world) {
  int out[kMostRanks] = {0};
  int in;
  delayed_until_ms(world->rank == 0 ? 16 : 0);
  CALL(MPI_Scatter(out, 1, MPI_INT, &in, 1, MPI_INT, 0, MPI_COMM_WORLD));
  handed_out(world, 0);
}

/* The same of one that collects data. */
static void collected(const struct World* world, int root) {
  if (world->rank == root)
    needs("early_reduce", "collected", 0);
  else
    gives("collected", 0);
}

EXPERIMENT early_reduce(const struct World* world) {
  int out = 0;
  int in;
  delayed_until_ms(8 * world->rank);
  CALL(MPI_Reduce(&out, &in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
  collected(world, 0);
}

EXPERIMENT early_gather(const struct World* world) {
  int in[kMostRanks];
  delayed_until_ms(world->rank == 0 ? 20 : 0);
  CALL(MPI_Gather(&world->rank, 1, MPI_INT, in, 1, MPI_INT, 1, MPI_COMM_WORLD));
  collected(world, 1);
}

/* A rank of a scan needs those before it. */
static void scanned(const struct World* world) {
  gives("scanned", world->rank);
  for (int i = 0; i < world->rank; ++i) needs("early_scan", "scanned", i);
}

EXPERIMENT early_scan(const struct World* world) {
  int out = 0;
  int in;
  delayed_until_ms(6 * (world->ranks - world->rank));
  CALL(MPI_Scan(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  scanned(world);
}

EXPERIMENT early_exscan(const struct World* world) {
  int out = 0;
  int in = 0;
  delayed_until_ms(world->rank == 1 ? 18 : 0);
  CALL(MPI_Exscan(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  scanned(world);
}

/* The library may let members that come early wait for the last one, or not. */
EXPERIMENT wait_at_file_access(const struct World* world) {
  const int value = world->rank;
  if (world->rank == 1) delayed_until_ms(20);
  CALL(MPI_File_write_at_all(world->file, world->rank * (MPI_Offset)sizeof value, &value, 1,
                             MPI_INT, MPI_STATUS_IGNORE));
  meets("wait_at_file_access");
}

const struct Experiment kCollectiveExperiments[] = {
    {"wait_at_file_access", wait_at_file_access},
    {"wait_at_barrier", wait_at_barrier},
    {"wait_at_barrier_of_some", wait_at_barrier_of_some},
    {"wait_at_allreduce", wait_at_allreduce},
    {"wait_at_allreduce_in_place", wait_at_allreduce_in_place},
    {"wait_at_alltoall", wait_at_alltoall},
    {"wait_at_allgather", wait_at_allgather},
    {"wait_at_reduce_scatter", wait_at_reduce_scatter},
    {"late_broadcast", late_broadcast},
    {"nobody_waits_for_an_early_root", nobody_waits_for_an_early_root},
    {"late_broadcast_of_some", late_broadcast_of_some},
    {"late_scatter", late_scatter},
    {"early_reduce", early_reduce},
    {"early_gather", early_gather},
    {"early_scan", early_scan},
    {"early_exscan", early_exscan},
    {0},
};
