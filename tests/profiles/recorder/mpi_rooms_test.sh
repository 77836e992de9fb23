#!/bin/bash
# Runs the test cases of the rooms that use MPI (mpi/*_cases.cpp) on that many ranks.
#   RECORDER=libhuddle_recorder.so COMPARE=compare_matrix PROGRAMS=directory mpi_rooms_test.sh RANKS
set -u
: "${PROGRAMS:?}"
. "$(dirname "$0")/recorder_lib.sh"
mpi "$1" "$PROGRAMS/mpi_rooms" --no-colors=true >"$work/output" 2>&1 || { cat "$work/output"; fail "a case fails on $1 ranks"; }
equal "ranks that passed" "$(grep -o 'SUCCESS!' "$work/output" | wc -l)" "$1"
