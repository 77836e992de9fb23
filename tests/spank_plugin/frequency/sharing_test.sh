#!/usr/bin/env bash
# Jobs that share a node don't affect each other; where the journal can't be written no frequency is changed; processes that
# Slurm starts for mpirun are limited, too.
# usage: sharing_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/frequency_site.sh"
start_frequency_site "frequency-sharing-$$" "$1"

case_begins "two jobs on one node, one of which dies"
start_job --nodelist=n0 --ntasks=2 --no-requeue <<<"#!/bin/bash
srun sleep 300"
first=$job
expect_limited n0 0; expect_limited n0 4
frequency=2000000-2200000 start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun sleep 300"
second=$job
expect_limited n0 1 2000000-2200000; expect_limited n0 5 2000000-2200000
kill_slurmstepds n0 "$first"
on_site scancel "$first"
until_true is_limited n0 0 1200000-2400000 || fail "the dead job's limits are still there"
is_limited n0 1 2000000-2200000 && is_limited n0 5 2000000-2200000 || fail "the other job lost its limits"
on_site scancel "$second"
job=$second
expect_over
expect_as_before

case_begins "mpirun in a batch script, on all nodes of the job"
start_job --nodes=2 --ntasks=4 --ntasks-per-node=2 <<<"#!/bin/bash
mpirun -n 4 sh -c 'echo \$(hostname) \$(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)'"
expect_over
[ "$(output_of "$job" | sort | uniq -c | awk '{print $1, $2, $3}')" = "2 n0 1800000
2 n1 1800000" ] || fail "expected two ranks on each node at 1.8 GHz: $(output_of "$job")"
expect_as_before

case_begins "a frequency for each rank"
start_job --nodelist=n0 --ntasks=2 --no-requeue <<<"#!/bin/bash
export HUDDLE_FREQUENCY='0:0@1400000-1400000;1:4@2200000-2200000;2-9:0-7@1600000-1600000'
srun sleep 300"
expect_limited n0 0 1400000-1400000; expect_limited n0 4 2200000-2200000
on_site scancel "$job"
expect_over

case_begins "the end of a step in a job that goes on"
start_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
limit() { cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq; echo; }
export -f limit
HUDDLE_FREQUENCY=2200000-2200000 srun --ntasks=1 bash -c limit
for ((i = 0; i < 100; ++i)); do [ \"\$(limit)\" = 2200000 ] || break; sleep 0.05; done
limit"
expect_over
[ "$(output_of "$job" | grep .)" = "2200000
1800000" ] || fail "expected 2.2 GHz in the step and 1.8 GHz after it: $(output_of "$job")"
expect_as_before

case_begins "frequencies that a user requests by the option, and a step that requests none"
start_job_by_option() {
  printf '#!/bin/bash\n%s\n' "$(cat)" >"$shared/option.sh"
  job=$(on_site sbatch --parsable --output="$home/job-%j.out" --nodelist=n0 --energy-aggregate=frequency=1.4-1.8GHz \
    "$shared/option.sh" 2>"$site_scratch/said")
}
start_job_by_option <<<"
limit() { echo \$(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq); }
export -f limit
limit; srun bash -c limit; srun --energy-aggregate=off bash -c limit; HUDDLE_STEP=\$'huddle/step 1\nmessages=1\n' srun --cpu-freq=2200000 bash -c limit"
expect_over
[ "$(output_of "$job" | head -n 2 | uniq)" = 1800000 ] || fail "expected 1.8 GHz: $(output_of "$job")"
[ "$(grep -c 'left alone: you set them yourself' <<<"$(output_of "$job")")" -eq 1 ] ||
  fail "Slurm's --cpu-freq is not told to come first: $(output_of "$job")"
expect_as_before

run_a_task() { # sets $said
  # srun returns before the last slurmstepd has restored its clocks.
  until_true is_limited n0 0 1200000-2400000 || fail "limits of the case before are left"
  said=$(on_site env "$loud" srun --nodelist=n0 --export=ALL,HUDDLE_FREQUENCY="${1:-1400000-1800000}" sh -c \
    'echo $(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)' 2>&1 | without_waiting)
}
expect_said() { grep -qE "$1" <<<"$said" || fail "expected: $1; found: $said"; }

case_begins "a disk that is full"
node n0 run mkdir -p /mnt/huddle
node n0 run mount -t tmpfs -o size=64k,mode=0700 full /mnt/huddle
node n0 run dd if=/dev/zero of=/mnt/huddle/filler bs=1k count=64 status=none || true
run_a_task
expect_said '^2400000$'; expect_said 'huddle: n0: frequencies are not set as asked: .*No space left on device'
node n0 run rm /mnt/huddle/filler
start_job --nodelist=n0 <<<"#!/bin/bash
srun sleep 300"
expect_limited n0 0
node n0 run dd if=/dev/zero of=/mnt/huddle/filler bs=1k count=64 status=none || true
on_site scancel "$job"
expect_over
until_true is_limited n0 0 1200000-2400000 || fail "a full disk kept the limits"
node n0 run umount /mnt/huddle

case_begins "a disk that became read-only while a job ran"
start_job --nodelist=n0 <<<"#!/bin/bash
srun sleep 300"
expect_limited n0 0
node n0 run mount --bind /mnt/huddle /mnt/huddle
# While a hook still writes there it is busy.
until_true node n0 run mount -o remount,ro,bind /mnt/huddle 2>/dev/null || fail "can't make it read-only"
on_site scancel "$job"
expect_over
until_true is_limited n0 0 1200000-2400000 || fail "a read-only disk kept the limits"
run_a_task
expect_said '^2400000$'; expect_said 'huddle: n0: frequencies are not set as asked: .*Read-only file system'
node n0 run umount /mnt/huddle

case_begins "the journal that was left there does no harm"
run_a_task
[ "$said" = 1800000 ] || fail "expected 1800000 and no line more: $said"
expect_as_before

case_begins "a journal that is broken is put aside"
echo "control 0 ../../../../etc/passwd 1 2" >"$state/nodes/n0.disk/huddle/frequencies"
run_a_task
expect_said '^1800000$'; expect_said 'frequencies: line 1.*it is kept as .*frequencies.broken'
rm "$state/nodes/n0.disk/huddle/frequencies.broken"
expect_as_before

case_begins "a journal's directory that another user owns"
chown nobody "$state/nodes/n0.disk/huddle"
run_a_task
expect_said '^2400000$'; expect_said 'directory /mnt/huddle belongs to user'
chown root "$state/nodes/n0.disk/huddle"

case_begins "a journal's directory that others may open"
chmod 755 "$state/nodes/n0.disk/huddle"
run_a_task
expect_said '^2400000$'; expect_said 'directory /mnt/huddle has mode 755'
chmod 700 "$state/nodes/n0.disk/huddle"

case_begins "a core that is switched off, so that Slurm's numbers may be those of other cores"
echo 0-8 >"$state/nodes/n0.cpu/present"
run_a_task
expect_said '^2400000$'; expect_said 'CPUs 8 are switched off'
rm "$state/nodes/n0.cpu/present"

case_begins "words that are not a frequency"
run_a_task 'fast'
expect_said '^2400000$'; expect_said 'HUDDLE_FREQUENCY has "fast"'

case_begins "the site's limits"
write_frequency_policy <<<'[limits]
frequency = "1.6GHz-2GHz"'
run_a_task 1200000-2400000
expect_said '^2000000$'; expect_said 'huddle: n0: PUs 0 run at 1.6-2 GHz, 1.2-2.4 GHz was asked for'

case_begins "a policy that others may write to"
chmod 0666 "$policy"
run_a_task
expect_said '^2400000$'; expect_said 'has mode 666: root reads only'
chmod 0644 "$policy"

case_begins "a policy that goes bad while a step runs"
start_job --nodelist=n0 <<<"#!/bin/bash
srun sleep 300"
expect_limited n0 0 1600000-1800000 # with the site's limits of before
chmod 0666 "$policy"
on_site scancel "$job"
expect_over
until_true is_limited n0 0 1200000-2400000 || fail "the limits are still there"
chmod 0644 "$policy"

case_begins "a site that does not allow it"
sed -i 's/^control.*/control = false/' "$policy"
run_a_task
expect_said '^2400000$'; expect_said 'left alone: the site does not allow it'
expect_as_before
finish
