#!/bin/bash
# Tests what profiles say of the counters of OpenMP regions, of a real program with a real runtime whose kernel's counters are
# made up: they count what its threads say (fake_counters.c), so that each figure is known.
#   usage: region_counters_test.sh CASE; REGIONS: counted_regions; FAKE: the library; HUDDLE
. "$(dirname "$0")/recorder_lib.sh"
: "${REGIONS:?}" "${FAKE:?}" "${HUDDLE:?}"
export OMP_WAIT_POLICY=passive
unset OMP_DYNAMIC OMP_THREAD_LIMIT OMP_NUM_THREADS HUDDLE_EVENTS FAKE_COUNTERS_ABSENT FAKE_COUNTERS_PART

run() { # PROFILE RANKS ARGUMENTS...
  local profile=$1 ranks=$2 said
  shift 2
  said=$(LD_PRELOAD="$FAKE $RECORDER" HUDDLE_PROFILE=$profile mpi "$ranks" "$REGIONS" "$@") || fail "status $?"
  equal "the program's output" "$said" done
  "$HUDDLE" show "$profile" --check >"$work/check" || fail "no valid profile: $(cat "$work/check")"
}

# One line for each region of the ranks in which something was counted: what a pass counts, of EVENT, by the passes that were read and by those they
# stand for. Groups together.
counted() { # PROFILE EVENT [FILTER]
  jq -r --arg event "$2" '.rank_records[] | .events as $events | .openmp_regions
    | [$events | to_entries[] | select(.value | sub("^[^/]*/"; "") == $event) | .key] as $places
    | . as $table | [range(.passes | length) | . as $i | select('"${3:-true}"') | select($table.counted_passes[$i] > 0)
      | {region: $table.region[$i], team: $table.largest_team[$i], for: $table.counted_for[$i],
         sum: ([$places[] | $table.counts[.][$i]] | if any(. == null) then null else add end)}]
    | group_by(.region)[] | if any(.sum == null) then "none" else (map(.sum) | add) / (map(.for) | add) | round end' "$1" | sort -n | xargs
}

# Whatever a thread of the team does counts for its region, and what the rank does between regions does not.
counts_are_those_of_the_regions_of_all_threads() {
  run "$work/p.json" 2 40
  equal "instructions a pass" "$(counted "$work/p.json" instructions)" "900000 900000 2000000 2000000"
  equal "cycles a pass" "$(counted "$work/p.json" cycles)" "1000000 1000000 3600000 3600000"
  equal "misses a pass" "$(counted "$work/p.json" cache-misses)" "0 0 60000 60000"
  jq -e '.rank_records[].openmp_regions | [range(.passes | length) as $i | select(.passes[$i] >= 39)
    | .counted_passes[$i] >= 3 and .counted_passes[$i] <= .passes[$i] and .counted_for[$i] >= .counted_passes[$i]
      and .counted_for[$i] <= 10 * .passes[$i] and .counted_time_s[$i] >= 0.003 * .counted_for[$i]
      and .counted_time_s[$i] <= 1.0001 * .longest_s[$i] * .counted_for[$i]] | length == 2 and all' "$work/p.json" >/dev/null ||
    fail "of: $(jq -c '.rank_records[].openmp_regions' "$work/p.json")"
  jq -e '.rank_records[].openmp_regions | [range(.passes | length) as $i | select(.passes[$i] == 1 and .smallest_team[$i] == 2
    and .counted_passes[$i] == 0 and all(.counts[]; .[$i] == null))] | length >= 1' "$work/p.json" >/dev/null ||
    fail "a region that was not counted has counts: $(jq -c '.rank_records[].openmp_regions' "$work/p.json")"
  # The phases have what the rank does between its regions as well.
  jq -e '.rank_records[] | .events as $events | ($events | map(sub("^[^/]*/"; "")) | index("instructions")) as $i
    | .phases | [range(.count | length) as $p | select(.counted[$p] > 0 and .count[$p] >= 39) | .counts[$i][$p] / .counted[$p]]
    | all(. > 5e9)' "$work/p.json" >/dev/null || fail "of the phases: $(jq -c '.rank_records[].phases' "$work/p.json")"
}

