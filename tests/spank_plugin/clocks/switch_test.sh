#!/usr/bin/env bash
# A file or a word in the policy stops everything at once, on all nodes and for jobs that run, and no daemon restarts.
# usage: switch_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
start_frequency_site "clocks-switch-$$" "$1"
free=1200000-2400000
stop=$site_scratch/huddle.stop

# A job on both nodes, with a step on each core.
start_job --nodes=2 --ntasks=16 --no-requeue <<<"#!/bin/bash
srun sleep 300"
expect_limited n0 0; expect_limited n1 0
running=$job

expect_all() { # LIMITS
  local begin=${EPOCHREALTIME/./}
  until_true is_limited n0 0 "$1" && until_true is_limited n1 0 "$1" ||
    fail "expected $1 on both nodes, found $(limits_of n0 0) and $(limits_of n1 0)"
  echo "  after $(((${EPOCHREALTIME/./} - begin) / 1000)) ms"
}

# A submission, and a step of a job that was decided before.
expect_off() { # WHY
  local said
  said=$(on_site sbatch --energy-aggregate --hold --wrap true 2>&1 >"$site_scratch/job")
  [ "$said" = "huddle: left as submitted: Huddle is switched off here: $1" ] || fail "the submission says: $said"
  on_site scancel "$(grep -oE '[0-9]+' "$site_scratch/job")"
  said=$(on_site sbatch --hold --wrap true 2>&1 >"$site_scratch/job")
  [ -z "$said" ] || fail "a submission without the option says: $said"
  on_site scancel "$(grep -oE '[0-9]+' "$site_scratch/job")"
  said=$(on_site env "$loud" HUDDLE_FREQUENCY=1400000-1800000 HUDDLE_RECORDER=/none.so \
    srun --jobid="$running" --overlap --nodes=1 --ntasks=1 \
    sh -c 'echo ${HUDDLE_RECORDER:-none}:$LD_PRELOAD:${HUDDLE_FREQUENCY:-none}' 2>&1 |
    sed "s#$state/lib/libfake_affinity.so##")
  [ "$said" = "huddle: Huddle is switched off here: $1: this step runs as Slurm places it, unmeasured
none::none" ] || fail "a step says: $said"
}

case_begins "the stop file"
touch "$stop"
expect_all $free
expect_off "$stop exists"
rm "$stop"
expect_all 1400000-1800000

case_begins "the stop file in /etc/slurm, where the policy is elsewhere"
# Each node has its own /etc/slurm, and so has the machine that submits.
etc_slurm=$site_scratch/etc-slurm
mkdir "$etc_slurm"
for process in "$state/hub.pid" "$state"/nodes/n[01].pid; do
  nsenter --target "$(cut -d' ' -f1 "$process")" --mount mount --bind "$etc_slurm" /etc/slurm
done
touch "$etc_slurm/huddle.stop"
expect_all $free
expect_off "/etc/slurm/huddle.stop exists"
rm "$etc_slurm/huddle.stop"
expect_all 1400000-1800000

case_begins "enabled = false"
sed -i '1i enabled = false' "$policy"
expect_all $free
expect_off "$policy has enabled = false"

case_begins "a job that begins while Huddle is off"
on_site scancel "$running"
job=$running
expect_over
expect_as_before
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun sh -c 'echo \$(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)'
HUDDLE_FREQUENCY=1400000-1800000 srun sleep 300"
runs_second_step() { node n0 run pgrep -f "slurmstepd: \\[$job.1\\]" >/dev/null; }
until_true runs_second_step || fail "the second step does not start"
[ "$(output_of "$job" | grep -c '^2400000$')" -eq 2 ] || fail "the job was limited: $(output_of "$job")"
is_limited n0 0 $free || fail "PU 0 is at $(limits_of n0 0)"
has_no_watcher n0 || fail "a watcher runs: $(watchers_on n0)"

case_begins "switched on again, the next step is limited"
sed -i '/^enabled/d' "$policy"
on_site scancel "$job"
expect_over
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun sleep 300"
expect_limited n0 0
on_site scancel "$job"
expect_over
expect_as_before
finish
