/* Regions of LLVM's runtime that are called with few and with many arguments, by the same names:
 * fork_N with N of them. Prints sums that do not depend on how it is run. With "exit" it ends
 * inside of a region. */
#include <execinfo.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEN(m, p) m(p##0) m(p##1) m(p##2) m(p##3) m(p##4) m(p##5) m(p##6) m(p##7) m(p##8) m(p##9)
#define HUNDRED(m, p)                                                                        \
  TEN(m, p##0)                                                                               \
  TEN(m, p##1) TEN(m, p##2) TEN(m, p##3) TEN(m, p##4) TEN(m, p##5) TEN(m, p##6) TEN(m, p##7) \
      TEN(m, p##8) TEN(m, p##9)
#define DECLARE(name) long name = ++value;
#define ADD(name) sum = 3 * sum + name;

static long outside, value;
int main(int argc, char** argv);

/* One of the arguments is the sum. */
#define FORK(arguments, variables, arguments_of)     \
  static long fork_##arguments(int threads) {        \
    long total = 0;                                  \
    value = 0;                                       \
    variables(DECLARE) omp_set_num_threads(threads); \
    _Pragma("omp parallel reduction(+ : total)") {   \
      unsigned long sum = 0;                         \
      arguments_of(ADD) total += (long)sum;          \
    }                                                \
    return total;                                    \
  }
#define TWO(m) m(a) m(b)
#define THREE(m) m(a) m(b) m(c)
#define FOUR(m) m(a) m(b) m(c) m(d)
#define FIVE(m) m(a) m(b) m(c) m(d) m(e)
#define SIX(m) m(a) m(b) m(c) m(d) m(e) m(f)
#define SEVEN(m) m(a) m(b) m(c) m(d) m(e) m(f) m(g)
#define THIRTEEN(m) TEN(m, a) THREE(m)
#define FOURTEEN(m) TEN(m, a) FOUR(m)
#define FIFTEEN(m) TEN(m, a) FIVE(m)
#define SIXTEEN(m) TEN(m, a) SIX(m)
#define THIRTY_NINE(m) TEN(m, a) TEN(m, b) TEN(m, c) TEN(m, d) /* 40 with none of the sum */
#define MANY(m) HUNDRED(m, a) HUNDRED(m, b) HUNDRED(m, c) TWO(m)
FORK(3, TWO, TWO)
FORK(4, THREE, THREE)
FORK(5, FOUR, FOUR)
FORK(6, FIVE, FIVE)
FORK(7, SIX, SIX)
FORK(8, SEVEN, SEVEN)
FORK(14, THIRTEEN, THIRTEEN)
FORK(15, FOURTEEN, FOURTEEN)
FORK(16, FIFTEEN, FIFTEEN)
FORK(17, SIXTEEN, SIXTEEN)
FORK(41, THIRTY_NINE, THIRTY_NINE)
FORK(303, MANY, MANY)

static long fork_0(int threads) {
  outside = 0;
  omp_set_num_threads(threads);
#pragma omp parallel
  {
#pragma omp atomic
    outside += 7;
  }
  return outside;
}

/* From inside of a region with many arguments the stack must lead back to main. */
static long way_back(int threads) {
  long found = 0;
  value = 0;
  THIRTEEN(DECLARE)
  omp_set_num_threads(threads);
#pragma omp parallel
  {
    unsigned long sum = 0;
    THIRTEEN(ADD)
#pragma omp master
    {
      void* frames[64];
      const int depth = backtrace(frames, 64);
      const char* begin = (const char*)(void*)&main;
      for (int i = 0; i < depth; ++i)
        found +=
            sum != 0 && (const char*)frames[i] > begin && (const char*)frames[i] < begin + 2000;
    }
  }
  return found;
}

/* Teams, serialized regions and inner ones take arguments, too. */
static long league(int teams) {
  long total = 0;
  value = 0;
  THIRTEEN(DECLARE)
#pragma omp teams num_teams(teams) thread_limit(1) reduction(+ : total)
  {
    unsigned long sum = 0;
    THIRTEEN(ADD)
    total += omp_get_num_teams() == teams ? (long)sum : 0;
  }
  return total;
}

static long serialized(int no) {
  long total = 0;
  value = 0;
  THIRTEEN(DECLARE)
#pragma omp parallel if (no) reduction(+ : total)
  {
    unsigned long sum = 0;
    THIRTEEN(ADD)
    total += (long)sum;
#pragma omp parallel if (no) reduction(+ : total)
    total += 1;
#pragma omp parallel num_threads(2) reduction(+ : total)
    total += omp_get_level();
  }
  return total;
}

static long inner(int threads) {
  long total = 0;
  value = 0;
  FIVE(DECLARE)
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
#pragma omp parallel num_threads(2) reduction(+ : total)
    {
      unsigned long sum = 0;
      FIVE(ADD)
      total += (long)sum;
      /* In an inner team: no region of its own. */
#pragma omp parallel num_threads(2) reduction(+ : total)
      total += 1;
    }
  }
  return total;
}

int main(int argc, char** argv) {
  static long (*const forks[])(int) = {fork_0,   fork_3,   fork_4,  fork_5,  fork_6,  fork_7,
                                       fork_8,   fork_14,  fork_15, fork_16, fork_17, fork_41,
                                       fork_303, way_back, league,  inner};
  enum { FORKS = sizeof forks / sizeof *forks };
  const int passes = argc > 1 ? atoi(argv[1]) : 10;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  for (int i = 0; i < passes; ++i) {
    for (int k = 0; k < FORKS; ++k) {
      const long sum = forks[k](1 + (i + k) % 3);
      if (rank == 0) printf("%d %d %ld\n", i, k, sum);
    }
    const long alone = serialized(0);
    if (rank == 0) printf("%d serialized %ld\n", i, alone);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (argc > 2 && strcmp(argv[2], "exit") == 0) {
#pragma omp parallel num_threads(2)
    {
#pragma omp master
      exit(0);
    }
  }
  return 0;
}
