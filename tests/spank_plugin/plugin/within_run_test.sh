#!/usr/bin/env bash
# A hybrid job with threads=auto that is long enough: the run that tries its teams on fewer cores chooses by that, and acts, by a
# process beside each rank that delays nothing and is left nowhere.
# usage: within_run_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
[ -x "$1/programs/packed_teams" ] || { echo "needs a compiler with OpenMP"; exit 77; }
start_site "within-run-$$" "$1" --nodes 2
program=$shared/programs/packed_teams
store=$profiles/nobody/within/2
jq '.power = {idle_node_w: 50, off_node_w: 0, package_w: 30, die_w: 8, core_w: 20, origin: "given"}' "$shared/machine.json" >"$shared/power.json"
mv "$shared/power.json" "$shared/machine.json"

submit_ranks() { # OPTION SECONDS MODE
  submit --nodes=1 --ntasks=2 --cpus-per-task=4 --job-name=within --energy-aggregate="$1,slowdown=50%" <<SCRIPT
#!/bin/bash
export OMPI_MCA_mpi_yield_when_idle=1
${launch:-srun --cpus-per-task=4 --cpu-bind=cores} $program $2 $3 40
SCRIPT
}
newest() { find "$store" -name "$1-*.json" | sort | tail -1; } # PREFIX
files() { find "$store" -name "$1-*.json" | wc -l; }
has_files() { [ "$(files "$1")" -ge "$2" ]; }
expect_profile() { until_true has_files "$1" "$2" || fail "expected $2 profiles $1-*: $(ls "$store") $job_errors"; }
choosers() { pgrep -f "^$shared/huddle/huddle_chooser" || true; } # of all nodes: their processes are this machine's
no_chooser() { [ -z "$(choosers)" ]; }
acted() { jq '[.rank_records[].packed_regions.acted_passes[]?] | add // 0' "$(newest packed)"; }

case_begins "a step with choosers ends at once when its tasks do, and none is left"
cat >"$shared/beside.sh" <<SCRIPT
#!/bin/bash
export HUDDLE_RECORDER=$shared/huddle/libhuddle_recorder.so HUDDLE_THREADS=pack OMP_NUM_THREADS=4
export HUDDLE_CHOOSE="0.05 energy $shared/machine.json"
srun --cpus-per-task=4 --cpu-bind=cores sh -c 'echo "rank has \$HUDDLE_CHOOSER"; sleep 3; date "+ended %s%N" >$home/ended.\$SLURM_PROCID'
date "+step %s%N"
SCRIPT
chmod 0644 "$shared/beside.sh"
job=$(on_site sbatch --parsable --output="$home/beside.out" --nodes=1 --ntasks=2 --cpus-per-task=4 "$shared/beside.sh")
two_choosers() { [ "$(choosers | wc -l)" = 2 ]; }
until_true two_choosers || fail "choosers: $(choosers | xargs) $(cat "$home/beside.out")"
for process in $(choosers); do
  [ "$(stat -c %U "/proc/$process")" = nobody ] || fail "a chooser is not the user's"
  case $(readlink "/proc/$process/fd/1") in /dev/null) ;; *) fail "a chooser has the step's output" ;; esac
  [ "$(grep -c . <(ls "/proc/$process/fd"))" = 3 ] || fail "a chooser has files: $(ls -l "/proc/$process/fd")"
done
before=$(for process in $(choosers); do awk '{print $14 + $15}' "/proc/$process/stat"; done | xargs)
sleep 1
equal_time=$(for process in $(choosers); do awk '{print $14 + $15}' "/proc/$process/stat"; done | xargs)
[ "$before" = "$equal_time" ] || fail "a waiting chooser used processor time: $before, then $equal_time"
wait_for_job "$job"
[ "$job_status" = 0 ] || fail "status $job_status: $(cat "$home/beside.out")"
no_chooser || until_true no_chooser || fail "left: $(choosers | xargs)"
[ "$(grep -cE '^rank has [0-9]+:[0-9]+$' "$home/beside.out")" = 2 ] || fail "$(cat "$home/beside.out")"
last=$(sed -n 's/^ended //p' "$home"/ended.* | sort -n | tail -1)
step=$(sed -n 's/^step //p' "$home/beside.out")
echo "  the step ended $(((step - last) / 1000000)) ms after its last task"
# Slurm waits for tens of seconds for processes that don't end.
[ $((step - last)) -lt 5000000000 ] || fail "the step ended late"

case_begins "the run that tries its teams chooses and acts itself"
for _ in {1..6}; do # a plan may take longer than a submission waits
  submit_ranks auto,threads=auto 2 quicker </dev/null
  ! grep -q 'while it is measured' <<<"$job_errors" || break
done
expect_success
no_chooser || fail "a measured run had a chooser: $(choosers | xargs)"
expect_profile profile 1
for try in {1..4}; do # on a busy machine a run may show no gain
  for _ in {1..6}; do
    submit_ranks auto,threads=auto 16 quicker </dev/null
    ! grep -q 'no run tried packed teams yet' <<<"$job_errors" || break
    until_true has_files packed 1 || true
    rm -f "$store"/packed-* "$store"/plan-*
  done
  expect_success
  expect_one_line 'its teams are tried on fewer cores for some moments: no run tried packed teams yet'
  expect_profile packed 1
  [ "$(acted)" -lt 100 ] || break
  echo "  try $try: $(jq -c .notes "$(newest packed)")"
  [ "$try" = 4 ] || rm -f "$store"/packed-* "$store"/plan-*
done
[ "$(acted)" -ge 100 ] || fail "acted on $(acted) passes: $(jq -c '.notes, .rank_records[].packed_regions' "$(newest packed)")"
jq -r '.notes[]' "$(newest packed)" | grep -qE "By that, (teams were chosen after|nothing was chosen)" || fail "no note: $(jq -c .notes "$(newest packed)")"
no_chooser || fail "left: $(choosers | xargs)"

case_begins "what it tried is what the plan chooses by, as of a run that tried only"
for _ in {1..6}; do
  tried=$(files packed)
  submit_ranks auto,threads=auto 3 quicker </dev/null
  ! grep -qE "as was chosen for them|stay as they are" <<<"$job_errors" || break
  until_true has_files packed $((tried + 1)) || true
done
expect_success
expect_one_line 'its teams run on as many cores as was chosen for them: the program is predicted to take [0-9.]+ % less energy'
expect_profile packed $((tried + 1))
[ "$(acted)" = 0 ] || fail "a run with a plan's teams chose itself"

finish
