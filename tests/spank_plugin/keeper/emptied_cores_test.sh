#!/usr/bin/env bash
# Cores that a team has left, as was chosen before the run or within it, get the lowest clock of the site while it is away, by the
# step's keeper, and get it back when it comes home; those of other ranks and jobs are never touched. The clocks are files.
# usage: emptied_cores_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
. "$here/keeper_site.sh"
[ -x "$1/programs/packed_teams" ] || { echo "needs a compiler with OpenMP"; exit 77; }
start_keeper_site "emptied-cores-$$" "$1"
install -m 0755 "$1/programs/packed_teams" "$shared/packed_teams"
install -m 0644 "$1/lib/libhuddle_recorder.so" "$shared/recorder.so"

# Two ranks on the four cores each that n0 has, each with four threads. MODE SECONDS [TEAMS [SLOW [REGIONS]]]
start_ranks() {
  local script
  script=$(mktemp "$shared/job.XXXXXX")
  cat >"$script" <<SCRIPT
#!/bin/bash
export HUDDLE_PROFILE=$home/$1.json HUDDLE_THREADS=pack GOMP_SPINCOUNT=300 HUDDLE_TEAMS='${3-}'
srun --mpi=pmix --cpus-per-task=4 --cpu-bind=cores env LD_PRELOAD=$shared/recorder.so $shared/packed_teams $2 $1 ${5-alone} ${4-4000}
SCRIPT
  chmod 0644 "$script"
  rm -f "$home/$1.json"
  job=$(on_site sbatch --parsable --nodelist=n0 --ntasks=2 --cpus-per-task=4 --output="$home/job-%j.out" "$script")
}
end_ranks() {
  wait_for_job "$job"
  output=$(output_of "$job")
  [ "$job_status" = 0 ] || fail "status $job_status: $output"
}
pus_of() { python3 -c 'import json, sys
pus = json.load(open(sys.argv[1]))["rank_records"][int(sys.argv[2])]["pus"]
for part in pus.split(","):
    first, _, last = part.partition("-")
    print(*range(int(first), int(last or first) + 1), end=" ")' "$home/$1.json" "$2"; }
# Prints how many clocks of these PUs are at so many kHz.
number_at() { # KHZ PU...
  local pu khz=$1 count=0
  shift
  for pu; do [ "$(most_of n0 "$pu")" != "$khz" ] || count=$((count + 1)); done
  echo "$count"
}
are_at() { local khz=$1 count=$2; shift 2; [ "$(number_at "$khz" "$@")" = "$count" ]; }
# The bottom is 1.2 GHz.
at_bottom() { number_at 1200000 "$@"; }
are_at_bottom() { are_at 1200000 "$@"; }
lowered() { # PROFILE: how often the note says
  jq -r '.notes[]' "$home/$1.json" | sed -n 's/.*Clocks of cores that they left were lowered \([0-9]*\) times.*/\1/p'
}

case_begins "ranks whose teams nobody chose cores for have no keeper, and their clocks stay"
start_ranks same 1
end_ranks
[ -z "$(lowered same)" ] || fail "lowered: $(jq -c .notes "$home/same.json")"
expect_as_before
region=$(python3 -c 'import json, sys; print("%x" % json.load(open(sys.argv[1]))["openmp_regions"][0]["id"])' "$home/same.json")
read -ra first <<<"$(pus_of same 0)"
read -ra second <<<"$(pus_of same 1)"
echo "rank 0 has PUs ${first[*]}, rank 1 has ${second[*]}"
[ "${#first[@]}" -eq 4 ] && [ "${#second[@]}" -eq 4 ] || fail "the ranks' PUs"

case_begins "while rank 0's team is on one core, the clocks of its other three are the lowest, and rank 1's stay"
for _ in {1..3}; do # on a busy machine a team may look slow, and go back at once
  start_ranks same 8 "bound 1;0 $region=1"
  ! until_true are_at_bottom 3 "${first[@]}" || break
  end_ranks
  jq -r '.notes[]' "$home/same.json" | grep -q "went back" || fail "never lowered: $(jq -c .notes "$home/same.json") $output"
done
echo "clocks of n0 meanwhile: $(for i in {0..7}; do most_of n0 "$i"; done | xargs)"
[ "$(at_bottom "${second[@]}")" = 0 ] || fail "rank 1's clocks are lowered"
[ "$(all_controls n1)" = "$(grep '^n1' <<<"$before")" ] || fail "another node has other clocks"
end_ranks
[ "$(lowered same)" = 3 ] || fail "the profile: $(jq -c .notes "$home/same.json") $output"
expect_as_before

case_begins "a team that goes back has its clocks back while the program goes on"
start_ranks slower 25 "bound 0.1;0 $region=1" 40000 # each look at the clocks takes a while
until_true are_at_bottom 3 "${first[@]}" || fail "never lowered: $(output_of "$job")"
until_true are_at_bottom 0 "${first[@]}" || fail "not raised"
on_site squeue --noheader --jobs "$job" | grep -q . || fail "the job had ended by then"
end_ranks
jq -r '.notes[]' "$home/slower.json" | grep -q "went back" || fail "the profile: $(jq -c .notes "$home/slower.json")"
expect_as_before

case_begins "a run that chooses itself has the clocks of the cores that it leaves lowered from then on, not before, and all back at its end"
install -d "$shared/huddle"
install -m 0755 "$1/lib/libhuddle_recorder.so" "$1/lib/huddle_chooser" "$shared/huddle"
"$1/bin/huddle" machine --name test-cluster --topology "package:2 die:2 core:2 pu:1" --nodes 2 --output "$site_scratch/machine.json" 2>/dev/null
jq '.power = {idle_node_w: 50, off_node_w: 0, package_w: 30, die_w: 8, core_w: 20, origin: "given"}' "$site_scratch/machine.json" >"$shared/power.json"
chmod 0644 "$shared/power.json"
# A pass is quicker where each thread is bound to one processor, by which one core or two are chosen, by each rank for itself.
start_choosing_ranks() { # SECONDS
  cat >"$shared/choosing.sh" <<SCRIPT
#!/bin/bash
export HUDDLE_PROFILE=$home/choosing.json HUDDLE_RECORDER=$shared/huddle/libhuddle_recorder.so HUDDLE_THREADS=pack GOMP_SPINCOUNT=300
export HUDDLE_CHOOSE="1 energy $shared/power.json" OMPI_MCA_mpi_yield_when_idle=1
srun --mpi=pmix --cpus-per-task=4 --cpu-bind=cores env LD_PRELOAD=\$HUDDLE_RECORDER $shared/packed_teams $1 quicker 40
SCRIPT
  chmod 0644 "$shared/choosing.sh"
  rm -f "$home/choosing.json"
  job=$(on_site sbatch --parsable --nodelist=n0 --ntasks=2 --cpus-per-task=4 --output="$home/job-%j.out" "$shared/choosing.sh")
}
has_keeper() { [ -n "$(keepers_on n0 "$job.0")" ]; }
some_are_low() { # PU...: the rank's team is on some of them
  local low
  low=$(at_bottom "$@")
  [ "$low" -ge 1 ] && [ "$low" -lt "$#" ]
}
both_have_low_clocks() { some_are_low "${first[@]}" && some_are_low "${second[@]}"; }
notes_of_choosing() { jq -r '.notes[]' "$home/choosing.json"; }
for try in {1..3}; do # on a busy machine a run may show no gain, or a team may look slow, and go back at once
  start_choosing_ranks 24
  until_true has_keeper || fail "no keeper: $(output_of "$job")"
  # Within its first seconds a run has windows of trials, and no choice.
  early=$((SECONDS + 3))
  while [ "$SECONDS" -lt "$early" ]; do
    [ "$(at_bottom "${first[@]}" "${second[@]}")" = 0 ] || fail "clocks are low before anything was chosen"
    sleep 0.05
  done
  is_lowered=no
  ! until_true both_have_low_clocks || is_lowered=yes
  low=$(at_bottom "${first[@]}")
  echo "clocks of n0 meanwhile: $(for i in {0..7}; do most_of n0 "$i"; done | xargs)"
  end_ranks
  expect_as_before
  [ "$is_lowered" = no ] || break
  echo "try $try, not lowered on both ranks: $(notes_of_choosing)"
done
[ "$is_lowered" = yes ] || fail "never lowered: $output"
notes_of_choosing | grep -q "By that, teams were chosen after" || fail "the profile: $(notes_of_choosing)"
[ "$(lowered choosing)" -ge "$low" ] || fail "the profile: $(notes_of_choosing) $output"

case_begins "a group of phases that a clock was chosen for has it, and all clocks are back behind it"
start_ranks delimited 1 "" 4000 5
end_ranks
group=$(python3 -c 'import json, sys
phases = json.load(open(sys.argv[1]))["rank_records"][0]["phases"]
counts = [count * mean for count, mean in zip(phases["count"], phases["mean_s"])]
print("%x" % phases["group"][counts.index(max(counts))])' "$home/delimited.json")
start_ranks slowed 6 "bound 1;0 @$group=1600000kHz" 4000 5
until_true are_at 1600000 4 "${first[@]}" || fail "no clock is at 1.6 GHz: $(for i in {0..7}; do most_of n0 "$i"; done | xargs) $(output_of "$job")"
are_at 1600000 0 "${second[@]}" || fail "rank 1's clocks are lowered"
end_ranks
jq -r '.notes[]' "$home/slowed.json" | grep -q "A lower clock for a group of phases was asked for" || fail "the profile: $(jq -c .notes "$home/slowed.json")"
expect_as_before

case_begins "where the site lets no rank ask for clocks, teams are packed all the same"
write_frequency_policy </dev/null
start_ranks same 4 "bound 1;0 $region=1"
end_ranks
[ -z "$(lowered same)" ] || fail "lowered: $(jq -c .notes "$home/same.json")"
jq -r '.notes[]' "$home/same.json" | grep -q "ran on fewer cores" || fail "not packed: $(jq -c .notes "$home/same.json")"
! grep -q "huddle:" <<<"$output" || fail "a line: $output"
expect_as_before
start_choosing_ranks 3
has_ranks() { node n0 run pgrep -f "^$shared/packed_teams 3 quicker" >/dev/null; }
until_true has_ranks || fail "no ranks: $(output_of "$job")"
has_no_keeper n0 || fail "a step that may choose has a keeper all the same: $(keepers_on n0)"
end_ranks
! grep -q "huddle:" <<<"$output" || fail "a line: $output"
expect_as_before
finish
