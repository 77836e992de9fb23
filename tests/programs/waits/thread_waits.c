/* Three OpenMP threads wait for each other at a barrier and at the end of a parallel region. Prints
 * a line for each thread and barrier, by its own clock:
 *   expect explicit|implicit SECONDS
 * Uses nothing but OpenMP, so that EZTrace's compiler can build it: eztrace_cc gcc -fopenmp. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { kThreads = 3, kBarriers = 2 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void delayed_by_ms(int milliseconds) {
  const struct timespec time = {.tv_sec = 0, .tv_nsec = milliseconds * 1000000L};
  nanosleep(&time, NULL);
}

static void print_waits(const char* barrier, const double came[kThreads]) {
  double last = came[0];
  for (int i = 1; i < kThreads; ++i)
    if (came[i] > last) last = came[i];
  for (int i = 0; i < kThreads; ++i) printf("expect %s %.9f\n", barrier, last - came[i]);
}

int main(void) {
  double came[kBarriers][kThreads];
#pragma omp parallel num_threads(kThreads)
  {
    const int thread = omp_get_thread_num();
    delayed_by_ms(15 * (thread + 1));
    came[0][thread] = now();
#pragma omp barrier
    delayed_by_ms(12 * (kThreads - thread));
    came[1][thread] = now();
  }
  print_waits("explicit", came[0]);
  print_waits("implicit", came[1]);
  return 0;
}
