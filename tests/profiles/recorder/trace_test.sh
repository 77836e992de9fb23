#!/bin/bash
# Records programs with their events and looks at what the raw files hold (see event_file.hpp).
#   RECORDER=libhuddle_recorder.so COMPARE=compare_matrix CHECK=check_trace EVENTS=recorded_events \
#     PROGRAMS=directory MPI=openmpi trace_test.sh family_agrees PROGRAM RANKS
set -u
: "${CHECK:?}" "${EVENTS:?}" "${PROGRAMS:?}"
. "$(dirname "$0")/recorder_lib.sh"
export OMPI_MCA_osc=$one_sided_components HUDDLE_TRACE=$work/trace HUDDLE_TRACE_RAW=keep

raw() { echo "$work"/trace.raw-*; }

# The records of the ranks fit together, and fit the profile of the same run.
agrees() {
  "$CHECK" "$work/p.json" "$(raw)" >"$work/result" 2>&1 ||
    fail "$1: $(head -n 30 "$work/result")"
  tail -n 1 "$work/result"
}

events() { # [RANK]
  "$EVENTS" "$(raw)" "$@" >"$work/events" || fail "the events can't be read"
}

# PATTERN stands COUNT times in the events.
comes() { # WHAT COUNT PATTERN
  equal "$1" "$(grep -cE "$3" "$work/events")" "$2"
}

family_agrees() { # PROGRAM RANKS
  local status=0
  ! runs_wrongly_without_huddle "$1" || { echo "Open MPI $openmpi_release runs $1 wrongly"; exit 77; }
  record "$work/p.json" "$2" "$1" "$work/truth" >"$work/output" 2>&1 || status=$?
  [ "$status" -ne 77 ] || { echo "this MPI has none of these calls"; exit 77; }
  equal "status of what said $(cat "$work/output")" "$status" 0
  equal "what it said" "$(cat "$work/output")" ""
  agrees "$1"
  grep -q '^calls [1-9]' "$work/result" || fail "there was nothing to compare"
}

# Each of the 84 messages is sent and received once, also those whose receive failed, and each request
# ends; what a failed call leaves behind does not get into the next one's way.
failed_calls_end() { # PROGRAM RANKS
  mpi "$2" "$1" >"$work/untraced" 2>&1 || fail "untraced: status $?: $(cat "$work/untraced")"
  record "$work/p.json" "$2" "$1" >"$work/output" 2>&1 || fail "status $?: $(cat "$work/output")"
  equal "what it said" "$(cat "$work/output")" "$(cat "$work/untraced")"
  events
  comes "sends" 84 ' isend peer'
  comes "ends of sends" 84 ' isend_complete '
  comes "begun receives" 84 ' irecv_request '
  comes "receives" 84 ' irecv peer'
  comes "requests without a known end" 0 ' request_cancelled '
  local rank
  for rank in 0 1 2; do # always from the left
    comes "receives of rank $rank" 28 "^$rank\.0 irecv peer $(((rank + 2) % 3)) tag 3 "
  done
}

halo_is_told_call_by_call() {
  record "$work/p.json" 4 "$PROGRAMS/halo_exchange" --iterations 20 >/dev/null || fail "status $?"
  agrees halo
  events 1
  comes "MPI_Init" 1 'enter MPI_Init'
  comes "MPI_Finalize" 1 'leave MPI_Finalize$'
  comes "calls whose path is not known" 0 'enter .* path -1$'
  comes "frames of main" 0 '^path [0-9]*$'
  [ "$(grep -c '^path' "$work/events")" -ge 10 ] || fail "hardly any paths: $(grep '^path' "$work/events")"
  [ -e "$work/trace/traces.otf2" ] || fail "no archive was made of it"
}

fortran_has_paths_of_the_program() {
  record "$work/p.json" 2 "$PROGRAMS/halo_exchange_fortran" --iterations 5 >/dev/null || fail "status $?"
  agrees fortran
  events 1
  comes "paths" "$(grep -c '^path' "$work/events")" '^path [0-9]+( halo_exchange_fortran\+[0-9a-f]+)+$'
}

# 40,000 calls of MPI_Test in a loop; where the processor is taken away in between, a new one begins. So nobody gives it
# away in each call, as ranks do elsewhere here.
looking_in_vain_is_one_call() {
  OMPI_MCA_mpi_yield_when_idle=0 record "$work/p.json" 2 "$PROGRAMS/call_rate" test 1 20000 >/dev/null || fail "status $?"
  agrees "call_rate test"
  events 0
  local recorded
  recorded=$(grep -c 'enter MPI_Test' "$work/events")
  [ "$recorded" -ge 1 ] && [ "$recorded" -le 10000 ] || fail "$recorded calls of MPI_Test are recorded"
}

