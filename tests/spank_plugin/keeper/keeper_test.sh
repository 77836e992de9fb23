#!/usr/bin/env bash
# The requests of ranks to their step's keeper reach the files of their node's clocks, nobody else is served, and in the end
# all is as before the job.
# usage: keeper_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
. "$here/keeper_site.sh"
start_keeper_site "keeper-$$" "$1"
end_job() {
  on_site scancel "$job"
  expect_over
  expect_as_before
}

case_begins "what ranks ask for is written, and goes with the job"
asking_job n0 1600000
expect_at n0 1600000 0 1 2 3 4 5 6 7
keeper=$(keepers_on n0 "$job.0" | head -n 1)
found=$(node n0 run ps -o ppid=,user= -p "$keeper" | xargs)
[ "$found" = "1 nobody" ] || fail "the keeper is not init's and nobody's: $found"
socket=$(socket_of_ranks n0)
[ "$(node n0 run stat -c '%U %a' "$socket")" = "nobody 600" ] || fail "the socket is not the user's: $socket"
[[ $socket =~ ^/run/huddle/keeper-[0-9a-f]{32}$ ]] || fail "the socket's name may tell something: $socket"
for folder in /run/huddle /run/huddle/steps; do
  ! node n0 run setpriv --reuid daemon --regid daemon --clear-groups ls "$folder" >/dev/null 2>&1 || fail "others can list $folder"
done
grep -q "^control 0 scaling_max_freq 2400000 2400000 1200000$" <<<"$(journal_of n0)" || fail "the journal: $(journal_of n0)"
shown=$(node n0 run "$site_scratch/huddle_clocks" show --policy "$policy")
python3 -c '
import json, sys
keepers = [keeper for keeper in json.load(sys.stdin)["keepers"] if keeper["step"] == sys.argv[1]]
assert keepers == [{"pid": keepers[0]["pid"], "step": sys.argv[1], "clocks": [{"pus": "0-7", "limits_khz": [1200000, 2400000]}]}], keepers
' "$job.0" <<<"$shown" || fail "the keeper is not shown: $shown"
shown=$(node n0 run "$1/bin/huddle" clocks show --policy "$policy")
grep -x "process [0-9]* moves the clocks of PUs 0-7 within 1.2-2.4 GHz, as the ranks of step $job.0 ask" <<<"$shown" ||
  fail "the keeper is not shown: $shown"
has_no_keeper n0 "$job.batch" || fail "the script's keeper is left beside the step's"
[ "$(all_controls n1)" = "$(grep '^n1' <<<"$before")" ] || fail "another node has other clocks"
end_job
[ -z "$(sockets_on n0)" ] || fail "sockets are left: $(sockets_on n0)"

case_begins "the cores of others stay as they are"
marker=$(mktemp "$shared/marker.XXXXXX")
start_balanced_job --nodelist=n0 --ntasks=2 <<<"#!/bin/bash
srun sh -c 'exec $client 0-7 1600000 300'"
has_asked() { grep -q 1600000 <<<"$(output_of "$job")"; }
until_true has_asked || fail "nothing was asked: $(output_of "$job")"
changed=$(all_controls n0 | grep -c 'scaling_max_freq:1600000' || true)
[ "$changed" -eq 2 ] || fail "$changed clocks are changed"
end_job
written=$(find "$state"/nodes/n?.cpu/cpufreq -newer "$marker" -name 'scaling_*' | xargs -r dirname | sort -u | wc -l)
[ "$written" -eq 2 ] || fail "$written clocks were written to"

case_begins "HUDDLE_FREQUENCY is the upper end of the envelope"
frequency=1400000-1800000 asking_job n0 2400000
expect_at n0 1800000 0 1 2 3 4 5 6 7
end_job

case_begins "a rank that dies asks for nothing"
asking_job n0 1600000
expect_at n0 1600000 0 1 2 3 4 5 6 7
node n0 run pkill -KILL -f "ask_for_clocks 3 " || true
expect_at n0 2400000 3
end_job

case_begins "a script without steps has a keeper of its own"
start_balanced_job --nodelist=n0 --ntasks=8 <<<"#!/bin/bash
exec $client 0-7 1400000 300"
expect_at n0 1400000 0 1 2 3 4 5 6 7
end_job

case_begins "processes outside of the step are refused, their user's and root's"
asking_job n0 1600000
expect_at n0 1600000 0 1 2 3 4 5 6 7
socket=$(socket_of_ranks n0)
said=$(node n0 run env HUDDLE_KEEPER="$socket" setpriv --reuid nobody --regid nogroup --clear-groups \
  "$client" 0 1200000 1 || true)
grep -q 'refused: .*is not of the step' <<<"$said" || fail "a process of the user's: $said"
said=$(node n0 run env HUDDLE_KEEPER="$socket" "$client" 0 1200000 1 || true)
grep -q 'refused: .*does not own the step' <<<"$said" || fail "a process of root's: $said"
said=$(node n0 run env HUDDLE_KEEPER="$socket" setpriv --reuid daemon --regid daemon --clear-groups \
  "$client" 0 1200000 1 || true)
