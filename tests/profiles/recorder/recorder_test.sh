#!/bin/bash
# Runs MPI programs under the recorder and holds the profiles against what others say of the same
# runs. One case a call, its name is the argument:
#   RECORDER=libhuddle_recorder.so PROGRAMS=directory COMPARE=compare_matrix CORNERS=corner_cases \
#     WILDCARDS=wildcards SLOW=libslow_call.so recorder_test.sh halo_equals_monitoring
# MPI=mpich runs it with MPICH; see CMakeLists.txt for the cases that can.
set -u
: "${PROGRAMS:?}" "${CORNERS:?}" "${WILDCARDS:?}"
. "$(dirname "$0")/recorder_lib.sh"

halo_equals_monitoring() {
  same_as_monitoring halo 16 "$PROGRAMS/halo_exchange" --iterations 40 --residual-every 10
  "$COMPARE" summary "$work/halo.json" >"$work/summary"
  equal "records" "$(grep -c '^record .*mpi_time_below_run_time true memory_known true$' "$work/summary")" 16
  equal "allreduces" "$(grep '^collective allreduce world 16' "$work/summary" | cut -d' ' -f6)" $((16 * 5))
}

# Idle ranks of MPICH wait busily: fewer of them where there may be fewer.
if [ "${MPI#abi-}" = mpich ]; then
  several=4 counts="1 4" bystanders=("$WILDCARDS")
else
  several=8 counts="1 4 7" bystanders=("$WILDCARDS" "$PROGRAMS/halo_exchange --iterations 200")
fi

fortran_equals_cpp() {
  for twin in halo_exchange halo_exchange_fortran; do
    record "$work/$twin.json" "$several" "$PROGRAMS/$twin" --iterations 20 || fail "$twin: status $?"
  done
  "$COMPARE" profiles "$work/halo_exchange_fortran.json" "$work/halo_exchange.json" >"$work/result" ||
    fail "$(cat "$work/result")"
  cat "$work/result"
  grep -q '^pairs [1-9]' "$work/result" || fail "the matrices are empty"
  diff <("$COMPARE" summary "$work/halo_exchange_fortran.json" | grep ^collective) \
    <("$COMPARE" summary "$work/halo_exchange.json" | grep ^collective) || fail "the collectives differ"
}

message_families_equal_truth() {
  local ranks
  for ranks in $counts; do
    record "$work/$ranks.json" "$ranks" "$PROGRAMS/message_families" --repeats 2 \
      --truth "$work/$ranks.truth" || fail "status $?"
    "$COMPARE" truth "$work/$ranks.json" "$work/$ranks.truth" || fail "$ranks ranks: the matrices differ"
  done
}

message_families_equal_monitoring() {
  same_as_monitoring families 5 "$PROGRAMS/message_families" --family point-to-point
}

other_programs_equal_monitoring() {
  same_as_monitoring ring 6 "$PROGRAMS/abort_midway" --how none --iterations 30 --pause-ms 0
  same_as_monitoring memory 2 "$PROGRAMS/memory_bound"
  same_as_monitoring compute 2 "$PROGRAMS/compute_bound"
}

corner_cases_equal_truth() {
  ! runs_wrongly_without_huddle "$CORNERS" || { echo "Open MPI $openmpi_release runs $CORNERS wrongly"; exit 77; }
  record "$work/corners.json" 5 "$CORNERS" "$work/truth" || fail "status $?"
  "$COMPARE" truth "$work/corners.json" "$work/truth" || fail "the matrices differ"
  summary_has "$work/corners.json" "collective allreduce world 5 calls 5 bytes 40"
  summary_has "$work/corners.json" "collective allgather world 5 calls 5 bytes 40"
  summary_has "$work/corners.json" "collective bcast world 5 calls 5 bytes 8"
  summary_has "$work/corners.json" "collective ibarrier world 5 calls 5 bytes 0"
  summary_has "$work/corners.json" "collective reduce derived 1 calls 1 bytes 4"
  summary_has "$work/corners.json" "collective reduce derived 4 calls 4 bytes 16"
  record "$work/corners.cbor" 5 "$CORNERS" "$work/truth" || fail "status $?"
  equal "major type of CBOR's first item (5: a map)" "$(($(head -c1 "$work/corners.cbor" | od -An -tu1) >> 5))" 5
  "$COMPARE" profiles "$work/corners.cbor" "$work/corners.json" || fail "CBOR and JSON differ"
}

