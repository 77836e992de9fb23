#!/bin/bash
# Clocks that follow the loads of an MPI program that knows nothing of it, in a closed loop: ranks compute as fast as their
# cores' clocks say, which a keeper writes to files, as the balancers in the ranks ask.
#   HUDDLE=huddle RECORDER=... COMPARE=... CLOCKED=clocked_ranks KEEPER=keeper_host FAKE_AFFINITY_LIBRARY=... FAKE_SYSFS=...
#   NODE_XML=... MPI=openmpi balance_loop_test.sh CASE
set -u
: "${HUDDLE:?}" "${CLOCKED:?}" "${KEEPER:?}"
. "$(dirname "$0")/../recorder_lib.sh"

# Waiting ranks of MPICH keep the processors busy: no more of them than there are.
ranks=8
[ "$MPI" != mpich ] || ranks=2
cpufreq=$work/sys/devices/system/cpu/cpufreq

begin_keeper() {
  "$FAKE_SYSFS" "$work/sys" 2 2 2
  "$(dirname "$FAKE_SYSFS")/fake_cpufreq" "$work/sys" acpi-cpufreq 1
  local policy
  for policy in "$cpufreq"/policy*; do ln "$policy/scaling_max_freq" "$policy/scaling_cur_freq"; done
  mkfifo "$work/control"
  "$KEEPER" "$work/sys" "$work/keeper" <"$work/control" &
  keeper=$!
  exec 7>"$work/control"
  until [ -S "$work/keeper" ]; do
    kill -0 $keeper || fail "no keeper"
    sleep 0.02
  done
}

end_keeper() {
  exec 7>&-
  wait $keeper || fail "the keeper ended with status $?"
}

clocks() {
  cat "$cpufreq"/policy*/scaling_max_freq | paste -sd' '
}

top=$(for ((i = 0; i < 8; ++i)); do echo 2400000; done | paste -sd' ')

# PROFILE ITERATIONS MILLISECONDS KIND -> output, status. BALANCE: 1 or empty
run_ranks() {
  local profile=$1
  shift
  status=0
  HWLOC_XMLFILE=$NODE_XML HWLOC_THISSYSTEM=1 FAKE_AFFINITY=0:ff:ff HUDDLE_PROFILE=$profile \
    HUDDLE_BALANCE=${BALANCE-1} HUDDLE_KEEPER=${SOCKET-$work/keeper} LD_PRELOAD=$FAKE_AFFINITY_LIBRARY:$RECORDER \
    mpi "$ranks" bash -c 'r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec taskset -c $r "$@"' bash "$CLOCKED" "$cpufreq" "$@" \
    >"$work/output" 2>&1 || status=$?
}

# Prints what it says of itself.
result() { # time|energy
  sed -n "s/.*$1 \([0-9.]*\).*/\1/p" "$work/output"
}

note_of() { # PROFILE
  "$HUDDLE" show "$1" --json | python3 -c 'import json, sys; print(*json.load(sys.stdin).get("notes", []), sep="\n")'
}

# Runs ranks at the top clocks and with balancers, until EXPRESSION holds of time, energy, top_time and top_energy: on a busy
# machine a pair of runs may say nothing.
pairs_until() { # EXPRESSION ITERATIONS MILLISECONDS KIND
  local expression=$1 try time energy top_time top_energy
  shift
  for try in {1..5}; do
    BALANCE= run_ranks "$work/top.json" "$@"
    [ "$status" -eq 0 ] || fail "status $status: $(cat "$work/output")"
    top_time=$(result time) top_energy=$(result energy)
    [ "$(clocks)" = "$top" ] || fail "clocks without a balancer: $(clocks)"
    run_ranks "$work/balanced.json" "$@"
    [ "$status" -eq 0 ] || fail "status $status: $(cat "$work/output")"
    [ "$(clocks)" = "$top" ] || fail "clocks afterwards: $(clocks)"
    time=$(result time) energy=$(result energy)
    echo "$3: $top_time s and $top_energy J at the top clocks, $time s and $energy J with clocks that follow loads"
    ! awk -v time="$time" -v energy="$energy" -v top_time="$top_time" -v top_energy="$top_energy" \
      "BEGIN { exit !($expression) }" || return 0
  done
  fail "never so: $expression"
}

