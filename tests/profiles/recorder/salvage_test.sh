#!/bin/bash
# Traced runs that are killed or aborted: a trace is made of what they leave.
#   HUDDLE=huddle RECORDER=libhuddle_recorder.so COMPARE=compare_matrix PROGRAMS=directory MPI=openmpi \
#     salvage_test.sh killed_rank_leaves_a_trace
set -u
: "${HUDDLE:?}" "${PROGRAMS:?}"
. "$(dirname "$0")/recorder_lib.sh"
export OMPI_MCA_osc=$one_sided_components
trace=$work/run.trace

# Its first definitions are written after two seconds.
record_ring() { # HOW AFTER
  timeout 120 "$HUDDLE" record --recorder "$RECORDER" -o "$work/p.json" --trace="$trace" -- "mpirun.$MPI" -np 3 \
    "$PROGRAMS/abort_midway" --how "$1" --rank 1 --after "$2" --iterations 1000 --pause-ms 10 >"$work/output" 2>&1
  [ $? -ne 0 ] || hides_a_kill "$1" || fail "status 0: $(cat "$work/output")"
}

# The mpiexec of MPICH 4.2.1 ends with 0 for one killed rank in eight, recorder or not.
hides_a_kill() { # HOW
  [ "$MPI $1" = "mpich kill" ] && mpirun.mpich --version | grep -qE 'Version: +4\.2'
}

says() { # FILE PATTERN
  grep -qE -- "$2" "$1" || fail "no line '$2' in: $(cat "$1")"
}

nothing_else_is_left() {
  equal "what is beside the trace" "$(find "$work" -mindepth 1 -maxdepth 1 -name '*trace*')" "$trace"
}

# Its waiting is found, and remarks name what is missing.
is_analysed() {
  timeout 60 "$HUDDLE" waitstates "${1:-$trace}" >"$work/waiting" 2>"$work/errors" ||
    fail "status $?: $(cat "$work/errors")"
  says "$work/waiting" '^.*: 3 ranks on 1 node, [1-9][0-9.]* s, [0-9]{3,} events$'
  says "$work/waiting" '^Late Sender +[1-9]'
  says "$work/waiting" '^the run was cut short, and this trace was made of what it left'
  says "$work/waiting" '^rank [0-2] ends first, [0-9.]* s before rank [0-2], which ends last$'
}

killed_rank_leaves_a_trace() {
  record_ring kill 300
  says "$work/output" "^huddle: the run was cut short: $trace was made of what it left in $trace\.raw-"
  says "$work/output" "^huddle: the trace is $trace;"
  nothing_else_is_left
  is_analysed
  says "$work/waiting" '^ranks 0-2: the run was killed$'
  says "$work/waiting" '^[0-9]+ messages (sent|received) that nobody (sends|receives) in this trace'
}

# The rank that aborts has recorded everything; the others are killed for it.
aborted_run_leaves_a_trace() {
  record_ring abort 300
  nothing_else_is_left
  is_analysed
  says "$work/waiting" '^ranks 0,2: the run was killed$'
}

run_that_died_at_once_leaves_a_line() {
  record_ring kill 3
  says "$work/output" '^huddle: the run was cut short in its first seconds'
  says "$work/output" "^huddle: no trace was written to $trace$"
  equal "what is left" "$(find "$work" -mindepth 1 -maxdepth 1 -name '*trace*')" ""
}

# As a job that Slurm kills: nobody is there but who asks for the trace later. While ranks live, it is not made.
all_killed_leave_a_trace_to_who_asks() {
  HUDDLE_TRACE=$trace record "$work/p.json" 3 "$PROGRAMS/abort_midway" --how none --iterations 1000 --pause-ms 20 \
    >/dev/null 2>&1 &
  local run=$! rank killed=()
  for _ in $(seq 200); do
    [ "$(find "$work" -name '*.definitions' | wc -l)" = 3 ] && break
    sleep 0.1
  done
  for name in "$trace" "$trace".raw-*; do
    timeout 60 "$HUDDLE" waitstates "$name" >/dev/null 2>"$work/errors" && fail "a trace of a run that goes on"
    says "$work/errors" '^huddle: no trace can be made of .* yet: its run goes on: a process still writes to it$'
  done
  for rank in $(pgrep -f -- "$PROGRAMS/abort_midway --how none --iterations 1000"); do
    grep -qs "$work/p.json" "/proc/$rank/environ" && kill -KILL "$rank" && killed+=("$rank")
  done
  wait "$run"
  # mpirun is among them: the ranks may take a moment longer to die.
  for rank in "${killed[@]}"; do
    for _ in $(seq 100); do
      [ -n "$(ls "/proc/$rank/fd" 2>/dev/null)" ] || break
      sleep 0.1
    done
  done
  [ ! -e "$trace" ] || fail "there is a trace already"
  local left
  left=$(echo "$trace".raw-*)
  is_analysed "$left"
  equal "what it said" "$(cat "$work/errors")" \
    "huddle: the run was cut short: $trace was made of what it left in $left"
  nothing_else_is_left
  timeout 60 "$HUDDLE" show --check "$trace" >"$work/output" || fail "status $?"
  says "$work/output" 'a trace that can be read, with [0-9]+ remark'
}

run_case "$@"