# MPICH's launcher reports how the rank ended that it looked at first: the one that died or one that it killed.
same_end() { # FOUND EXPECTED
  if [ "${MPI#abi-}" = mpich ]; then
    [ "$1" -ne 0 ] || fail "status: found 0 of a run that died"
  else
    equal "status" "$1" "$2"
  fi
}

phases_are_known_again_on_all_ranks() {
  local twin
  for twin in halo_exchange halo_exchange_fortran; do
    record "$work/$twin.json" 4 "$PROGRAMS/$twin" --iterations 40 >/dev/null || fail "$twin: status $?"
    "$COMPARE" summary "$work/$twin.json" >"$work/summary" || fail "$twin: no profile"
    local rank passes delimiters
    while read -r rank passes delimiters; do
      equal "$twin: passes of rank $rank" "$passes" $((delimiters + 1))
      [ "$delimiters" -ge 40 ] || fail "$twin: only $delimiters delimiters"
    done < <(sed -n 's/^record \([0-9]*\) passes \([0-9]*\) delimiters /\1 \2 /p' "$work/summary")
    grep '^phase' "$work/summary"
    ! grep '^phase' "$work/summary" | grep -v '^phase on 4 ranks' || fail "$twin: phases that not all ranks have"
    grep -q '^phase .* to waitall at '$twin'+0x' "$work/summary" || fail "$twin: a call's place is not in the program"
  done
}

# A ring whose ranks pause for 10 ms, then post a receive, send, and wait for both. Its bcast is the first call, which follows none.
what_is_computed_is_known_by_the_call_that_follows() {
  record "$work/ring.json" 4 "$PROGRAMS/abort_midway" --how none --iterations 30 --pause-ms 10 || fail "status $?"
  "$COMPARE" computed "$work/ring.json" >"$work/computed"
  cat "$work/computed"
  awk '{ sum[$2] += $5; all[$2] = $8; if ($4 == "irecv") receive[$2] = $5 }
       $5 < 0 && $4 != "bcast" { print "rank " $2 ": nothing is known before " $4; wrong = 1 }
       END {
         for (rank in sum) {
           ++ranks
           if (receive[rank] < 29 * 10000) { print "rank " rank ": paused for only " receive[rank] " us"; wrong = 1 }
           if (receive[rank] < sum[rank] / 2) { print "rank " rank ": most is before other calls"; wrong = 1 }
           if (sum[rank] > all[rank] * 1.001) { print "rank " rank ": more than it computed"; wrong = 1 }
         }
         exit wrong || ranks != 4
       }' "$work/computed" || fail "what was computed before the calls is wrong"
}

cut_short() { # HOW
  mpi 4 "$PROGRAMS/abort_midway" --how "$1" --rank 2 --after 5 --pause-ms 1 >/dev/null 2>&1
  local plain=$?
  record "$work/cut.json" 4 "$PROGRAMS/abort_midway" --how "$1" --rank 2 --after 5 --pause-ms 1 \
    >"$work/output" 2>&1
  same_end $? "$plain"
  [ "$plain" -ne 0 ] || fail "the program did not die"
  ! grep -q '^huddle:' "$work/output" || fail "it said $(grep '^huddle:' "$work/output")"
  summary_has "$work/cut.json" "complete false"
  grep '^record 2' "$work/summary" || fail "rank 2 is not in it"
  # The store takes one file of such a run, too.
  mkdir -p "$work/store"
  LD_PRELOAD=$RECORDER HUDDLE_STORE=$work/store HUDDLE_LABEL=dies SLURM_JOB_ID=77 \
    mpi 4 "$PROGRAMS/abort_midway" --how "$1" --rank 2 --after 5 --pause-ms 1 >/dev/null 2>&1
  same_end $? "$plain"
  equal "files" "$(find "$work/store" -type f | wc -l)" 1
  summary_has "$(find "$work/store" -type f)" "complete false"
}

