#!/usr/bin/env bash
# A hybrid job with threads=auto, submitted again and again: it is measured, its teams are tried on fewer cores, and then each rank
# has as many cores only, so that the job takes one node in place of two. What it sees of Slurm is what its user asked for. Where
# that turns out to be slower, or a program counts its processors, it has all that it asks for again.
# usage: narrow_job_test.sh BUILD [short], "short" for the first job's steps alone
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
[ -x "$1/programs/narrow_teams" ] || { echo "needs a compiler with OpenMP"; exit 77; }
site_in_steps=true
start_site "narrow-job-$$" "$1" --nodes 2
program=$shared/programs/narrow_teams
store=$profiles/nobody/hybrid/2
allow_fewer() { write_policy <<<'threads.fewer_cpus = true'; }
allow_fewer
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
# Why ranks keep their cores, once that was looked at.
narrow_note() { { find "$store" -name "plan-*-narrow.none.json" -exec jq -r .reason {} + 2>/dev/null || true; } | head -1; }
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
    case $expected in "each rank on"*) [ -z "$(narrow_note)" ] || return 0 ;; esac
    until_true eval '[ $(files packed) -gt '"$packed"' ] || [ $(files profile) -gt '"$measured"' ]' || true
  done
}
expect_ranks() { # TEAM PROCESSORS CPUS
  local rank
  for rank in 0 1; do expect_in_output "^rank $rank: team $1, processors $2, host [a-z0-9]*, SLURM_CPUS_PER_TASK $3, "; done
}
hosts() { sed -nE 's/^rank [01]: .* host ([a-z0-9]+),.*/\1/p' <<<"$job_output" | sort -u | wc -l; }
narrow_plan() { { find "$store" -name "plan-*-narrow.json" 2>/dev/null || true; } | head -1; }

# Until a job was submitted whose ranks have fewer cores: on a busy machine a trial may show no gain. Arguments: how many regions that
# run has, and their microseconds on fewer cores; another word for the program. Its script has the lines on standard input.
become_narrow() {
  local try script
  script=$(cat)
  for try in {1..4}; do
    forget_runs
    submit_until 'this run is measured' srun 80 1000 ${3-} </dev/null
    expect_success
    expect_profile profile 1
    submit_until 'no run tried packed teams yet' 'srun -c 8' 4000 1000 ${3-} </dev/null
    expect_success
    expect_profile packed 1
    submit_until 'each rank on [24] of its 8 cores' 'srun -c 8' "$1" "$2" ${3-} <<<"$script"
    ! grep -qE 'each rank on [24] of its 8 cores' <<<"$job_errors" || return 0
    echo "  try $try: $job_errors: $(narrow_note)"
  done
}
expect_narrow() {
  expect_success
  expect_one_line 'packed onto 1 of 2 nodes .*each rank on [24] of its 8 cores, its teams keep their size'
  expect_in_output '^script has 8 a task on 1 nodes$'
}
# Ranks on cores of their own, on one node, whose threads are as many as before and sleep at once while they wait.
expect_narrow_ranks() {
  expect_ranks 8 '[24]' 8
  for rank in 0 1; do expect_in_output "^rank $rank: .* OMP_NUM_THREADS 8, GOMP_SPINCOUNT 300$"; done
  [ "$(hosts)" -eq 1 ] || fail "expected ranks on one node: $job_output"
}

