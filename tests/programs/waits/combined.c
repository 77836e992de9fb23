/* Several wait states in one function, in functions that call each other, and in one call. */
#include "tests/programs/waits/experiment.h"

/* Waits at a barrier in two call paths. */
STEP void inner_step(const struct World* world, int number) {
  CALL(MPI_Barrier(MPI_COMM_WORLD));
  gives("inner", number);
  needs("wait_at_barrier", "inner", number);
  if (world->rank == 1) {
    int value = 0;
    CALL(MPI_Recv(&value, 1, MPI_INT, 0, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", number);
  }
}

EXPERIMENT nested(const struct World* world) {
  int value = 0;
  for (int i = 0; i < 2; ++i) {
    delayed_until_ms(24 * i + (world->rank == 2 ? 6 : 0));
    inner_step(world, i);
    if (world->rank == 0) {
      delayed_until_ms(24 * i + 12);
      CALL(MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD));
      gives("sent", i);
      delayed_until_ms(24 * i + 18);
    }
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    gives("outer", i);
    needs("wait_at_barrier", "outer", i);
  }
}

/* One call that completes a message and a collective: the barrier ends it. */
EXPERIMENT message_and_barrier_in_one_call(const struct World* world) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int value = 0;
  if (world->rank == 0) {
    CALL(MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]));
  } else if (world->rank == 1) {
    delayed_until_ms(10);
    CALL(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    gives("sent", 0);
  }
  if (world->rank == 2) delayed_until_ms(25);
  CALL(MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]));
  gives("all", 0);
  CALL(MPI_Waitall(2, requests, statuses));
  if (world->rank == 0) needs("late_sender", "sent", 0);
  needs("wait_at_barrier", "all", 0);
}

/* Everybody is late in turn, and hands the delay on. */
EXPERIMENT pipeline(const struct World* world) {
  int value = 0;
  if (world->rank > 0) {
    CALL(MPI_Recv(&value, 1, MPI_INT, world->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", world->rank - 1);
  }
  delayed_until_ms(9 * (world->rank + 1));
  if (world->rank < world->ranks - 1) {
    CALL(MPI_Send(&value, 1, MPI_INT, world->rank + 1, 0, MPI_COMM_WORLD));
    gives("sent", world->rank);
  }
}

const struct Experiment kCombinedExperiments[] = {
    {"nested", nested},
    {"message_and_barrier_in_one_call", message_and_barrier_in_one_call},
    {"pipeline", pipeline},
    {0},
};
