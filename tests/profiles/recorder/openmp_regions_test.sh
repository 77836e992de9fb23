#!/bin/bash
# What profiles say of the OpenMP regions of unmodified programs: all counts and sizes of teams are known.
#   usage: openmp_regions_test.sh CASE; REGIONS: openmp_regions
. "$(dirname "$0")/recorder_lib.sh"
: "${REGIONS:?}"
export OMP_NUM_THREADS=3 OMP_WAIT_POLICY=passive
unset OMP_DYNAMIC OMP_THREAD_LIMIT

# One line for each region of RANK: its function, passes, smallest and largest team. All phase groups but 0 together;
# GROUP may be 0, for the regions that no phase is known of.
regions() { # PROFILE RANK PROGRAM [GROUP]
  nm "$3" | awk '{ sub(/^0+/, "", $1); print "region at '"$(basename "$3")"'+0x" $1 "\t" $3 }' | sort >"$work/symbols"
  jq -r --argjson rank "$2" --arg group "${4:-others}" '.openmp_regions as $all
    | .rank_records[] | select(.rank == $rank) | .openmp_regions as $table
    | [range($table.region | length)] | map({
        place: ($table.region[.] as $id | $all[] | select(.id == $id) | .place), group: $table.group[.],
        passes: $table.passes[.], least: $table.smallest_team[.], most: $table.largest_team[.]})
    | map(select((.group == 0) == ($group == "0"))) | group_by(.place)[]
    | [.[0].place, (map(.passes) | add), (map(.least) | min), (map(.most) | max)] | @tsv' "$1" | sort >"$work/rows"
  join -t $'\t' -o 1.2,2.2,2.3,2.4 "$work/symbols" "$work/rows" | tr '\t' ' ' | sort
}

expected_of_main_thread="league._omp_fn.0 10 1 1
loops._omp_fn.0 10 3 3
loops._omp_fn.1 10 3 3
loops._omp_fn.2 10 3 3
loops._omp_fn.3 10 3 3
loops._omp_fn.4 10 3 3
nested._omp_fn.0 10 2 2
only_if._omp_fn.0 10 1 1
plain._omp_fn.0 20 2 3
reduction._omp_fn.0 2 3 3
sections._omp_fn.0 10 3 3
task_reduction._omp_fn.0 1 3 3
tasks._omp_fn.0 10 3 3"

runs_as_without() { # PROFILE RANKS ARGUMENTS...
  local profile=$1 ranks=$2 plain
  shift 2
  plain=$(mpi "$ranks" "$REGIONS" "$@") || fail "the plain run"
  equal "the program's output" "$(record "$profile" "$ranks" "$REGIONS" "$@")" "$plain"
}

regions_are_counted_exactly() {
  runs_as_without "$work/p.json" 2 10
  for rank in 0 1; do
    equal "regions of rank $rank" "$(regions "$work/p.json" $rank "$REGIONS")" "$expected_of_main_thread"
    equal "regions without a phase of rank $rank" "$(regions "$work/p.json" $rank "$REGIONS" 0)" ""
  done
  jq -e '[.rank_records[].openmp_regions | .serial_s[], .shortest_s[]] | all(. >= 0)' "$work/p.json" >/dev/null ||
    fail "negative times"
  jq -e '.rank_records[] | .run_time_s >= (.openmp_regions
    | [range(.passes | length) as $i | .group[$i] as $g | select($g != 0)
      | .passes[$i] * .mean_s[$i] + .serial_s[$i]] | add)' "$work/p.json" >/dev/null ||
    fail "regions and what lies between them take longer than the run"
}

# As huddle record does, which does not know whose MPI a program will use.
a_recorder_of_another_mpi_changes_nothing() {
  local folder
  folder=$(dirname "$RECORDER")
  [ -e "$folder/libhuddle_recorder_mpich.so" ] || { echo "no recorder of another MPI"; exit 77; }
  RECORDER=$folder/libhuddle_recorder.so:$folder/libhuddle_recorder_mpich.so runs_as_without "$work/p.json" 2 10
  for rank in 0 1; do
    equal "regions of rank $rank" "$(regions "$work/p.json" $rank "$REGIONS")" "$expected_of_main_thread"
  done
}

threads_that_begin_regions_at_once_lose_none() {
  runs_as_without "$work/p.json" 2 10 multiple
  for rank in 0 1; do
    equal "regions of rank $rank" "$(regions "$work/p.json" $rank "$REGIONS")" "$expected_of_main_thread"
    equal "regions of the other thread of rank $rank" "$(regions "$work/p.json" $rank "$REGIONS" 0)" \
      "plain._omp_fn.0 10 2 2"
  done
}

programs_without_openmp_have_no_regions() {
  record "$work/p.json" 2 "$ROUNDS" >/dev/null || fail "steady_rounds"
  jq -e '[.rank_records[] | has("openmp_regions")] | any | not' "$work/p.json" >/dev/null || fail "there are regions"
  equal "the table of regions" "$(jq -c .openmp_regions "$work/p.json")" "[]"
}

regions_of_fortran_are_counted() {
  record "$work/p.json" 2 "${REGIONS}_fortran" || fail "status $?"
  for rank in 0 1; do
    equal "passes and team of rank $rank" "$(jq -c --argjson rank $rank '.rank_records[] | select(.rank == $rank) | .openmp_regions
      | [(.passes | add), (.smallest_team | min), (.largest_team | max)]' "$work/p.json")" "[5,2,2]"
  done
}

a_runtime_in_the_program_gets_a_line() {
  REGIONS=${REGIONS}_alone
  runs_as_without "$work/p.json" 2 10
  jq -e '[.notes[] | select(. == "a runtime of OpenMP is linked into the program: its parallel regions can\u0027t be seen")] | length == 1' \
    "$work/p.json" >/dev/null || fail "not one line: $(jq -c .notes "$work/p.json")"
  equal "the table of regions" "$(jq -c .openmp_regions "$work/p.json")" "[]"
  record "$work/shared.json" 2 "${REGIONS%_alone}" 1 >/dev/null || fail "with the shared runtime"
  ! grep -q "linked into the program" "$work/shared.json" || fail "a line about a shared runtime"
}

"$1"
