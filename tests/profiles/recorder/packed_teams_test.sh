#!/bin/bash
# Tests an unmodified program whose teams may be packed: tried on fewer cores, run on those that are chosen, and put back
# where that makes it slower.
#   usage: packed_teams_test.sh CASE; TEAMS: packed_teams, or teams_by_processors
. "$(dirname "$0")/recorder_lib.sh"
: "${TEAMS:?}"
unset OMP_DYNAMIC OMP_THREAD_LIMIT OMP_NUM_THREADS
export HUDDLE_THREADS=pack GOMP_SPINCOUNT=300
# libomp doesn't read it. Where threads share cores, the task hook lets them sleep at once.
[ -z "${UNSET_SPINS-}" ] || { unset GOMP_SPINCOUNT; export KMP_BLOCKTIME=0; }
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }

# PROFILE KEY: of rank 0's first packed region
packed() { jq -r ".rank_records[0].packed_regions.$2[0]" "$1"; }
# Not by jq, to which large numbers are inexact.
region_id() { python3 -c 'import json, sys; print("%x" % json.load(open(sys.argv[1]))["openmp_regions"][0]["id"])' "$1"; }
says() { # PROFILE TEXT
  jq -r '.notes[]' "$1" | grep -F -- "$2" >"$work/line" || fail "no note \"$2\": $(jq -c .notes "$1")"
}
bound_of() { sed -n 's/^rank 0: [0-9]* regions, \([0-9]*\) packed, .*/\1/p' <<<"$1"; }
home_again() { # OUTPUT
  equal "processors at the end" "$(sed -n 's/^rank 0: .* packed, \([0-9]*\) processors.*/\1/p' <<<"$1")" "$(nproc)"
}

fewer_cores_are_tried_and_the_profile_says_what_they_take() {
  out=$(record "$work/p.json" 1 "$TEAMS" 5 same) || fail "status $?"
  says "$work/p.json" "Teams were on fewer cores "
  [ "$(bound_of "$out")" -ge 4 ] || fail "not tried: $out"
  equal "cores" "$(packed "$work/p.json" cores) of $(packed "$work/p.json" team) threads" "1 of 4 threads"
  jq -e '.rank_records[0].packed_regions | .passes[0] >= 2 and .first_passes[0] >= 1 and .usual_passes[0] >= 100
    and .mean_s[0] >= 0.001 and .usual_mean_s[0] >= 0.001' "$work/p.json" >/dev/null ||
    fail "$(jq -c '.rank_records[0].packed_regions' "$work/p.json")"
  home_again "$out"
}

teams_sized_by_the_processors_that_are_seen_keep_their_size() {
  out=$(record "$work/p.json" 1 "$TEAMS" 6) || fail "status $?: $out"
  says "$work/p.json" "Teams were on fewer cores "
  export HUDDLE_TEAMS=shake
  out=$(record "$work/q.json" 1 "$TEAMS" 1) || fail "status $?, shaken: $out"
  says "$work/q.json" "Teams were packed at random, "
}

chosen_cores_are_used_once_the_groups_are_known() {
  record "$work/p.json" 1 "$TEAMS" 1 same >/dev/null || fail "status $?"
  export HUDDLE_TEAMS="bound 1;0 $(region_id "$work/p.json")=1"
  out=$(record "$work/q.json" 1 "$TEAMS" 2 same) || fail "status $?"
  [ "$(bound_of "$out")" -ge 20 ] || fail "not packed: $out"
  says "$work/q.json" "Teams of 1 regions ran on fewer cores, in 1 groups of phases"
  equal "cores" "$(packed "$work/q.json" cores)" 1
  home_again "$out"
}

teams_that_slow_the_program_go_back() {
  record "$work/p.json" 1 "$TEAMS" 1 slower >/dev/null || fail "status $?"
  export HUDDLE_TEAMS="bound 1;0 $(region_id "$work/p.json")=1"
  out=$(record "$work/q.json" 1 "$TEAMS" 2 slower 1 12000) || fail "status $?"
  bound=$(bound_of "$out")
  # Three bad passes, and the one that is under way when the third is known.
  [ "$bound" -ge 1 ] && [ "$bound" -le 8 ] || fail "packed $bound times: $out"
  says "$work/q.json" "went back: they took longer than the first passes"
  home_again "$out"
}

loops_without_delimiters_are_guarded_by_their_own_passes() {
  record "$work/p.json" 1 "$TEAMS" 1 same alone >/dev/null || fail "status $?"
  export HUDDLE_TEAMS="bound 1;0 $(region_id "$work/p.json")=1"
  out=$(record "$work/q.json" 1 "$TEAMS" 3 same alone) || fail "status $?"
  [ "$(bound_of "$out")" -ge 20 ] || fail "not packed: $out"
  says "$work/q.json" "Where no delimiter of MPI came, passes of 1 regions took its place."
  home_again "$out"
  out=$(record "$work/q.json" 1 "$TEAMS" 4 slower alone) || fail "status $?"
  bound=$(bound_of "$out")
  # Three bad blocks of 32 passes; the region that ends the third runs where they say.
  [ "$bound" -ge 90 ] && [ "$bound" -le 100 ] || fail "packed $bound times: $out"
  says "$work/q.json" "1 of which went back: they took longer than the first passes"
  home_again "$out"
}

ranks_that_share_cores_are_left_alone() {
  out=$(record "$work/p.json" 2 "$TEAMS" 2 same) || fail "status $?"
  equal "packed" "$(bound_of "$out")" 0
  says "$work/p.json" "Threads were not packed: ranks of a node may run on the same cores; bind each to its own."
}

"$1"
