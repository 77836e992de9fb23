#!/usr/bin/env bash
# A hybrid job whose user allows its teams to have fewer threads, submitted again and again: it is measured, then fewer cores and fewer
# threads are tried in turns, and then its teams are smaller, until the user takes it back. A program that ends badly with smaller
# teams has its full ones again.
# usage: sized_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
[ -x "$1/programs/team_sizes" ] || { echo "needs a compiler with OpenMP"; exit 77; }
start_site "sized-job-$$" "$1" --nodes 2
program=$shared/programs/team_sizes
store=$profiles/nobody/sized/2
# Energy is what teams are chosen by.
jq '.power = {idle_node_w: 100, off_node_w: 0, package_w: 30, die_w: 8, core_w: 9, origin: "given"}' "$shared/machine.json" >"$shared/power.json"
mv "$shared/power.json" "$shared/machine.json"

# Two ranks with four cores and four threads each, which meet after 20 regions. With fewer threads a region takes half as long, with all
# on fewer cores as long as ever, so that the noise of a busy machine does not decide, and the bound is wide.
submit_ranks() { # SECONDS MODE
  submit --nodes=1 --ntasks=2 --cpus-per-task=4 --job-name=sized --energy-aggregate="auto,threads=auto,slowdown=50%" <<SCRIPT
#!/bin/bash
export OMPI_MCA_mpi_yield_when_idle=1
echo "script has teams \${HUDDLE_TEAMS-none}, threads \${HUDDLE_THREADS-none}"
srun --cpus-per-task=4 --cpu-bind=cores $program $1 $2 20
SCRIPT
}
huddle() { on_site "$shared/huddle/huddle" "$@"; }
# The site's store is found by its policy.
consents() { huddle threads "$@" || fail "huddle threads $*"; }
state() { consents --consents --json | jq -r '[.programs[].state] | join(" ")'; }
newest() { find "$store" -name "$1-*.json" | sort | tail -1; } # PREFIX
files() { { find "$store" -name "$1-*.json" 2>/dev/null || true; } | wc -l; }
has_files() { [ "$(files "$1")" -ge "$2" ]; } # PREFIX COUNT
expect_profile() { until_true has_files "$1" "$2" || fail "expected $2 profiles $1-*: $(ls "$store") $job_errors"; }
# A plan may take longer than a submission waits: then the job has what was known before, and leaves a profile of that.
submit_until() { # ERE SECONDS MODE
  local expected=$1 count
  shift
  for _ in {1..6}; do
    count=$(($(files packed) + $(files profile)))
    submit_ranks "$@"
    ! grep -qE "$expected" <<<"$job_errors" || return 0
    echo "  not yet: $job_errors"
    until_true eval '[ $(($(files packed) + $(files profile))) -gt '"$count"' ]' || true
  done
}
smaller() { sed -n 's/^[0-9]* regions, \([0-9]*\) smaller, .*/\1/p' <<<"$job_output" | awk '{ sum += $1 } END { print sum + 0 }'; } # of all ranks
sums() { sed -n 's/^rank [01]: .* sum //p' <<<"$job_output" | sort -u; }
expect_results() {
  [ "$(sums)" = "$result" ] || fail "results are not those of the first run, $result: $(sums)"
  [ "$(grep -c ' 0 wrong$' <<<"$job_output")" = 2 ] || fail "wrong results: $job_output"
}

case_begins "a user consents, in the site's store, and the first run is measured as it was submitted"
consents --consent-sizes "$program" | grep -q "compute wrong results without a word" || fail "no warning"
[ -d "$profiles/nobody/~team-sizes" ] || fail "the consent is not in the site's store: $(ls -a "$profiles/nobody")"
[ "$(state)" = audit ] || fail "state $(state)"
submit_until 'while it is measured' 2 quicker
expect_success
expect_in_output '^script has teams none, threads none$'
[ "$(smaller)" = 0 ] || fail "smaller teams in a measured run: $job_output"
expect_profile profile 1
result=$(sums)
[ "$(wc -l <<<"$result")" = 1 ] && [ -n "$result" ] || fail "results: $result"
[ "$(state)" = audit ] || fail "state $(state)"

# On a busy machine a run may show no gain; then all that is known of its teams is forgotten here, and the consent given anew.
for try in {1..4}; do
  for _ in {1..6}; do
    submit_ranks 12 quicker
    ! grep -q 'no run tried packed teams yet' <<<"$job_errors" || break
    until_true has_files packed 1 || true # a late one tries as well: no trial for the next one
    rm -f "$store"/packed-* "$store"/plan-*
    consents --consent-sizes "$program" >/dev/null
  done
  [ "$try" = 1 ] && case_begins "the second one tries fewer cores and fewer threads, in turns"
  expect_success
  expect_one_line 'its teams are tried on fewer cores for some moments: no run tried packed teams yet'
  expect_in_output '^script has teams none, threads pack$'
  expect_results
  expect_profile packed 1
  tried=$(newest packed)
  [ "$(smaller)" -ge 4 ] || fail "no team was smaller: $job_output $(jq -c .notes "$tried")"
  [ "$(state)" = act ] || fail "state $(state)"
  for rank in 0 1; do
    jq -e --argjson rank $rank '.rank_records[$rank] | (.smaller_teams.passes | add >= 2) and (.smaller_teams.threads | all(. < 4)) and
      (.packed_regions.passes | add >= 2)' "$tried" >/dev/null || fail "rank $rank: $(jq -c ".rank_records[$rank] | .packed_regions, .smaller_teams" "$tried")"
  done
  [ "$try" = 1 ] && case_begins "the third one has the smaller teams that were chosen by that, and computes the same"
  submit_until 'as was chosen for them|stay as they are' 4 quicker
  ! grep -qE 'as many threads and cores as was chosen for them' <<<"$job_errors" || break
  echo "  try $try: $job_errors"
  until_true has_files packed 2 || true
  rm -f "$store"/packed-* "$store"/plan-*
  consents --consent-sizes "$program" >/dev/null
