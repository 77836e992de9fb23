#!/usr/bin/env bash
# What became damaged or was left over does no harm: stored plans are made anew, spools of killed couriers are removed, and a
# pending job that was given another number of nodes runs as Slurm places it.
# usage: damaged_store_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true start_site "damaged-store-$$" "$1"
restart_slurmds

on_node() { "$tests_directory/cluster/node" --name "$site_name" "$@"; }
job_of() { printf '#!/bin/bash\n#SBATCH --nodes=8 --ntasks=16 --job-name=halo\n%s\n' "$*"; }

case_begins "the spool of a courier that was killed goes when its job ends"
job_of "srun --nodes=2 --ntasks=4 $shared/programs/halo_exchange --iterations 20; srun bash -c 'touch $home/began; sleep 3'" >"$shared/job.sh"
rm -f "$home/began"
job=$(on_site sbatch --parsable --energy-aggregate --output=/dev/null "$shared/job.sh" 2>/dev/null)
until_true test -e "$home/began" || fail "the job did not begin"
spools() { on_node "$1" run find /dev/shm -maxdepth 1 -name 'huddle-*'; }
[ -n "$(spools n1)" ] || fail "no spool on n1"
kill_couriers() { # of one node, whose numbers of processes are its own
  on_node n1 run bash -c 'for p in /proc/[0-9]*; do [[ $(readlink $p/exe) != */huddle_courier ]] || kill -KILL ${p#/proc/}; done'
}
kill_couriers
# Whatever has such a name and is another's, or of a living process, stays.
on_node n1 run bash -c 'mkdir /dev/shm/huddle-65534-n1-77.0-999999 /dev/shm/huddle-0-n1-77.0-1; mkdir /dev/shm/elsewhere; ln -s /dev/shm/elsewhere /dev/shm/huddle-65534-n1-2.0-999999'
wait_for_job "$job"
[ "$job_status" -eq 0 ] || fail "the job ended with status $job_status"
spool_is_gone() { ! spools n1 | grep -q "n1-$job\."; }
until_true spool_is_gone || fail "the spool stays: $(spools n1)"
[ "$(spools n1 | wc -l)" -eq 3 ] || fail "not the others alone are left: $(spools n1)"
on_node n1 run rm -rf /dev/shm/elsewhere /dev/shm/huddle-65534-n1-77.0-999999 /dev/shm/huddle-0-n1-77.0-1 /dev/shm/huddle-65534-n1-2.0-999999
forget_runs

case_begins "a stored plan is made anew, whatever became of it"
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'measured'
submit_until_planned --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8 nodes'
plan=$(find "$profiles/nobody/halo/16" -name 'plan-*.json')
echo secret >"$home/secret"
as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
damage() { # HOW
  case $1 in
    empty) as_nobody truncate --size 0 "$plan" ;;
    truncated) as_nobody truncate --size 700 "$plan" ;;
    link) rm "$plan" && as_nobody ln -s "$home/secret" "$plan" ;;
    folder) rm "$plan" && as_nobody mkdir "$plan" && as_nobody touch "$plan/something" ;;
    version) as_nobody sed -i 's/"version": 1/"version": 7/' "$plan" ;;
    unreadable) chmod 0 "$plan" && chown root "$plan" ;;
  esac
}
for how in empty truncated link version unreadable folder; do
  damage $how
  case $how in
    folder) submit_until_planned --energy-aggregate < <(halo_job srun); expect_success; expect_nodes 2; expect_placed_as_planned ;;
    *) job_errors=$(on_site sbatch --hold --energy-aggregate --output=/dev/null "$shared/job.sh" 2>&1 >"$site_scratch/job")
      on_site scancel "$(grep -oE '[0-9]+' "$site_scratch/job")" ;;
  esac
  expect_one_line 'packed onto 2 of 8 nodes'
  [ -f "$plan" ] && [ ! -L "$plan" ] || fail "$how: the plan was not made anew"
done
[ "$(cat "$home/secret")" = secret ] || fail "a link was followed"

case_begins "a pending job that was given another number of nodes runs, and Slurm places its ranks"
changed() { # LAUNCHER CHANGE... (sets $job_status, $job_output)
  local launcher=$1
  shift
  halo_job "$launcher" >"$shared/job.sh"
  rm -f "$home/plan" "$home/job.out"
  job_errors=$(on_site sbatch --hold --energy-aggregate --output="$home/job.out" "$shared/job.sh" 2>&1 >"$site_scratch/job")
  job=$(grep -oE '[0-9]+' "$site_scratch/job")
  expect_one_line 'packed onto 2 of 8 nodes'
  on_site scontrol update "jobid=$job" "$@" || fail "scontrol update $*"
  on_site scontrol release "$job"
  wait_for_job "$job"
  job_output=$(cat "$home/job.out" 2>/dev/null || true)
}
for launcher in srun ${steered_mpirun:+mpirun}; do
  changed $launcher numnodes=4-4
  expect_success; expect_nodes 4
  expect_in_output 'its job has 4 nodes, and the plan is for 2|the plan is for 2 nodes, and the job has 4'
done
changed srun timelimit=7 features=
expect_success; expect_nodes 2; expect_placed_as_planned

finish
