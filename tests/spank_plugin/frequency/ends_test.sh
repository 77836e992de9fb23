#!/usr/bin/env bash
# However a job ends, its nodes have the frequencies that they had before it.
# usage: ends_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/frequency_site.sh"
start_frequency_site "frequency-ends-$$" "$1"

show=$shared/show_limits
printf '#!/bin/sh\necho "$(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)"\nsleep "${1:-0}"\n' >"$show"
chmod 0755 "$show"

case_begins "a time limit, reached while the other cases run on the other node"
start_job --nodelist=n1 --time=1 <<<"#!/bin/bash
srun sleep 300"
limited_job=$job
expect_limited n1 0
on_site scontrol update JobId="$limited_job" EndTime=now+1

case_begins "the end of a step and of its job"
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun $show 1"
expect_limited n0 0; expect_limited n0 4 # Slurm takes a core of each package
is_limited n0 1 1200000-2400000 || fail "a core that is not the job's was changed"
expect_over
[ "$(output_of "$job")" = "1800000
1800000" ] || fail "expected two tasks at 1.8 GHz and no line more: $(output_of "$job")"
until_true is_limited n0 0 1200000-2400000 || fail "the limits are still there"

case_begins "scancel"
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun $show 300"
expect_limited n0 0
# Limits are there before the tasks are, and Slurm may lose a scancel that comes between.
both_started() { [ "$(output_of "$job" | grep -c 1800000)" -eq 2 ]; }
until_true both_started || fail "the tasks do not start: $(output_of "$job")"
on_site scancel "$job"
expect_over
until_true is_limited n0 0 1200000-2400000 || fail "the limits are still there"

case_begins "a task that crashes"
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun sh -c '$show; kill -SEGV \$\$'"
expect_over
[ "$(output_of "$job" | grep -c 1800000)" -eq 2 ] || fail "the tasks did not run at 1.8 GHz: $(output_of "$job")"
until_true is_limited n0 0 1200000-2400000 || fail "the limits are still there"

case_begins "a killed slurmstepd of a step and its watcher, in a job that goes on"
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
export HUDDLE_FREQUENCY=2000000-2000000
srun sleep 300"
expect_limited n0 0 2000000-2000000
kill_watchers n0
pid=$(node n0 run pgrep -o -f "slurmstepd: \\[$job.0\\]")
node n0 run kill -KILL "$pid"
on_site srun --nodelist=n0 --ntasks=2 --export=ALL,HUDDLE_FREQUENCY=2200000-2200000 true
is_limited n0 0 || fail "the next step on the node did not take back what the dead one left: $(limits_of n0 0)"
on_site scancel "$job"
expect_over
until_true is_limited n0 0 1200000-2400000 || fail "the limits are still there"

case_begins "all slurmstepds of a job and their watchers killed"
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun sleep 300"
expect_limited n0 0
until_true test -n "$(slurmstepds n0 "$job")"
kill_watchers n0
kill_slurmstepds n0 "$job"
on_site scancel "$job"
expect_over
until_true is_limited n0 0 1200000-2400000 || fail "the limits are still there"

case_begins "the job that reached its time limit"
job=$limited_job
deadline=$((SECONDS + 60))
until is_over "$job" || [ "$SECONDS" -ge "$deadline" ]; do sleep 0.2; done
is_over "$job" || fail "job $job does not reach its time limit"

case_begins "in the end all frequencies are as before"
expect_as_before
finish
