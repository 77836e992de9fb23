#!/bin/bash
# Records programs just as Debian packages ship them: ScaLAPACK's tests (scalapack-mpi-test) and hpcc. One case a call:
#   RECORDER=libhuddle_recorder.so COMPARE=compare_matrix MPI=openmpi \
#     debian_programs_test.sh scalapack_equals_monitoring xdqr
# Exits with 77 (skipped) if the package is not installed.
set -u
. "$(dirname "$0")/recorder_lib.sh"

skip() {
  echo "SKIPPED: $*"
  exit 77
}

# Open MPI's default exchanges of all with all start persistent sends, which the monitoring takes for the program's own.
# Pairwise exchanges are inside the collective for both.
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
export OMPI_MCA_coll_tuned_alltoall_algorithm=2 OMPI_MCA_coll_tuned_alltoallv_algorithm=2

# Makes the working directory one where ScaLAPACK's tests find their input; sets scalapack_PROGRAM.
enter_scalapack() { # LIBRARY PROGRAM
  local found
  found=$(find /usr/lib -path "*/scalapack/$1-tests/$2" 2>/dev/null | head -n 1)
  [ -n "$found" ] || skip "no $2 of scalapack-mpi-test for $1"
  cp -L "${found%/*}"/*.dat "$work" || fail "no input for $2"
  cd "$work" || exit 1
  scalapack_program=$found
}

# Prints what a run prints but for its times and rates.
without_times() { # FILE
  sed -E 's/[0-9]*\.[0-9]*(E[+-]?[0-9]+)?//g; s/ +/ /g' "$1"
}

all_passed() { # FILE
  grep -qE '^ *[1-9][0-9]* tests completed and passed' "$1" || fail "no test passed: $(tail -n 5 "$1")"
  grep -qE '^ *0 tests completed and failed' "$1" || fail "tests failed: $(tail -n 5 "$1")"
}

scalapack_equals_monitoring() { # PROGRAM
  enter_scalapack openmpi "$1"
  same_as_monitoring "$1" 4 "$scalapack_program" >"$work/output"
  all_passed "$work/output"
  tail -n 1 "$work/output"
  grep -q '^pairs [1-9]' "$work/output" || fail "there was nothing to compare"
}

scalapack_prints_the_same() { # PROGRAM
  enter_scalapack "$MPI" "$1"
  mpi 2 "$scalapack_program" >"$work/plain" 2>&1 || fail "without the recorder: status $?"
  record "$work/p.json" 2 "$scalapack_program" >"$work/recorded" 2>&1 || fail "with the recorder: status $?"
  all_passed "$work/recorded"
  diff <(without_times "$work/plain") <(without_times "$work/recorded") || fail "$1 prints something else"
  summary_has "$work/p.json" "complete true"
}

# The two libraries' BLACS send the same messages.
scalapack_is_alike_under_both() { # PROGRAM
  : "${RECORDER_MPICH:?}"
  enter_scalapack openmpi "$1"
  record "$work/openmpi.json" 2 "$scalapack_program" >"$work/output" 2>&1 || fail "Open MPI: status $?"
  enter_scalapack mpich "$1"
  MPI=mpich RECORDER=$RECORDER_MPICH record "$work/mpich.json" 2 "$scalapack_program" >"$work/output" 2>&1 ||
    fail "MPICH: status $?"
  "$COMPARE" traffic "$work/openmpi.json" "$work/mpich.json" >"$work/result" ||
    fail "the profiles differ: $(head -n 40 "$work/result")"
  tail -n 1 "$work/result"
  grep -q '^pairs [1-9]' "$work/result" || fail "there was nothing to compare"
}

# Linpack, transposition, random access, FFT, latency and bandwidth. How much hpcc sends depends on the times that it
# measures, so that recorder and monitoring must see the same run. The recorder then sends its profile to rank 0 where
# the monitoring counts it: what is between other ranks must be equal.
hpcc_equals_monitoring() {
  command -v hpcc >/dev/null || skip "no hpcc"
  local example=/usr/share/doc/hpcc/examples/_hpccinf.txt
  [ -r "$example" ] || skip "no $example"
  cd "$work" || exit 1
  sed -E '6s/^[0-9]+/64/; 8s/^[0-9]+/16/' "$example" >hpccinf.txt
  LD_PRELOAD=$RECORDER HUDDLE_PROFILE=$work/hpcc.json monitor "$work/hpcc" 5 hpcc || fail "status $?"
  # Not hpcc's own verdict: its random access lets updates race, and finds too many lost in one run of thirty.
  grep -q '^End of HPC Challenge tests' hpccoutf.txt || fail "hpcc did not end: $(tail -n 5 hpccoutf.txt)"
  "$COMPARE" monitoring-beside-0 "$work/hpcc.json" "$work/hpcc" >"$work/result" || fail "$(cat "$work/result")"
  tail -n 1 "$work/result"
  grep -q '^pairs 12 ' "$work/result" || fail "ranks 1 to 4 did not all talk to one another"
}

run_case "$@"
