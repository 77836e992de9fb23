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
install -m 0644 "$1/lib/libhuddle_recorder.so" "$1/lib/mca_schizo_huddle.so" "$site_scratch"

# Eight ranks on one node, of which the last has 0.55 of what the first has. BALANCE: 1 or empty.
run_ranks() { # PROFILE
  start_balanced_job --nodelist=n0 --ntasks=8 <<SCRIPT
#!/bin/bash
export HUDDLE_BALANCE=${BALANCE-1} HUDDLE_PROFILE=$home/$1
srun --mpi=pmix --cpu-bind=cores env LD_PRELOAD=$site_scratch/libhuddle_recorder.so $shared/clocked_ranks /sys/devices/system/cpu/cpufreq 150 40 uneven
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

case_begins "a site's default balances jobs that sbatch submits, and a user's own word wins"
install -m 0755 "$1/bin/huddle" "$shared/huddle"
install -d -m 1777 "$shared/store"
"$shared/huddle" machine --name test-cluster --topology "$state/topology.xml" --nodes 2 --output "$shared/machine.json" 2>/dev/null
balances() { # true|"by default"
  write_frequency_policy <<<"balance = $1"
  cat >>"$policy" <<TOML
huddle = "$shared/huddle"
[machine]
file = "$shared/machine.json"
[profiles]
directory = "$shared/store"
by_script = false
TOML
}
submit_by_option() { # OPTION
  submit --nodes=2 --ntasks=8 --job-name=uneven --energy-aggregate="$1" <<SCRIPT
#!/bin/bash
srun --mpi=pmix --cpu-bind=cores $shared/clocked_ranks /sys/devices/system/cpu/cpufreq 40 40 uneven
SCRIPT
  [ "$job_status" = 0 ] || fail "status $job_status: $job_errors $job_output"
  until_true is_idle || fail "the node is not idle"
}
is_kept() { compgen -G "$shared/store/nobody/uneven/8/$1*.json" >/dev/null; } # PROFILE
balances '"by default"'
submit_by_option auto,samples=1
grep -q "its clocks follow no loads while it is measured" <<<"$job_errors" || fail "the first run: $job_errors"
until_true is_kept profile- || fail "no profile was left: $(find "$shared/store") $job_errors $job_output"
submit_by_option auto,samples=1,energy=plan
! grep -q "loads" <<<"$job_errors" || fail "a user's own word: $job_errors"
! is_kept balanced- || fail "balanced against its user's word"
submit_by_option auto,samples=1
grep -q "its clocks follow its loads" <<<"$job_errors" || fail "by default: $job_errors"
until_true is_kept balanced- || fail "nothing was balanced: $(find "$shared/store") $job_errors $job_output"
"$1/bin/huddle" show "$shared"/store/nobody/uneven/8/balanced-*.json | grep -A6 "^clocks that follow loads" || fail "no section"
expect_as_before
balances true
submit_by_option auto,samples=1
! grep -q "loads" <<<"$job_errors" || fail "without the default: $job_errors"

case_begins "where the site does not allow it, a line says so and nothing changes"
write_frequency_policy </dev/null
run_ranks refused.json
grep -q "clocks don't follow loads: no keeper .*; the site must allow it" <<<"$output" || fail "no line: $output"

expect_as_before
finish
