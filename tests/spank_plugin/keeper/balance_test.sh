#!/usr/bin/env bash
# Clocks follow the loads of an MPI program that a job starts by srun: the recorder's balancers, the step's keeper, and clocks
# that are files, by which the ranks compute.
# usage: balance_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
. "$here/keeper_site.sh"
start_keeper_site "balance-$$" "$1"
install -m 0755 "$1/programs/clocked_ranks" "$shared/clocked_ranks"
install -m 0644 "$1/lib/libhuddle_recorder.so" "$shared/recorder.so"

# Eight ranks on one node, of which the last has 0.55 of what the first has. BALANCE: 1 or empty.
run_ranks() { # PROFILE
  start_balanced_job --nodelist=n0 --ntasks=8 <<SCRIPT
#!/bin/bash
export HUDDLE_BALANCE=${BALANCE-1} HUDDLE_PROFILE=$home/$1
srun --mpi=pmix --cpu-bind=cores env LD_PRELOAD=$shared/recorder.so $shared/clocked_ranks /sys/devices/system/cpu/cpufreq 150 40 uneven
SCRIPT
  wait_for_job "$job"
  expect_over
  output=$(output_of "$job")
  [ "$job_status" = 0 ] || fail "status $job_status: $output"
}
result() { sed -n "s/.*$1 \([0-9.]*\).*/\1/p" <<<"$output"; } # time|energy

case_begins "ranks that would wait get lower clocks, and the job is as long as before"
# On a busy machine a pair of runs may say nothing.
for try in {1..4}; do
  BALANCE='' run_ranks top.json
  time=$(result time) energy=$(result energy)
  expect_as_before
  run_ranks balanced.json
  expect_as_before
  echo "$time s and $energy J at the top clocks; $(result time) s and $(result energy) J with clocks that follow loads"
  good=yes
  awk "BEGIN { exit !($(result energy) / $(result time) < 0.955 * $energy / $time) }" || good=
  awk "BEGIN { exit !($(result time) < 1.05 * $time) }" || good=
  [ -z "$good" ] || break
done
[ -n "$good" ] || fail "the power is hardly lower, or it takes longer"
note=$("$1/bin/huddle" show "$home/balanced.json" --json | grep -o 'clocks could follow[^"]*') || fail "no note: $output"
echo "$note"

case_begins "where the site does not allow it, a line says so and nothing changes"
write_frequency_policy </dev/null
run_ranks refused.json
grep -q "clocks are not balanced: the site does not allow it" <<<"$output" || fail "no line: $output"

expect_as_before
finish
