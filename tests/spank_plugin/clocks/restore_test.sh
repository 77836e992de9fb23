#!/usr/bin/env bash
# huddle clocks shows what is limited on a node, and puts everything back under running jobs.
# usage: restore_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
build=$1
start_frequency_site "clocks-restore-$$" "$build"
clocks() { node n0 run "$build/bin/huddle" clocks "$@" --policy "$policy" 2>&1; }
free=1200000-2400000

case_begins "show, while a step runs"
start_job --nodelist=n0 --ntasks=2 --no-requeue <<<"#!/bin/bash
srun sleep 300"
expect_limited n0 0; expect_limited n0 4
has_step() { clocks show | grep -qE "^ +0  0 +1.2-2.4 GHz +1.4-1.8 GHz +1.2-2.4 GHz +$job.0, $job.batch$"; }
until_true has_step || fail "PU 0 is not shown as limited: $(clocks show)"
clocks show | grep -qE "^ +1  1 +1.2-2.4 GHz +1.2-2.4 GHz +-  +-$" || fail "PU 1 is not shown as free: $(clocks show)"
clocks show | grep -qE "^process [0-9]+ watches over step $job.0$" || fail "no watcher is shown: $(clocks show)"

case_begins "restore, while a step runs"
said=$(clocks restore)
is_limited n0 0 $free && is_limited n0 4 $free || fail "the limits are still there: $said"
[ "$(grep -c 'put back$' <<<"$said")" -eq 2 ] || fail "expected two clocks put back: $said"
grep -q '^2 watcher(s) of steps ended' <<<"$said" || fail "the watchers are not named: $said"
until_true has_no_watcher n0 || fail "watchers are left: $(watchers_on n0)"
[ "$(clocks restore)" = "no clock of this node is limited" ] || fail "the second time is not silent: $(clocks restore)"
[ -z "$(journal_of n0)" ] || fail "the journal holds: $(journal_of n0)"
timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- scontrol suspend "$job"
timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- scontrol resume "$job"
is_limited n0 0 $free || fail "the step has limits again"
on_site scancel "$job"
expect_over
expect_as_before

case_begins "limits that Huddle knows nothing of"
echo 2000000 >"$state/nodes/n0.cpu/cpufreq/policy3/scaling_max_freq"
said=$(clocks restore)
grep -qE '^ +3  3 .*left: not limited by Huddle$' <<<"$said" || fail "PU 3 is not shown as left: $said"
is_limited n0 3 1200000-2000000 || fail "another's limit was taken away"
said=$(clocks restore --all)
grep -qE '^ +3  3 .*put back$' <<<"$said" || fail "PU 3 is not shown as put back: $said"
# A file of the test cluster ends as it was written.
echo 2400000 >"$state/nodes/n0.cpu/cpufreq/policy3/scaling_max_freq"
expect_as_before

case_begins "another user"
said=$(timeout 60 "$tests_directory/cluster/exec" --name "$site_name" -- "$build/bin/huddle" clocks restore 2>&1) &&
  fail "a user restored: $said"
grep -q 'only root can put clocks back' <<<"$said" || fail "it says: $said"
finish
