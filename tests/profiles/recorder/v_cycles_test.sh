#!/bin/bash
# An unmodified program in V-cycles, whose smoother is large at one level and tiny at others: its teams are tried by position in the
# period, chosen by it, and run as was chosen, with the results that it has without.
#   usage: v_cycles_test.sh; CYCLES: v_cycles, HUDDLE: huddle, MACHINE: a machine document
. "$(dirname "$0")/recorder_lib.sh"
: "${CYCLES:?}" "${HUDDLE:?}" "${MACHINE:?}"
unset OMP_DYNAMIC OMP_THREAD_LIMIT OMP_NUM_THREADS HUDDLE_TEAMS
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }
export HUDDLE_THREADS=pack GOMP_SPINCOUNT=300
cycles=600

machine_of_one_package "$MACHINE" "$work/machine.json"

run() { # PROFILE TEAMS
  out=$(HUDDLE_TEAMS=$2 record "$work/$1.json" 1 "$CYCLES" $cycles) || fail "status $?"
  notes=$(jq -r '.notes[]' "$work/$1.json")
}
residual() { sed -n 's/^residual //p' <<<"$out"; }
bound_at() { sed -n 's/^bound //p' <<<"$out" | cut -d ' ' -f $(($1 + 1)); }
positions() { jq -c "[.rank_records[0].region_positions.as_started | [.context, .mean_s] | transpose[] | select(.[0] != 0) | $1]" "$work/tried.json"; }

plain=$("$CYCLES" $cycles) || fail "status $?" # as a single process, without the recorder
# On a busy machine times may show no gain, or a group of phases is slower for another reason.
for try in {1..5}; do
  run tried ""
  equal "residual while teams are tried" "$(residual)" "$(sed -n 's/^residual //p' <<<"$plain")"
  jq -e '.rank_records[0].region_positions | .anchor > 0 and .length >= 13 and (.packed.region | length) >= 13' "$work/tried.json" >/dev/null ||
    { echo "try $try: $(jq -c '.rank_records[0].region_positions' "$work/tried.json")"; continue; }
  [ "$(positions 'select(.[1] > 0.004)' | jq length)" -ge 2 ] && [ "$(positions 'select(.[1] < 0.004)' | jq length)" -ge 11 ] ||
    { echo "try $try: positions: $(jq -c '.rank_records[0].region_positions' "$work/tried.json")"; continue; }
  "$HUDDLE" threads "$work/tried.json" --machine "$work/machine.json" --measured --json >"$work/threads.json" || fail "status $?"
  teams=$(jq -r .teams "$work/threads.json")
  # The finest level keeps its processors, and coarser ones leave one.
  [[ $teams =~ ^"bound 0.05;0 #"[0-9a-f]+.*"#"[0-9a-f]+=1 ]] || { echo "try $try: chosen $teams $(jq -c .reason "$work/threads.json")"; continue; }
  run acted "bound 1;${teams#*;}" # on a busy machine the guard would see other programs
  equal "residual while teams are acted on" "$(residual)" "$(sed -n 's/^residual //p' <<<"$plain")"
  [ "$(bound_at 0)" -eq 0 ] || { echo "try $try: the finest level was bound $(bound_at 0) times by $teams"; continue; }
  [ $(($(bound_at 1) + $(bound_at 2) + $(bound_at 3))) -lt 1000 ] || break
  echo "try $try: $out $notes"
done
[ "$(bound_at 0)" -eq 0 ] || fail "the finest level was bound $(bound_at 0) times by $teams"
[ $(($(bound_at 1) + $(bound_at 2) + $(bound_at 3))) -ge 1000 ] || fail "bound: $out $notes $teams"
grep -qF "times as chosen for their position in a period" <<<"$notes" || fail "no note of positions: $notes"
jq -e '.regions | any(.position > 0 and .positions >= 13 and .context > 0 and .chosen.cores == 1 and .chosen.measured)' "$work/threads.json" >/dev/null ||
  fail "$(jq -c .regions "$work/threads.json")"
"$HUDDLE" threads "$work/tried.json" --machine "$work/machine.json" --measured | grep -E ' position [0-9]+ of [0-9]+ ' >/dev/null ||
  fail "no position in the table"
grep -E '^ms ' <<<"$plain"
grep -E '^ms ' <<<"$out"
