#!/usr/bin/env bash
# Ranks whose teams are packed in another way at each region (HUDDLE_TEAMS=shake) compute, bit by bit, what they compute without the
# recorder, in C (built by GCC and by clang) and Fortran, with both MPIs; they see the processors and masks that they see without it; and
# users who bind their threads are obeyed.
# usage: shaken_ranks_test.sh BUILD [RUNS]
set -euo pipefail
. "$(dirname "$0")/../../../openmpi.sh"
build=$1 runs=${2:-3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }
failures=0
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }

cat >teams.c <<'C'
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static double own;
#pragma omp threadprivate(own)

/* A loop that is split by a count learnt outside of the region: one thread less would lose work. */
static double split(int rank) {
  static double values[4096];
  const int threads = omp_get_max_threads(), part = 4096 / threads;
  for (int step = 0; step < 100; ++step) {
#pragma omp parallel
    for (int i = omp_get_thread_num() * part; i < (omp_get_thread_num() + 1) * part; ++i)
      values[i] = sin(values[i] + step + rank) * 1.25 + i;
  }
  double sum = 0;
  for (int i = 0; i < 4096; ++i) sum += values[i];
  return sum;
}

static double kept(void) {
  double all[4];
#pragma omp parallel
  own = omp_get_thread_num();
  for (int step = 0; step < 100; ++step) {
#pragma omp parallel
    own = cos(own + step) + own / 3;
  }
#pragma omp parallel
  all[omp_get_thread_num()] = own;
  return all[0] + 3 * all[1] + 5 * all[2] + 7 * all[3];
}

