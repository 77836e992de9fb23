/* Ranks whose efficiency is known, and measured by the program itself: around its own calls of MPI, and by its threads.
   usage: known_loads late STEPS MS     rank 0 works twice as long as the others until all meet
          known_loads chain STEPS MS    each rank works when the one before it has done so: they share no time
          known_loads teams STEPS MS    one thread works, then a team of two of which the first has three times as much
          known_loads ends STEPS MS     rank 0 works twice as long as the others, and nobody meets before the end
          known_loads short CALLS MS    so many calls follow one another, quickly, between pieces of work
   To work is to sleep here: then it takes as long on a busy machine. Rank 0 prints (but of ends), in percent, on one line
   parallel P load_balance L communication C openmp O serialisation S. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double in_mpi, useful, idle_outside_teams;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double work(int ms) {
  const double begin = now();
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
  return now() - begin;
}

static void meet(void) {
  const double begin = now();
  double own = 1, sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  in_mpi += now() - begin;
}

static void late(int rank, int steps, int ms) {
  for (int i = 0; i < steps; ++i) {
    useful += work(rank == 0 ? 2 * ms : ms);
    meet();
  }
}

static void chain(int rank, int ranks, int steps, int ms) {
  int token = 0;
  for (int i = 0; i < steps; ++i) {
    double begin = now();
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in_mpi += now() - begin;
    useful += work(ms);
    begin = now();
    if (rank + 1 < ranks) MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    in_mpi += now() - begin;
    meet();
  }
}

static void teams(int steps, int ms) {
  for (int i = 0; i < steps; ++i) {
    const double alone = work(ms);
    useful += alone;
    idle_outside_teams += alone;
    double of_team = 0;
#pragma omp parallel num_threads(2) reduction(+ : of_team)
    of_team += work(omp_get_thread_num() == 0 ? 3 * ms : ms);
    useful += of_team;
    meet();
  }
}

static void many_calls(int rank, int calls, int ms) {
  for (int piece = 0; piece < 10; ++piece) {
    useful += work(ms);
    const double begin = now();
    for (int i = 0; i < calls / 10; ++i) {
      MPI_Request request;
      int token = i;
      MPI_Isend(&token, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
      MPI_Recv(&token, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    in_mpi += now() - begin;
    meet();
  }
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int steps = atoi(argv[2]), ms = atoi(argv[3]);
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const double begin = now();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int threads = strcmp(argv[1], "teams") == 0 ? 2 : 1;
  if (strcmp(argv[1], "late") == 0) late(rank, steps, ms);
  if (strcmp(argv[1], "chain") == 0) chain(rank, ranks, steps, ms);
  if (strcmp(argv[1], "teams") == 0) teams(steps, ms);
  if (strcmp(argv[1], "short") == 0) many_calls(rank, steps, ms);
  if (strcmp(argv[1], "ends") == 0) {
    work((rank == 0 ? 2 : 1) * steps * ms);
    return MPI_Finalize();
  }
  const double elapsed = now() - begin;
  double own[3] = {elapsed - in_mpi, useful, idle_outside_teams}, sums[3], longest[2];
  const double times[2] = {elapsed, elapsed - in_mpi};
  MPI_Reduce(own, sums, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(times, longest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("parallel %.2f load_balance %.2f communication %.2f openmp %.2f serialisation %.2f\n",
           100 * sums[1] / (threads * ranks * longest[0]), 100 * sums[0] / ranks / longest[1], 100 * longest[1] / longest[0],
           100 * sums[1] / (threads * sums[0]), 100 * sums[1] / (sums[1] + sums[2]));
  return MPI_Finalize();
}
