#!/bin/bash
# The programs in tests/programs/waits from the recorder to the analysis: each wait state that they make is found, in
# its pattern, on its rank, in its call path and of its length, and no other. Usage: waits_test.sh CASE [ARGUMENT ...]
#   together PROGRAM              all experiments of a program in one run
#   alone PROGRAM EXPERIMENT ...  each in its own run
#   delays PROGRAM                who is late costs what the others wait, directly and passed on
# From the environment: HUDDLE, the command; PYTHON; MPI, openmpi (the default) or mpich; RECORDER, the library for that.
# With KEEP=FOLDER the runs stay there.
set -u
: "${HUDDLE:?}" "${RECORDER:?}" "${MPI:=openmpi}" "${PYTHON:=python3}"
here=$(cd "$(dirname "$0")" && pwd) || exit 1

# Four ranks on as few processors as there are, side by side with other tests.
ranks=4
. "$(dirname "${BASH_SOURCE[0]}")/../../openmpi.sh"
export OMPI_MCA_osc=$one_sided_components
unset LD_PRELOAD HUDDLE_PROFILE HUDDLE_STORE HUDDLE_LABEL HUDDLE_TRACE SLURM_JOB_ID SLURM_STEP_ID

# The number of runs that may fail by chance on a busy machine.
tries=4

if [ -n "${KEEP:-}" ]; then
  work=$KEEP
  mkdir -p "$work"
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-waits-XXXXXX") || exit 1
  trap 'rm -rf "$work"' EXIT
fi

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Runs the program, and keeps its trace and the analysis in a folder.
traced_run() { # FOLDER PROGRAM EXPERIMENT...
  local folder=$1 program=$2
  shift 2
  mkdir -p "$folder" || exit 1
  timeout 60 "$HUDDLE" record --recorder "$RECORDER" -o "$folder/profile.json" --trace="$folder/trace" -- \
    "mpirun.$MPI" -np "$ranks" "$program" "$folder" "$@" >"$folder/output" 2>&1 ||
    fail "$program $*: status $?: $(cat "$folder/output")"
  timeout 60 "$HUDDLE" waitstates --json "$folder/trace" >"$folder/waits.json" 2>"$folder/errors" ||
    fail "huddle waitstates: status $?: $(cat "$folder/errors")"
}

as_expected() { # NAME PROGRAM EXPERIMENT...
  local name=$1 program=$2 try runs=()
  shift 2
  for ((try = 1; try <= tries; ++try)); do
    runs+=("$work/$name-$try")
    traced_run "$work/$name-$try" "$program" "$@"
    "$PYTHON" "$here/check_waits.py" --runs "${runs[@]}" >"$work/verdict" && break
  done
  cat "$work/verdict"
  ((try <= tries)) || fail "$name: not as expected in any of $tries runs"
}

case ${1:-} in
  together)
    as_expected together "$2"
    for threads in 1 3; do
      timeout 60 "$HUDDLE" waitstates --json --threads "$threads" "$work/together-1/trace" >"$work/threads.json" ||
        fail "huddle waitstates --threads $threads: status $?"
      cmp "$work/together-1/waits.json" "$work/threads.json" || fail "$threads threads find something else than those of the default"
    done
    ;;
  alone)
    program=$2
    shift 2
    for experiment in "$@"; do as_expected "$experiment" "$program" "$experiment"; done
    ;;
  delays)
    for ((try = 1; try <= tries; ++try)); do
      run=$work/delays-$try
      traced_run "$run" "$2" late_sender_passed_on
      timeout 60 "$HUDDLE" waitstates --json --delays "$run/trace" >"$run/delays.json" || fail "huddle waitstates --delays: status $?"
      "$PYTHON" "$here/check_delays.py" "$run/delays.json" >>"$work/verdict" && break
    done
    cat "$work/verdict"
    ((try <= tries)) || fail "delays: not as expected in any of $tries runs"
    ;;
  *) fail "no case '${1:-}'" ;;
esac
