#!/usr/bin/env bash
# Jobs of many kinds: arrays, requeued ones, several steps, ranks of several cores, shared nodes, MPICH's mpiexec.
# usage: job_kinds_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true
start_site "job-kinds-$$" "$1"

submit_array() {
  halo_job srun | sed "s#$home/placement#$home/placement-\$SLURM_ARRAY_TASK_ID#" >"$shared/array.sh"
  chmod 0644 "$shared/array.sh"
  job_status=0
  job=$(on_site sbatch --parsable --array=0-2 --energy-aggregate --output="$home/array-%a.out" "$shared/array.sh" 2>"$site_scratch/err") ||
    job_status=$?
  job_errors=$(cat "$site_scratch/err") job_output=
}
case_begins "of a job array one task is measured, for all"
submit_array
expect_success; expect_one_line 'this run is measured'
for task in 0 1 2; do wait_for_job "${job}_$task"; done
expect_profiles 1

case_begins "each task of a job array is packed, on its own nodes"
submit_array
expect_success; expect_one_line 'packed onto 2 of 8'
for task in 0 1 2; do
  wait_for_job "${job}_$task"
  job_output=$(cat "$home/array-$task.out")
  mv "$home/placement-$task" "$home/placement" && expect_success && expect_nodes 2 && expect_placed_as_planned ||
    fail "task $task was not packed"
done

case_begins "a requeued job is packed again"
cat >"$shared/requeued.sh" <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=16 --job-name=halo --requeue
[ -n "\$SLURM_RESTART_COUNT" ] || { touch $home/started; sleep 60; }
rm -f $home/placement
srun $shared/programs/halo_exchange --iterations 40 --placement $home/placement
SCRIPT
chmod 0644 "$shared/requeued.sh"
job=$(on_site sbatch --parsable --energy-aggregate --output="$home/job.out" "$shared/requeued.sh" 2>"$site_scratch/err")
job_errors=$(cat "$site_scratch/err")
for ((i = 0; i < 200; i++)); do [ ! -e "$home/started" ] || break; sleep 0.1; done
on_site scontrol requeue "$job"
# Slurm lets a requeued job wait for two minutes. It may start as soon as it is pending again, but not in the second of its
# requeuing: slurmd would take its credential for the one that was just revoked, and the job would fail.
for ((i = 0; i < 200; i++)); do
  case $(on_site squeue -h -j "$job" -o %T) in PENDING) break ;; esac
  sleep 0.1
done
sleep 2
"$tests_directory/cluster/exec" --name "$site_name" --user root -- scontrol update "jobid=$job" StartTime=now
wait_for_job "$job"
job_output=$(cat "$home/job.out")
expect_success; expect_nodes 2; expect_placed_as_planned

case_begins "of several steps, the one that the plan is for is laid out by it, and the others work"
submit --energy-aggregate=nodes=fewer < <(echo '#!/bin/bash'; halo_job srun | grep SBATCH
  echo "srun -n3 hostname"
  halo_job srun | tail -n 2
  echo "srun --overlap -N1 -n1 hostname & srun -n16 true; wait; echo all steps ran")
expect_success; expect_nodes 2; expect_placed_as_planned; expect_in_output 'all steps ran'
expect_in_output 'huddle: this step.s ranks go to the nodes of the plan.s ranks, bound by Slurm: its job.s plan was not made for true'

case_begins "a job that requests whole nodes is packed onto whole nodes"
submit --energy-aggregate --exclusive < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

case_begins "a job that shares its nodes is left alone, and a line says why"
submit --energy-aggregate --oversubscribe < <(halo_job srun)
expect_success; expect_one_line 'left as submitted: you ask for shared nodes \(--oversubscribe\)'

case_begins "ranks of several cores are packed, and each is bound to its cores"
hybrid_job() { halo_job srun --cpus-per-task=2 | sed 's/--nodes=8 --ntasks=16/--nodes=4 --ntasks=8 --cpus-per-task=2/'; }
submit --energy-aggregate < <(hybrid_job)
expect_success; expect_one_line 'measured'; expect_nodes 4
submit --energy-aggregate < <(hybrid_job)
expect_success; expect_one_line 'packed onto 2 of 4 nodes'; expect_nodes 2; expect_placed_as_planned
[ "$(awk '{print $2, $3}' "$home/placement" | sort -u | wc -l)" -eq 8 ] || fail "ranks share cores"

case_begins "ranks that don't fill their nodes have all cores of these to choose from, in a script and in an srun of its own"
cat >"$shared/prolog" <<'SH'
#!/bin/sh
echo "print the step has $SLURM_CPUS_ON_NODE CPUs here, $SLURM_CPUS_PER_TASK for each rank"
SH
chmod 0755 "$shared/prolog"
few_ranks="--nodes=3 --ntasks=6 --cpus-per-task=2"
partly_filled() { halo_job srun --cpus-per-task=2 "--task-prolog=$shared/prolog" | sed "s/--nodes=8 --ntasks=16/$few_ranks/"; }
expect_all_cores() {
  [ "$(grep -c 'the step has 8 CPUs here, 2 for each rank' <<<"$job_output")" -eq 6 ] || fail "the step does not have its nodes' cores"
}
submit --energy-aggregate < <(partly_filled)
expect_success; expect_one_line 'measured'; expect_in_output 'the step has [24] CPUs here'
submit_until_planned --energy-aggregate < <(partly_filled)
expect_success; expect_one_line 'packed onto 2 of 3 nodes'; expect_placed_as_planned; expect_all_cores
rm -f "$home/placement" "$home/plan"
# shellcheck disable=SC2086  # several words
job_output=$(on_site srun $few_ranks --job-name=halo --energy-aggregate "--task-prolog=$shared/prolog" \
  "$shared/programs/halo_exchange" --iterations 40 --placement "$home/placement" 2>"$site_scratch/err") || job_status=$?
job_errors=$(cat "$site_scratch/err")
expect_success; expect_one_line 'packed onto 2 of 3 nodes'; expect_placed_as_planned; expect_all_cores

case_begins "an Open MPI rank of several cores is bound to them by mpirun, too"
submit --energy-aggregate < <(hybrid_job | sed 's/^srun --cpus-per-task=2/mpirun/')
expect_success; expect_one_line 'packed onto 2 of 4 nodes'; expect_nodes 2; expect_placed_as_planned

if command -v mpiexec.mpich >/dev/null && [ -x "$1/programs-mpich/halo_exchange" ]; then
  case_begins "MPICH's mpiexec works on a packed job's nodes, and says that it does not follow the plan"
  install -d "$shared/mpich"
  install -m 0755 "$1/programs-mpich/halo_exchange" "$shared/mpich"
  small() { halo_job "$1" | sed "s/--nodes=8 --ntasks=16/--nodes=4 --ntasks=4/; s#$shared/programs#$shared/$2#"; }
  submit --energy-aggregate < <(small srun programs)
  expect_success; expect_one_line 'measured'
  submit --energy-aggregate < <(small mpiexec.mpich mpich)
  expect_success; expect_one_line 'packed onto 1 of 4'; expect_nodes 1
  expect_in_output "huddle: MPICH's mpiexec starts ranks in its own order"
fi

finish
