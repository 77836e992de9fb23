#!/usr/bin/env bash
# Runs many short jobs on 8 nodes, some at a time: without the option, with it (packed by a stored plan; also at a lower
# frequency), and with a `huddle` that hangs, crashes or prints rubbish. None may fail or get stuck, no node may be drained,
# and no claim in a journal and no changed frequency may remain.
#
#   tests/spank_plugin/load.sh [--jobs N] BUILD     N of each kind, 24 by default; 500 takes about half an hour
set -euo pipefail
jobs=24
[ "${1:-}" = --jobs ] && jobs=$2 && shift 2
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/site.sh"
. "$here/plugin/expectations.sh"
. "$here/frequency/frequency_site.sh"
sys=$(mktemp -d)
"$tests_directory/cluster/fake_sysfs" "$sys" 2 2 2
"$tests_directory/cluster/fake_cpufreq" "$sys" acpi-cpufreq
start_site "load-$$" "$1" --cpu-tree "$sys/devices/system/cpu"
rm -rf "$sys"
state=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name
write_policy < <(printf '[frequency]\ncontrol = true\njournal = "/mnt/huddle"\n')
restart_slurmds
controls() { for i in {0..7}; do all_controls "n$i"; done; }
before=$(controls)
work=$shared/load
install -d -m 1777 "$work"
: >"$work/lowered" && chmod 0666 "$work/lowered"

# A packed job's steps have as many tasks as its plan has ranks.
cat >"$work/job.sh" <<SCRIPT
#!/bin/bash
#SBATCH --nodes=4 --ntasks=4 --job-name=short --output=$work/%j.out
srun --mpi=none --output=none sh -c 'grep -hx 1600000 /sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq >>$work/lowered; true' &&
  : >"$work/\$KIND/\$SLURM_JOB_ID"
SCRIPT
cat >"$work/submit" <<'SCRIPT'
#!/bin/bash
# submit FOLDER KIND COUNT OPTION...   prints a line for each submission that fails
folder=$1 kind=$2 count=$3
shift 3
export KIND=$kind
seq "$count" | xargs -P 8 -I{} sh -c 'said=$(sbatch "$@" 2>&1) || echo "$said"; echo "$said" >>'"$folder/$kind.said" sbatch "$@" "$folder/job.sh"
SCRIPT
chmod 0755 "$work/submit"

wait_for_queue() { # until no job is left, or SECONDS have passed
  local deadline=$((SECONDS + $1))
  while [ -n "$(on_site squeue --noheader)" ]; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.5
  done
}

# load KIND PATTERN OPTION...   PATTERN: matches the message of each submission
load() {
  local kind=$1 pattern=$2 begin=$SECONDS refused done_ said
  shift 2
  install -d -m 1777 "$work/$kind"
  : >"$work/$kind.said" && chmod 0666 "$work/$kind.said"
  refused=$(timeout $((60 + jobs * 3)) "$tests_directory/cluster/exec" --name "$site_name" -- "$work/submit" "$work" "$kind" "$jobs" "$@")
  [ -z "$refused" ] || fail "$kind: submissions failed: $(head -n 3 <<<"$refused")"
  wait_for_queue $((60 + jobs)) || fail "$kind: jobs are stuck: $(on_site squeue --noheader | head -n 5)"
  done_=$(find "$work/$kind" -type f | wc -l)
  said=$(grep -cE "$pattern" "$work/$kind.said" || true)
  printf '  %-10s %4d of %d jobs done, %4d submissions said "%s", %4d s\n' "$kind" "$done_" "$jobs" "$said" "$pattern" $((SECONDS - begin))
  [ "$done_" -eq "$jobs" ] || fail "$kind: $((jobs - done_)) of $jobs jobs did not succeed: $(cat "$work"/*.out | sort | uniq -c | head -n 5)"
  [ "$said" -eq "$jobs" ] || fail "$kind: $said of $jobs submissions said \"$pattern\": $(sort "$work/$kind.said" | uniq -c | sort -n | tail -n 5)"
  [ -z "$(last_words)" ] || fail "$kind: not all nodes are idle: $(on_site sinfo --noheader; last_words)"
}

last_words() { # of the slurmds whose nodes are not idle
  local node
  for node in $(on_site sinfo --noheader --Node --partition=all -o '%N %t' | awk '$2 !~ /^(idle|plnd)$/ { print $1 }'); do
    printf '\nlast in the logs of %s:\n' "$node"
    tail -n 15 "${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name/logs/$node".{log,out}
  done
}

with_huddle() { # a script instead of the command
  printf '#!/bin/sh\n%s\n' "$1" >"$shared/huddle/next"
  chmod 0755 "$shared/huddle/next"
  mv "$shared/huddle/next" "$shared/huddle/huddle"
}

case_begins "a measured run, and the plan"
four_ranks() { printf '#!/bin/bash\n#SBATCH --nodes=4 --ntasks=4 --job-name=short\nsrun sh -c "exec %s/programs/halo_exchange --iterations 40"\n' "$shared"; } # sh, as in job.sh
submit --energy-aggregate < <(four_ranks)
expect_success
submit --energy-aggregate < <(four_ranks)
expect_success; expect_one_line 'packed onto'

case_begins "$jobs jobs of each kind"
load without 'Submitted batch job'
# On a busy machine a planner may take longer than a submission waits. Then the job runs as submitted, which is no harm.
load packed 'packed onto|plan took longer than' --energy-aggregate
grep -q 'packed onto' "$work/packed.said" || fail "no job was packed"
load slower 'packed onto|plan took longer than' --energy-aggregate=frequency=1.2GHz-1.6GHz
[ -s "$work/lowered" ] || fail "no job saw its cores' frequency lowered"
cp "$shared/huddle/huddle" "$site_scratch/huddle"
with_huddle 'exec sleep 60'
load hangs 'left as submitted: .*took longer than' --energy-aggregate
with_huddle 'kill -SEGV $$'
load crashes 'left as submitted: .*failed with status 139' --energy-aggregate
with_huddle 'head -c 100000 /dev/urandom'
load rubbish 'left as submitted: ' --energy-aggregate

case_begins "nothing is left"
cp "$site_scratch/huddle" "$shared/huddle/huddle"
[ -z "$(on_site squeue --noheader)" ] || fail "jobs are left"
nothing_claimed() { ! grep -hE '^(claim|control) ' "$state"/nodes/n*.disk/huddle/* 2>/dev/null; }
until_true nothing_claimed >/dev/null || fail "claims are left in journals: $(nothing_claimed)"
[ "$(controls)" = "$before" ] || fail "frequencies are left: $(diff <(echo "$before") <(controls) | head -n 5)"
! grep -qiE 'segfault|core dumped|fatal' "$state"/logs/n*.log || fail "a daemon complains: $(grep -iE 'segfault|core dumped|fatal' "$state"/logs/n*.log | head -n 3)"
finish