# The model: loads of 1 to 0.55 of 50 ms need 2.4 to 1.4 GHz; some periods pass before that.
clocks_follow_loads_and_save_energy() {
  begin_keeper
  pairs_until 'energy / time < 0.955 * top_energy / top_time && time < 1.05 * top_time' 100 50 uneven
  note_of "$work/balanced.json" | grep "clocks could follow the loads of ranks: at the end" || fail "no note in the profile"
  # Each rank's own record: the most loaded one kept the top clock.
  "$HUDDLE" show "$work/balanced.json" | grep -A5 "^clocks that follow loads" || fail "no section"
  python3 - "$work/balanced.json" "$ranks" <<'CHECK' || fail "records: $(grep -o '"balancing":{[^}]*}' "$work/balanced.json")"
import json, sys
profile = json.load(open(sys.argv[1]))
records = [record["balancing"] for record in profile["rank_records"]]
assert len(records) == int(sys.argv[2]), records
assert len({(r["points"], r["lost_s"]) for r in records}) <= 2, "ranks disagree"  # one may be a point ahead
assert all(r["top_hz"] == 2.4e9 and r["points"] > 0 and r["periods"] > 0 for r in records)
assert records[0]["mean_hz"] > 0.97 * 2.4e9, records[0]
assert records[-1]["lowest_hz"] < 1.7e9 and records[-1]["mean_hz"] < 2e9, records[-1]
CHECK
  end_keeper
}

even_loads_change_no_clock() {
  begin_keeper
  run_ranks "$work/even.json" 60 20 even
  [ "$status" -eq 0 ] || fail "status $status: $(cat "$work/output")"
  note_of "$work/even.json" | tee "$work/notes"
  [ "$(clocks)" = "$top" ] || fail "clocks afterwards: $(clocks)"
  end_keeper
}

loads_that_change_cost_little() {
  begin_keeper
  pairs_until 'time < 1.05 * top_time' 80 25 doubles
  pairs_until 'time < 1.05 * top_time' 80 25 stalls
  end_keeper
}

a_rank_that_dies_leaves_clocks_at_the_top() {
  begin_keeper
  run_ranks "$work/dies.json" 80 40 dies
  [ "$status" -ne 0 ] || fail "a dead rank was not noticed"
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    [ "$(clocks)" != "$top" ] || break
    sleep 0.05
  done
  [ "$(clocks)" = "$top" ] || fail "clocks afterwards: $(clocks)"
  end_keeper
}

a_keeper_that_dies_does_no_harm() {
  begin_keeper
  (sleep 2; kill -KILL $keeper) &
  run_ranks "$work/alone.json" 80 40 uneven
  [ "$status" -eq 0 ] || fail "status $status: $(cat "$work/output")"
  note_of "$work/alone.json"
  exec 7>&-
  wait
}

# Each rank may run on all PUs.
unbound_ranks_get_a_line() {
  begin_keeper
  HWLOC_XMLFILE=$NODE_XML HWLOC_THISSYSTEM=1 FAKE_AFFINITY=0:ff:ff HUDDLE_PROFILE=$work/loose.json \
    HUDDLE_BALANCE=1 HUDDLE_KEEPER=$work/keeper LD_PRELOAD=$FAKE_AFFINITY_LIBRARY:$RECORDER \
    mpi 2 taskset -c 0-7 "$CLOCKED" "$cpufreq" 5 5 even >"$work/output" 2>&1 || fail "status $?: $(cat "$work/output")"
  [ "$(grep -c "^huddle: a rank that may run on cores of several clocks asks for all of them" "$work/output")" -eq 1 ] ||
    fail "not one line: $(cat "$work/output")"
  note_of "$work/loose.json" | grep -q "bind ranks to cores (srun --cpu-bind=cores, mpirun --bind-to core)" || fail "no note"
  end_keeper
}

without_a_keeper_a_line_says_so() {
  begin_keeper
  end_keeper
  SOCKET='' run_ranks "$work/none.json" 5 5 uneven
  [ "$status" -eq 0 ] || fail "status $status: $(cat "$work/output")"
  grep -q "huddle: clocks don't follow loads: no keeper of clocks was started for this step" "$work/output" ||
    fail "no line: $(cat "$work/output")"
  [ "$(grep -c huddle: "$work/output")" -eq 1 ] || fail "more than one line: $(cat "$work/output")"
  note_of "$work/none.json" | grep -q "clocks did not follow the loads of ranks" || fail "no note"
}

"${1:?which case}"
