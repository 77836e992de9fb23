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
# What ranks do to each other is not to be seen before they are packed.
sed -i 's/^\[profiles\]$/&\nmove_ranks = false/' "$policy"

crowded_job() { # LAUNCHER SLOWER
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=8 --job-name=crowded
rm -f $home/placement
echo "\$HUDDLE_PLAN" >$home/plan
$1 $shared/programs/crowded --steps 60 --slower $2 --placement $home/placement
SCRIPT
}

for launcher in srun mpirun; do
  case_begins "a program whose ranks slow each other down is packed once, $launcher"
  forget_runs
  submit --energy-aggregate < <(crowded_job $launcher 200)
  expect_success; expect_one_line 'measured'; expect_nodes 8
  submit --energy-aggregate < <(crowded_job $launcher 200)
  expect_success; expect_one_line 'packed onto 1 of 8 nodes'; expect_nodes 1

  case_begins "its plan is withdrawn before the next run, and stays so, $launcher"
  for run in 1 2; do
    submit --energy-aggregate < <(crowded_job $launcher 200)
    expect_success; expect_one_line 'left as submitted: its plan is withdrawn: 1 packed run took \+[0-9.]+ % time'; expect_nodes 8
  done
done

case_begins "another script of the same name is measured for itself"
submit --energy-aggregate < <(crowded_job srun 0)
expect_success; expect_one_line 'measured'; expect_nodes 8

case_begins "its plan keeps its promise, and the next submission says how well"
submit --energy-aggregate < <(crowded_job srun 0)
expect_success; expect_one_line 'packed onto 1 of 8 nodes'; expect_nodes 1
submit --energy-aggregate < <(crowded_job srun 0)
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
