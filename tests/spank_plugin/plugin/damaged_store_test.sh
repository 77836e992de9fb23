#!/usr/bin/env bash
# Damaged and left-over files do no harm: stored plans are made anew, spools of killed couriers are removed, and a pending job
# that was given another number of nodes runs as Slurm places it.
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

case_begins "a job's end ends couriers that their user stopped, removes spools of killed ones, and no file over the bound is brought"
large=profile-20260101T000000.000Z-7.0-pid1.json
cat >"$shared/step.sh" <<SCRIPT
#!/bin/bash
folder=\$HUDDLE_SPOOL/nobody/halo/16
[ "\$(hostname)" != n3 ] || { mkdir -p "\$folder" && truncate --size 700M "\$folder/new" && mv "\$folder/new" "\$folder/$large"; }
touch $home/began-\$(hostname)
sleep 3
SCRIPT
chmod 0755 "$shared/step.sh"
job_of "srun --nodes=2 --ntasks=4 $shared/programs/halo_exchange --iterations 20; srun --ntasks-per-node=1 --ntasks=8 $shared/step.sh" >"$shared/job.sh"
rm -f "$home"/began-*
job=$(on_site sbatch --parsable --energy-aggregate=profile --output=/dev/null "$shared/job.sh" 2>/dev/null)
step_has_begun() { [ "$(find "$home" -name 'began-n*' | wc -l)" -eq 8 ]; }
until_true step_has_begun || fail "the step did not begin"
spools() { on_node "$1" run find /dev/shm -maxdepth 1 -name 'huddle-*'; }
[ -n "$(spools n1)" ] || fail "no spool on n1"
signal_couriers() { # SIGNAL NODE: its numbers of processes are its own
  on_node "$2" run bash -c "for p in /proc/[0-9]*; do [[ \$(readlink \$p/exe) != */huddle_courier ]] || kill -$1 \${p#/proc/}; done"
}
signal_couriers KILL n1
signal_couriers STOP n2
# Whatever has such a name and is another's, or of a living process, stays.
living=1.$(on_node n1 run awk '{ print $22 }' /proc/1/stat)
on_node n1 run bash -c "mkdir /dev/shm/huddle-65534-n1-77.0-999999.1 /dev/shm/huddle-0-n1-77.0-$living; mkdir /dev/shm/elsewhere; ln -s /dev/shm/elsewhere /dev/shm/huddle-65534-n1-2.0-999999.1"
wait_for_job "$job"
[ "$job_status" -eq 0 ] || fail "the job ended with status $job_status"
spool_is_gone() { ! spools "$1" | grep -q -- "-$1-$job\."; }
for node in n1 n2 n3; do
  until_true spool_is_gone $node || fail "the spool stays: $(spools $node)"
done
[ "$(spools n1 | wc -l)" -eq 3 ] || fail "not the others alone are left: $(spools n1)"
stopped_couriers() { on_node n2 run bash -c 'for p in /proc/[0-9]*; do [[ $(readlink $p/exe) != */huddle_courier ]] || echo $p; done'; }
[ -z "$(stopped_couriers)" ] || fail "a stopped courier outlives its job: $(stopped_couriers)"
on_node n1 run bash -c 'rm -rf /dev/shm/elsewhere /dev/shm/huddle-*'
[ ! -e "$profiles/nobody/halo/16/$large" ] || fail "a file over the bound was brought"
grep -q "^not measured: $large has 734003200 bytes" "$profiles/nobody/halo/16/said-$job.1-"* || fail "the record does not say what was left out: $(ls "$profiles/nobody/halo/16")"
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
