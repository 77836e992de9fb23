/* Declarations that the experiments of this folder share: each is a function that makes one wait
 * state, or a few that belong together, of known length. */
#pragma once

#include <mpi.h>

#include "tests/programs/waits/call_stamps.h"

struct World {
  int rank;
  int ranks;       /* 3 or more */
  MPI_Comm others; /* all but rank 0, in reverse order; MPI_COMM_NULL on rank 0 */
  MPI_Win window;  /* of all ranks, kWindowInts each */
  MPI_File file;   /* of all ranks */
};

enum { kWindowInts = 1024, kLargeMessage = 1 << 22 };

struct Experiment {
  const char* name;
  void (*run)(const struct World* world);
};

/* Experiments by family, each list ended by one without name. */
extern const struct Experiment kMessageExperiments[];
extern const struct Experiment kCompletionExperiments[];
extern const struct Experiment kCollectiveExperiments[];
extern const struct Experiment kNonblockingExperiments[];
extern const struct Experiment kOneSidedExperiments[];
extern const struct Experiment kCombinedExperiments[];
extern const struct Experiment kPollingExperiments[];

/* Functions that wait states are distinguished by must be there at run time. */
#define STEP static __attribute__((noinline))
#define EXPERIMENT STEP void

/* Makes one call of MPI between two stamps. */
#define CALL(call)                       \
  do {                                   \
    stamps_call_begins(__func__, #call); \
    call;                                \
    stamps_call_ended();                 \
  } while (0)

/* Note what the last CALL gives and needs. */
static inline void gives(const char* tag, int number) {
  stamps_gives(tag, number);
}
static inline void needs(const char* pattern, const char* tag, int number) {
  stamps_needs(pattern, tag, number);
}

/* The last CALL was an operation in which all ranks of a communicator wait for all others. */
static inline void meets(const char* pattern) {
  gives("all", 0);
  needs(pattern, "all", 0);
}
