/* Ranks that ask again and again whether a message has come, and that probe for it. A loop of calls
 * is one call between two stamps: from the first that finds nothing to the one that finds. */
#include "tests/programs/waits/experiment.h"

enum { kMessages = 3, kLongestPauseNs = 20000 };

/* From rank 1 to rank 0, every 9 ms, with tags 0, step, 2 step, ... */
STEP void send_late_messages(int count, int step) {
  for (int i = 0; i < count; ++i) {
    delayed_until_ms(9 * (i + 1));
    CALL(MPI_Send(&i, 1, MPI_INT, 0, i * step, MPI_COMM_WORLD));
    gives("sent", i);
  }
}

STEP void post_receives(int values[], MPI_Request requests[], int count) {
  for (int i = 0; i < count; ++i)
    CALL(MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]));
}

EXPERIMENT late_sender_test(const struct World* world) {
  if (world->rank == 1) send_late_messages(1, 1);
  if (world->rank != 0) return;
  int value = 0;
  int there = 0;
  MPI_Request request;
  post_receives(&value, &request, 1);
  stamps_call_begins(__func__, "MPI_Test");
  while (!there) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
  stamps_call_ended();
  needs("late_sender_while_polling", "sent", 0);
}

EXPERIMENT late_sender_testsome(const struct World* world) {
  if (world->rank == 1) send_late_messages(kMessages, 1);
  if (world->rank != 0) return;
  int values[kMessages];
  int indices[kMessages];
  MPI_Request requests[kMessages];
  MPI_Status statuses[kMessages]; /* MPICH's MPI_STATUSES_IGNORE looks like a small array to gcc */
  post_receives(values, requests, kMessages);
  for (int left = kMessages; left > 0;) {
    int done = 0;
    stamps_call_begins(__func__, "MPI_Testsome");
    while (done == 0) MPI_Testsome(kMessages, requests, &done, indices, statuses);
    stamps_call_ended();
    for (int i = 0; i < done; ++i) needs("late_sender_while_polling", "sent", indices[i]);
    left -= done;
  }
}

STEP void work_for_us(int microseconds) {
  const int64_t until = stamps_now() + microseconds * INT64_C(1000);
  while (stamps_now() < until) continue;
}

STEP void needs_all_messages(void) {
  for (int i = 0; i < kMessages; ++i) needs("late_sender_while_polling", "sent", i);
}

/* A little work between two tests, longer than what the recorder takes for one call. Where the
 * system takes the core away for longer than what the analysis takes for an interruption, a loop
 * ends there, and another one begins. */
EXPERIMENT late_sender_testall_with_work_between(const struct World* world) {
  if (world->rank == 1) send_late_messages(kMessages, 1);
  if (world->rank != 0) return;
  int values[kMessages];
  int there = 0;
  MPI_Request requests[kMessages];
  MPI_Status statuses[kMessages];
  post_receives(values, requests, kMessages);
  stamps_call_begins(__func__, "MPI_Testall");
  int64_t begin = stamps_now();
  int64_t interrupted = 0;
  for (;;) {
    MPI_Testall(kMessages, requests, &there, statuses);
    if (there) break;
    const int64_t tested = stamps_now();
    work_for_us(10);
    const int64_t pause = stamps_now() - tested;
    if (pause < kLongestPauseNs) continue;
    if (2 * interrupted + pause <= tested - begin) {
      interrupted += pause;
      continue;
    }
    stamps_call_ended_at(tested);
    needs_all_messages();
    stamps_call_begins(__func__, "MPI_Testall");
    begin = stamps_now();
    interrupted = 0;
  }
  stamps_call_ended();
  needs_all_messages();
}

EXPERIMENT late_sender_iprobe(const struct World* world) {
  if (world->rank == 1) send_late_messages(kMessages, 1);
  if (world->rank != 0) return;
  for (int i = 0; i < kMessages; ++i) {
    int value = 0;
    int there = 0;
    MPI_Status status;
    stamps_call_begins(__func__, "MPI_Iprobe");
    while (!there) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    stamps_call_ended();
    needs("late_sender_while_polling", "sent", status.MPI_TAG);
    CALL(MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
  }
}

EXPERIMENT late_sender_improbe(const struct World* world) {
  if (world->rank == 1) send_late_messages(1, 1);
  if (world->rank != 0) return;
  int value = 0;
  int there = 0;
  MPI_Message message;
  stamps_call_begins(__func__, "MPI_Improbe");
  while (!there) MPI_Improbe(1, 0, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
  stamps_call_ended();
  needs("late_sender_while_polling", "sent", 0);
  CALL(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
}

EXPERIMENT late_sender_probe(const struct World* world) {
  if (world->rank == 1) send_late_messages(kMessages, 1);
  if (world->rank != 0) return;
  for (int i = 0; i < kMessages; ++i) {
    int value = 0;
    CALL(MPI_Probe(1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    needs("late_sender", "sent", i);
    CALL(MPI_Recv(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
}

/* The messages have one tag, and are taken in another order than they were found in. */
EXPERIMENT late_sender_mprobe(const struct World* world) {
  if (world->rank == 1) send_late_messages(kMessages, 0);
  if (world->rank != 0) return;
  MPI_Message messages[kMessages];
  for (int i = 0; i < kMessages; ++i) {
    CALL(MPI_Mprobe(1, 0, MPI_COMM_WORLD, &messages[i], MPI_STATUS_IGNORE));
    needs("late_sender", "sent", i);
  }
  for (int i = kMessages; i-- > 0;) {
    int value = 0;
    CALL(MPI_Mrecv(&value, 1, MPI_INT, &messages[i], MPI_STATUS_IGNORE));
  }
}

const struct Experiment kPollingExperiments[] = {
    {"late_sender_test", late_sender_test},
    {"late_sender_testsome", late_sender_testsome},
    {"late_sender_testall_with_work_between", late_sender_testall_with_work_between},
    {"late_sender_iprobe", late_sender_iprobe},
    {"late_sender_improbe", late_sender_improbe},
    {"late_sender_probe", late_sender_probe},
    {"late_sender_mprobe", late_sender_mprobe},
    {0},
};
