#!/usr/bin/env bash
# A job that runs two programs, whose ranks talk to different partners: each is laid out by a plan of its own, both with the
# same ranks on each node.
# usage: several_programs_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true
start_site "several-programs-$$" "$1"
cp "$shared/programs/halo_exchange" "$shared/programs/natural" # the same grid, with consecutive ranks in its rows

two_programs() { # LAUNCHER
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=16 --job-name=both
rm -f $home/placement $home/natural
echo "\$HUDDLE_PLAN" >$home/plan
$1 $shared/programs/halo_exchange --iterations 40 --placement $home/placement
$1 $shared/programs/natural --order natural --iterations 40 --placement $home/natural
SCRIPT
}

companion() { # the plan of the job's other program
  local plan
  plan=$(cat "$home/plan")
  echo "$(dirname "$plan")/$(grep -oE '"plan": *"[^"]*"' "$plan" | cut -d'"' -f4)"
}

# The ranks of each program are where the plan that was made for it puts them.
expect_placed_by_program() {
  local own=halo_exchange other=natural
  grep -qE '"program": *\{ *"path": *"[^"]*/halo_exchange"' <(tr -d '\n' <"$(cat "$home/plan")") || own=natural other=halo_exchange
  mv "$home/placement" "$home/halo_exchange"
  cp "$home/$own" "$home/placement"
  expect_nodes 2; expect_placed_as_planned
  companion >"$home/plan.other" && mv "$home/plan.other" "$home/plan"
  cp "$home/$other" "$home/placement"
  expect_nodes 2; expect_placed_as_planned
}

for launcher in srun mpirun; do
  case_begins "both programs of a job are measured, $launcher"
  forget_runs
  submit --energy-aggregate < <(two_programs $launcher)
  expect_success; expect_one_line 'measured'; expect_profiles 2

  case_begins "each of them is laid out by its own plan, with the same ranks on each node, $launcher"
  submit --energy-aggregate < <(two_programs $launcher)
  expect_success; expect_one_line 'packed onto 2 of 8 nodes .*; ranks stay in order, since it also runs (natural|halo_exchange) \(16 tasks\); (natural|halo_exchange) \(2:2:2\)'
  [ "$(grep -c '^huddle: packed onto 2 of 8 nodes' <<<"$job_output")" -eq 2 ] || fail "expected a line of each step"
  diff <(awk '{print $1, $2}' "$home/placement" | sort) <(awk '{print $1, $2}' "$home/natural" | sort) >/dev/null ||
    fail "ranks of the two programs are on different nodes"
  expect_placed_by_program
done

case_begins "a program that the measured run did not start has its ranks on the same nodes, and the job's output says so"
submit --energy-aggregate < <(two_programs srun | sed "s#/natural #/halo_exchange_fortran #")
expect_success; expect_in_output "huddle: this step's ranks go to the nodes of the plan's ranks, bound by Slurm: its job's plan was not made for halo_exchange_fortran"

finish
