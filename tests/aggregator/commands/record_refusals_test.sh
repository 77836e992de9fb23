#!/usr/bin/env bash
# huddle record harms no program, under both MPIs: one that the recorder would end, or can't be in, prints and ends as without
# Huddle, whoever starts it, and one line says why there is no profile.
# usage: record_refusals_test.sh BUILD
set -euo pipefail
. "$(dirname "$0")/../../openmpi.sh"
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }
unset LD_PRELOAD HUDDLE_PROFILE

cat >ranks.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, sum = 0, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return argc > 1 ? 7 : 0;
}
C
cat >dies.c <<'C'
#include <mpi.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && !strcmp(argv[1], "mpi")) MPI_Send(0, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); /* no such rank */
  if (argc > 1 && !strcmp(argv[1], "late")) sleep(4);
  if (argc > 1 && !strcmp(argv[1], "segv")) *(volatile int*)0 = 1;
  _exit(0);
}
C
printf '#!/bin/sh\nexec "$@"\n' >wrapper
printf '#!/bin/sh\nmpirun=$1; shift; exec "$mpirun" "$@"\n' >script
printf 'int main(void) { return 0; }\n' >nothing.c
gcc -static -o static_tool nothing.c
printf '#!/bin/sh\n./static_tool\nexec "$@"\n' >busy_wrapper
chmod 0755 wrapper script busy_wrapper

record() { # COMMAND...: its output is in out, what was said in err, its status in status
  rm -f profile.json
  status=0
  timeout 100 "$build/bin/huddle" record --quiet --recorder "$build/lib/libhuddle_recorder.so" -- "$@" >out 2>err || status=$?
  [ -z "$(find . -name '*refused*')" ] || fail "$*: left $(find . -name '*refused*')"
}

# expect_no_profile REASON COMMAND...: as without Huddle, but for a line.
expect_no_profile() {
  local reason=$1 plain_status=0
  shift
  timeout 100 "$@" >plain 2>plain_err || plain_status=$?
  record "$@"
  [ "$status" = "$plain_status" ] || fail "$*: status $status, without Huddle $plain_status: $(cat err)"
  cmp -s plain out || fail "$*: prints $(cat out), without Huddle $(cat plain)"
  [ ! -e profile.json ] || fail "$*: there is a profile"
  [ "$(grep -c '^huddle: ' err)" = 1 ] || fail "$*: said $(cat err)"
  grep -qE "^huddle: no profile was written to profile.json: $reason\$" err || fail "$*: expected '$reason', said $(cat err)"
  ! grep -qE 'ASan|ld\.so' err || fail "$*: said $(cat err)"
}

expect_profile() { # COMMAND...
  record "$@"
  [ "$status" = 0 ] && [ -e profile.json ] || fail "$*: status $status, said $(cat err)"
  [ "$(cat out)" = "sum 2" ] || fail "$*: prints $(cat out)"
  [ ! -s err ] || fail "$*: said $(cat err)"
}

# Programs that the recorder saw begin, and end without MPI_Finalize.
expect_early_end() { # COMMAND...
  record "$@"
  [ ! -e profile.json ] || fail "$*: there is a profile"
  grep -q '^huddle: no profile was written to profile.json: dies (2 ranks) began with the recorder, and ended without MPI_Finalize in the first two seconds' err ||
    fail "$*: said $(cat err)"
}

tried=0
for mpi in openmpi mpich; do
  command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null || continue
  [ "$mpi" != mpich ] || [ -e "$build/lib/libhuddle_recorder_mpich.so" ] || continue
  tried=$((tried + 1))
  "mpicc.$mpi" -o ranks ranks.c
  "mpicc.$mpi" -fsanitize=address -o sanitized ranks.c
  export ASAN_OPTIONS=detect_leaks=0 # of MPI's
  launcher=(mpirun.$mpi -np 2)
  expect_profile "${launcher[@]}" ./ranks
  expect_profile "${launcher[@]}" ./wrapper ./ranks
  expect_profile ./script "${launcher[@]}" ./ranks
  expect_profile "${launcher[@]}" ./busy_wrapper ./ranks
  expect_no_profile './sanitized has a sanitizer' "${launcher[@]}" ./sanitized
  expect_no_profile './sanitized has a sanitizer' "${launcher[@]}" ./sanitized ends-with-7
  expect_no_profile './sanitized has a sanitizer' "${launcher[@]}" ./wrapper ./sanitized
  expect_no_profile '(.*/)?sanitized has a sanitizer' "${launcher[@]}" sh -c 'exec ./sanitized'
  expect_no_profile '(.*/)?static_tool is linked statically' "${launcher[@]}" ./static_tool
  expect_no_profile './sanitized has a sanitizer' ./sanitized
  "mpicc.$mpi" -w -o dies dies.c
  for how in mpi segv _exit; do expect_early_end "${launcher[@]}" ./dies $how; done
  # Both programs of one command have a profile.
  record sh -c "${launcher[*]} ./ranks; ${launcher[*]} ./ranks"
  grep -qx 'huddle: 2 profiles: profile.json (ranks, 2 ranks), profile-2.json (ranks, 2 ranks)' err || fail "two programs: said $(cat err)"
  [ -e profile.json ] && [ -e profile-2.json ] || fail "two programs: $(ls)"
  rm -f profile-2.json
  # And a trace, of which each is named; that of a program which is cut short is made of what it left.
  rm -rf traces && mkdir traces
  timeout 100 "$build/bin/huddle" record --quiet --recorder "$build/lib/libhuddle_recorder.so" --trace=traces/run -- \
    sh -c "${launcher[*]} ./ranks; mpirun.$mpi -np 3 ./ranks; ${launcher[*]} ./dies late" >out 2>err || true
  for line in 'the trace (ranks, 2 ranks) is traces/run; where ranks waited, says: huddle waitstates traces/run' \
    'the trace (ranks, 3 ranks) is traces/run-2; where ranks waited, says: huddle waitstates traces/run-2' \
    'the trace (dies, 2 ranks) is traces/run-3; where ranks waited, says: huddle waitstates traces/run-3'; do
    grep -qxF "huddle: $line" err || fail "traces of several programs: expected '$line', said $(cat err)"
  done
  for trace in run:2 run-2:3 run-3:2; do
    "$build/bin/huddle" show "traces/${trace%:*}" | grep -qE "^ranks +${trace#*:} " || fail "the trace ${trace%:*} of several: $(ls traces)"
  done
  rm -f profile-2.json profile-3.json
  printf '#!/bin/sh\nexec %s ./sanitized\n' "${launcher[*]}" >hidden && chmod +x hidden
  expect_no_profile './sanitized has a sanitizer' ./hidden
done
[ "$tried" -gt 0 ] || { echo "neither Open MPI nor MPICH is here"; exit 77; }
expect_no_profile "did sh start a program that is linked with Open MPI or MPICH\?" sh -c :
expect_no_profile './static_tool is linked statically' ./static_tool
if [ "$(id -u)" = 0 ]; then
  install -m 4755 ranks privileged
  expect_no_profile './privileged is set-uid or set-gid, or has capabilities' ./privileged
fi
[ "$failures" -eq 0 ]
