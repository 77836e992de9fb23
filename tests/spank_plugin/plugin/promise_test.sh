#!/usr/bin/env bash
# A plan whose bound is broken is withdrawn before the next run, and one whose bound is kept says so: the times of runs are
# compared. The programs' ranks slow each other down by a known factor, or not at all, when they share a die.
# usage: promise_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_withdraw=true site_by_script=true start_site "promise-$$" "$1"
# The effect of ranks on each other is not to be seen before they are packed.

crowded_job() { # LAUNCHER SLOWER
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=8 --job-name=crowded
rm -f $home/placement
echo "\$HUDDLE_PLAN" >$home/plan
$1 $shared/programs/crowded --steps 60 --slower $2 --placement $home/placement
SCRIPT
}

for launcher in srun ${steered_mpirun:+mpirun}; do
  case_begins "a program whose ranks slow each other down is packed once, however often it is submitted, $launcher"
  forget_runs
  submit --energy-aggregate < <(crowded_job $launcher 200)
  expect_success; expect_one_line 'measured'; expect_nodes 8
  crowded_job $launcher 200 >"$shared/early.sh"
  early=$(on_site sbatch --parsable --energy-aggregate --output="$home/early.out" "$shared/early.sh" 2>"$site_scratch/early.err") ||
    fail "no submission: $(cat "$site_scratch/early.err")"
  grep -q 'packed onto 1 of 8 nodes' "$site_scratch/early.err" || fail "the first one said $(cat "$site_scratch/early.err")"
  submit --energy-aggregate < <(crowded_job $launcher 200)
  expect_success; expect_nodes 8
  expect_one_line 'left as submitted: the first job that its plan packs has not ended yet; until then others are not'
  wait_for_job "$early"
  [ "$job_status" -eq 0 ] || fail "the packed job ended with status $job_status: $(cat "$home/early.out")"

  case_begins "the packed run is recorded apart from those that plans are made from, $launcher"
  packed=$(find "$profiles/nobody/crowded/8" -name 'packed-*.json')
  [ "$(wc -l <<<"$packed")" -eq 1 ] && [ -n "$packed" ] || fail "not one packed run's profile: $packed"
  "$shared/huddle/huddle" show "$packed" >/dev/null || fail "$packed is no valid profile"
  [ "$(grep -o '"node": *"[^"]*"' "$packed" | sort -u | wc -l)" -eq 1 ] || fail "it is not of one node"
  grep -lqF "$packed" "$profiles"/nobody/crowded/8/outcome-*.json || fail "no record names $packed"

  case_begins "its plan is withdrawn before the next run, and stays so, $launcher"
  for run in 1 2; do
    submit --energy-aggregate < <(crowded_job $launcher 200)
    expect_success; expect_one_line 'left as submitted: its plan is withdrawn: 1 packed run took \+[0-9.]+ % time'; expect_nodes 8
  done
done

# A busy machine may hold up a packed job for seconds, which is not told from a plan that breaks its promise: another try,
# with another script, gets another plan.
for try in 1 2 3; do
  case_begins "another script of the same name is measured for itself, try $try"
  harmless() { crowded_job srun 0 && echo "echo try $try"; }
  submit --energy-aggregate < <(harmless)
  expect_success; expect_one_line 'measured'; expect_nodes 8

  case_begins "its plan keeps its promise, and the next submission says how well"
  submit --energy-aggregate < <(harmless)
  expect_success; expect_one_line 'packed onto 1 of 8 nodes'; expect_nodes 1
  submit --energy-aggregate < <(harmless)
  [ "$try" -lt 3 ] && grep -q 'its plan is withdrawn' <<<"$job_errors" || break
done
expect_success; expect_one_line 'packed onto 1 of 8 nodes .*; 1 packed run took [+-][0-9.]+ % time'; expect_nodes 1

case_begins "jobs that are called after nothing but a shell are known by their program"
cp "$shared/programs/crowded" "$shared/programs/ring"
wrapped() {
  rm -f "$home/placement"
  job_status=0
  job_errors=$(on_site sbatch --parsable --nodes=8 --ntasks=8 --energy-aggregate --output="$home/job.out" \
    --wrap "srun $shared/programs/$1 --steps 10 --placement $home/placement" 2>&1 >"$site_scratch/job") || job_status=$?
  wait_for_job "$(cat "$site_scratch/job")"
}
wrapped ring
expect_success; expect_one_line 'no profile of "ring" with 8 ranks'
wrapped crowded
expect_success; expect_one_line 'no profile of "crowded"|of another script'

finish
