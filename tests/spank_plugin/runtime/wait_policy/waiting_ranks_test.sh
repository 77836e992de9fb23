#!/usr/bin/env bash
# Tests what huddle record --threads puts into the environment of the ranks of a program, under both MPIs: by how many ranks
# there are, what they are bound to and how large their teams are, and nothing where the user has said it.
# usage: waiting_ranks_test.sh BUILD
set -euo pipefail
. "$(dirname "$0")/../../../openmpi.sh"
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }
cpus=$(nproc)

cat >show.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static const char* value(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? "none" : text;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("rank waits %s %s\n", value("GOMP_SPINCOUNT"), value("KMP_BLOCKTIME"));
  return MPI_Finalize();
}
C

# expect "SPINS MILLISECONDS" NAME=VALUE... : what each of two ranks has, an extended regular expression.
expect() {
  local expected=$1 output
  shift
  output=$(env "$@" timeout 60 "$build/bin/huddle" record --recorder "$build/lib/libhuddle_recorder.so" -o profile.json \
    ${threads:+--threads "$threads"} -- $launcher -n 2 ./show 2>&1) || fail "$mpi $*: status $?"
  [ "$(grep -cE "^rank waits ($expected)\$" <<<"$output")" -eq 2 ] || fail "$mpi ${threads:-} $*: expected $expected twice: $output"
}

tried=0
for mpi in openmpi mpich; do
  command -v "mpicc.$mpi" >/dev/null && command -v "mpiexec.$mpi" >/dev/null || continue
  [ "$mpi" != mpich ] || [ -e "$build/lib/libhuddle_recorder_mpich.so" ] || continue
  tried=$((tried + 1))
  "mpicc.$mpi" -o show show.c
  launcher=mpiexec.$mpi
  threads=auto
  expect "1 0" OMP_NUM_THREADS="$cpus"         # twice as many threads as CPUs
  expect "1 0" OMP_NUM_THREADS=$((cpus + 1))
  expect "none none" OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
  expect "17 none" OMP_NUM_THREADS=1 GOMP_SPINCOUNT=17
  expect "none 5" OMP_NUM_THREADS=1 KMP_BLOCKTIME=5
  [ "$cpus" -lt 2 ] || expect "50000 2|none none|1 0" OMP_NUM_THREADS=1 # as far as this machine has room
  threads=pack
  expect "300 0" OMP_NUM_THREADS=1
  threads=''
  expect "none none" OMP_NUM_THREADS="$cpus"
done
[ "$tried" -gt 0 ] || { echo "neither Open MPI nor MPICH is here"; exit 77; }

threads=some
if "$build/bin/huddle" record --recorder "$build/lib/libhuddle_recorder.so" --threads some -- true 2>errors; then
  fail "--threads some is taken"
fi
grep -q -- '--threads' errors || fail "the error does not name the option: $(cat errors)"
[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
