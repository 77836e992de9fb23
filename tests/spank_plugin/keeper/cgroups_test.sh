#!/usr/bin/env bash
# Where Slurm puts jobs into cgroups, of either version: what Huddle runs beside a step leaves them, who is in a step's cgroup is
# served by its keeper, a frozen step has no limits, and huddle-energyd finds the steps.
# usage: cgroups_test.sh BUILD VERSION
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
. "$here/keeper_site.sh"
site_cgroups=$2
[ -n "$(. "$tests_directory/cluster/lib.sh" && cgroup_hierarchies "$site_cgroups")" ] || { echo "this machine has no cgroups of version $site_cgroups"; exit 77; }
start_keeper_site "cgroups-$2-$$" "$1"

as_root() { timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$@"; }
end_job() {
  on_site scancel "$job"
  expect_over
  expect_as_before
}
# The cgroups of processes on n0, as lines of /proc/PID/cgroup.
places_of() { node n0 run sh -c 'for pid; do cat "/proc/$pid/cgroup"; done' places "$@"; }
# However Slurm names the jobs' folders, which they lie in.
folders_of_steps() { node n0 run find /sys/fs/cgroup -type d -name 'step_*'; }
has_no_folders() { [ -z "$(folders_of_steps)" ]; }

case_begins "Slurm puts tasks into cgroups of version $site_cgroups, and what limits them is in none of the job's"
# Slurm suspends a step by SIGTSTP first, which these ignore.
frequency=1400000-1800000 start_balanced_job --nodelist=n0 --ntasks=8 <<<"#!/bin/bash
srun sh -c 'trap \"\" TSTP; exec $client \$SLURM_LOCALID 1600000 300'"
expect_at n0 1600000 0 1 2 3 4 5 6 7
tasks=$(node n0 run pgrep -f '^[^ ]*ask_for_clocks ')
# shellcheck disable=SC2086  # one argument a process
[ "$(places_of $tasks | grep -c '/step_0')" -ge 8 ] || fail "tasks are in $(places_of $tasks)"
beside=$(node n0 run pgrep -x huddle_clocks)
[ "$(wc -l <<<"$beside")" -ge 3 ] || fail "expected two watchers and a keeper: $(watchers_on n0)"
# shellcheck disable=SC2086
! places_of $beside | grep '/step_\|/job_' || fail "watchers or keepers are in cgroups of the job"

case_begins "a suspended step is frozen and has no limits, and then has them again"
as_root scontrol suspend "$job"
expect_at n0 2400000 0 1 2 3 4 5 6 7
# shellcheck disable=SC2086
! node n0 run ps -o stat= -p $tasks | grep T || fail "tasks are stopped by a signal, not frozen"
as_root scontrol resume "$job"
expect_at n0 1800000 0 1 2 3 4 5 6 7
end_job
until_true has_no_folders || fail "cgroups of the job are left: $(folders_of_steps)"

case_begins "a process of the step whose parent has ended gets its clock"
start_balanced_job --nodelist=n0 --ntasks=1 <<<"#!/bin/bash
srun sh -c '(setsid sh -c \"sleep 1; exec $client 0 1600000 300\" &); exec sleep 300'"
expect_at n0 1600000 0
parent=$(node n0 run ps -o ppid= -p "$(node n0 run pgrep -f '^[^ ]*ask_for_clocks ')" | xargs)
[ "$parent" = 1 ] || fail "its parent is $parent, expected that of nobody's children"
end_job

case_begins "huddle-energyd finds the steps of jobs, announced or not"
install -m 0755 "$1/bin/huddle" "$1/bin/huddle-energyd" "$shared"
job=$(on_site sbatch --parsable --output=/dev/null --nodelist=n0 --wrap 'srun sleep 300')
steps_of() { node n0 run "$shared/huddle" energy job "$1" --json 2>/dev/null | jq -c '[.steps[].step]' || true; }
knows_both() { [ "$(steps_of "$job")" = '["0","batch"]' ]; }
for announced in /run/huddle/steps /nonexistent; do
  node n0 run sh -c 'mkdir -p /run/huddle-energyd; nohup "$0" --steps "$1" --state /nonexistent >/run/huddle-energyd/log 2>&1 & echo $! >/run/huddle-energyd/pid' \
    "$shared/huddle-energyd" "$announced"
  until_true knows_both || fail "by $announced it knows $(steps_of "$job"): $(node n0 run cat /run/huddle-energyd/log)"
  node n0 run sh -c 'kill $(cat /run/huddle-energyd/pid); rm -rf /run/huddle-energyd'
done
end_job

finish
