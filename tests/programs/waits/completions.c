/* Messages whose end is in another call: Late Sender and Late Receiver at the completion. */
#include "tests/programs/waits/experiment.h"

enum { kMostRanks = 64 };

EXPERIMENT late_sender_irecv_wait(const struct World* world) {
  int value = 0;
  if (world->rank == 1) {
    delayed_until_ms(24);
    CALL(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    gives("sent", 0);
  } else if (world->rank == 0) {
    MPI_Request request;
    CALL(MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
    delayed_until_ms(8); /* computing meanwhile is no waiting */
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", 0);
  }
}

EXPERIMENT late_sender_persistent(const struct World* world) {
  if (world->rank > 1) return;
  int value = 0;
  MPI_Request request;
  if (world->rank == 1)
    CALL(MPI_Send_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
  else
    CALL(MPI_Recv_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
  for (int i = 0; i < 2; ++i) {
    if (world->rank == 1) delayed_until_ms(12 * (i + 1));
    CALL(MPI_Start(&request));
    if (world->rank == 1) gives("sent", i);
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (world->rank == 0) needs("late_sender", "sent", i);
  }
  CALL(MPI_Request_free(&request));
}

STEP void send_late(const struct World* world) {
  int value = world->rank;
  delayed_until_ms(9 * world->rank);
  CALL(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  gives("sent", world->rank);
}

STEP void receive_from_all(const struct World* world, int values[], MPI_Request requests[]) {
  for (int i = 1; i < world->ranks; ++i)
    CALL(MPI_Irecv(&values[i - 1], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i - 1]));
}

EXPERIMENT late_sender_waitall(const struct World* world) {
  int values[kMostRanks];
  MPI_Request requests[kMostRanks];
  MPI_Status statuses[kMostRanks];
  if (world->rank != 0) {
    send_late(world);
    return;
  }
  receive_from_all(world, values, requests);
  CALL(MPI_Waitall(world->ranks - 1, requests, statuses));
  for (int i = 1; i < world->ranks; ++i) needs("late_sender", "sent", i);
}

EXPERIMENT late_sender_waitany(const struct World* world) {
  int values[kMostRanks];
  MPI_Request requests[kMostRanks];
  if (world->rank != 0) {
    send_late(world);
    return;
  }
  receive_from_all(world, values, requests);
  for (int i = 1; i < world->ranks; ++i) {
    int index;
    CALL(MPI_Waitany(world->ranks - 1, requests, &index, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", index + 1);
  }
}

EXPERIMENT late_receiver_issend_wait(const struct World* world) {
  int value = 0;
  if (world->rank == 0) {
    MPI_Request request;
    CALL(MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
    gives("sent", 0);
    delayed_until_ms(5);
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    needs("late_receiver", "posted", 0);
  } else if (world->rank == 1) {
    delayed_until_ms(26);
    CALL(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    gives("posted", 0);
    needs("late_sender", "sent", 0);
  }
}

/* The receive is posted late, and completed later still. */
EXPERIMENT late_receiver_irecv(const struct World* world) {
  int value = 0;
  if (world->rank == 2) {
    CALL(MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    gives("sent", 0);
    needs("late_receiver", "posted", 0);
  } else if (world->rank == 1) {
    MPI_Request request;
    delayed_until_ms(14);
    CALL(MPI_Irecv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request));
    gives("posted", 0);
    delayed_until_ms(20);
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", 0);
  }
}

/* The message arrives while the receiver computes. */
EXPERIMENT nobody_waits_for_an_overlapped_message(const struct World* world) {
  int value = 0;
  if (world->rank == 1) {
    delayed_until_ms(5);
    CALL(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    gives("sent", 0);
  } else if (world->rank == 0) {
    MPI_Request request;
    CALL(MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
    delayed_until_ms(20);
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", 0);
  }
}

/* Who asks again and again, and sleeps in between, does not wait in MPI. */
EXPERIMENT nobody_waits_who_tests(const struct World* world) {
  int value = 0;
  if (world->rank == 1) {
    delayed_until_ms(20);
    CALL(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  } else if (world->rank == 0) {
    MPI_Request request;
    CALL(MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
    int there = 0;
    for (int i = 1; !there; ++i) {
      delayed_until_ms(i);
      CALL(MPI_Test(&request, &there, MPI_STATUS_IGNORE));
    }
  }
}

const struct Experiment kCompletionExperiments[] = {
    {"late_sender_irecv_wait", late_sender_irecv_wait},
    {"late_sender_persistent", late_sender_persistent},
    {"late_sender_waitall", late_sender_waitall},
    {"late_sender_waitany", late_sender_waitany},
    {"late_receiver_issend_wait", late_receiver_issend_wait},
    {"late_receiver_irecv", late_receiver_irecv},
    {"nobody_waits_for_an_overlapped_message", nobody_waits_for_an_overlapped_message},
    {"nobody_waits_who_tests", nobody_waits_who_tests},
    {0},
};
