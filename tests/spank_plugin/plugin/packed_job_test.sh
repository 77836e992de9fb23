#!/usr/bin/env bash
# A hybrid job with threads=auto, submitted again and again: it is measured, then its teams are tried on fewer cores, and then
# they run on those that were chosen by that, without anybody's hand. Where that makes it slower it goes back.
# usage: packed_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
[ -x "$1/programs/packed_teams" ] || { echo "needs a compiler with OpenMP"; exit 77; }
start_site "packed-job-$$" "$1" --nodes 2
program=$shared/programs/packed_teams
store=$profiles/nobody/hybrid/2
# Energy is what teams are chosen by.
with_power() { jq '.power = {idle_node_w: 100, off_node_w: 0, package_w: 30, die_w: 8, core_w: 9, origin: "given"}'; }
with_power <"$shared/machine.json" >"$shared/power.json"
mv "$shared/power.json" "$shared/machine.json"

# Two ranks with four cores and four threads each, which meet after 40 regions of two milliseconds: what they wait for each other
# on a busy machine is little beside. On fewer cores a region takes half as long, so that its noise does not decide, and the bound
# is wide. Arguments: the option, the program's; lines of the script on standard input.
submit_ranks() {
  local option=$1
  shift
  submit --nodes=1 --ntasks=2 --cpus-per-task=4 --job-name=hybrid --energy-aggregate="$option,slowdown=50%" <<SCRIPT
#!/bin/bash
export OMPI_MCA_mpi_yield_when_idle=1
$(cat)
echo "script has teams \${HUDDLE_TEAMS-none}, threads \${HUDDLE_THREADS-none}"
srun --cpus-per-task=4 --cpu-bind=cores $program $1 $2 40 ${3-4000}
SCRIPT
}
newest() { find "$store" -name "$1-*.json" | sort | tail -1; } # PREFIX
files() { find "$store" -name "$1-*.json" | wc -l; }
has_files() { [ "$(files "$1")" -ge "$2" ]; } # PREFIX COUNT
expect_profile() { until_true has_files "$1" "$2" || fail "expected $2 profiles $1-*: $(ls "$store") $job_errors"; }
expect_note() { # PROFILE TEXT
  jq -r '.notes[]' "$1" | grep -qF -- "$2" || fail "no note \"$2\" in $1: $(jq -c .notes "$1")"
}
# The profile has the sentence of rank 0 alone, for which nothing may have been chosen where the other waits for it.
rank_0_acted() { grep -qE '^rank 0: [0-9]+ regions, [1-9]' <<<"$job_output"; }
# Prints in how many regions of all ranks together threads were bound to one PU.
packed() { sed -n 's/^rank [0-9]*: [0-9]* regions, \([0-9]*\) packed, .*/\1/p' <<<"$job_output" | awk '{ sum += $1 } END { print sum + 0 }'; }

case_begins "the first run is measured, as it was submitted"
for _ in {1..6}; do # a plan may take longer than a submission waits
  submit_ranks auto,threads=auto 2 quicker </dev/null
  ! grep -q 'while it is measured' <<<"$job_errors" || break
done
expect_success; expect_one_line 'its threads wait as they are used to while it is measured'
expect_in_output '^script has teams none, threads none$'
[ "$(packed)" = 0 ] || fail "packed: $job_output"
expect_profile profile 1

case_begins "the second one tries its teams on fewer cores, the third one runs them on those that were chosen by that"
# On a busy machine a run may show no gain; then its teams stay, and all that is known of them is forgotten here.
for try in {1..4}; do
  for _ in {1..6}; do
    submit_ranks auto,threads=auto 8 quicker </dev/null
    ! grep -q 'no run tried packed teams yet' <<<"$job_errors" || break
    until_true has_files packed 1 || true # a late one tries as well: no trial for the next one
    rm -f "$store"/packed-* "$store"/plan-*
  done
  expect_success
  expect_one_line 'its teams are tried on fewer cores for some moments: no run tried packed teams yet'
  expect_in_output '^script has teams none, threads pack$'
  expect_profile packed 1
  expect_note "$(newest packed)" "Teams were on fewer cores "
  for _ in {1..6}; do
    tried=$(files packed)
    submit_ranks auto,threads=auto 3 quicker </dev/null
    ! grep -qE "as was chosen for them|stay as they are" <<<"$job_errors" || break
    until_true has_files packed $((tried + 1)) || true
  done
  ! grep -q "as was chosen for them" <<<"$job_errors" || break
  echo "  try $try: $job_errors"
  until_true has_files packed $((tried + 1)) || true
  rm -f "$store"/packed-* "$store"/plan-*
done
expect_success
expect_one_line 'its teams run on as many cores as was chosen for them: the program is predicted to take [0-9.]+ % less energy'
expect_in_output '^script has teams bound 0\.5;[01].* [0-9a-f]+(@[0-9a-f]+)?=[12].*, threads pack$'
expect_profile packed $((tried + 1))
acted=$(newest packed)
! rank_0_acted || expect_note "$acted" "Teams of 1 regions ran on fewer cores, in "
jq -e '[.rank_records[].packed_regions | select(.) | .passes[0] >= 40 and .cores[0] <= 2 and .team[0] == 4] | any' "$acted" >/dev/null ||
  fail "not packed: $(jq -c '.rank_records[].packed_regions' "$acted")"
[ "$(packed)" -ge 40 ] || fail "not packed: $job_output"
plan=$(find "$store" -name 'plan-*.json' | head -1) # or the note in its place
jq -e '.teams and (.teams_reason | test("less energy"))' "$plan" >/dev/null || fail "the plan: $(head -c 2000 "$plan")"

case_begins "a job that is slower so goes back, and its profile says it"
for _ in {1..6}; do
  count=$(files packed)
  submit_ranks auto,threads=auto 4 slower 20000 </dev/null
  ! grep -q 'as was chosen for them' <<<"$job_errors" || break
  until_true has_files packed $((count + 1)) || true
done
expect_success; expect_one_line 'its teams run on as many cores as was chosen for them'
expect_profile packed $((count + 1))
! rank_0_acted || expect_note "$(newest packed)" "went back: they took longer than the first passes"
# Each rank has three bad passes out of eight, and the one that is under way when the third is known.
[ "$(packed)" -ge 40 ] && [ "$(packed)" -le $((2 * 9 * 40)) ] || fail "packed: $job_output"

case_begins "threads that the user binds are left alone, and the profile says so"
count=$(files packed)
submit_ranks auto,threads=auto 3 same <<<"export OMP_PROC_BIND=true"
expect_success
expect_profile packed $((count + 1))
expect_note "$(newest packed)" "Threads were not packed: OMP_PROC_BIND says where threads run."

case_begins "a job that says nothing about threads has none of it, and neither has one where the site forbids it"
submit_ranks auto 1 same </dev/null
expect_success; expect_in_output '^script has teams none, threads none$'
write_policy <<'TOML'
threads.allow = false
TOML
submit_ranks auto,threads=auto 1 same </dev/null
expect_success; expect_in_output '^script has teams none, threads none$'
expect_one_line 'its threads stay as they are: the site does not allow it \(threads.allow'

finish
