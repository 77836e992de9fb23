#!/bin/bash
# Tests what profiles say of the OpenMP regions of unmodified programs: all counts and sizes of teams are known.
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

# Passes that are not timed have estimates in the profile. Pauses of a busy machine are in some passes and stand for many: so
# what the estimates add up to must be right in one run of three.
short_passes_are_all_counted_and_not_all_timed() {
  local tries
  REGIONS=$(dirname "$REGIONS")/short_regions
  for tries in 1 2 3; do
    runs_as_without "$work/p.json" 1 50
    jq -c '.rank_records[0] | .run_time_s, .openmp_regions' "$work/p.json" >"$work/found"
    equal "passes" "$(regions "$work/p.json" 0 "$REGIONS" | cut -d' ' -f2- | xargs)" "50000 1 1 50000 1 1"
    jq -e '.rank_records[0].openmp_regions | [range(.passes | length) as $i | .timed_passes[$i] <= .passes[$i]] | all' "$work/p.json" >/dev/null ||
      fail "more were timed than there were: $(cat "$work/found")"
    jq -e '.rank_records[0].openmp_regions | (.timed_passes | add) | . < 50000 and . > 2048' "$work/p.json" >/dev/null ||
      fail "not a part was timed: $(cat "$work/found")"
    ! jq -e '.rank_records[0] | .run_time_s as $run | .openmp_regions | [range(.passes | length) as $i | .passes[$i] * .mean_s[$i] + .serial_s[$i]]
      | add | . > 0.1 * $run and . < 3 * $run' "$work/p.json" >/dev/null || return 0
    echo "run $tries: times: $(cat "$work/found")"
  done
  fail "the estimates of three runs add up to less than a tenth of the run, or to more than three of it"
}

# One line for each region: passes that were looked at, and ms that a thread works, the busiest does, and a pass takes.
work_of_regions() { # PROFILE
  jq -r '.rank_records[0].openmp_regions | range(.passes | length) as $i
    | "\(.observed_passes[$i]) \(.busy_s[$i] * 1e3) \(.busiest_s[$i] * 1e3) \(.mean_s[$i] * 1e3)"' "$1"
}

# Threads that sleep need no core: a busy machine wakes them late, and not early.
work_is_seen() { # PROGRAM
  REGIONS=$1
  runs_as_without "$work/p.json" 1 work 20
  work_of_regions "$work/p.json" >"$work/found"
  # The mean of 30 and 10 ms in one team is two thirds of the most. Where both threads work for 40 ms and wait for 20, it is
  # two thirds of the pass. The waiting of inner teams is work of the outer one.
  awk '$1 < 15 { print "few were looked at: " $0 }
    $2 < 0.8 * $3 && $2 >= 19 && $3 >= 29 { ++uneven; next }
    $2 < 0.78 * $4 && $2 >= 38 { ++even; next }
    $2 >= 0.78 * $4 && $2 >= 29 { ++inner; next }
    { print "as in no region: " $0 }
    END { if (uneven != 1 || even != 2 || inner != 1) print uneven + 0 " uneven, " even + 0 " even, " inner + 0 " with inner teams" }' \
    "$work/found" >"$work/wrong"
  [ ! -s "$work/wrong" ] || fail "$(cat "$work/wrong" "$work/found")"
}

how_long_threads_of_a_team_work_is_seen() {
  work_is_seen "$(dirname "$REGIONS")/uneven_teams"
}

how_long_threads_of_llvms_runtime_work_is_seen() {
  work_is_seen "$(dirname "$REGIONS")/uneven_teams_clang"
}