static long fibonacci(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static double tasks_and_nested(void) {
  long sum = 0;
  double cells[8] = {0};
  omp_set_max_active_levels(2);
  for (int step = 0; step < 20; ++step) {
#pragma omp parallel
#pragma omp single
    sum += fibonacci(10);
#pragma omp parallel num_threads(4)
    {
      const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
      cells[2 * outer + omp_get_thread_num()] += sin(outer + step);
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(3)
    for (int i = 0; i < 8; ++i) cells[i] = cells[i] * 1.5 + i;
  }
  double total = (double)sum;
  for (int i = 0; i < 8; ++i) total = total * 0.5 + cells[i];
  return total;
}

/* A thread of its own, with its own team, that sends messages meanwhile. */
static double received[50];
static void* exchange(void* argument) {
  const int rank = *(int*)argument;
  for (int step = 0; step < 50; ++step) {
    double part[2] = {0, 0};
#pragma omp parallel num_threads(2)
    part[omp_get_thread_num()] = sin(step + rank + omp_get_thread_num());
    const double mine = part[0] + part[1];
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 1 - rank, 7, &received[step], 1, MPI_DOUBLE, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t other;
  if (provided == MPI_THREAD_MULTIPLE) pthread_create(&other, NULL, exchange, &rank);
  double results[4] = {split(rank), kept(), tasks_and_nested(), 0};
  if (provided == MPI_THREAD_MULTIPLE) {
    pthread_join(other, NULL);
    for (int i = 0; i < 50; ++i) results[3] = results[3] * 0.5 + received[i];
  }
  double all[4];
  MPI_Reduce(results, all, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("result %a %a %a %a\n", all[0], all[1], all[2], all[3]);
  return MPI_Finalize();
}
C
# Its teams are as large as the processors that it sees, and it ends if that changes, as CP2K does.
cat >masks.c <<'C'
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* For OMP_DYNAMIC, as if nobody used the machine. */
int getloadavg(double* loads, int count) {
  for (int i = 0; i < count; ++i) loads[i] = 0;
  return count;
}

static int processors(const cpu_set_t* set) { return CPU_COUNT(set); }

static void* new_thread(void* seen) {
  char line[256];
  FILE* const file = fopen("/proc/thread-self/status", "r"); /* as the kernel sees it */
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "Cpus_allowed: %lx", (unsigned long*)seen);
  if (file != NULL) fclose(file);
  return NULL;
}

static long look(void) {
  cpu_set_t set;
  long sum = omp_get_num_procs() + 3 * sysconf(_SC_NPROCESSORS_ONLN) + 5 * get_nprocs();
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  sum += 7 * processors(&set);
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  sum += 11 * processors(&set);
  CPU_ZERO(&set);
  syscall(SYS_sched_getaffinity, 0, sizeof set, &set);
  sum += 13 * processors(&set);
  return sum * 17 + (sched_getcpu() >= 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int first = omp_get_num_procs();
  long sum = 0;
  for (int step = 0; step < 200; ++step) {
    int size = 0;
    long seen = 0;
#pragma omp parallel num_threads(omp_get_num_procs()) reduction(+ : seen)
    {
      seen += look();
      if (step % 50 == 7) {
        unsigned long mask = 0;
        pthread_t thread;
        pthread_create(&thread, NULL, new_thread, &mask);
        pthread_join(thread, NULL);
        seen += (long)mask;
      }
#pragma omp single
      size = omp_get_num_threads();
    }
    if (size != first) {
      printf("Thread number has changed: %d, was %d\n", size, first);
      MPI_Abort(MPI_COMM_WORLD, 7);
    }
    sum += seen + look();
    omp_set_dynamic(1);
#pragma omp parallel
#pragma omp single
    sum += 100 * omp_get_num_threads();
    omp_set_dynamic(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  FILE* const nproc = popen("nproc", "r");
  int count = 0;
  if (nproc != NULL && fscanf(nproc, "%d", &count) == 1) sum += count;
  if (nproc != NULL) pclose(nproc);
  long all = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("result %ld\n", all);
  return MPI_Finalize();
}
C
cat >teams.f90 <<'F'
program teams
  use omp_lib
  implicit none
  include 'mpif.h'
  integer, parameter :: size_of = 2048
  double precision :: values(size_of), total, all
  integer :: failure, rank, step, i, part, first
  call MPI_Init(failure)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failure)
  part = size_of / omp_get_max_threads()
  values = rank
  do step = 1, 100
    !$omp parallel private(i, first)
    first = omp_get_thread_num() * part
    do i = first + 1, first + part
      values(i) = sin(values(i) + step) * 1.25d0 + i
    end do
    !$omp end parallel
    !$omp parallel do schedule(dynamic, 16)
    do i = 1, size_of
      values(i) = values(i) * 0.75d0 + step
    end do
  end do
  total = sum(values)
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, failure)
  if (rank == 0) write (*, '(A,Z16.16)') 'result ', transfer(all, 1_8)
  call MPI_Finalize(failure)
end program
F

tried=0
# libomp's way for OMP_DYNAMIC that does not look at what else runs.
export OMP_NUM_THREADS=4 KMP_DYNAMIC_MODE=thread_limit
shake() { # MPI PROGRAM [NAME=VALUE]...: sets $profile_says
  local mpi=$1 program=$2 expected found
  shift 2
  expected=$(timeout 120 "mpiexec.$mpi" -n 2 "./$program" | grep '^result') || fail "$mpi $program does not run"
  for ((run = 0; run < runs; ++run)); do
    found=$(env HUDDLE_TEAMS=shake "$@" timeout 120 "$build/bin/huddle" record --recorder "$build/lib/libhuddle_recorder.so" --threads pack -o profile.json -- \
      "mpiexec.$mpi" -n 2 "./$program" 2>errors | grep '^result') || fail "$mpi $program ended: $(cat errors)"
    [ "$found" = "$expected" ] || fail "$mpi $program: $found, expected $expected"
  done
  profile_says=$("$build/bin/huddle" show profile.json)
}
for mpi in openmpi mpich; do
  command -v "mpicc.$mpi" >/dev/null && command -v "mpiexec.$mpi" >/dev/null || continue
  [ "$mpi" != mpich ] || [ -e "$build/lib/libhuddle_recorder_mpich.so" ] || continue
  programs=(teams masks)
  for program in teams masks; do "mpicc.$mpi" -O1 -fopenmp -pthread -o "$program" "$program.c" -lm; done
  # LLVM's runtime, where clang and libomp-dev are here.
  for program in teams masks; do
    ! OMPI_CC=clang MPICH_CC=clang "mpicc.$mpi" -O1 -fopenmp -pthread -w -o "${program}_llvm" "$program.c" -lm 2>/dev/null ||
      programs+=("${program}_llvm")
  done
  ! "mpifort.$mpi" -O1 -fopenmp -o teams_fortran teams.f90 2>/dev/null || programs+=(teams_fortran)
  for program in "${programs[@]}"; do
    tried=$((tried + 1))
    shake "$mpi" "$program"
    grep -qE 'Teams were packed at random, [0-9]{2,} times' <<<"$profile_says" || fail "$mpi $program was not shaken: $profile_says"
    echo "$mpi $program: $runs runs"
  done
  shake "$mpi" teams OMP_PROC_BIND=true
  grep -q 'Threads were not packed: OMP_PROC_BIND says where threads run' <<<"$profile_says" || fail "$mpi: no note: $profile_says"
done
[ "$tried" -gt 0 ] || { echo "neither Open MPI nor MPICH is here"; exit 77; }
[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
