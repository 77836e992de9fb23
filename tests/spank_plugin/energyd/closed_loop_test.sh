#!/usr/bin/env bash
# The joules of jobs as huddle-energyd reports them are those that the model of their node says they took: alone, through kills
# of the daemon and of slurmd, with lower clocks, and beside another job.
# usage: closed_loop_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
command -v jq gcc >/dev/null || { echo "jq or gcc is missing"; exit 77; }
. "$here/../site.sh"
. "$here/../plugin/expectations.sh"
. "$here/../frequency/frequency_site.sh"
. "$here/energy_site.sh"
start_energy_site "energyd-loop-$$" "$1"

# run_job TASKS SECONDS [OPTION OF srun...]: a step on n0. Its output goes to $site_scratch/ran, its job's number to $job.
run_job() {
  local tasks=$1 seconds=$2
  shift 2
  # shellcheck disable=SC2046
  timeout 120 "$tests_directory/cluster/exec" --name "$site_name" -- srun --nodelist=n0 -n "$tasks" "$@" \
    sh -c 'echo "job $SLURM_JOB_ID"; exec $0 $*' $(work "$seconds") >"$site_scratch/ran" 2>"$site_scratch/ran.err" ||
    fail "srun: status $?: $(cat "$site_scratch/ran" "$site_scratch/ran.err")"
  job=$(sed -n 's/^job //p' "$site_scratch/ran" | head -n 1)
}
# expect_joules JOB PACKAGES: what was reported of step 0 is what the tasks computed, and the idle power of that many packages.
expect_joules() {
  local reported computed seconds expected
  until_true has_ended "$1" 0 || fail "job $1 does not end"
  step=$(energy_of_step "$1" 0)
  reported=$(jq .energy_j <<<"$step")
  seconds=$(jq .known_s <<<"$step")
  computed=$(awk '/^[0-9]+ [0-9.]+$/ { sum += $2 } END { print sum }' "$site_scratch/ran")
  expected=$(awk -v c="$computed" -v s="$seconds" -v p="$2" 'BEGIN { print c + 8 * p * s }')
  echo "  reported $reported J, true $expected J over $seconds s"
  within "$reported" "$expected" 1 || fail "job $1: reported $reported J, expected $expected: $step"
}

case_begins "idle power is learnt without jobs"
sleep 6
answers || fail "no answer"
idle=$(jq '[.sensors[] | select(.name == "package-0") | .idle_w][0]' "$site_scratch/node.json")
within "$idle" 8 2 || fail "expected 8 W: $(cat "$site_scratch/node.json")"

case_begins "a job alone on both packages is measured"
run_job 8 0.6
expect_joules "$job" 2
[ "$(jq '.attributed_j == 0 and .lost_s == 0' <<<"$step")" = true ] || fail "not measured: $step"

case_begins "through kill -9 of the daemon and its restart"
run_job 8 1.5 &
waited=$!
sleep 2
kill_energyd
sleep 0.3
start_energyd
wait "$waited"
job=$(sed -n 's/^job //p' "$site_scratch/ran" | head -n 1)
expect_joules "$job" 2
[ "$(jq '.lost_s == 0' <<<"$step")" = true ] || fail "something is lost: $step"

case_begins "through kill -9 of slurmd and its restart"
run_job 8 1.5 &
waited=$!
sleep 1.5
node n0 kill-slurmd
sleep 0.5
node n0 start-slurmd
wait "$waited"
job=$(sed -n 's/^job //p' "$site_scratch/ran" | head -n 1)
expect_joules "$job" 2
until_true is_idle || fail "nodes are not idle"

case_begins "with lower clocks a program works longer, and takes what the model says"
run_job 8 1.5 --export=ALL,HUDDLE_FREQUENCY=1200000-1200000
expect_joules "$job" 2
slow=$(awk '/^[0-9]+ [0-9.]+$/ { sum += $2 } END { print sum }' "$site_scratch/ran")
# Twice the time at (1 + 4/8) instead of 5 W.
within "$slow" "$(awk 'BEGIN { print 8 * 1.5 * 2 * 1.5 }')" 3 || fail "the clocks were not lower: $(cat "$site_scratch/ran")"
until_true is_idle || fail "nodes are not idle"