abort_is_cut_short() {
  cut_short abort
  summary_has "$work/cut.json" "cut_short_reason MPI_Abort(MPI_COMM_WORLD, 3) called by rank 2"
}

exit_without_finalize_is_cut_short() {
  cut_short exit
  summary_has "$work/cut.json" "cut_short_reason rank 2 exited without MPI_Finalize"
}

# Its part of the profile stays in a spool that nobody looks into. Had it not ended by then, the other rank's end would be
# the one that the launcher reports.
rank_that_exits_waits_for_nobody() {
  local how
  for how in exit abort-self; do
    rm -rf "$work/spool"
    mkdir -m 0700 "$work/spool"
    mkdir -p "$work/store"
    LD_PRELOAD=$RECORDER HUDDLE_STORE=$work/store HUDDLE_SPOOL=$work/spool HUDDLE_LABEL=dies SLURM_JOB_ID=78 \
      mpi 2 "$PROGRAMS/endings" "$how" 0 late >/dev/null 2>&1
    equal "status, $how" $? 7
    equal "orders in the spool, $how" "$(find "$work/spool" -name order | wc -l)" 1
  done
}

one_line() { # PATTERN STATUS
  equal "status" "$2" 0
  equal "lines on standard error: $(cat "$work/errors")" "$(wc -l <"$work/errors")" 1
  grep -q "^huddle: .*$1" "$work/errors" || fail "it said $(cat "$work/errors")"
}

# 14 s, of which the recorder may lose the last 10.
killed_runs_keep_what_was_recorded() {
  record "$work/killed.json" 3 "$PROGRAMS/abort_midway" --how kill --rank 1 --after 700 --iterations 1000 \
    --pause-ms 20 >"$work/output" 2>&1
  equal "status" "$?" 137
  ! grep -q '^huddle:' "$work/output" || fail "it said $(grep '^huddle:' "$work/output")"
  summary_has "$work/killed.json" "complete false"
  grep -q '^cut_short_reason at .* the run had not ended' "$work/summary" || fail "no reason"
  equal "records" "$(grep -c '^record [0-9]* on' "$work/summary")" 3
  local messages
  messages=$("$COMPARE" truth "$work/killed.json" /dev/null 2>&1 | sed -n 's/^pairs .* messages \([0-9]*\) .*/\1/p')
  echo "messages kept: $messages of 2100"
  [ "$messages" -ge 600 ] || fail "only $messages messages of 2100 were kept"
}

unwritable_places_cost_one_line() {
  touch "$work/file"
  local place
  for place in "$work/missing/p.json" "$work/file/p.json"; do
    record "$place" 3 "$CORNERS" "$work/truth" 2>"$work/errors"
    one_line "$place" $?
  done
  LD_PRELOAD=$RECORDER HUDDLE_STORE=$work/missing mpi 3 "$CORNERS" "$work/truth" 2>"$work/errors"
  one_line "$work/missing" $?
}

full_disk_costs_one_line() {
  local ranks
  for ranks in 3 9; do # the limit is met in rank 0's own record, and in one that it was given
    record "$work/p.json" $ranks "$CORNERS" "$work/truth" $((ranks == 3 ? 500 : 4000)) 2>"$work/errors"
    one_line "$work/p.json" $?
  done
  equal "files left behind" "$(find "$work" -name '*p.json*' | wc -l)" 0
}

other_programs_do_not_notice() {
  mkdir "$work/some" && touch "$work/some/a" "$work/some/b"
  local plain preloaded
  plain=$(sh -c "ls $work/some | sed s/a/c/" 2>&1)
  preloaded=$(LD_PRELOAD=$RECORDER LD_BIND_NOW=1 HUDDLE_PROFILE=$work/p.json \
    sh -c "ls $work/some | sed s/a/c/" 2>&1)
  equal "output" "$preloaded" "$plain"
  LD_PRELOAD=$RECORDER LD_BIND_NOW=1 /bin/true || fail "/bin/true: status $?"
  # Linked statically, on Debian.
  equal "output of ldconfig" "$(LD_PRELOAD=$RECORDER HUDDLE_PROFILE=$work/p.json /sbin/ldconfig -p 2>&1)" \
    "$(/sbin/ldconfig -p 2>&1)"
  [ ! -e "$work/p.json" ] || fail "a profile appeared"
}