# The words of the table, and the same in JSON.
what_was_counted_is_shown() {
  run "$work/p.json" 2 40
  "$HUDDLE" show "$work/p.json" >"$work/text"
  grep -qE '^OpenMP region .* IPC  M misses/s$' "$work/text" || fail "no columns: $(cat "$work/text")"
  "$HUDDLE" show "$work/p.json" --json >"$work/json"
  equal "IPC" "$(jq -c '[.openmp_regions[] | select(.counted_passes > 0) | .ipc * 100 | round] | sort' "$work/json")" "[25,200]"
  # 60,000 of 3 ms and more.
  jq -e '[.openmp_regions[] | select(.counted_passes > 0) | .cache_misses_per_s] | sort | .[0] == 0 and .[1] > 1e5 and .[1] <= 2e7' \
    "$work/json" >/dev/null || fail "misses: $(jq -c '.openmp_regions' "$work/json")"
  grep -qE ' 0\.25 +[0-9.]+$' "$work/text" || fail "no IPC of a region: $(cat "$work/text")"
}

# A drawn pass stands for others; what is outside of the team's threads stays as it is.
short_regions_are_counted_in_a_part_of_their_passes() {
  run "$work/p.json" 1 30 short
  equal "instructions a pass" "$(counted "$work/p.json" instructions)" "30 900000 2000000"
  equal "cycles a pass" "$(counted "$work/p.json" cycles)" "10 1000000 3600000"
  jq -e '.rank_records[0].openmp_regions | [range(.passes | length) as $i | select(.passes[$i] >= 20000) | $i] as $brief
    | ([$brief[] as $i | .counted_passes[$i]] | add) as $read | ([$brief[] as $i | .counted_for[$i]] | add) as $for
    | $brief != [] and $read >= 2 and $read < 60000 and $for > 10 * $read' "$work/p.json" >/dev/null || fail "of: $(jq -c '.rank_records[0].openmp_regions' "$work/p.json")"
}

# Counts are corrected by the time that a counter was on the hardware.
counters_that_take_turns_are_corrected() {
  FAKE_COUNTERS_PART=40 run "$work/p.json" 1 40
  local event
  for event in "instructions 900000 2000000" "cycles 1000000 3600000"; do
    read -r name least most <<<"$event"
    read -r found_least found_most <<<"$(counted "$work/p.json" "$name")"
    awk -v a="$found_least" -v b="$least" -v c="$found_most" -v d="$most" \
      'BEGIN { exit !(a > 0.97 * b && a < 1.03 * b && c > 0.97 * d && c < 1.03 * d) }' ||
      fail "$name: $found_least and $found_most"
  done
}

# 3 is PERF_COUNT_HW_CACHE_MISSES. The others are there, and nobody says how much was missed.
events_that_are_absent_are_absent_in_regions() {
  FAKE_COUNTERS_ABSENT=3 run "$work/p.json" 1 20
  equal "instructions a pass" "$(counted "$work/p.json" instructions)" "900000 2000000"
  jq -e '.rank_records[0].events | all(contains("cache-misses") | not)' "$work/p.json" >/dev/null || fail "misses were counted"
  "$HUDDLE" show "$work/p.json" >"$work/text"
  grep -qE '^OpenMP region .* IPC$' "$work/text" || fail "no column of IPC alone: $(cat "$work/text")"
}

counters_that_are_switched_off_leave_no_counts() {
  HUDDLE_EVENTS=none run "$work/p.json" 1 10
  jq -e '.rank_records[0].openmp_regions | has("passes") and (has("counted_passes") or has("counts") | not)' "$work/p.json" >/dev/null ||
    fail "counts: $(jq -c '.rank_records[0].openmp_regions' "$work/p.json")"
  "$HUDDLE" show "$work/p.json" | grep -q 'OpenMP region.*IPC' && fail "show has a column of IPC"
  HUDDLE_EVENTS=cycles run "$work/q.json" 1 10
  equal "cycles a pass" "$(counted "$work/q.json" cycles)" "1000000 3600000"
}

# As for phases, of the rank's first thread alone. Other threads' regions have none.
regions_of_other_threads_are_not_counted() {
  run "$work/p.json" 1 20 multiple
  equal "instructions a pass" "$(counted "$work/p.json" instructions)" "900000 2000000"
  equal "regions without a phase that were counted" "$(counted "$work/p.json" instructions '$table.group[$i] == 0')" ""
  jq -e '.rank_records[0].openmp_regions | [range(.passes | length) as $i | select(.group[$i] == 0 and .passes[$i] == 20)] | length == 1' \
    "$work/p.json" >/dev/null || fail "of: $(jq -c '.rank_records[0].openmp_regions' "$work/p.json")"
}

# Nobody's program is another one with counters that read.
the_program_runs_as_without() {
  local plain
  plain=$(mpi 2 "$REGIONS" 10) || fail "the plain run"
  equal "the program's output" "$(record "$work/p.json" 2 "$REGIONS" 10)" "$plain"
  "$HUDDLE" show "$work/p.json" --check >/dev/null || fail "no valid profile"
}

"$1"