done
expect_success
expect_one_line 'its teams have as many threads and cores as was chosen for them: the program is predicted to take [0-9.]+ % less energy'
expect_in_output '^script has teams bound 0\.5;[01].* [0-9a-f]+(@[0-9a-f]+)?=([12])\*[12].*, threads pack$'
expect_in_output '^rank [01]: of 4 threads at least [12] in [1-9][0-9]* regions, '
[ "$(smaller)" -ge 100 ] || fail "not smaller: $job_output"
expect_results
expect_profile packed 2
plan=$(find "$store" -name 'plan-*.json' | head -1) # or the note in its place
jq -e '(.teams_programs | length >= 1) and (.teams_sized | length == 1)' "$plan" >/dev/null || fail "the plan: $(head -c 2000 "$plan")"

case_begins "huddle explain and huddle threads say it"
huddle explain sized >"$site_scratch/explained"
grep -qE '^  teams: +with as many threads and cores as was chosen: ' "$site_scratch/explained" || fail "$(cat "$site_scratch/explained")"
grep -qE '^  sizes: +.*team_sizes may have teams of fewer threads: ' "$site_scratch/explained" || fail "$(cat "$site_scratch/explained")"
huddle threads "$tried" -m "$shared/machine.json" --slowdown 50% --measured --json >"$site_scratch/threads.json"
jq -e '.smaller_configurations >= 1 and (.sizes | map(.state) | index("act")) and ([.regions[] | .chosen.threads < .before.threads] | any)' \
  "$site_scratch/threads.json" >/dev/null || fail "$(cat "$site_scratch/threads.json")"
jq -r .teams "$site_scratch/threads.json" | grep -qE '=([12])\*\1( |;|$)' || fail "the line: $(jq -r .teams "$site_scratch/threads.json")"

case_begins "once consent is withdrawn the next run has full teams, and later ones as well"
consents --withdraw-sizes "$program" >/dev/null
for _ in 1 2; do
  submit_ranks 3 quicker
  expect_success
  expect_results
  [ "$(smaller)" = 0 ] || fail "smaller teams without consent: $job_output"
  expect_not_in_output '^script has teams .*\*'
done

case_begins "a program that crashes with smaller teams has full ones in its next run"
forget_runs
consents --consent-sizes "$program" >/dev/null
submit_until 'while it is measured' 2 asserts
expect_success
expect_profile profile 1
for _ in {1..6}; do
  submit_ranks 12 asserts
  [ "$(state)" = audit ] || break
  echo "  not yet: $job_errors"
done
[ "$job_status" -ne 0 ] || fail "no team was smaller: $job_output"
[ "$(state)" = harm ] || fail "state $(state)"
for _ in 1 2; do
  submit_ranks 3 asserts
  expect_success
  [ "$(smaller)" = 0 ] || fail "smaller teams after harm: $job_output"
done
[ "$(state)" = harm ] || fail "state $(state)"

# The other program is the same one, by another name and build id.
case_begins "of a launch with two programs each one's run is known to have ended well"
other=$shared/programs/other_sizes
objcopy -O binary --only-section=.note.gnu.build-id "$program" "$site_scratch/note"
printf '\x5a\xa5' | dd of="$site_scratch/note" bs=1 seek=$(($(stat -c %s "$site_scratch/note") - 2)) conv=notrunc status=none
objcopy --update-section .note.gnu.build-id="$site_scratch/note" "$program" "$other"
consents --withdraw-sizes "$program" >/dev/null
for one in "$program" "$other"; do consents --consent-sizes "$one" >/dev/null; done
[ "$(state)" = "audit audit" ] || fail "state $(state)"
cat >"$shared/two.sh" <<SCRIPT
#!/bin/bash
export OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=4
$shared/huddle/huddle record --recorder $shared/huddle/libhuddle_recorder.so --threads pack -o $home/two.json -- mpirun --bind-to core --map-by slot:PE=4 -np 1 $program 12 quicker : -np 1 $other 12 quicker
SCRIPT
chmod 0644 "$shared/two.sh"
job=$(on_site sbatch --parsable --output="$home/two.out" --nodes=1 --ntasks=2 --cpus-per-task=4 "$shared/two.sh")
wait_for_job "$job"
job_output=$(cat "$home/two.out")
expect_success
[ "$(grep -cE '^[0-9]+ regions, [1-9][0-9]* smaller, 0 wrong$' <<<"$job_output")" = 2 ] || fail "not both had smaller teams: $(jq -c .notes "$home/two.json")"
[ "$(state)" = "act act" ] || fail "state $(state)"
jq -e '[.rank_records[].smaller_teams.passes | add >= 2] == [true, true]' "$home/two.json" >/dev/null || fail "$(jq -c '.rank_records[].smaller_teams' "$home/two.json")"

finish