case_begins "of two jobs that share a node, what one has alone is measured, the rest attributed, and all together is the node"
node_energy() { jq "[.sensors[] | select(.in_sum) | .$1] | add" "$site_scratch/node.json"; }
answers
node_before=$(node_energy energy_j)
unattributed_before=$(node_energy unattributed_j)
runs=()
# Processes really run on PUs 0 and 1, which are of the first package: there two jobs share, and the third has the other one.
begin_job() { # NAME TASKS SECONDS
  # shellcheck disable=SC2046
  timeout 120 "$tests_directory/cluster/exec" --name "$site_name" -- srun --nodelist=n0 -n "$2" -m block:block \
    sh -c 'echo "job $SLURM_JOB_ID"; exec $0 $*' $(work "$3") >"$site_scratch/ran.$1" 2>"$site_scratch/ran.err" &
  runs+=($!)
  until_true grep -qs '^job' "$site_scratch/ran.$1" || fail "job $1 does not begin"
}
begin_job first 2 3
begin_job second 2 2
begin_job alone 4 1.5
wait "${runs[@]}"
sum=0
answers
idle_watts=$(jq '[.sensors[] | select(.name == "package-0") | .idle_w][0]' "$site_scratch/node.json")
for which in first second alone; do
  job=$(sed -n 's/^job //p' "$site_scratch/ran.$which" | head -n 1)
  until_true has_ended "$job" 0 || fail "job $job does not end"
  step=$(energy_of_step "$job" 0)
  sum=$(jq --argjson sum "$sum" '.energy_j + $sum' <<<"$step")
  computed=$(awk '/^[0-9]+ [0-9.]+$/ { sum += $2 } END { print sum }' "$site_scratch/ran.$which")
  # The idle power that two share depends on how long they ran side by side.
  case $which in
    alone) idle=$(jq '8 * .known_s' <<<"$step") ;;
    # The model draws 8 W, whatever was learnt as the idle power.
    *) idle=$(jq --argjson watts "$idle_watts" '.idle_j * 8 / $watts' <<<"$step") ;;
  esac
  reported=$(jq .energy_j <<<"$step")
  expected=$(jq -n "$computed + $idle")
  echo "  $which: reported $reported J, true $expected J"
  within "$reported" "$expected" 1 || fail "$which: expected $expected J: $step"
  case $which in
    alone) [ "$(jq '.attributed_j == 0' <<<"$step")" = true ] || fail "not measured: $step" ;;
    *) [ "$(jq '.attributed_j > 0' <<<"$step")" = true ] || fail "not attributed: $step" ;;
  esac
done
answers
node=$(jq -n "$(node_energy energy_j) - $node_before")
unattributed=$(jq -n "$(node_energy unattributed_j) - $unattributed_before")
within "$(jq -n "$sum + $unattributed")" "$node" 0.1 || fail "$sum J of jobs and $unattributed J of nobody are not the $node J of the node"

case_begins "power alone is integrated to the joules of the model"
board() { answers; jq '.sensors[] | select(.measures == "power") | .energy_j' "$site_scratch/node.json"; }
true_board() { node n0 run cut -d' ' -f4 /run/model/truth; }
board_before=$(board)
true_before=$(true_board)
run_job 8 2
sleep 1
reported=$(jq -n "$(board) - $board_before")
expected=$(jq -n "$(true_board) - $true_before")
echo "  reported $reported J, true $expected J"
within "$reported" "$expected" 1 || fail "power alone: reported $reported J, expected $expected"