# As the plugin and huddle record preload them: Open MPI's first, MPICH's beside it.
recorders_leave_each_other_alone() {
  local both="$RECORDER $(dirname "$RECORDER")/libhuddle_recorder_mpich.so"
  LD_PRELOAD=$both HUDDLE_PROFILE=$work/both.json mpi 3 "$CORNERS" "$work/truth" >"$work/output" 2>&1 ||
    fail "status $?: $(cat "$work/output")"
  [ ! -s "$work/output" ] || fail "it said $(cat "$work/output")"
  "$COMPARE" truth "$work/both.json" "$work/truth" || fail "the matrices differ"
}

nothing_asked_nothing_done() {
  LD_PRELOAD=$RECORDER mpi 3 "$CORNERS" "$work/truth" >"$work/output" 2>&1 || fail "status $?"
  [ ! -s "$work/output" ] || fail "it said $(cat "$work/output")"
}

jobs_end_at_once_in_one_store() {
  local job
  mkdir -p "$work/store"
  for job in 1 2 3; do
    LD_PRELOAD=$RECORDER HUDDLE_STORE=$work/store SLURM_JOB_ID=9$job SLURM_STEP_ID=4 \
      mpi 3 "$CORNERS" "$work/truth.$job" &
  done
  wait
  equal "profiles" "$(find "$work/store" -type f -path '*/corner_cases/3/profile-*.json' | wc -l)" 3
  equal "files" "$(find "$work/store" -type f | wc -l)" 3
  summary_has "$(find "$work/store" -name '*-92.4-*')" "job 92 step 4"
  grep -qx "label corner_cases" "$work/summary" || fail "the label is not the program's name"
  grep -q '^build_id [0-9a-f]' "$work/summary" || fail "no build id"
  grep -qx "argument $work/truth.2" "$work/summary" || fail "no argument"
  "$COMPARE" truth "$(find "$work/store" -name '*-92.4-*')" "$work/truth.2" || fail "the matrices differ"
}

# Some ranks of a job have the recorder, some have not. The programs, with their arguments, take moments: what is looked at is
# whether ranks wait for others that never answer, and on a busy machine 2000 steps took 25 s without any of that.
with() { # VARIABLES... PROGRAM
  echo env "LD_PRELOAD=$RECORDER" "HUDDLE_PROFILE=$work/p.json" "$@"
}

ends_soon() { # SECONDS WHAT RANKS COMMAND...
  local limit=$1 what=$2 begin=$SECONDS
  shift 2
  mpi "$@" 2>"$work/errors" || fail "$what: status $?: $(cat "$work/errors")"
  [ $((SECONDS - begin)) -le "$limit" ] || fail "$what: took $((SECONDS - begin)) s"
}

nothing_left() {
  equal "files left behind" "$(find "$work" -name '*p.json*' -o -name '.huddle-run-*')" ""
}

ranks_without_recorder_run_on() {
  not_with_openmpi_5 "(5.0.7) crashes where two programs are started"
  local program
  for program in "${bystanders[@]}"; do
    # shellcheck disable=SC2046,SC2086
    ends_soon 25 "$program" 2 $(with "$program") : -np 2 $program >/dev/null
    one_line "not measured: only 2 of 4 ranks have the recorder\$" 0
    nothing_left
  done
  # The recorder alone is not enough: the environment must ask for the profile, too.
  # shellcheck disable=SC2046
  ends_soon 25 "not asked" 3 $(with "$WILDCARDS") : -np 1 env "LD_PRELOAD=$RECORDER" "$WILDCARDS"
  one_line "not measured: only 3 of 4 ranks have the recorder\$" 0
  nothing_left
  # shellcheck disable=SC2046
  mkdir -p "$work/store"
  HUDDLE_STORE=$work/store ends_soon 25 "in a store" 1 \
    env "LD_PRELOAD=$RECORDER" "$WILDCARDS" : -np 3 "$WILDCARDS"
  one_line "not measured: only 1 of 4 ranks have the recorder\$" 0
  equal "files in the store" "$(find "$work/store" -type f)" ""
}

