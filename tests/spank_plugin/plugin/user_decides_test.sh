#!/usr/bin/env bash
# The decisions of a user in steps and jobs are obeyed, and a line says so. (Options with which jobs are left: ../catalogue.)
# usage: user_decides_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true
start_site "user-decides-$$" "$1"

submit --energy-aggregate < <(halo_job srun)
expect_success; expect_profiles 1

case_begins "a step with --cpu-bind or --distribution goes where it says"
submit --energy-aggregate=nodes=fewer < <(halo_job srun --cpu-bind=rank)
expect_success; expect_in_output 'huddle: .*--cpu-bind'
submit --energy-aggregate=nodes=fewer < <(halo_job srun --distribution=cyclic)
expect_success; expect_in_output 'huddle: .*--distribution'
[ "$(awk '$1 == 1 {print $2}' "$home/placement")" = n1 ] || fail "rank 1 is not on the second node"

case_begins "off inside a packed job runs the step in Slurm's order, on the job's nodes"
submit --energy-aggregate < <(halo_job srun --energy-aggregate=off)
expect_success; expect_nodes 2
[ "$(awk '$1 < 8 {print $2}' "$home/placement" | sort -u)" = n0 ] || fail "ranks 0 to 7 are not on the first node"

case_begins "steps of other sizes in a packed job work"
submit --energy-aggregate=nodes=fewer < <(halo_job srun -n 4; echo "srun -N1 -n1 hostname")
expect_success; expect_in_output '^n[0-9]'

case_begins "a job submitted from inside a packed job is decided for itself"
submit --energy-aggregate < <(halo_job srun; echo "sbatch --wait -N1 -n1 --output=$home/inner.out --wrap env")
expect_success; expect_nodes 2
grep -q '^SLURM_JOB_ID=' "$home/inner.out" || fail "the inner job did not run"
! grep -E '^HUDDLE_(PLAN|STEP_PLAN|RECORDER|STORE|LABEL|MPIRUN|FREQUENCY)|^LD_PRELOAD=.*huddle_' "$home/inner.out" || fail "the inner job inherits the outer one's plan"

case_begins "so is one with a wrong variable: it runs as submitted"
submit --energy-aggregate < <(halo_job srun; echo "HUDDLE_ENERGY_AGGREGATE=tpyo sbatch --wait -N1 -n1 --output=$home/inner.out --wrap env")
expect_success; expect_in_output 'huddle: left as submitted: HUDDLE_ENERGY_AGGREGATE.*tpyo'
! grep -E '^HUDDLE_(PLAN|STEP_PLAN|RECORDER|STORE|LABEL|MPIRUN|FREQUENCY|OUTCOME)|^LD_PRELOAD=.*huddle_' "$home/inner.out" || fail "the inner job inherits the outer one's plan"

case_begins "a step that is started in a job from elsewhere is no submission"
on_site salloc --no-shell --nodes=8 --ntasks=16 --job-name=halo 2>"$site_scratch/salloc" || fail "no job"
elsewhere=$(sed -nE 's/.*allocation ([0-9]+)$/\1/p' "$site_scratch/salloc" | head -n 1)
rm -f "$home/placement"
job_errors=$(on_site srun --jobid="$elsewhere" --nodes=8 --ntasks=16 --job-name=halo --mpi=pmix --energy-aggregate \
  "$shared/programs/halo_exchange" --iterations 40 --placement "$home/placement" 2>&1 >/dev/null) || fail "the step failed"
expect_silence; expect_nodes 8
on_site scancel "$elsewhere"

case_begins "a heterogeneous job is left alone"
job_errors=$(on_site sbatch --wait --output=/dev/null --energy-aggregate -N2 -n4 : -N1 -n1 --wrap "srun hostname" 2>&1 >/dev/null) ||
  fail "the heterogeneous job failed"
expect_one_line 'left as submitted: it has several parts'
job_errors=$(on_site sbatch --wait --output=/dev/null -N2 -n4 : --energy-aggregate -N1 -n1 --export=NONE : -N1 -n1 --wrap true 2>&1 >/dev/null) ||
  fail "the heterogeneous job failed"
expect_one_line 'left as submitted: it has several parts'
job_errors=$(on_site salloc --energy-aggregate -N2 -n4 : -N1 -n1 true 2>&1 >/dev/null) || fail "the heterogeneous salloc failed"
expect_one_line 'left as submitted: it has several parts'
job_errors=$(on_site srun --mpi=none --energy-aggregate -N2 -n4 : -N1 -n1 true 2>&1 >/dev/null) || fail "the heterogeneous srun failed"
expect_one_line 'left as submitted: it has several parts'