# The regions of a period begin where it was seen to begin: their order is that of the program, turned. Where other programs take the
# cores away, lengths scatter by much more than the search is made for: so it must be found in one run of three.
periods_of_regions_are_found() {
  REGIONS=$(dirname "$REGIONS")/uneven_teams
  local try
  for try in 1 2 3; do
    runs_as_without "$work/p.json" 1 periodic 60
    jq -e '.rank_records[0].region_periods | length == 1 and (.[0].regions | length == 7 and (unique | length == 4)
      and (group_by(.) | map(length) | sort == [1, 1, 2, 3])) and .[0].passes >= 350' "$work/p.json" >/dev/null && break
    [ "$try" -lt 3 ] || fail "found: $(jq -c '.rank_records[0].region_periods' "$work/p.json")"
  done
  runs_as_without "$work/q.json" 1 random 600
  equal "periods in no order" "$(jq -c '.rank_records[0] | has("region_periods")' "$work/q.json")" false
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


# As regions(), for a program of LLVM's runtime: of its regions the place that calls the runtime is known. Lines are by function.
reported() { # PROFILE RANK PROGRAM [GROUP]
  nm --defined-only "$3" | awk '$2 ~ /[tT]/ { print "x" $1, $3 }' | sort >"$work/functions"
  jq -r --argjson rank "$2" --arg group "${4:-others}" '.openmp_regions as $all
    | .rank_records[] | select(.rank == $rank) | .openmp_regions as $table
    | [range($table.region | length) | {
        place: ($table.region[.] as $id | $all[] | select(.id == $id) | .place), group: $table.group[.],
        passes: $table.passes[.], least: $table.smallest_team[.], most: $table.largest_team[.]}]
    | map(select((.group == 0) == ($group == "0"))) | group_by(.place)[]
    | [.[0].place, (map(.passes) | add), (map(.least) | min), (map(.most) | max)] | @tsv' "$1" |
    while IFS=$'\t' read -r place passes least most; do
      local function="?"
      [ "${place%+*}" != "region at $(basename "$3")" ] ||
        function=$(awk -v at="$(printf 'x%016x' "${place##*+}")" '$1 < at { last = $2 } END { print last }' "$work/functions")
      echo "$function $passes $least $most"
    done | sort
}

# libomp gives the first region behind a league, which is the first reduction, the league's 2 threads.
reported_of_main_thread="league 10 1 1
loops 10 3 3
loops 10 3 3
loops 10 3 3
loops 10 3 3
loops 10 3 3
nested 10 2 2
only_if 10 1 1
plain 20 2 3
reduction 2 2 3
sections 10 3 3
task_reduction 1 3 3
tasks 10 3 3"

# Behind a league LLVM 14 gives the first region that asks for no number two threads of three, and LLVM 19 all of them.
after_league() { sed 's/^reduction 2 [23] 3$/reduction 2 2 3/'; }

notes_about_regions() { # PROFILE
  jq -r '[.notes // [] | .[] | select(contains("OpenMP"))] | join("; ")' "$1"
}

regions_of_llvms_runtime_are_counted_exactly() {
  REGIONS=${REGIONS}_clang
  runs_as_without "$work/p.json" 2 10
  for rank in 0 1; do
    equal "regions of rank $rank" "$(reported "$work/p.json" $rank "$REGIONS" | after_league)" "$(after_league <<<"$reported_of_main_thread")"
    equal "regions without a phase of rank $rank" "$(reported "$work/p.json" $rank "$REGIONS" 0)" ""
  done
  equal "notes" "$(notes_about_regions "$work/p.json")" ""
  jq -e '.rank_records[] | .run_time_s >= (.openmp_regions
    | [range(.passes | length) as $i | .passes[$i] * .mean_s[$i] + .serial_s[$i]] | add)' "$work/p.json" >/dev/null ||
    fail "regions and what lies between them take longer than the run"
}

threads_of_llvms_runtime_lose_no_regions() {
  REGIONS=${REGIONS}_clang
  runs_as_without "$work/p.json" 2 10 multiple
  for rank in 0 1; do
    equal "regions of rank $rank" "$(reported "$work/p.json" $rank "$REGIONS" | after_league)" "$(after_league <<<"$reported_of_main_thread")"
    equal "regions of the other thread of rank $rank" "$(reported "$work/p.json" $rank "$REGIONS" 0)" "plain 10 2 2"
  done
}

# A program of LLVM's runtime that calls a library of libgomp's, between regions and inside of them.
both_runtimes_of_a_process_are_seen() {
  REGIONS=$(dirname "$REGIONS")/openmp_two_runtimes
  runs_as_without "$work/p.json" 2 10
  for rank in 0 1; do
    equal "regions of rank $rank" "$(jq -c --argjson rank $rank '.openmp_regions as $all | .rank_records[] | select(.rank == $rank)
      | .openmp_regions as $table | [range($table.region | length) | {place: ($table.region[.] as $id | $all[] | select(.id == $id)
      | .place | sub("[+].*"; "")), passes: $table.passes[.], team: $table.largest_team[.]}]
      | group_by(.place) | map([.[0].place, (map(.passes) | add), (map(.team) | max)])' "$work/p.json")" \
      '[["region at libopenmp_library.so",10,2],["region at openmp_two_runtimes",20,2]]'
  done
}

# A runtime takes one tool only: the user's comes first, and keeps working.
tools_of_users_come_first() {
  local tool=$work/none.so said
  REGIONS=${REGIONS}_clang
  export OMP_TOOL_LIBRARIES=$tool
  runs_as_without "$work/p.json" 2 10
  unset OMP_TOOL_LIBRARIES
  said=$(notes_about_regions "$work/p.json")
  [[ $said == *"another tool has the runtime's interface"* ]] || fail "no line about the tool: $said"
  equal "the table of regions" "$(jq -c .openmp_regions "$work/p.json")" "[]"

  TOOL=$(dirname "$REGIONS")/openmp_users_tool.so
  LD_PRELOAD="$RECORDER $TOOL" HUDDLE_PROFILE=$work/q.json mpi 2 "$REGIONS" 10 2>"$work/tool" >/dev/null ||
    fail "with a preloaded tool: $(cat "$work/tool")"
  equal "what the tool saw in two ranks" "$(sort "$work/tool" | uniq -c | awk '{ print $1, $2, $3 }')" "2 began ended"
  [[ $(notes_about_regions "$work/q.json") == *"another tool"* ]] || fail "no line about the preloaded tool"

  # Without any tool, regions are seen all the same, also where teams are acted on.
  export OMP_TOOL=disabled
  runs_as_without "$work/r.json" 2 10
  equal "regions without tools" "$(reported "$work/r.json" 1 "$REGIONS" | after_league)" "$(after_league <<<"$reported_of_main_thread")"
  equal "notes without tools" "$(notes_about_regions "$work/r.json")" ""
  export HUDDLE_THREADS=pack
  runs_as_without "$work/s.json" 2 10
  equal "regions of teams that are acted on" "$(reported "$work/s.json" 1 "$REGIONS" | after_league)" "$(after_league <<<"$reported_of_main_thread")"
}

# Where teams are acted on, regions are seen by other code than where they are only counted: one region has one id.
regions_of_llvms_runtime_have_one_id_however_they_are_seen() {
  REGIONS=${REGIONS}_clang
  runs_as_without "$work/p.json" 1 10
  HUDDLE_THREADS=pack runs_as_without "$work/q.json" 1 10
  local columns='[.rank_records[0].openmp_regions | range(.passes | length) as $i | select(.group[$i] != 0) | [.region[$i], .passes[$i]]] | group_by(.[0])
    | map([.[0][0], (map(.[1]) | add)])'
  equal "regions of a run that acts on teams" "$(jq -c "$columns" "$work/q.json")" "$(jq -c "$columns" "$work/p.json")"
  equal "how many there are" "$(jq "$columns | length" "$work/p.json")" 13
}

# With 0 to 303 arguments, in leagues, in one thread alone, and with inner teams. Each thread count comes.
regions_may_have_any_number_of_arguments() {
  REGIONS=$(dirname "$REGIONS")/openmp_forks
  runs_as_without "$work/p.json" 2 9
  for rank in 0 1; do
    equal "regions of rank $rank" "$(reported "$work/p.json" $rank "$REGIONS" | grep -vE '^(league|serialized)')" \
      "$(printf '%s 9 1 3\n' fork_{0,3,4,5,6,7,8,14,15,16,17,41,303} inner way_back | sort)"
    equal "of one thread, in rank $rank" "$(reported "$work/p.json" $rank "$REGIONS" | grep -E '^(league|serialized)')" \
      "$(printf '%s 9 1 1\n' league serialized)"
  done
  HUDDLE_TRACE=$work/trace runs_as_without "$work/q.json" 1 9
  equal "passes in the traced run" "$(jq '[.rank_records[].openmp_regions.passes | add] | add' "$work/q.json")" 153
}

programs_that_end_inside_of_a_region_end() {
  REGIONS=$(dirname "$REGIONS")/openmp_forks
  runs_as_without "$work/p.json" 2 3 exit
}

# LLVM's runtime has the entries of GCC's, too, by which it is called in a program that GCC built: each region is one.
programs_of_gcc_that_use_llvms_runtime_are_counted_once() {
  local llvm
  llvm=$(ldconfig -p | awk '$1 == "libomp.so.5" && !found { print $NF; found = 1 }')
  [ -n "$llvm" ] || { echo "libomp.so.5 is not where the loader looks"; exit 77; }
  LD_PRELOAD=$llvm mpi 1 "$REGIONS" 10 >"$work/plain" || fail "without the recorder"
  RECORDER=$RECORDER:$llvm record "$work/p.json" 1 "$REGIONS" 10 >"$work/recorded" || fail "status $?"
  equal "the program's output" "$(cat "$work/recorded")" "$(cat "$work/plain")"
  equal "regions" "$(regions "$work/p.json" 0 "$REGIONS" | after_league_of_gcc)" "$(after_league_of_gcc <<<"$expected_of_main_thread")"
}
after_league_of_gcc() { sed 's/^reduction._omp_fn.0 2 [23] 3$/reduction._omp_fn.0 2 2 3/'; }

# A library that loads LLVM's runtime for itself alone: what it calls is found by who calls.
runtimes_that_one_library_has_loaded_are_seen() {
  REGIONS=$(dirname "$REGIONS")/openmp_own_runtime
  runs_as_without "$work/p.json" 2 10
  for rank in 0 1; do
    equal "passes and team of rank $rank" "$(jq -c --argjson rank $rank '.rank_records[] | select(.rank == $rank) | .openmp_regions
      | [(.passes | add), (.largest_team | max)]' "$work/p.json")" "[10,2]"
  done
}

a_recorder_of_another_mpi_changes_nothing_for_llvms_runtime() {
  local folder
  folder=$(dirname "$RECORDER")
  [ -e "$folder/libhuddle_recorder_mpich.so" ] || { echo "no recorder of another MPI"; exit 77; }
  export RECORDER=$folder/libhuddle_recorder.so:$folder/libhuddle_recorder_mpich.so
  regions_of_llvms_runtime_are_counted_exactly
  both_runtimes_of_a_process_are_seen
  teams_that_a_library_begins_where_it_is_loaded_and_in_many_places_are_seen
}

# In a static initialiser the one that begins a team holds the loader's lock: the others may not look anything up. And what is remembered of
# who calls has an end.
teams_that_a_library_begins_where_it_is_loaded_and_in_many_places_are_seen() {
  REGIONS=$(dirname "$REGIONS")/openmp_sites
  runs_as_without "$work/p.json" 1 3000
  equal "passes and team" "$(jq -c '.rank_records[0].openmp_regions | [(.passes | add), (.largest_team | max)]' "$work/p.json")" "[120001,2]"
  equal "the program's output when nothing is recorded" "$(LD_PRELOAD=$RECORDER mpi 1 "$REGIONS" 3000)" "$(mpi 1 "$REGIONS" 3000)"
}

"$1"
