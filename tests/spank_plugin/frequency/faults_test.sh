#!/usr/bin/env bash
# Whichever call of Slurm fails or throws in root's hooks, and wherever memory runs out in them: jobs run, and frequencies
# are restored at the latest when the next step has run.
# usage: faults_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/frequency_site.sh"
plugin_module=spank_huddle_faulty.so
start_frequency_site "frequency-faults-$$" "$1"
faults=$site_scratch/spank_huddle.so.faults # the calls that fail, see plugin/faults.cpp

run_job() {
  start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
HUDDLE_STEP=\$'huddle/step 1\nmessages=1\n' srun sh -c 'echo \"\$(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)\"'"
  expect_over
}

expect_ran() { [ "$(output_of "$job" | grep -cE '^[0-9]+$')" -eq 2 ] || fail "under \"$1\" the job did not run: $(output_of "$job")"; }

expect_limits_meanwhile() {
  [ "$(output_of "$job" | grep -cx 1800000)" -eq 2 ] || fail "without a fault the cores are not limited: $(output_of "$job")"
}

case_begins "without a fault the plugin limits frequencies, and restores them"
run_job
expect_limits_meanwhile; expect_as_before

for fault in {fail,throw}\ spank_{context,get_item,getenv,option_register} "new 1" "new 10" "new 40" "new 115" "new 120" "new 400" "new 1500"; do
  case_begins "$fault"
  echo "$fault" >"$faults"
  run_job
  expect_ran "$fault"
  rm "$faults"
done

case_begins "slurmd starts under a fault, and jobs run without limits"
echo "throw spank_context" >"$faults"
node n0 kill-slurmd
node n0 start-slurmd
until_true is_idle || fail "n0 does not come back"
run_job
expect_ran "throw spank_context"
rm "$faults"
run_job
[ "$(output_of "$job" | grep -c 'restart slurmd')" -ge 1 ] || fail "nothing says that slurmd has no plugin: $(output_of "$job")"

case_begins "once nothing fails any more, the next step restores everything"
node n0 kill-slurmd
node n0 start-slurmd
until_true is_idle || fail "n0 does not come back"
run_job
expect_limits_meanwhile; expect_as_before

finish