rank_0_without_recorder_runs_on() {
  not_with_openmpi_5 "(5.0.7) crashes where two programs are started"
  local program
  for program in "${bystanders[@]}"; do
    # shellcheck disable=SC2046,SC2086
    ends_soon 15 "$program" 2 $program : -np 2 $(with "$program") >/dev/null
    equal "standard error" "$(cat "$work/errors")" ""
    nothing_left
  done
}

# A run that is killed while rank 0 shows itself and waits in MPI_Init for rank 1.
leave_sign_behind() {
  # shellcheck disable=SC2046
  timeout -s KILL 60 mpirun.openmpi -np 1 $(with "$WILDCARDS") : -np 1 sleep 60 >/dev/null 2>&1 &
  local killer=$! tries
  for tries in $(seq 200); do
    [ -n "$(find "$work" -name '.huddle-run-*')" ] && break
    sleep 0.1
  done
  local launcher rank
  launcher=$(ps -o pid= --ppid "$killer")
  for rank in $(ps -o pid= --ppid "$launcher"); do kill -KILL "$rank"; done
  wait "$killer"
  equal "signs left behind after $tries tries" "$(find "$work" -name '.huddle-run-*' | wc -l)" 1
}

dead_runs_fool_nobody() {
  not_with_openmpi_5 "(5.0.7) crashes where two programs are started"
  leave_sign_behind
  # shellcheck disable=SC2046
  ends_soon 15 "rank 0 unrecorded" 1 "$WILDCARDS" : -np 3 $(with "$WILDCARDS")
  equal "standard error" "$(cat "$work/errors")" ""
  [ ! -e "$work/p.json" ] || fail "a profile appeared"
  record "$work/p.json" 4 "$WILDCARDS" || fail "status $?"
  summary_has "$work/p.json" "complete true"
  equal "signs" "$(find "$work" -name '.huddle-run-*' | wc -l)" 1
}

slow() { # CALL RANK MILLISECONDS
  : "${SLOW:?}"
  SLOW_CALL=$1 SLOW_RANK=$2 SLOW_MS=$3 LD_PRELOAD="$RECORDER $SLOW" HUDDLE_PROFILE=$work/p.json \
    ends_soon 60 "slow $1" 4 "$WILDCARDS"
}

late_ranks_do_no_harm() {
  slow Init 2 1500
  summary_has "$work/p.json" "complete true"
  rm "$work/p.json"
  slow Init 2 9000
  one_line "not measured: only 3 of 4 ranks have the recorder\$" 0
  nothing_left
}

# Rank 2 speaks when rank 0 does not listen any more; rank 0 speaks when nobody else does.
lost_patience_does_no_harm() {
  slow Isend 2 9000
  one_line "not measured: only 3 of 4 ranks have the recorder\$" 0
  nothing_left
  slow Isend 0 36000
  one_line "not measured: only 1 of 4 ranks have the recorder\$" 0
  nothing_left
}

spawned_worlds_are_left_alone() {
  # Two worlds on one machine talk by TCP, which Open MPI 5 does not do by the interface lo.
  not_with_openmpi_5 "needs a network for two worlds"
  record "$work/p.json" 3 "$WILDCARDS" spawn 2>"$work/errors" || fail "status $?"
  equal "standard error" "$(cat "$work/errors")" ""
  summary_has "$work/p.json" "complete true"
  grep -qx "argument spawn" "$work/summary" || fail "it is not the parents' profile"
  equal "records" "$(grep -c "^record [0-9]* on" "$work/summary")" 3
  equal "signs" "$(find "$work" -name '.huddle-run-*')" ""
}

# A run is no shorter for a call that is not counted, but a profile without what it sent would be wrong.
sessions_cost_one_line() {
  local status=0
  record "$work/p.json" 3 "$SESSIONS" 2>"$work/errors" || status=$?
  [ "$status" -ne 77 ] || { echo "this MPI has no sessions"; exit 77; }
  equal "status" "$status" 0
  equal "standard error" "$(cat "$work/errors")" \
    "huddle: not measured: the program calls MPI_Session_init, and never MPI_Init"
  equal "files" "$(find "$work" -name 'p.json*')" ""
}

run_case "$@"