case_begins "the profile of an MPI program has the job's energy, by way of huddle-energyd, which alone may read the meters"
install -m 0755 "$1/lib/libhuddle_recorder.so" "$1/programs/halo_exchange" "$shared"
for _ in {1..3}; do # where an answer comes late, on a busy machine, too much of the run lies before the first or behind the last one
  on_site srun --nodelist=n0 -n 2 --mpi=pmix --exclusive env LD_PRELOAD="$shared/libhuddle_recorder.so" HUDDLE_PROFILE="$home/energy.json" \
    "$shared/halo_exchange" --iterations 160000 >"$site_scratch/ran" 2>&1 || fail "the program: $(cat "$site_scratch/ran")"
  "$1/bin/huddle" show "$home/energy.json" --json >"$site_scratch/show.json" || fail "no profile: $(cat "$site_scratch/ran")"
  late=$(jq -r '.absent_events[] | select(.event == "energy").reason' "$site_scratch/show.json")
  [[ $late == "huddle-energyd answers at most once a second, and its figures are of "* ]] || break
  echo "  $late"
  sleep 1.5 # so that the next run is not told what this one was
done
seconds=$(jq .run_time_s "$site_scratch/show.json")
reported=$(jq '[.energy[].energy_j] | add' "$site_scratch/show.json")
echo "  $(jq -c .energy "$site_scratch/show.json") in $seconds s"
# The program adds nothing to what the node draws anyway.
within "$reported" "$(jq -n "16 * $seconds")" 1 || fail "expected 16 W: $(jq -c "[.energy, .absent_events]" "$site_scratch/show.json")"
[ "$(jq -c '[.energy[].origin] | unique' "$site_scratch/show.json")" = '["measured"]' ] || fail "not measured: $(jq -c .energy "$site_scratch/show.json")"

case_begins "the trace of an MPI program has the job's power, and its waiting is measured"
on_site srun --nodelist=n0 -n 2 --mpi=pmix --exclusive env LD_PRELOAD="$shared/libhuddle_recorder.so" HUDDLE_PROFILE="$home/traced.json" \
  HUDDLE_TRACE="$home/traced" "$shared/halo_exchange" --iterations 160000 >"$site_scratch/ran" 2>&1 || fail "the program: $(cat "$site_scratch/ran")"
"$1/bin/huddle" waitstates "$home/traced" --machine xeon-x5560 --json >"$site_scratch/waits.json" || fail "no trace: $(cat "$site_scratch/ran")"
jq -c '.measured_power[]' "$site_scratch/waits.json" | sed 's/^/  /'
within "$(jq '.measured_power[0].mean_w // 0' "$site_scratch/waits.json")" 16 1 || fail "expected 16 W: $(jq -c .measured_power "$site_scratch/waits.json")"
# To its end, and from its second answer on at the latest.
jq -e '(.measured_power[0].end_s - .run_time_s | fabs) < 0.01 and .measured_power[0].begin_s < 2.5' "$site_scratch/waits.json" >/dev/null ||
  fail "the run took $(jq .run_time_s "$site_scratch/waits.json") s, and power is known from $(jq -c .measured_power "$site_scratch/waits.json")"
# Two threads share the node; before, a core of the machine draws over four times as much.
jq -e '.energy_j >= 7.9 * .waiting_s and .energy_j < 0.9 * .power_states.states[0].active_w * .waiting_s' "$site_scratch/waits.json" >/dev/null ||
  fail "waiting took $(jq -c '[.energy_j, .waiting_s, .power_states.states[0]]' "$site_scratch/waits.json"), expected 8 W a thread"

