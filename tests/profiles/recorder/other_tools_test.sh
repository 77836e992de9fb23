#!/bin/bash
# Runs programs with another tool in MPI's profiling interface, without Huddle and under both recorders: the tool must see the
# same calls, the program must print the same and end the same, and the profile must be the truth.
#   RECORDER=... COMPARE=... MPI=openmpi PROGRAMS=directory COUNTING=libcounting_layer.so KEEPING=libkeeping_layer.so \
#     other_tools_test.sh CASE ARGUMENTS...
set -u
: "${COUNTING:?}" "${KEEPING:?}" "${PROGRAMS:?}"
. "$(dirname "$0")/recorder_lib.sh"
export OMPI_MCA_osc=$one_sided_components

folder=$(dirname "$RECORDER")
both=$folder/libhuddle_recorder.so
[ ! -r "$folder/libhuddle_recorder_mpich.so" ] || both+=:$folder/libhuddle_recorder_mpich.so
world=$PROGRAMS/world_of_ranks
ranks=4

# With a preloaded tool or none, of NAME: what it prints, its status, what the tool counted, and the program's own account.
run() { # NAME LD_PRELOAD COMMAND...
  local name=$work/$1 preload=$2
  shift 2
  rm -f "$name".*
  LAYER_LOG=$name.log LD_PRELOAD=$preload mpi "$ranks" "$@" "$name.truth" >"$name.output" 2>"$name.errors"
  echo $? >"$name.status"
  # Without those that a program repeats until something has happened.
  cat "$name.log" 2>/dev/null | grep -vE ' (Test|Testall|Testany|Testsome|Iprobe|Improbe|Request_get_status|Waitsome|Win_test|Parrived) ' | sort >"$name.calls"
  sort -o "$name.output" "$name.output"
}

recorded() { # NAME LD_PRELOAD COMMAND...
  rm -f "$work/$1.json"
  HUDDLE_PROFILE=$work/$1.json run "$@"
}

same() { # NAME: as 'plain'
  equal "$1: status, with $(cat "$work/$1.errors")" "$(cat "$work/$1.status")" "$(cat "$work/plain.status")"
  diff "$work/plain.output" "$work/$1.output" || fail "$1: the program prints something else"
  diff "$work/plain.calls" "$work/$1.calls" || fail "$1: the tool sees other calls"
}

is_true() { # NAME
  "$COMPARE" truth "$work/$1.json" "$work/$1.truth" >"$work/result" ||
    fail "$1: the profile is not the truth: $(head -n 20 "$work/result")"
  tail -n 1 "$work/result"
  grep -q '^pairs [1-9]' "$work/result" || fail "$1: there was nothing to compare"
}

# HOW: the tool finds what it calls by name, or behind itself, where the recorder is not.
tool_behind_sees_each_call_once() { # HOW PROGRAMS...
  local program
  export PASS_ON=$1
  shift
  for program in "$@"; do
    ! runs_wrongly_without_huddle "$program" || continue
    echo "$program, passed on $PASS_ON"
    run plain "$COUNTING" "$PROGRAMS/$program"
    equal "$program without Huddle, which said $(cat "$work/plain.errors"): status" "$(cat "$work/plain.status")" 0
    # Open MPI's Fortran calls PMPI_X alone, and the names of the module mpi_f08 are others.
    [[ $program == *_f08 ]] || [ "$(wc -l <"$work/plain.calls")" -ge $ranks ] || fail "the tool wrote no log"
    recorded behind "$both:$COUNTING" "$PROGRAMS/$program"
    same behind
    is_true behind
    grep -q "$(basename "$COUNTING")" "$work/behind.json" || fail "the profile does not name the tool"
  done
}

# Messages that it sends itself can't be told from the program's.
tool_before_sees_each_call_once() { # PROGRAMS...
  local program
  for program in "$@"; do
    ! runs_wrongly_without_huddle "$program" || continue
    run plain "$COUNTING" "$PROGRAMS/$program"
    recorded before "$COUNTING:$both" "$PROGRAMS/$program"
    same before
    summary_has "$work/before.json" "complete true"
  done
}

