#!/usr/bin/env bash
# A hybrid job with threads=auto, submitted again and again: it is measured, its teams are tried on fewer cores, and then each rank
# has as many cores only, so that the job takes one node in place of two. What it sees of Slurm is what its user asked for. Where
# that turns out to be slower, or a program counts its processors, it has all that it asks for again.
# usage: narrow_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
[ -x "$1/programs/narrow_teams" ] || { echo "needs a compiler with OpenMP"; exit 77; }
start_site "narrow-job-$$" "$1" --nodes 2
program=$shared/programs/narrow_teams
store=$profiles/nobody/hybrid/2
# Energy is what plans are chosen by.
jq '.power = {idle_node_w: 100, off_node_w: 0, package_w: 30, die_w: 8, core_w: 9, origin: "given"}' <"$shared/machine.json" >"$shared/power.json"
mv "$shared/power.json" "$shared/machine.json"

# Two ranks with eight cores and eight threads each, a node for each. On fewer cores a region takes half as long, so that the noise of
# a busy machine does not decide, and the bound is wide. Arguments: the words before the program, the program's; lines of the script
# on standard input.
submit_ranks() {
  local launcher=$1
  shift
  submit --nodes=2 --ntasks=2 --cpus-per-task=8 --job-name=hybrid --energy-aggregate="auto,threads=auto,slowdown=50%" "${more[@]}" <<SCRIPT
#!/bin/bash
export OMPI_MCA_mpi_yield_when_idle=1
echo "script has \$SLURM_CPUS_PER_TASK a task on \$SLURM_JOB_NUM_NODES nodes"
$(cat)
$launcher $program $*
SCRIPT
}
more=()
# What a script calls can't be looked at before.
cat >"$shared/by_hand.sh" <<'SCRIPT'
#!/bin/bash
srun -n 2 -c 8 --cpu-bind=cores bash -c 'echo "placed by hand with $SLURM_CPUS_PER_TASK"'
SCRIPT
chmod 0755 "$shared/by_hand.sh"
files() { { find "$store" -name "$1-*.json" 2>/dev/null || true; } | wc -l; }
has_files() { [ "$(files "$1")" -ge "$2" ]; } # PREFIX COUNT
expect_profile() { until_true has_files "$1" "$2" || fail "expected $2 profiles $1-*: $(ls "$store") $job_errors"; }
# A plan may take longer than a submission waits: then the job has what was known before, and leaves a profile of that.
submit_until() { # ERE ARGUMENT OF submit_ranks...
  local expected=$1 script
  shift
  script=$(cat)
  for _ in {1..6}; do
    local packed measured
    packed=$(files packed) measured=$(files profile)
    submit_ranks "$@" <<<"$script"
    ! grep -qE "$expected" <<<"$job_errors" || return 0
    echo "  not yet: $job_errors"
    until_true eval '[ $(files packed) -gt '"$packed"' ] || [ $(files profile) -gt '"$measured"' ]' || true
  done
}
expect_ranks() { # TEAM PROCESSORS CPUS
  local rank
  for rank in 0 1; do expect_in_output "^rank $rank: team $1, processors $2, host [a-z0-9]*, SLURM_CPUS_PER_TASK $3, "; done
}
hosts() { sed -nE 's/^rank [01]: .* host ([a-z0-9]+),.*/\1/p' <<<"$job_output" | sort -u | wc -l; }
narrow_plan() { { find "$store" -name "plan-*-narrow.json" 2>/dev/null || true; } | head -1; }

# Until there is a plan by which ranks have fewer cores: on a busy machine a trial may show no gain.
become_narrow() {
  local try
  for try in {1..4}; do
    submit_until 'this run is measured' srun 80 1000 </dev/null
    expect_success
    expect_profile profile 1
    submit_until 'no run tried packed teams yet' 'srun -c 8' 4000 1000 </dev/null
    expect_success
    expect_profile packed 1
    submit_until 'on fewer cores|each rank on [0-9] of its 8 cores' 'srun -c 8' 400 1000 <<<"$1"
    [ -z "$(narrow_plan)" ] || return 0
    echo "  try $try: $job_errors"
    forget_runs
  done
}

case_begins "a job whose teams were tried on fewer cores runs on one node, and sees the CPUs that its user asked for"
become_narrow 'srun -n 1 -c 8 bash -c "echo one task has \$SLURM_CPUS_PER_TASK"
'"$shared/by_hand.sh"'
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
srun -n 2 bash -c "echo by a variable with \$SLURM_CPUS_PER_TASK"
unset SRUN_CPUS_PER_TASK'
expect_success
echo "$job_errors"; echo "$job_output"
expect_one_line 'packed onto 1 of 2 nodes .*each rank on [24] of its 8 cores, its teams keep their size'
expect_in_output '^script has 8 a task on 1 nodes$'

finish