case_begins "the report has the joules of a job's step, without Slurm's accounting, if all of its nodes know them"
# job_with_option NODES LIST WORDS...: a job with the option, one task on each node; its number goes to $job
job_with_option() {
  submit --energy-aggregate <<SCRIPT
#!/bin/bash
#SBATCH --nodes=$1 --ntasks-per-node=1 --nodelist=$2 --exclusive --job-name=modelled
echo "job \$SLURM_JOB_ID"
srun ${*:3}
SCRIPT
  expect_success
  job=$(sed -n 's/^job //p' <<<"$job_output")
}
reported_run() {
  "$1/bin/huddle" report --store "$profiles" --user nobody --no-accounting --json |
    jq -c --argjson job "$job" '[.runs[] | select(.run.job == $job)][0]' >"$site_scratch/run.json"
}
# Eight users without steps hold as many connections to the daemon as they get, which is none of the job's business.
node n0 run sh -c 'nohup python3 -B "$0" /run/huddle-energyd/socket >/run/held 2>&1 & echo $! >/run/holder' "$tests_directory/profiles/energyd/socket_holder.py"
until_true node n0 run grep -q held /run/held || fail "nobody holds the socket: $(node n0 run cat /run/held)"
# shellcheck disable=SC2046
job_with_option 1 n0 $(work 2.5)
until_true has_ended "$job" 0 || fail "job $job does not end"
has_energy() { reported_run "$1" && jq -e .energy_j "$site_scratch/run.json" >/dev/null; }
until_true has_energy "$1" || fail "the report has no energy: $(cat "$site_scratch/run.json"; find "$profiles")"
reported=$(jq .energy_j "$site_scratch/run.json")
step=$(energy_of_step "$job" 0)
echo "  reported $reported J of $(jq .energy_j <<<"$step")"
within "$reported" "$(jq .energy_j <<<"$step")" 0.01 || fail "expected $step: $(cat "$site_scratch/run.json")"
[ "$(jq -r .energy_source "$site_scratch/run.json")" = daemon ] || fail "not the daemon's: $(cat "$site_scratch/run.json")"
node n0 run sh -c 'kill $(cat /run/holder)'
[ "$(jq .energy_attributed_j "$site_scratch/run.json")" = 0 ] || fail "a job alone is measured: $(cat "$site_scratch/run.json")"
job_with_option 2 n0,n1 sleep 2
until_true has_ended "$job" 0 || fail "job $job does not end"
n0_has_left_it() { ls "$profiles"/nobody/modelled/*/energy-"$job".0-* >/dev/null 2>&1; }
until_true n0_has_left_it || fail "n0 has left nothing"
reported_run "$1"
[ "$(jq .energy_j "$site_scratch/run.json")" = null ] || fail "n1 knows of no joules: $(cat "$site_scratch/run.json")"

case_begins "what nodes and their parts draw is learnt from what the daemon saw, at each clock"
# huddle_machine_power: into $site_scratch/machine.json
huddle_machine_power() {
  node n0 run cat /run/huddle-energyd/state/power-observations.json >"$site_scratch/observations.json" &&
    "$1/bin/huddle" machine power "$site_scratch/observations.json" -m "$site_scratch/described.json" \
      -o "$site_scratch/machine.json" 2>"$site_scratch/power.err"
}
"$1/bin/huddle" machine --topology "package:2 die:2 core:2 pu:1" 2>/dev/null |
  jq '.frequencies = {hz: [1.2e9, 2.4e9], nominal_hz: 2.4e9, origin: "given"}' >"$site_scratch/described.json"
knows_both_clocks() {
  huddle_machine_power "$1" && jq -e '.frequencies.power[0].core_w' "$site_scratch/machine.json" >/dev/null
}
# On a machine that is busy with other things a core may never be as busy as it must be for that.
for attempt in 1 2 3 4; do
  run_job 1 8
  run_job 1 4 --export=ALL,HUDDLE_FREQUENCY=1200000-1200000
  sleep 7
  stop_energyd
  ! knows_both_clocks "$1" || break
  start_energyd
done
sed 's/^/  /' "$site_scratch/power.err"
jq -c '.sums[]' "$site_scratch/observations.json" | sed 's/^/  /'
idle=$(jq .power.idle_node_w "$site_scratch/machine.json")
within "$idle" 16 1 || fail "an idle node draws $idle W, expected 16"
core=$(jq '.power.core_w + .power.package_w + .power.die_w' "$site_scratch/machine.json")
within "$core" 5 6 || fail "a core draws $core W, expected 5"
core=$(jq '.frequencies.power[0] | select(.hz == 1.2e9) | .core_w' "$site_scratch/machine.json")
within "${core:-0}" 1.5 10 || fail "a core draws $core W at 1.2 GHz, expected 1.5"
jq -e '.power.origin == "measured" and (.power.source | test("^huddle-energyd on n0, 20"))' "$site_scratch/machine.json" >/dev/null ||
  fail "the document does not say who measured it: $(jq -c .power "$site_scratch/machine.json")"

[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
echo "all as expected"
