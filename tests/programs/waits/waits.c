/* Makes wait states of known length, one experiment after the other: all, or those that
 * are named.
 *   waits DIRECTORY [EXPERIMENT ...]
 *   waits --list
 * Each rank writes to DIRECTORY when its calls of MPI began and ended (see call_stamps.h). At least
 * three ranks, all on one machine. An experiment is a function of its name; it begins at a time
 * that was agreed on at the start, so that no message stands between two of them. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/programs/waits/experiment.h"

static const struct Experiment* const kFamilies[] = {
    kMessageExperiments,  kCompletionExperiments, kCollectiveExperiments, kNonblockingExperiments,
    kOneSidedExperiments, kCombinedExperiments,   kPollingExperiments,
};
enum {
  kFamilyCount = sizeof kFamilies / sizeof kFamilies[0],
  kSlotMs = 60,
  kLeadMs = 30,
  kMostExperiments = 128,
};

static int all_experiments(struct Experiment list[kMostExperiments]) {
  int count = 0;
  for (int family = 0; family < kFamilyCount; ++family)
    for (const struct Experiment* next = kFamilies[family]; next->name != NULL; ++next)
      list[count++] = *next;
  return count;
}

static bool is_wanted(const char* name, int names, char* wanted[]) {
  for (int i = 0; i < names; ++i)
    if (strcmp(name, wanted[i]) == 0) return true;
  return names == 0;
}

static int wanted_experiments(struct Experiment list[kMostExperiments], int names, char* wanted[]) {
  const int count = all_experiments(list);
  int kept = 0;
  for (int i = 0; i < count; ++i)
    if (is_wanted(list[i].name, names, wanted)) list[kept++] = list[i];
  return kept;
}

STEP int64_t agree_on_start(const struct World* world) {
  stamps_experiment("agree_on_start", 0);
  CALL(MPI_Barrier(MPI_COMM_WORLD));
  meets("wait_at_barrier");
  int64_t start = stamps_now() + (int64_t)kLeadMs * 1000000;
  CALL(MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD));
  if (world->rank == 0)
    gives("handed_out", 0);
  else
    needs("late_broadcast", "handed_out", 0);
  return start;
}

STEP void set_up(struct World* world, int* memory, const char* directory) {
  MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world->ranks);
  stamps_of(world->rank);
  MPI_Comm_split(MPI_COMM_WORLD, world->rank == 0 ? MPI_UNDEFINED : 0, -world->rank,
                 &world->others);
  MPI_Win_create(memory, kWindowInts * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &world->window);
  char name[4096];
  snprintf(name, sizeof name, "%s/accessed", directory);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &world->file);
}

STEP void tear_down(struct World* world) {
  MPI_File_close(&world->file);
  MPI_Win_free(&world->window);
  if (world->others != MPI_COMM_NULL) MPI_Comm_free(&world->others);
}

STEP void run_experiments(const struct World* world, const struct Experiment list[], int count) {
  const int64_t start = agree_on_start(world);
  for (int i = 0; i < count; ++i) {
    stamps_experiment(list[i].name, start + (int64_t)i * kSlotMs * 1000000);
    delayed_until_ms(0);
    list[i].run(world);
  }
  stamps_experiment("end", start + (int64_t)count * kSlotMs * 1000000);
  delayed_until_ms(0);
}

int main(int argc, char** argv) {
  struct Experiment list[kMostExperiments];
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    const int count = all_experiments(list);
    for (int i = 0; i < count; ++i) puts(list[i].name);
    return 0;
  }
  const int count = argc < 2 ? 0 : wanted_experiments(list, argc - 2, argv + 2);
  if (count == 0) {
    fprintf(stderr, "usage: %s DIRECTORY [EXPERIMENT ...]; --list names the experiments\n",
            argv[0]);
    return 2;
  }
  static int memory[kWindowInts];
  struct World world;
  MPI_Init(&argc, &argv);
  set_up(&world, memory, argv[1]);
  if (world.ranks < 3) {
    if (world.rank == 0) fprintf(stderr, "%s: %d ranks; 3 are needed\n", argv[0], world.ranks);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  run_experiments(&world, list, count);
  tear_down(&world);
  MPI_Finalize();
  return stamps_write(argv[1]);
}