linked_tool_sees_each_call_once() {
  run plain "" "${world}_counted"
  [ "$(grep -c ' Isend 5$' "$work/plain.calls")" = $ranks ] || fail "the program is not linked with the tool: $(cat "$work/plain.calls")"
  recorded linked "$both" "${world}_counted"
  same linked
  is_true linked
}

# The second passes by name what the first gives to it.
two_tools_see_what_they_see_without_huddle() {
  export KEPT_RANK=first KEPT_ENDS=at_once PASS_ON=next_mpi
  run plain "$COUNTING:$KEEPING" "$world"
  equal "status without Huddle, with $(cat "$work/plain.errors")" "$(cat "$work/plain.status")" 0
  grep -qx 'world of 3 ranks, sum 3' "$work/plain.output" || fail "the second tool keeps no rank: $(cat "$work/plain.output")"
  equal "ranks of the program that the first tool saw" "$(grep -c ' Isend 5$' "$work/plain.calls")" 3
  local preload
  for preload in "$both:$COUNTING:$KEEPING" "$COUNTING:$both:$KEEPING"; do
    recorded two "$preload" "$world"
    same two
    summary_has "$work/two.json" "complete true"
    [[ $preload == "$COUNTING"* ]] || is_true two # what a tool before the recorder sends itself counts
  done
}

# The matrix has the ranks of the MPI library: those that the program has are other ones.
tool_that_keeps_a_rank_keeps_it() {
  local ends which
  for which in last first; do
    for ends in at_once waits; do
      export KEPT_RANK=$which KEPT_ENDS=$ends
      run plain "$KEEPING" "$world"
      grep -qx 'world of 3 ranks, sum 3' "$work/plain.output" || fail "the tool kept no rank: $(cat "$work/plain.output")"
      recorded kept "$both:$KEEPING" "$world"
      same kept
      is_true kept
      summary_has "$work/kept.json" "complete true"
      summary_has "$work/kept.json" "ranks 4"
      grep -q 'kept .*for itself' "$work/kept.json" || fail "the profile does not say that a rank was kept"
    done
  done
  export KEPT_ENDS=at_once # the tool before the recorder sends nothing of its own
  run plain "$KEEPING" "$world"
  recorded before "$KEEPING:$both" "$world"
  same before
  is_true before
  run plain "" "${world}_kept"
  recorded linked "$both" "${world}_kept"
  same linked
  is_true linked
}

# A trace would name communicators that the calls did not have.
kept_ranks_cost_the_trace() {
  export KEPT_RANK=first KEPT_ENDS=at_once
  run plain "$KEEPING" "$world"
  HUDDLE_TRACE=$work/trace recorded kept "$both:$KEEPING" "$world"
  same kept
  is_true kept
  equal "lines on standard error" "$(grep -c '' "$work/kept.errors")" 1
  grep -q '^huddle: no trace is written: .* other communicators' "$work/kept.errors" ||
    fail "it said $(cat "$work/kept.errors")"
  [ ! -e "$work/trace" ] || fail "there is a trace"
}

kept_rank_may_end_as_it_likes() {
  local ends
  export KEPT_RANK=last
  for ends in by_exit aborts; do
    export KEPT_ENDS=$ends
    run plain "$KEEPING" "$world"
    recorded kept "$both:$KEEPING" "$world"
    [ "$(cat "$work/plain.status")" != 0 ] || fail "$ends: the run ended well without Huddle"
    [ "$(cat "$work/kept.status")" != 124 ] || fail "$ends: the run did not end"
    [ "$MPI" = mpich ] || equal "$ends: status" "$(cat "$work/kept.status")" "$(cat "$work/plain.status")"
  done
}

run_case "$@"