grep -q 'refused: .*[Pp]ermission denied' <<<"$said" || fail "a process of another user's: $said"
are_at n0 1600000 0 || fail "one of them was heard"
end_job

case_begins "a suspended step has no keeper, and goes on without one"
asking_job n0 1600000
expect_at n0 1600000 0 1 2 3 4 5 6 7
timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- scontrol suspend "$job"
expect_at n0 2400000 0 1 2 3 4 5 6 7
until_true has_no_keeper n0 || fail "the keeper is there"
timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- scontrol resume "$job"
end_job

case_begins "another step on the same cores: the highest claim holds"
asking_job n0 1600000
expect_at n0 1600000 0 1 2 3 4 5 6 7
said=$(on_site srun --overlap --jobid="$job" --ntasks=8 --export=ALL,HUDDLE_FREQUENCY=2000000-2000000 sh -c \
  'echo $(cat /sys/devices/system/cpu/cpufreq/policy$SLURM_LOCALID/scaling_max_freq)' 2>&1 | without_waiting | sort -u) || true
[ "$(grep -v '^huddle: ' <<<"$said")" = 2400000 ] || fail "the highest claim does not hold: $said"
end_job

case_begins "where the site does not allow it nothing is started"
write_frequency_policy </dev/null
said=$(on_site env "$loud" srun --nodelist=n0 --export=ALL,HUDDLE_BALANCE=1 sh -c 'echo "keeper: $HUDDLE_KEEPER"' 2>&1 | without_waiting)
grep -q 'clocks are not balanced: the site does not allow it (frequency.balance' <<<"$said" || fail "nothing says why: $said"
grep -qx 'keeper: ' <<<"$said" || fail "there is a keeper: $said"
has_no_watcher n0 || fail "something was started: $(watchers_on n0)"
write_frequency_policy <<<'balance = true
keeper_user = "root"'
said=$(on_site env "$loud" srun --nodelist=n0 --export=ALL,HUDDLE_BALANCE=1 sh -c 'echo "keeper: $HUDDLE_KEEPER"' 2>&1 | without_waiting)
grep -q 'clocks are not balanced: .*is not ready for its step' <<<"$said" || fail "nothing says why: $said"
grep -qx 'keeper: ' <<<"$said" || fail "there is a keeper: $said"
write_frequency_policy <<<'balance = true'
expect_as_before
job=0

case_begins "nor where /proc hides processes"
node n0 run mount -o remount,hidepid=2 /proc
said=$(on_site env "$loud" srun --nodelist=n0 --export=ALL,HUDDLE_BALANCE=1 sh -c 'echo "keeper: $HUDDLE_KEEPER"' 2>&1 | without_waiting)
node n0 run mount -o remount,hidepid=0 /proc
grep -q 'clocks are not balanced: .*is not ready for its step' <<<"$said" || fail "nothing says why: $said"
grep -qx 'keeper: ' <<<"$said" || fail "there is a keeper: $said"
expect_as_before

case_begins "a step without HUDDLE_BALANCE has none, also in a script that has one"
start_balanced_job --nodelist=n0 --ntasks=8 <<<"#!/bin/bash
env -u HUDDLE_BALANCE -u SLURM_EXPORT_ENV srun -n 1 sh -c 'echo \"keeper: \$HUDDLE_KEEPER\"'"
expect_over
output_of "$job" | grep -qx 'keeper: ' || fail "there is a keeper: $(output_of "$job")"
expect_as_before

case_begins "the end of a step is not delayed, and what was there before is there again, each time"
# A script with steps whose ranks ask for something else all the time until they end.
rounds=${KEEPER_ROUNDS:-20}
steps='ask="$1"
for i in $(seq '$rounds'); do
  timeout 20 srun -n 8 sh -c "timeout -s KILL 0.2 $ask" 2>/dev/null
  [ "$(cat /sys/devices/system/cpu/cpufreq/policy*/scaling_max_freq | sort -u)" = 2400000 ] || echo "wrong in round $i"
done'
time_of() { # EXPORT COMMAND
  job=$(on_site sbatch --parsable --wait --nodelist=n1 --ntasks=8 --output="$home/job-%j.out" --export="$1" "$shared/steps.sh" "$2")
  each=$(output_of "$job" | sed -n 's/^each took \([0-9]*\) ms$/\1/p')
}
printf '#!/bin/bash\nbegin=${EPOCHREALTIME/./}\n%s\necho "each took $(((${EPOCHREALTIME/./} - begin) / 1000 / %s)) ms"\n' "$steps" "$rounds" >"$shared/steps.sh"
chmod 0644 "$shared/steps.sh"
time_of ALL "sleep 5"
without=$each
time_of ALL,HUDDLE_BALANCE=1 "$client \$SLURM_LOCALID wander 5"
with=$each
echo "  a step takes $without ms, with a keeper $with ms ($rounds rounds)"
! grep 'wrong in round' <<<"$(output_of "$job")" || fail "clocks were left"
[ "$with" -le $((without + 300)) ] || fail "steps are delayed"
expect_as_before
finish