# From 23.11 on Slurm says in two places how many CPUs a task has, and srun ends if they differ.
newer_slurm='' newer_steps=''
version=$(on_site sbatch --version | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
if [ "$(printf '%s\n' 23.11 "$version" | sort -V | head -n 1)" = 23.11 ]; then
  newer_slurm=yes
  newer_steps='srun -n 2 --tres-per-task=cpu=8 bash -c '\''echo "by the other option with $SLURM_CPUS_PER_TASK, $SLURM_TRES_PER_TASK"'\''
srun -n 2 -c 4 bash -c '\''echo "of four with $SLURM_CPUS_PER_TASK, $SLURM_TRES_PER_TASK"'\''
(unset SLURM_CPUS_PER_TASK; srun -n 2 bash -c '\''echo "by one variable with $SLURM_CPUS_PER_TASK, $SLURM_TRES_PER_TASK"'\'')'
fi

case_begins "a job whose teams were tried on fewer cores runs on one node, and sees the CPUs that its user asked for"
become_narrow 400 1000 <<SCRIPT
echo "script has \${SLURM_TRES_PER_TASK-nothing} by the task"
$newer_steps
(unset SLURM_CPUS_PER_TASK SLURM_TRES_PER_TASK; srun -n 2 bash -c 'echo "taken back, with \${SLURM_CPUS_PER_TASK-none}"')
srun -n 2 -c 8 bash -c 'srun --overlap -n 1 bash -c "echo nested with \\\$SLURM_CPUS_PER_TASK"'
srun -n 1 -c 8 bash -c 'echo "one task has \$SLURM_CPUS_PER_TASK"'
$shared/by_hand.sh
export SRUN_CPUS_PER_TASK=\$SLURM_CPUS_PER_TASK
srun -n 2 bash -c 'echo "by a variable with \$SLURM_CPUS_PER_TASK"'
unset SRUN_CPUS_PER_TASK
srun -n 2 -c 8 --energy-aggregate=off $program 80 1000 | sed 's/^rank/off: rank/'
srun -n 2 -c 8 bash -c 'echo "another program with teams of \${OMP_NUM_THREADS-any size}"'
SCRIPT
expect_narrow; expect_narrow_ranks

case_begins "steps that ask for the number that their user knows fit, and see it"
for line in 'one task has 8' 'placed by hand with 8' 'by a variable with 8'; do expect_in_output "^$line$"; done
[ "$(grep -c '^placed by hand' <<<"$job_output")" -eq 2 ] || fail "not two tasks: $job_output"

for line in 'taken back, with none' 'nested with 8'; do
  [ "$(grep -c "^$line$" <<<"$job_output")" -eq 2 ] || fail "not two lines \"$line\": $job_output"
done
if [ "$newer_slurm" ]; then
  expect_in_output '^script has cpu=8 by the task$'
  for line in 'by the other option with 8, cpu=8' 'of four with 4, cpu=4' 'by one variable with 8, cpu=8'; do
    [ "$(grep -c "^$line$" <<<"$job_output")" -eq 2 ] || fail "not two lines \"$line\": $job_output"
  done
else
  expect_in_output '^script has nothing by the task$'
fi

case_begins "teams keep their size in a step that wants nothing of Huddle, and nobody sets that of other programs"
for rank in 0 1; do expect_in_output "^off: rank $rank: team 8, processors [0-9]+, host [a-z0-9]*, SLURM_CPUS_PER_TASK 8, .*GOMP_SPINCOUNT 300$"; done
[ "$(grep -c '^another program with teams of any size$' <<<"$job_output")" -eq 2 ] || fail "not two tasks: $job_output"

case_begins "steps that wait for each other find their CPUs beside each other: a job that starts them at once keeps its own"
submit_ranks 'srun -c 8' 80 1000 <<'SCRIPT'
meet='touch $HOME/met.$0; for i in {1..600}; do [ ! -e $HOME/met.$1 ] || { echo "$0 met $1"; exit; }; sleep 0.1; done'
rm -f $HOME/met.*
srun -n 1 -N 1 -c 8 bash -c "$meet" a b &
srun -n 1 -N 1 -c 8 bash -c "$meet" b a &
wait
SCRIPT
expect_success
expect_one_line 'its ranks keep their cores: your script may start steps at once \(&\)'
expect_in_output '^a met b$'; expect_in_output '^b met a$'
expect_ranks 8 8 8
huddle_says() { on_site "$shared/huddle/huddle" explain hybrid --user nobody 2>&1; }

case_begins "huddle explain says what ranks have"
huddle_says | grep -qE '^  cores: +a plan gives each rank [24] of its 8 cores, on 1 node$' || fail "explained: $(huddle_says)"
if [ "${2-}" = short ]; then
  finish
  exit
fi

case_begins "a run in which teams kept their size is looked at once, and steps that say nothing of CPUs are bound by the plan as well"
expect_profile packed 2
submit_until 'each rank on [24] of its 8 cores' srun 80 1000 </dev/null
expect_narrow; expect_narrow_ranks
jq -e '.teams_kept and .packed_cores_per_rank < 8' "$(narrow_plan)" >/dev/null || fail "the plan: $(head -c 600 "$(narrow_plan)")"

case_begins "a job whose plan is gone when its step starts runs all the same"
submit_until 'each rank on [24] of its 8 cores' 'srun -c 8' 80 1000 <<SCRIPT
mv "\$HUDDLE_PLAN" "\$HUDDLE_PLAN.away"
srun -c 8 $program 80 1000 | sed 's/^rank/without a plan: rank/'
mv "\$HUDDLE_PLAN.away" "\$HUDDLE_PLAN"
SCRIPT
expect_narrow; expect_narrow_ranks
expect_in_output '^huddle: this step runs as Slurm places it: '
for rank in 0 1; do expect_in_output "^without a plan: rank $rank: team 8, processors [0-9]+, host [a-z0-9]*, SLURM_CPUS_PER_TASK 8, "; done

case_begins "an srun that makes its own job does the same"
# Its plan is another one, for which the run that tried fewer cores must be one of the newest.
run_srun() { # REGIONS
  job_status=0
  job_output=$(on_site srun --nodes=2 --ntasks=2 --cpus-per-task=8 --job-name=hybrid \
    --energy-aggregate="auto,threads=auto,slowdown=50%" "$program" "$1" 1000 2>"$site_scratch/srun.err") || job_status=$?
  job_errors=$(grep '^huddle: ' "$site_scratch/srun.err" || true)
}
for regions in 4000 80 80 80 4000 80 80 80; do
  count=$(files packed)
  run_srun $regions
  ! grep -qE 'each rank on [24] of its 8 cores' <<<"$job_errors" || break
  expect_success
  expect_profile packed $((count + 1))
done
expect_success
expect_one_line 'packed onto 1 of 2 nodes .*each rank on [24] of its 8 cores, its teams keep their size'
expect_narrow_ranks

if [ "$steered_mpirun" ]; then
  case_begins "ranks of mpirun have them, too"
  submit_until 'each rank on [24] of its 8 cores' mpirun 80 1000 </dev/null
  expect_narrow; expect_narrow_ranks

  case_begins "and those on other nodes than mpirun, by a user's own plan"
  jq '.placement.node = [0, 1] | .chosen.nodes = 2 | .chosen.ranks_per_node = 1' "$(narrow_plan)" >"$shared/own.json"
  chmod 0644 "$shared/own.json"
  submit --nodes=2 --ntasks=2 --cpus-per-task=8 --job-name=hybrid --energy-aggregate="auto,threads=auto,plan=$shared/own.json" <<SCRIPT
#!/bin/bash
mpirun $program 80 1000
SCRIPT
  expect_success; expect_one_line 'laid out on 2 of 2 nodes .* by your plan'
  expect_ranks 8 '[24]' 8
  for rank in 0 1; do expect_in_output "^rank $rank: .* OMP_NUM_THREADS 8, GOMP_SPINCOUNT 300$"; done
  [ "$(hosts)" -eq 2 ] || fail "expected ranks on two nodes: $job_output"
fi

case_begins "a user's number of threads stays"
submit_until 'each rank on [24] of its 8 cores' 'srun -c 8' 80 1000 <<'SCRIPT'
srun -n 16 bash -c 'echo "one of sixteen"'
export OMP_NUM_THREADS=3
SCRIPT
expect_narrow
expect_ranks 3 '[24]' 8

case_begins "a step of as many tasks as there were CPUs in the job that was asked for runs all the same"
[ "$(grep -c '^one of sixteen$' <<<"$job_output")" -eq 16 ] || fail "not sixteen tasks: $job_output"

case_begins "without threads=auto the job has all that it asks for"
submit --nodes=2 --ntasks=2 --cpus-per-task=8 --job-name=hybrid --energy-aggregate="auto,threads=keep,slowdown=50%" <<SCRIPT
#!/bin/bash
srun -c 8 $program 80 1000
SCRIPT
expect_success
expect_ranks 8 8 8
[ "$(hosts)" -eq 2 ] || fail "expected ranks on two nodes: $job_output"

case_begins "a program that sizes its teams by the processors that it counts has all of them again from its second run on"
become_narrow 80 1000 count </dev/null
expect_narrow
expect_ranks '[24]' '[24]' 8
expect_profile packed 2
submit_until 'its plan is withdrawn' 'srun -c 8' 80 1000 count </dev/null
expect_success
expect_one_line 'not with ranks on fewer cores: its plan is withdrawn: a team of rank [01] had [24] threads, in place of 8'
expect_ranks 8 8 8
[ "$(hosts)" -eq 2 ] || fail "expected ranks on two nodes: $job_output"

case_begins "a job that is slower so has all its cores again from the next run on"
site_withdraw=true allow_fewer
become_narrow 400 100000 </dev/null
expect_narrow
expect_profile packed 2
submit_until 'its plan is withdrawn' 'srun -c 8' 80 1000 </dev/null
expect_success
expect_one_line 'not with ranks on fewer cores: its plan is withdrawn: 1 packed run took \+[0-9.]+ % time'
expect_ranks 8 8 8
[ "$(hosts)" -eq 2 ] || fail "expected ranks on two nodes: $job_output"

case_begins "a job that fails so has all its cores again from the next run on"
become_narrow 80 1000 fail </dev/null
[ "$job_status" -ne 0 ] || fail "the job did not fail"
submit_until 'its plan is withdrawn' 'srun -c 8' 80 1000 fail </dev/null
expect_success
expect_one_line 'not with ranks on fewer cores: its plan is withdrawn: packed, job [0-9]+ had a step that failed'
expect_ranks 8 8 8
[ "$(hosts)" -eq 2 ] || fail "expected ranks on two nodes: $job_output"

case_begins "a job that was measured with a step of several parts keeps its nodes, which each part wants"
cat >"$shared/parts.sh" <<'SCRIPT'
#!/bin/bash
srun -n 1 -c 8 bash -c 'echo "part a"' : -n 1 -c 8 bash -c 'echo "part b"'
SCRIPT
chmod 0755 "$shared/parts.sh"
forget_runs
submit_until 'this run is measured' srun 80 1000 <<<"$shared/parts.sh"
expect_success
expect_profile profile 1
submit_ranks 'srun -c 8' 80 1000 <<<"$shared/parts.sh"
expect_success
expect_one_line 'left as submitted: in the measured run its step of bash was placed by its several parts \(:\)'
expect_in_output '^part a$'; expect_in_output '^part b$'

finish
