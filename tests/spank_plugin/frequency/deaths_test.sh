#!/usr/bin/env bash
# Whichever daemon of a node dies, or if the node itself does, its frequencies are restored, also without watchers.
# usage: deaths_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/frequency_site.sh"
start_frequency_site "frequency-deaths-$$" "$1"

sleeping_job() {
  start_job --no-requeue --nodelist="$1" --ntasks=2 <<<"#!/bin/bash
srun sleep 300"
  expect_limited "$1" 0
  until_true steps_run "$1" || fail "the job's step does not start"
}
steps_run() { [ "$(slurmstepds "$1" "$job" | wc -l)" -ge 2 ]; }

case_begins "slurmd killed and started again: the job goes on, and so do its limits"
sleeping_job n0
node n0 kill-slurmd
is_limited n0 0 || fail "the limits went with slurmd"
node n0 start-slurmd
started_twice() { [ "$(grep -c 'slurmd started on' "$state/logs/n0.log")" -ge 2 ]; }
until_true started_twice || fail "slurmd does not start"
is_limited n0 0 || fail "slurmd put back what the job still uses"
on_site scancel "$job"
expect_over
expect_as_before

case_begins "slurmd, all slurmstepds of the job and their watchers killed"
sleeping_job n0
kill_watchers n0
node n0 kill-slurmd
kill_slurmstepds n0 "$job"
is_limited n0 0 || fail "nobody could have put back the limits"
node n0 start-slurmd
until_true is_limited n0 0 1200000-2400000 || fail "slurmd did not put back the limits when it started"
on_site scancel "$job"
expect_over
expect_as_before

case_begins "the power of the node goes off"
sleeping_job n1
node n1 power-off
is_limited n1 0 || fail "nobody could have put back the limits"
[ -n "$(journal_of n1)" ] || fail "the journal is gone"
node n1 power-on
until_true is_limited n1 0 1200000-2400000 || fail "slurmd did not put back the limits when it started"
on_site scancel "$job"
expect_over
expect_as_before

case_begins "a job afterwards"
start_job --nodelist=n0,n1 --ntasks-per-node=1 --nodes=2 <<<"#!/bin/bash
srun cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"
expect_over
[ "$(output_of "$job")" = 18000001800000 ] || fail "it did not run at 1.8 GHz on both nodes: $(output_of "$job")"
expect_as_before
finish
