#!/usr/bin/env bash
# A watcher puts the clocks of a step back within a second, however the step dies or is stopped, and leaves nothing behind.
# usage: watch_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"

scratch_conf=$(mktemp)
cat >"$scratch_conf" <<'CONF'
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
PartitionName=low Nodes=n1 PriorityTier=1 OverSubscribe=FORCE:1 MaxTime=INFINITE State=UP
PartitionName=high Nodes=n1 PriorityTier=9 OverSubscribe=FORCE:1 MaxTime=INFINITE State=UP
CONF
more_slurm_conf=$scratch_conf
start_frequency_site "clocks-watch-$$" "$1"
rm "$scratch_conf"

# Waits until PU 0 of NODE has LIMITS, and says how long that took since the call. The bound is for a machine with
# much else to do.
expect_within() { # MILLISECONDS NODE LIMITS
  local begin=${EPOCHREALTIME/./} took
  until_true is_limited "$2" 0 "$3" || { fail "PU 0 of $2 stays at $(limits_of "$2" 0), expected $3"; return; }
  took=$(((${EPOCHREALTIME/./} - begin) / 1000))
  echo "  after $took ms"
  [ "$took" -le "$1" ] || fail "it took $took ms"
}
free=1200000-2400000

sleeping_job() { # NODE [OPTION OF sbatch...]
  local node=$1
  shift
  start_job --no-requeue --nodelist="$node" --ntasks=8 "$@" <<<"#!/bin/bash
srun sleep 300"
  until_true two_watchers "$node" ||
    fail "expected a watcher for the script and one for the step: $(watchers_on "$node")"
  until_true tasks_sleep "$node" || fail "the step's tasks don't start: $(node "$node" run ps -ef)"
  expect_limited "$node" 0
}
# Tasks of killed slurmstepds stay, as orphans, and don't count.
of_step() { node "$1" run "${@:2}" -P "$(node "$1" run pgrep -o -f "slurmstepd: \\[$job.0\\]")" -x sleep; } # NODE pgrep|pkill...
tasks_sleep() { [ "$(of_step "$1" pgrep -c 2>/dev/null || true)" = 8 ]; }
two_watchers() { [ "$(watchers_on "$1" | wc -l)" -eq 2 ]; }
end_job() {
  on_site scancel "$job"
  expect_over
  expect_as_before
}
as_root() { timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$@"; }
# Prints what a job that asks for nothing finds on all cores of a node.
clock_of_another_job() { # NODE [OPTION...]
  local node=$1
  shift
  on_site srun --nodelist="$node" --ntasks=8 "$@" sh -c \
    'for i in /sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq; do echo $(cat $i); done' 2>&1 | without_waiting | sort -u
}

case_begins "the watcher is a process of nobody, with nothing of slurmstepd's"
sleeping_job n0
for pid in $(watchers_on n0 | cut -d' ' -f1); do
  found=$(node n0 run ps -o ppid=,uid= -p "$pid" | xargs)
  [ "$found" = "1 0" ] || fail "a watcher is not init's and root's: $found"
  [ "$(node n0 run ps -o sid= -p "$pid" | xargs)" != 1 ] || fail "a watcher has no session of its own"
  # The simulated CPUs put their own variables into every program.
  found=$(node n0 run sh -c "tr '\0' '\n' </proc/$pid/environ; ls -l /proc/$pid/fd | grep -E 'slurm|pipe:|n0\.(log|out)'" |
    grep -vE '^(LD_PRELOAD|FAKE_AFFINITY|HWLOC_)' || true)
  [ -z "$found" ] || fail "a watcher has something of slurmstepd's: $found"
done
[ "$(watchers_on n0 | sed 's/.* watch //' | sort | xargs)" = "$job.0 $job.batch" ] ||
  fail "watchers don't say whose they are: $(watchers_on n0)"
end_job

case_begins "SIGKILL of the slurmstepd of a step, in a job that goes on"
start_job --nodelist=n0 --ntasks=8 --no-requeue <<<"#!/bin/bash
unset HUDDLE_FREQUENCY
HUDDLE_FREQUENCY=2000000-2000000 srun sleep 300 &
sleep 301"
expect_limited n0 0 2000000-2000000
# The script's own limits come back with the step's death.
node n0 run kill -KILL "$(node n0 run pgrep -o -f "slurmstepd: \\[$job.0\\]")"
expect_within 4000 n0 1400000-1800000
end_job

case_begins "SIGKILL of all slurmstepds of a job"
sleeping_job n0
kill_slurmstepds n0 "$job"
expect_within 4000 n0 $free
until_true has_no_watcher n0 || fail "watchers are left: $(watchers_on n0)"
end_job

case_begins "scontrol suspend, another job on the same cores, scontrol resume"
sleeping_job n0
as_root scontrol suspend "$job"
expect_within 8000 n0 $free # Slurm itself waits 2 s before it stops the tasks
other=$(clock_of_another_job n0)
[ "$other" = 2400000 ] || fail "the other job does not run at 2.4 GHz: $other"
two_watchers n0 || fail "the suspended job's watchers have ended"
as_root scontrol resume "$job"
expect_within 8000 n0 1400000-1800000
end_job

case_begins "a job that is cancelled while it is suspended"
sleeping_job n0
as_root scontrol suspend "$job"
until_true is_limited n0 0 $free || fail "the limits are still there"
end_job

case_begins "tasks that are stopped by their user"
sleeping_job n0
node n0 run pkill -STOP -f slurm_script
of_step n0 pkill -STOP
expect_within 4000 n0 $free
node n0 run pkill -CONT -f slurm_script
expect_within 4000 n0 1400000-1800000 # the script's
of_step n0 pkill -CONT
end_job

case_begins "preemption by suspension"
sleeping_job n1 --partition=low
other=$(clock_of_another_job n1 --partition=high)
[ "$other" = 2400000 ] || fail "the job that preempts does not run at 2.4 GHz: $other"
until_true is_limited n1 0 || fail "the preempted job's limits don't come back"
end_job

case_begins "requeue"
start_job --requeue --nodelist=n0 --ntasks=8 <<<"#!/bin/bash
[ \"\${SLURM_RESTART_COUNT:-0}\" = 0 ] || exit 0
srun sleep 300"
expect_limited n0 0
until_true two_watchers n0
as_root scontrol requeue "$job"
expect_within 10000 n0 $free # with KillWait
on_site scancel "$job"
expect_over
expect_as_before

case_begins "a journal that another process keeps locked"
sleeping_job n0
node n0 run flock /mnt/huddle sleep 20 &
locker=$!
is_locked() { ! node n0 run flock --nonblock /mnt/huddle true; }
until_true is_locked
kill_slurmstepds n0 "$job"
expect_within 4000 n0 $free
kill "$locker" || true
node n0 run pkill -x -f 'sleep 20' || true
wait "$locker" || true
end_job

case_begins "a journal that was cut off, in the middle of a job"
sleeping_job n0
journal=$state/nodes/n0.disk/huddle/frequencies
truncate --size=$(($(stat -c %s "$journal") - 90)) "$journal"
kill_slurmstepds n0 "$job"
expect_within 4000 n0 $free
on_site scancel "$job"
expect_over
[ -e "$journal.broken" ] || fail "the damaged journal is not kept"
rm -f "$journal.broken"
expect_as_before

case_begins "a watcher that is killed itself"
sleeping_job n0
# shellcheck disable=SC2046  # one argument a process
node n0 run kill -KILL $(watchers_on n0 | cut -d' ' -f1)
end_job

case_begins "a slurmd that started before the plugin was there"
# Until it has read plugstack.conf and registered.
restart_slurmd() {
  local starts
  starts=$(starts_of_slurmd)
  node n0 kill-slurmd
  node n0 start-slurmd
  has_started() { [ "$(starts_of_slurmd)" -gt "$starts" ]; }
  until_true has_started && until_true is_idle || fail "n0 does not come back"
}
starts_of_slurmd() { grep -c 'slurmd started on' "$state/logs/n0.log"; }
cp "$state/plugstack.conf" "$site_scratch/plugstack.kept"
: >"$state/plugstack.conf"
restart_slurmd
cp "$site_scratch/plugstack.kept" "$state/plugstack.conf"
said=$(on_site env "$loud" srun --nodelist=n0 --export=ALL,HUDDLE_FREQUENCY=1400000-1800000 sh -c \
  'echo $(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)' 2>&1 | without_waiting)
grep -qx 2400000 <<<"$said" || fail "the step was limited: $said"
grep -q 'slurmd runs without Huddle.s plugin .*restart slurmd' <<<"$said" || fail "nothing says what to do: $said"
has_no_watcher n0 || fail "a watcher runs for nothing: $(watchers_on n0)"
restart_slurmd
said=$(on_site srun --nodelist=n0 --export=ALL,HUDDLE_FREQUENCY=1400000-1800000 sh -c \
  'echo $(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)' 2>&1 | without_waiting)
[ "$said" = 1800000 ] || fail "after the restart the step is not limited: $said"
expect_as_before
finish
