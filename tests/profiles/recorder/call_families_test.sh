#!/bin/bash
# Records a program of tests/programs/call_families, which accounts for its own traffic, and compares the profile with
# that, number by number: every message, put, fetch and collective, with its communicator and its size class.
#   RECORDER=libhuddle_recorder.so COMPARE=compare_matrix MPI=openmpi \
#     call_families_test.sh equals_truth PROGRAM RANKS...
set -u
. "$(dirname "$0")/recorder_lib.sh"

export OMPI_MCA_osc=$one_sided_components

equals_truth() { # PROGRAM RANKS...
  local program=$1 ranks name status
  shift
  ! runs_wrongly_without_huddle "$program" || { echo "Open MPI $openmpi_release runs $program wrongly"; exit 77; }
  for ranks in "$@"; do
    name=$work/$ranks
    status=0
    record "$name.json" "$ranks" "$program" "$name.truth" >"$name.output" 2>&1 || status=$?
    [ "$status" -ne 77 ] || { echo "this MPI has none of these calls"; exit 77; }
    equal "status of $ranks ranks, which said $(cat "$name.output")" "$status" 0
    equal "what it said" "$(cat "$name.output")" ""
    "$COMPARE" truth "$name.json" "$name.truth" >"$name.result" ||
      fail "$ranks ranks: the profile is not the truth: $(head -n 40 "$name.result"; tail -n 1 "$name.result")"
    tail -n 1 "$name.result"
    grep -q '^pairs [1-9]' "$name.result" || fail "there was nothing to compare"
  done
}

# The comparison itself: a truth with one line too few, or one byte too much, is no truth.
wrong_truths_are_noticed() { # PROGRAM
  local kind status wrong
  record "$work/p.json" 3 "$1" "$work/truth" || fail "status $?"
  for kind in sent neighbours put fetched collective; do
    grep -q "^$kind " "$work/truth" || continue
    awk -v kind=$kind '$1 == kind && !done++ { next } { print }' "$work/truth" >"$work/short"
    awk -v kind=$kind '$1 == kind && !done++ { $NF = $NF + 1 } { print }' "$work/truth" >"$work/long"
    for wrong in short long; do
      "$COMPARE" truth "$work/p.json" "$work/$wrong" >"$work/result"
      status=$?
      equal "a truth too $wrong by $kind: status" $status 1
      grep -q 'differences [1-9]' "$work/result" || fail "it says $(tail -n 1 "$work/result")"
    done
  done
}

run_case "$@"
