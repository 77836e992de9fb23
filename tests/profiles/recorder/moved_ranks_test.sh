#!/bin/bash
# Ranks that the recorder moves to measure how they slow each other down, on a node that is made up.
#   usage: moved_ranks_test.sh CASE, with the variables of recorder_test.sh
set -u
: "${PROGRAMS:?}"
. "$(dirname "$0")/recorder_lib.sh"

# Four ranks on a node that pretends to have 2 packages x 2 L3 groups x 2 cores, two of them in each package.
on_pretended_node() { # PROFILE PUS-OF-RANK COMMAND...: PUS-OF-RANK is an expression of $r
  local profile=$1 pus=$2
  shift 2
  [ -d "$work/sys" ] || "$FAKE_SYSFS" "$work/sys" 2 2 2
  HWLOC_XMLFILE=$NODE_XML HWLOC_THISSYSTEM=1 FAKE_AFFINITY=0:${NODE_PUS:-ff}:ff HUDDLE_SYSFS=$work/sys HUDDLE_PROFILE=$profile \
    LD_PRELOAD=$FAKE_AFFINITY_LIBRARY:$RECORDER \
    mpi 4 bash -c 'r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec taskset -c '"$pus"' "$@"' bash "$@"
}

moves_of() { # PROFILE: what each rank says about moving
  "$COMPARE" moves "$1" || fail "$1 can't be read"
}

# On a busy machine phases are long, and so bursts come later: a run gets more time until its ranks were moved.
moved_run() { # PROFILE PUS-OF-RANK
  local seconds
  for seconds in 8 20 60; do
    HUDDLE_MOVE_RANKS=1 on_pretended_node "$1" "$2" "$ROUNDS" $seconds >"$work/output" 2>&1 ||
      fail "status $?: $(cat "$work/output")"
    [ "$(moves_of "$1" | grep -c ' moved to ')" -lt 4 ] || return 0
    echo "not yet in $seconds s: $(moves_of "$1" | head -1)"
  done
  fail "nobody was moved: $(moves_of "$1")"
}

ranks_are_moved_and_come_back() {
  moved_run "$work/moved.json" '$((2 * r))'
  local found
  found=$(moves_of "$work/moved.json")
  echo "$found"
  equal "placements" "$(sed -E 's/ \(.*//' <<<"$found" | paste -sd';')" \
    "rank 0 on 0 moved to 0;rank 1 on 2 moved to 1;rank 2 on 4 moved to 4;rank 3 on 6 moved to 5"
  summary_has "$work/moved.json" "complete true"
  [ -z "$(find /dev/shm -name 'huddle-moves-*' -newer "$work/sys")" ] || fail "shared memory was left"
}

programs_that_bind_themselves_are_not_moved() {
  HUDDLE_MOVE_RANKS=1 on_pretended_node "$work/bound.json" '$((2 * r))' "$ROUNDS" 8 bind >"$work/output" 2>&1 ||
    fail "status $?: $(cat "$work/output")"
  equal "reasons" "$(moves_of "$work/bound.json" | sed 's/.* not moved: //' | sort -u)" "the program binds itself"
}

# As with a control group that has fewer PUs than the node: PUs 1, 3, 5 and 7 are not to be had.
ranks_that_the_system_holds_stay_and_run_on() {
  NODE_PUS=55 HUDDLE_MOVE_RANKS=1 on_pretended_node "$work/held.json" '$((2 * r))' "$ROUNDS" 8 >"$work/output" 2>&1 ||
    fail "status $?: $(cat "$work/output")"
  equal "reasons" "$(moves_of "$work/held.json" | sed 's/.* not moved: //' | sort -u)" "the system did not let a rank move"
}

ranks_stay_where_moving_is_not_possible() {
  not_moved() { # PUS-OF-RANK REASON
    on_pretended_node "$work/stays.json" "$1" "$ROUNDS" 0.1 >"$work/output" 2>&1 ||
      fail "status $?: $(cat "$work/output")"
    equal "with PUs $1" "$(moves_of "$work/stays.json" | sed 's/.* not moved: //' | sort -u)" "$2"
  }
  HUDDLE_MOVE_RANKS=1 not_moved '$((2 * r))' "the run ended before moving was affordable, or its phases do not come again"
  HUDDLE_MOVE_RANKS=1 not_moved '$r' "a node's ranks do not fit, one to a core, on fewer dies of the same package"
  HUDDLE_MOVE_RANKS=0 not_moved '$((2 * r))' ""
  not_moved '$((2 * r))' ""
  rm "$work/sys/devices/system/cpu/online"
  HUDDLE_MOVE_RANKS=1 not_moved '$((2 * r))' "Linux does not report the cores and dies of a node"
}

run_case "$@"
