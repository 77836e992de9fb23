#!/usr/bin/env bash
# Whichever process of a step with a keeper dies, or if the node does, in the end clocks are as before the job.
# usage: keeper_deaths_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
. "$here/keeper_site.sh"
start_keeper_site "keeper-deaths-$$" "$1"
end_job() {
  on_site scancel "$job"
  expect_over
  expect_as_before
}
begin_asking() { # NODE
  asking_job "$1" 1600000
  expect_at "$1" 1600000 0 1 2 3 4 5 6 7
}
# None of them does anything about another one's death.
kill_at_once() { # NODE PID...
  node "$1" run sh -c 'kill -STOP "$@"; kill -KILL "$@"' sh "${@:2}" 2>/dev/null || true
}
all="0 1 2 3 4 5 6 7"
# shellcheck disable=SC2086  # one argument a policy

case_begins "the keeper: its clocks go to the top, the step goes on"
begin_asking n0
kill_keepers n0 "$job.0"
expect_at n0 2400000 $all
until_true grep -q 'the keeper has ended' "$home/job-$job.out" || fail "ranks don't learn of it: $(output_of "$job")"
end_job

case_begins "the watcher: the keeper ends"
begin_asking n0
node n0 run kill -KILL "$(step_watcher n0 "$job.0")"
expect_at n0 2400000 $all
until_true has_no_keeper n0 "$job.0" || fail "the keeper is there"
end_job

case_begins "keeper and watcher together"
begin_asking n0
# shellcheck disable=SC2046  # one argument a process
kill_at_once n0 $(keepers_on n0 "$job.0") "$(step_watcher n0 "$job.0")"
end_job

case_begins "keeper and watcher, and then another step of the node"
begin_asking n0
# shellcheck disable=SC2046  # one argument a process
kill_at_once n0 $(keepers_on n0 "$job.0") "$(step_watcher n0 "$job.0")"
are_at n0 1600000 0 || fail "nobody could have put back clocks"
on_site srun --overlap --jobid="$job" --ntasks=1 --export=ALL,HUDDLE_FREQUENCY=1400000-1400000 true 2>/dev/null
expect_at n0 2400000 $all
end_job

case_begins "a keeper that is stopped does not keep the step from ending"
begin_asking n0
# shellcheck disable=SC2046  # one argument a process
node n0 run kill -STOP $(keepers_on n0 "$job.0")
end_job

case_begins "a journal that was cut off"
begin_asking n0
journal=$state/nodes/n0.disk/huddle/frequencies
truncate --size=$(($(stat -c %s "$journal") - 90)) "$journal"
kill_slurmstepds n0 "$job"
expect_at n0 2400000 $all
on_site scancel "$job"
expect_over
rm -f "$journal.broken"
expect_as_before

case_begins "the slurmstepd of the step"
for round in $(seq "${KEEPER_ROUNDS:-3}"); do
  asking_job n0 wander
  is_moved() { ! are_at n0 2400000 $all; }
  until_true is_moved || fail "nothing is asked in round $round: $(output_of "$job")"
  node n0 run kill -KILL "$(step_daemon n0 "$job.0")"
  expect_at n0 2400000 $all
  until_true has_no_keeper n0 || fail "the keeper is there"
  are_at n0 2400000 $all || fail "a keeper wrote after all was put back, round $round"
  end_job
done

case_begins "all slurmstepds of the job, their watchers and keepers"
begin_asking n0
node n0 kill-slurmd
# shellcheck disable=SC2046  # one argument a process
kill_at_once n0 $(slurmstepds n0 "$job") $(watchers_on n0 | cut -d' ' -f1)
are_at n0 1600000 0 || fail "nobody could have put back clocks"
node n0 start-slurmd
expect_at n0 2400000 $all
on_site scancel "$job"
expect_over
expect_as_before

case_begins "slurmd: the job goes on, and so does its keeper"
begin_asking n0
node n0 kill-slurmd
node n0 start-slurmd
sleep 1
are_at n0 1600000 $all || fail "somebody put back what the job still uses"
[ -n "$(keepers_on n0 "$job.0")" ] || fail "there is no keeper"
end_job

case_begins "the power of the node goes off"
begin_asking n1
node n1 power-off
are_at n1 1600000 0 || fail "nobody could have put back clocks"
node n1 power-on
expect_at n1 2400000 $all
on_site scancel "$job"
expect_over
expect_as_before
finish
