#!/bin/bash
# Tests an unmodified program that tries its teams, and has a chooser beside it: it turns to what that chooses while it runs.
#   usage: within_run_test.sh CASE; TEAMS: packed_teams; MACHINE: a machine document; LIBRARIES: where ours are
. "$(dirname "$0")/recorder_lib.sh"
: "${TEAMS:?}" "${MACHINE:?}" "${LIBRARIES:?}"
unset OMP_DYNAMIC OMP_THREAD_LIMIT OMP_NUM_THREADS HUDDLE_TEAMS
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }

machine_of_one_package "$MACHINE" "$work/machine.json"
export HUDDLE_THREADS=pack GOMP_SPINCOUNT=300 HUDDLE_RECORDER=$LIBRARIES/libhuddle_recorder.so

# BOUND PROFILE ARGUMENTS...: the program on one rank, started as `huddle record --threads pack` does it
run() {
  local bound=$1 profile=$2
  shift 2
  export HUDDLE_CHOOSE="$bound energy $work/machine.json"
  out=$(RECORDER=$LIBRARIES/libhuddle_exec.so:$RECORDER record "$profile" 1 "$TEAMS" "$@") || fail "status $?"
  notes=$(jq -r '.notes[]' "$profile")
  ! pgrep -a -f "huddle_chooser $HUDDLE_CHOOSE\$" || fail "a chooser is left"
}
says() { grep -qF -- "$1" <<<"$notes" || fail "no note \"$1\": $notes"; }
bound_of() { sed -n 's/^rank 0: [0-9]* regions, \([0-9]*\) packed, .*/\1/p' <<<"$out"; }
packed() { jq -r "[.rank_records[0].packed_regions.$1[]?] | add // 0" "$work/p.json"; }
home_again() {
  equal "processors at the end" "$(sed -n 's/^rank 0: .* packed, \([0-9]*\) processors.*/\1/p' <<<"$out")" "$(nproc)"
}

# On one processor its regions take half as long. The recorder's own thread looks each four seconds. On a busy machine a run may
# show no gain, or too few passes that are as quick as the guard wants them.
a_long_run_chooses_and_acts_itself() {
  for try in {1..5}; do
    run 1 "$work/p.json" 16 quicker 5
    [ "$(packed acted_passes)" -lt 100 ] || break
    echo "try $try: $notes"
  done
  says "to see what they take there"
  says "By that, teams were chosen after "
  says "Teams of 1 regions ran on fewer cores, in 1 groups of phases"
  [ "$(packed acted_passes)" -ge 100 ] || fail "acted on $(packed acted_passes) passes: $out"
  [ "$(bound_of)" -ge "$(packed acted_passes)" ] || fail "bound $(bound_of) times, and acted on $(packed acted_passes) passes"
  # The trials are kept as they were, so that a plan may be made of them.
  [ "$(packed passes)" -le 40 ] && [ "$(packed usual_passes)" -ge 500 ] || fail "$(jq -c '.rank_records[0].packed_regions' "$work/p.json")"
  home_again
}

teams_that_need_their_cores_stay() {
  run 0.05 "$work/p.json" 16 slower 5
  says "By that, nothing was chosen in this run: "
  equal "acted on" "$(packed acted_passes)" 0
  [ "$(bound_of)" -le 60 ] || fail "bound $(bound_of) times"
  home_again
}

runs_without_a_chooser_go_on() {
  printf 'no machine' >"$work/machine.json"
  run 1 "$work/p.json" 16 quicker 5
  says "By that, nothing was chosen in this run: "
  says "machine.json"
  home_again
  mkdir "$work/lib" # without the program
  cp "$LIBRARIES"/libhuddle_recorder*.so "$LIBRARIES/libhuddle_exec.so" "$work/lib"
  LIBRARIES=$work/lib HUDDLE_RECORDER=$work/lib/libhuddle_recorder.so RECORDER=$work/lib/$(basename "$RECORDER")
  run 1 "$work/q.json" 12 quicker 5
  says "to see what they take there"
  ! grep -q "By that" <<<"$notes" || fail "who chose? $notes"
  home_again
}

"$1"