# One line says it for all ranks.
ends_early() {
  [ "$(grep -c '^huddle: the trace of some ranks ends before the run did' "$work/errors") $(wc -l <"$work/errors")" = "1 1" ] ||
    fail "it said: $(cat "$work/errors")"
}

# More than several buffers hold.
nothing_is_lost_between_buffers() {
  record "$work/p.json" 2 "$PROGRAMS/message_rate" 64 8 25600 >/dev/null || fail "status $?"
  agrees "message_rate"
  grep -q '^messages 460800$' "$work/result" || fail "$(cat "$work/result")"
}

# The other rank does not wait for it in vain either.
ranks_without_a_thread_write_themselves() {
  NO_THREADS_RANK=1 LD_PRELOAD="${NO_THREADS:?} $RECORDER" HUDDLE_PROFILE=$work/p.json \
    mpi 2 "$PROGRAMS/message_rate" 64 8 25600 >/dev/null || fail "status $?"
  agrees "message_rate"
  grep -q '^messages 460800$' "$work/result" || fail "$(cat "$work/result")"
}

trace_ends_at_its_limit() {
  HUDDLE_TRACE_LIMIT=1 record "$work/p.json" 2 "$PROGRAMS/message_rate" 64 8 25600 \
    >/dev/null 2>"$work/errors" || fail "status $?"
  ends_early
  events
  comes "remarks" 2 '^remark the trace ends before the run did: the limit of 1 MiB for each rank is reached$'
  [ "$(grep -c ' events [1-9]' "$work/events")" = 2 ] || fail "no events at all"
  "$COMPARE" summary "$work/p.json" >"$work/summary" || fail "no profile"
  summary_has "$work/p.json" "complete true"
}

# Files of ranks may grow to 8 MiB only: as on a full disk.
full_disk_ends_the_trace_and_nothing_else() {
  # shellcheck disable=SC2016
  # PRRTE gives ranks back the signal that ends a program at its limit.
  not_with_openmpi_5 "ends ranks at their limit of file sizes"
  record "$work/p.json" 2 bash -c 'ulimit -f 8192; exec "$@"' - "$PROGRAMS/message_rate" 64 8 25600 \
    >/dev/null 2>"$work/errors" || fail "status $?: $(cat "$work/errors")"
  # The archive has no room either.
  grep -q '^huddle: no trace is written: .*: File \(is \)\?too large' "$work/errors" || fail "it said: $(cat "$work/errors")"
  equal "lines" "$(wc -l <"$work/errors")" 1
  summary_has "$work/p.json" "complete true"
}

existing_folder_is_left_alone() {
  mkdir "$work/trace" && touch "$work/trace/mine"
  record "$work/p.json" 2 "$PROGRAMS/halo_exchange" --iterations 2 >/dev/null 2>"$work/errors" || fail "status $?"
  equal "what it said" "$(cat "$work/errors")" \
    "huddle: not traced: $work/trace is there already; remove it, or name another folder"
  equal "what is there" "$(ls "$work/trace")" mine
  summary_has "$work/p.json" "complete true"
}

# Rank 1 ends the run; what is in the files is whole.
abort_leaves_events() {
  record "$work/p.json" 3 "$PROGRAMS/abort_midway" --how abort --iterations 30 --pause-ms 0 >/dev/null 2>&1
  events
  [ "$(grep -c ' leave MPI_' "$work/events")" -ge 10 ] || fail "hardly any events: $(cat "$work/events")"
}

killed_run_leaves_events() {
  record "$work/p.json" 2 "$PROGRAMS/abort_midway" --how none --iterations 1000 --pause-ms 10 >/dev/null 2>&1 &
  local run=$! tries
  for tries in $(seq 200); do
    [ "$(find "$work" -name '*.definitions' | wc -l)" = 2 ] && break
    sleep 0.1
  done
  local rank
  for rank in $(pgrep -f -- "$PROGRAMS/abort_midway --how none --iterations 1000"); do
    grep -qs "$work/p.json" "/proc/$rank/environ" && kill -KILL "$rank"
  done
  wait "$run"
  events
  [ "$(grep -c ' leave MPI_' "$work/events")" -ge 10 ] || fail "hardly any events after $tries tries: $(cat "$work/events")"
}

run_case "$@"
