/* Blocking messages: Late Sender and Late Receiver. */
#include <stdlib.h>

#include "tests/programs/waits/experiment.h"

EXPERIMENT late_sender_recv(const struct World* world) {
  int value = world->rank;
  if (world->rank == 1) {
    delayed_until_ms(20);
    CALL(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    gives("sent", 0);
  } else if (world->rank == 0) {
    CALL(MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", 0);
  }
}

EXPERIMENT late_sender_of_a_large_message(const struct World* world) {
  char* large = calloc(kLargeMessage, 1);
  if (world->rank == 1) {
    delayed_until_ms(15);
    CALL(MPI_Send(large, kLargeMessage, MPI_CHAR, 2, 0, MPI_COMM_WORLD));
    gives("sent", 0);
    needs("late_receiver", "posted", 0);
  } else if (world->rank == 2) {
    CALL(MPI_Recv(large, kLargeMessage, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    gives("posted", 0);
    needs("late_sender", "sent", 0);
  }
  free(large);
}

EXPERIMENT late_sender_any_source(const struct World* world) {
  int value = world->rank;
  if (world->rank != 0) {
    delayed_until_ms(10 * world->rank);
    CALL(MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD));
    gives("sent", world->rank);
    return;
  }
  for (int i = 1; i < world->ranks; ++i) {
    MPI_Status status;
    CALL(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    needs("late_sender", "sent", status.MPI_SOURCE);
  }
}

EXPERIMENT late_sender_several(const struct World* world) {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    if (world->rank == 2) {
      delayed_until_ms(8 * (i + 1));
      CALL(MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD));
      gives("sent", i);
    } else if (world->rank == 1) {
      CALL(MPI_Recv(&value, 1, MPI_INT, 2, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      needs("late_sender", "sent", i);
    }
  }
}

/* Its ranks have other numbers in the communicator than in the world. */
EXPERIMENT late_sender_subcommunicator(const struct World* world) {
  if (world->others == MPI_COMM_NULL) return;
  int value = 0;
  const int last = world->ranks - 1;
  if (world->rank == last) { /* rank 0 there */
    delayed_until_ms(25);
    CALL(MPI_Send(&value, 1, MPI_INT, world->ranks - 2, 0, world->others));
    gives("sent", 0);
  } else if (world->rank == 1) { /* the last one there */
    CALL(MPI_Recv(&value, 1, MPI_INT, 0, 0, world->others, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", 0);
  }
}

EXPERIMENT late_sender_sendrecv(const struct World* world) {
  if (world->rank > 1) return;
  int out = 0;
  int in = 0;
  const int other = 1 - world->rank;
  delayed_until_ms(world->rank == 0 ? 18 : 2);
  CALL(MPI_Sendrecv(&out, 1, MPI_INT, other, 0, &in, 1, MPI_INT, other, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
  gives("sent", world->rank);
  needs("late_sender", "sent", other);
}

/* The message is there long before it is asked for. */
EXPERIMENT nobody_waits_for_an_early_message(const struct World* world) {
  int value = 0;
  if (world->rank == 0) {
    CALL(MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    gives("sent", 0);
    needs("late_receiver", "posted", 0);
  } else if (world->rank == 1) {
    delayed_until_ms(15);
    CALL(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    gives("posted", 0);
    needs("late_sender", "sent", 0);
  }
}

EXPERIMENT late_receiver_ssend(const struct World* world) {
  int value = 0;
  if (world->rank == 0) {
    CALL(MPI_Ssend(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
    gives("sent", 0);
    needs("late_receiver", "posted", 0);
  } else if (world->rank == 2) {
    delayed_until_ms(22);
    CALL(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    gives("posted", 0);
    needs("late_sender", "sent", 0);
  }
}

EXPERIMENT late_receiver_of_a_large_message(const struct World* world) {
  char* large = calloc(kLargeMessage, 1);
  if (world->rank == 0) {
    CALL(MPI_Send(large, kLargeMessage, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
    gives("sent", 0);
    needs("late_receiver", "posted", 0);
  } else if (world->rank == 1) {
    delayed_until_ms(16);
    CALL(MPI_Recv(large, kLargeMessage, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    gives("posted", 0);
    needs("late_sender", "sent", 0);
  }
  free(large);
}

/* Rank 1 is late; rank 2 waits for it, and rank 0 for rank 2. */
EXPERIMENT late_sender_passed_on(const struct World* world) {
  int value = 0;
  if (world->rank == 1) {
    delayed_until_ms(20);
    CALL(MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD));
    gives("sent", 1);
  } else if (world->rank == 2) {
    CALL(MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", 1);
    CALL(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    gives("sent", 2);
  } else if (world->rank == 0) {
    CALL(MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", 2);
  }
}

const struct Experiment kMessageExperiments[] = {
    {"late_sender_passed_on", late_sender_passed_on},
    {"late_sender_recv", late_sender_recv},
    {"late_sender_of_a_large_message", late_sender_of_a_large_message},
    {"late_sender_any_source", late_sender_any_source},
    {"late_sender_several", late_sender_several},
    {"late_sender_subcommunicator", late_sender_subcommunicator},
    {"late_sender_sendrecv", late_sender_sendrecv},
    {"nobody_waits_for_an_early_message", nobody_waits_for_an_early_message},
    {"late_receiver_ssend", late_receiver_ssend},
    {"late_receiver_of_a_large_message", late_receiver_of_a_large_message},
    {0},
};
