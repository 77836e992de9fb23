#!/bin/bash
# Teams of an unmodified program that may have fewer threads, where its user allows it: tried once, used if that ended well, and never
# where it did not.
#   usage: team_sizes_test.sh CASE; SIZES: team_sizes, HUDDLE: huddle
. "$(dirname "$0")/recorder_lib.sh"
: "${SIZES:?}" "${HUDDLE:?}"
unset OMP_DYNAMIC OMP_THREAD_LIMIT HUDDLE_TEAMS
export OMP_NUM_THREADS=4 GOMP_SPINCOUNT=300
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }
library=$(dirname "$RECORDER")/libhuddle_recorder.so # of Open MPI: MPICH's is found beside it
mkdir "$work/store"

consents() { "$HUDDLE" threads --store "$work/store" "$@" || fail "huddle threads $*: status $?"; }
state() { consents --consents --json | jq -r '[.programs[].state] | join(" ")'; }
run() { # OUTPUT OPTIONS... -- ARGUMENTS...: of huddle record, of the program
  local out=$1 options=()
  shift
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
  timeout 200 "$HUDDLE" record --recorder "$library" --threads pack --store "$work/store" -o "$work/p.json" "${options[@]}" -- \
    "mpirun.$MPI" -np 1 "$SIZES" "$@" >"$work/$out" 2>"$work/$out.errors"
}
smaller() { sed -n 's/^[0-9]* regions, \([0-9]*\) smaller, .*/\1/p' "$work/$1"; }
none_wrong() { grep -q ', 0 wrong$' "$work/$1" || fail "$1: $(cat "$work/$1" "$work/$1.errors")"; }
says() { jq -r '.notes[]' "$work/p.json" | grep -F -- "$1" >/dev/null || fail "no note \"$1\": $(jq -c .notes "$work/p.json")"; }

# A run that tries sizes. Where the machine takes its cores away in a window, that window lasts long, and no time is left for another
# one: then nothing was tried, and the next run does.
run_that_tries() { # NAME ARGUMENTS...
  for _ in {1..4}; do
    run "$@" || fail "status $?: $(cat "$work/$1.errors")"
    none_wrong "$1"
    [ "$(smaller "$1")" -eq 0 ] || return 0
    equal "state of what was not tried" "$(state)" audit
  done
}

smaller_teams_are_tried_once_and_then_used_where_they_were_chosen() {
  run unasked -- 3 safe || fail "status $?"
  equal "smaller teams without consent" "$(smaller unasked)" 0
  consents --consent-sizes "$SIZES" | grep -q "compute wrong results without a word" || fail "no warning"
  equal state "$(state)" audit
  run_that_tries tried -- 6 safe
  [ "$(smaller tried)" -ge 4 ] || fail "not tried: $(cat "$work/tried") $(jq -c .notes "$work/p.json")"
  says "as the user allows it, to see what that does"
  equal state "$(state)" act
  # Fewer cores were tried as well, in other windows.
  says "Teams were on fewer cores "
  jq -e '.rank_records[0] | (.smaller_teams | (.passes | add >= 2) and (.usual_passes | min >= 8) and ([.team, .threads] | transpose | all(.[0] == 4 and .[1] < 4)))
    and (.packed_regions | (.passes | add >= 2) and (.cores | all(. < 4)))' "$work/p.json" >/dev/null ||
    fail "not both are in the profile: $(jq -c '.rank_records[0] | .packed_regions, .smaller_teams' "$work/p.json")"
  local region
  region=$(consents --consents | sed -n 's/^  region \([0-9a-f]*\): 4 threads [0-9.e+]* us, [12] threads .*/\1/p' | head -n 1)
  [ -n "$region" ] || fail "not seen: $(consents --consents)"
  run again -- 3 safe || fail "status $?"
  equal "smaller teams with nothing chosen" "$(smaller again)" 0
  run used --teams "bound 1;0 $region=1*1" -- 2 safe 20 || fail "status $?"
  none_wrong used
  [ "$(smaller used)" -ge 20 ] || fail "not used: $(cat "$work/used") $(jq -c .notes "$work/p.json")"
  says "Teams had as many threads as was chosen for them"
  jq -e '.rank_records[0] | (.smaller_teams | .threads == [1] and .passes[0] >= 20) and (has("packed_regions") | not)' "$work/p.json" >/dev/null ||
    fail "the profile: $(jq -c '.rank_records[0] | .packed_regions, .smaller_teams' "$work/p.json")"
  consents --withdraw-sizes "$SIZES" >/dev/null
  run withdrawn --teams "bound 1;0 $region=1*1" -- 2 safe || fail "status $?"
  equal "smaller teams once consent is withdrawn" "$(smaller withdrawn)" 0
}

teams_of_a_plan_stay_while_sizes_are_tried() {
  run unasked -- 2 safe || fail "status $?"
  local region
  region=$(python3 -c 'import json, sys; print("%x" % json.load(open(sys.argv[1]))["openmp_regions"][0]["id"])' "$work/p.json") # jq rounds it
  consents --consent-sizes "$SIZES" >/dev/null
  run_that_tries planned --teams "bound 1;0 $region=1" -- 8 safe 20
  [ "$(smaller planned)" -ge 4 ] || fail "not tried: $(cat "$work/planned") $(jq -c .notes "$work/p.json")"
  equal state "$(state)" act
  says "Teams of 1 regions ran on fewer cores, in 1 groups of phases"
  says "as the user allows it, to see what that does"
  jq -e '.rank_records[0] | (.smaller_teams | (.passes | add >= 2) and (.usual_passes | min >= 8)) and (.packed_regions | .passes[0] >= 500 and .usual_passes[0] <= 300)' \
    "$work/p.json" >/dev/null || fail "the profile: $(jq -c '.rank_records[0] | .packed_regions, .smaller_teams' "$work/p.json")"
}

programs_that_end_badly_with_smaller_teams_keep_their_sizes() {
  consents --consent-sizes "$SIZES" >/dev/null
  ! run harmed -- 6 asserts || fail "no team was smaller: $(cat "$work/harmed") $(jq -c .notes "$work/p.json")"
  equal state "$(state)" harm
  run after -- 3 asserts || fail "status $?: $(cat "$work/after.errors")"
  equal "smaller teams after harm" "$(smaller after)" 0
  equal state "$(state)" harm
  consents --consent-sizes "$SIZES" >/dev/null
  equal "state with new consent" "$(state)" audit
  ! run failed -- 6 fails || fail "the program did not fail"
  [ "$(smaller failed)" -ge 4 ] || fail "not tried: $(cat "$work/failed")"
  equal "state of a program that says it failed" "$(state)" harm
}

teams_with_a_clause_and_nested_ones_keep_their_size() {
  consents --consent-sizes "$SIZES" >/dev/null
  for how in clauses nested; do
    run $how -- 4 $how || fail "status $?"
    equal "smaller teams of regions with $how" "$(smaller $how)" 0
    equal state "$(state)" audit
  done
}

"$1"
