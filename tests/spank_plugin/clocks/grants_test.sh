#!/usr/bin/env bash
# Partitions, accounts and groups decide whose clocks are limited, by what Slurm knows of a job and not by its environment.
# usage: grants_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
start_frequency_site "clocks-grants-$$" "$1"

clock_of() { # USER, OPTION OF srun...
  local user=$1
  shift
  timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user "$user" -- \
    env "$loud" srun --nodelist=n0 --export=ALL,HUDDLE_FREQUENCY=1400000-1800000 "$@" sh -c \
    'echo $(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)' 2>&1 | without_waiting
  # srun returns before slurmstepd has ended, and the next step is to find nothing.
  until_true is_limited n0 0 1200000-2400000
}
expect_limits() { found=$(clock_of "$@"); [ "$found" = 1800000 ] || fail "$*: expected 1.8 GHz: $found"; }
expect_none() {
  found=$(clock_of "$@")
  grep -qx 2400000 <<<"$found" || fail "$*: expected 2.4 GHz: $found"
  grep -q 'frequencies are left alone: the site does not allow it' <<<"$found" || fail "$*: nothing says why: $found"
}

case_begins "granted to an account, a group and a partition"
sed -i 's/^control.*/control = false/' "$policy"
cat >>"$policy" <<'TOML'
[account.green]
frequency.control = true
[group.games]
frequency.control = true
[partition.whole]
frequency.control = true
limits.frequency = "1.2-1.6GHz"
TOML
expect_none nobody
expect_none nobody --account=brown
expect_limits nobody --account=green
expect_limits games
[ "$(clock_of nobody --partition=whole | tail -n 1)" = 1600000 ] || fail "the partition's own limits don't hold"
export SLURM_JOB_ACCOUNT=green SLURM_JOB_PARTITION=whole SLURM_ACCOUNT=brown SPANK_SLURM_JOB_ACCOUNT=green
expect_none nobody
unset SLURM_JOB_ACCOUNT SLURM_JOB_PARTITION SLURM_ACCOUNT SPANK_SLURM_JOB_ACCOUNT
expect_as_before

case_begins "refused to a partition, whatever else grants it"
write_frequency_policy <<'TOML'
[partition.whole]
frequency.control = false
[account.green]
frequency.control = true
TOML
expect_limits nobody
expect_none nobody --partition=whole --account=green
expect_as_before

case_begins "a job whose prolog ran before there were tables"
write_frequency_policy </dev/null
cat >"$shared/job.sh" <<SCRIPT
#!/bin/bash
until [ -e $shared/go ]; do sleep 0.1; done
HUDDLE_STEP=\$'huddle/step 1\nmessages=1\n' HUDDLE_FREQUENCY=1400000-1800000 srun sh -c 'echo \$(cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq)'
SCRIPT
job=$(on_site sbatch --parsable --nodelist=n0 --output="$home/job-%j.out" "$shared/job.sh")
is_running() { [ "$(on_site squeue --noheader --format=%T --jobs="$job")" = RUNNING ]; }
has_begun() { slurmstepds n0 "$job" >/dev/null; }
until_true is_running && until_true has_begun || fail "the job does not begin"
write_frequency_policy <<'TOML'
[account.green]
frequency.control = false
TOML
touch "$shared/go"
expect_over
output_of "$job" | grep -qx 2400000 || fail "it was limited though nobody knows its account: $(output_of "$job")"
output_of "$job" | grep -q 'no prolog has left those of job' || fail "nothing says why: $(output_of "$job")"
expect_as_before
finish
