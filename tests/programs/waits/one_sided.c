/* One-sided communication with an active target: Wait at Fence, Late Post, Late Complete; and with
 * a passive one: Lock Contention. */
#include "tests/programs/waits/experiment.h"

EXPERIMENT wait_at_fence(const struct World* world) {
  const int value = world->rank;
  for (int i = 0; i < 2; ++i) {
    delayed_until_ms(world->rank == i ? 12 * (i + 1) : 0);
    CALL(MPI_Win_fence(i == 0 ? MPI_MODE_NOPRECEDE : MPI_MODE_NOSUCCEED, world->window));
    gives("all", i);
    needs("wait_at_fence", "all", i);
    if (i == 0)
      CALL(MPI_Put(&value, 1, MPI_INT, (world->rank + 1) % world->ranks, 0, 1, MPI_INT,
                   world->window));
  }
}

static MPI_Group group_of_rank(int rank) {
  MPI_Group world_group;
  MPI_Group one;
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  MPI_Group_incl(world_group, 1, &rank, &one);
  MPI_Group_free(&world_group);
  return one;
}

/* An epoch in which rank 0 writes to rank 1. In which of the origin's calls it waits for the post
 * is up to the library: each of them needs it. */
STEP void access_target(const struct World* world, int complete_ms) {
  const int value = 1;
  MPI_Group target = group_of_rank(1);
  CALL(MPI_Win_start(target, 0, world->window));
  needs("late_post", "posted", 0);
  CALL(MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, world->window));
  needs("late_post", "posted", 0);
  delayed_until_ms(complete_ms);
  CALL(MPI_Win_complete(world->window));
  needs("late_post", "posted", 0);
  gives("completed", 0);
  MPI_Group_free(&target);
}

STEP void expose_to_origin(const struct World* world) {
  MPI_Group origin = group_of_rank(0);
  CALL(MPI_Win_post(origin, 0, world->window));
  gives("posted", 0);
  CALL(MPI_Win_wait(world->window));
  needs("late_complete", "completed", 0);
  MPI_Group_free(&origin);
}

EXPERIMENT late_post(const struct World* world) {
  if (world->rank == 0) access_target(world, 0);
  if (world->rank != 1) return;
  delayed_until_ms(20);
  expose_to_origin(world);
}

EXPERIMENT late_complete(const struct World* world) {
  if (world->rank == 0) {
    delayed_until_ms(3); /* after the post */
    access_target(world, 25);
  } else if (world->rank == 1) {
    expose_to_origin(world);
  }
}

/* Rank 1 has the exclusive lock of rank 0's part for 40 ms, which rank 2 wants. A library may hand
 * out locks with the first access only: the flush makes sure. Whether it is the lock or the unlock
 * that waits is up to the library. Rank 0 is in MPI meanwhile, so that it can hand locks out. */
EXPERIMENT lock_contention(const struct World* world) {
  const int value = world->rank;
  if (world->rank == 1) {
    CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, world->window));
    CALL(MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, world->window));
    CALL(MPI_Win_flush(0, world->window));
    delayed_until_ms(100);
    CALL(MPI_Win_unlock(0, world->window));
    gives("released", 0);
  } else if (world->rank == 2) {
    delayed_until_ms(50); /* on a busy machine it takes a while until rank 1 has the lock */
    CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, world->window));
    needs("lock_contention", "released", 0);
    CALL(MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, world->window));
    CALL(MPI_Win_unlock(0, world->window));
    needs("lock_contention", "released", 0);
  }
  CALL(MPI_Barrier(MPI_COMM_WORLD));
  meets("wait_at_barrier");
}

const struct Experiment kOneSidedExperiments[] = {
    {"wait_at_fence", wait_at_fence},
    {"late_post", late_post},
    {"late_complete", late_complete},
    {"lock_contention", lock_contention},
    {0},
};