case_begins "what is wrong for all parts of a heterogeneous job is said once"
job_errors=$(on_site env HUDDLE_ENERGY_AGGREGATE=tpyo sbatch --wait --output=/dev/null -N2 -n4 : -N1 -n1 --wrap true 2>&1 >/dev/null) ||
  fail "the heterogeneous job failed"
expect_one_line 'left as submitted: HUDDLE_ENERGY_AGGREGATE'
job_errors=$(on_site sbatch --wait --output=/dev/null --energy-aggregate=profile --job-name=parts -N2 -n4 : --job-name=parts -N1 -n1 --wrap true 2>&1 >/dev/null) ||
  fail "the heterogeneous job failed"
expect_one_line 'this run is measured, its profile goes to'

case_begins "a heterogeneous job that its script describes is left alone"
printf '#!/bin/bash\n#SBATCH -N2 -n4 --energy-aggregate\n#SBATCH hetjob\n#SBATCH -N1 -n1\nenv\nsrun hostname\n' >"$shared/parts.sh"
chmod 0644 "$shared/parts.sh"
job_errors=$(on_site sbatch --wait --output="$home/parts.out" "$shared/parts.sh" 2>&1 >/dev/null) || fail "the heterogeneous job failed"
expect_one_line 'left as submitted: it has several parts'
! grep -qE '^HUDDLE_(PLAN|RECORDER)' "$home/parts.out" || fail "a part of the job is packed or measured"

case_begins "fewer nodes asked for than were measured are the new upper limit"
submit --energy-aggregate --nodes=2 < <(halo_job srun)
expect_success; expect_one_line 'left as submitted: no fewer nodes'; expect_nodes 2
submit --energy-aggregate --nodes=4 < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 4'; expect_nodes 2

case_begins "another job name is another program"
submit --energy-aggregate --job-name=other < <(halo_job srun)
expect_success; expect_one_line 'measured.*"other" with 16 ranks'; expect_nodes 8

case_begins "a name that is no file name works"
submit --energy-aggregate --job-name='../../a b/%c' < <(halo_job srun)
expect_success; expect_one_line 'measured'; expect_profiles 3
[ "$(profile_files | grep -vc "^$profiles/nobody/")" -eq 0 ] || fail "a profile left the store"

case_begins "another user's runs are another user's"
job_errors=$("$tests_directory/cluster/exec" --name "$site_name" --user games -- \
  sbatch --wait --job-name=halo --output=/dev/null --energy-aggregate -N8 -n16 --wrap "srun hostname" 2>&1 >/dev/null) || fail "games' job failed"
expect_one_line 'measured'
[ "$(stat -c '%U %a' "$profiles/nobody")" = "nobody 700" ] || fail "the store of nobody is open to others"

case_begins "a site's default applies without the option, and off overrides it"
write_policy <<<'mode = "auto"'
submit < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2
submit --energy-aggregate=off < <(halo_job srun)
expect_success; expect_silence; expect_nodes 8

case_begins "a step on fewer nodes than the plan's is where the user wants it"
write_policy <<<'[limits]
least_nodes = 2'
forget_runs
submit --energy-aggregate --nodes=4 --ntasks=4 < <(halo_job srun)
expect_success; expect_one_line 'measured'
submit --energy-aggregate=nodes=fewer --nodes=4 --ntasks=4 < <(halo_job srun -N1)
expect_success; expect_one_line 'packed onto 2 of 4'; expect_nodes 1; expect_in_output 'huddle: .*--nodes says'
submit --energy-aggregate=nodes=fewer --nodes=4 --ntasks=4 < <(halo_job srun -N4)
expect_success; expect_one_line 'packed onto 2 of 4'; expect_nodes 2; expect_placed_as_planned

case_begins "a site's bound is kept: ranks that talk slowly inside a node are not packed"
write_policy </dev/null
forget_runs
submit --energy-aggregate --partition=whole < <(halo_job srun)
expect_success; expect_one_line 'measured'
"$shared/huddle/huddle" machine --topology "${shared%/*}/topology.xml" --nodes 8 --link die=1,1e9 --link package=1,1e9 \
  --link node=1,1e9 --output "$shared/machine.json" 2>/dev/null
submit --energy-aggregate --partition=whole < <(halo_job srun)
expect_success; expect_one_line 'left as submitted: no fewer nodes: .*, your bound is 5 %'; expect_nodes 8

finish
