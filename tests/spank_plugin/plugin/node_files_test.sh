#!/usr/bin/env bash
# Steps of a job leave files on the disks and in the memory of nodes, and later ones look for them: what each finds in the job
# as submitted it finds in both measured runs and in the packed job, too.
# usage: node_files_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_explore=no site_withdraw=true
start_site "node-files-$$" "$1"
chmod 1777 "$shared"/../nodes/*.disk
# Files are the matter here, not times, which a busy machine stretches all the same.
sed -i 's/^slowdown = .*/slowdown = "100%"/' "$policy"

install -d -m 1777 "$shared/found"

# Notes "LABEL RANK finds FILE" for each file that earlier steps of the job left on this node, and leaves one.
cat >"$shared/programs/probe" <<SCRIPT
#!/bin/bash
shared=$shared
SCRIPT
cat >>"$shared/programs/probe" <<'SCRIPT'
rank=${OMPI_COMM_WORLD_RANK:-${SLURM_PROCID:-0}}
found=
for folder in /mnt/$SLURM_JOB_ID /dev/shm/$SLURM_JOB_ID; do
  mkdir -p $folder
  for file in $folder/*; do
    case $file in */\* | */$1.*) ;; *) found+="$1 $rank finds ${folder%/*}/${file##*/}"$'\n' ;; esac
  done
done
printf %s "$found" >$shared/found/$1.$rank
touch {/mnt,/dev/shm}/$SLURM_JOB_ID/$1.$rank
SCRIPT
# The same by ranks of an MPI program, which sleep: packed they take as long.
for program in first second; do
  cat >"$shared/programs/$program" <<SCRIPT
#!/bin/bash
$shared/programs/probe \$1 && exec $shared/programs/crowded --steps 20 --slower 0
SCRIPT
done
chmod 0755 "$shared"/programs/{probe,first,second}
probe=$shared/programs/probe first=$shared/programs/first second=$shared/programs/second

job_with() { # COMMANDS, with $probe, $first and $second
  printf '%s\n' '#!/bin/bash' '#SBATCH --nodes=8 --ntasks=16 --ntasks-per-node=2 --job-name=files' "$@"
}

findings() { cat "$shared/found"/* | sort; }

submit_job() { # OPTIONS OF sbatch -- COMMANDS
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  rm -f "$shared/found"/*
  submit_until_planned "${options[@]}" < <(job_with "$@")
}

# Whatever was found in the job as submitted is found.
expect_found_as_submitted() {
  local missing
  missing=$(comm -23 "$site_scratch/submitted" <(findings))
  [ -z "$missing" ] || fail "$(wc -l <<<"$missing") of $(wc -l <"$site_scratch/submitted") files are not found:
$(head -n 5 <<<"$missing")"
}

find_as_submitted() { # COMMANDS
  submit_job -- "$@"
  expect_success
  findings >"$site_scratch/submitted"
  [ -s "$site_scratch/submitted" ] || fail "nothing was found in the job as submitted"
}

find_measured_and_packed() { # COMMANDS
  submit_job --energy-aggregate -- "$@"
  expect_success; expect_one_line 'this run is measured, 1 of at most 2'; expect_found_as_submitted
  submit_job --energy-aggregate -- "$@"
  expect_success; expect_one_line 'measured run 2 of 2'; expect_found_as_submitted
  submit_job --energy-aggregate -- "$@"
  expect_success; expect_one_line 'packed onto [0-9]+ of 8 nodes'; expect_found_as_submitted
}

stages=("$probe script" "srun $probe stage" "srun -n 8 $probe half" "srun -n 4 $probe quarter" "srun -n 1 $probe one"
  "srun $first solve" "srun $first restart" "srun $probe collect" "srun -n 8 $probe collect_half")
[ -z "$steered_mpirun" ] || stages+=("mpirun $probe launched" "mpirun -n 8 $probe launched_half" "mpirun $first again")

case_begins "steps with and without MPI, of as many tasks and of fewer, by srun and by mpirun, find each other's files"
find_as_submitted "${stages[@]}"
find_measured_and_packed "${stages[@]}"
expect_one_line 'ranks stay in order, since it also runs probe \((16|8|4) tasks\)'

case_begins "two programs find each other's files, by srun and by mpirun"
forget_runs
launcher=srun
[ -z "$steered_mpirun" ] || launcher=mpirun
programs=("srun $first prepare" "$launcher $second solve" "srun $first check")
find_as_submitted "${programs[@]}"
find_measured_and_packed "${programs[@]}"
expect_one_line 'ranks stay in order, since it also runs (first|second) \(16 tasks\)'

# Each of the ranks that follow a plan of one program finds its own.
keep_own_files() {
  local own
  own=$(awk '{split($4, file, "."); if (file[2] == $2) print}' "$site_scratch/submitted")
  echo "$own" >"$site_scratch/submitted"
}

case_begins "each rank of a job that is requeued finds what it left in the first run"
forget_runs
# Slurm lets it wait for two minutes. In the second of its requeuing, slurmd would take its credential for the one that was just
# revoked.
begin_requeued_jobs() {
  local job
  while sleep 0.5; do
    job=$(on_site squeue --noheader --states=PENDING --format=%i 2>/dev/null) || continue
    [ -z "$job" ] || { sleep 2; "$tests_directory/cluster/exec" --name "$site_name" --user root -- scontrol update "jobid=$job" StartTime=now || true; }
  done
}
begin_requeued_jobs 2>/dev/null &
watcher=$!
requeued=('srun '"$first"' run${SLURM_RESTART_COUNT:-0}' '[ -n "${SLURM_RESTART_COUNT:-}" ] || { scontrol requeue $SLURM_JOB_ID; sleep 60; }')
find_as_submitted "${requeued[@]}"
keep_own_files
find_measured_and_packed "${requeued[@]}"
grep -q 'run1 [0-9]* finds /mnt/run0' "$site_scratch/submitted" || fail "as submitted it did not find what its first run left"
kill "$watcher"

case_begins "a step that is new in a packed job finds what the same ranks left"
forget_runs
: >"$site_scratch/submitted"
find_measured_and_packed "srun $first solve"
changed=("srun $probe stage" "srun $first solve" "srun $probe collect")
find_as_submitted "${changed[@]}"
keep_own_files
submit_job --energy-aggregate -- "${changed[@]}"
expect_success; expect_one_line 'packed onto [0-9]+ of 8 nodes'; expect_found_as_submitted
said="this step's ranks go to the nodes of the plan's ranks, bound by Slurm: its job's plan was not made for probe"
grep -rqF "$said" "$profiles/nobody" || fail "expected in a step's record: $said"

finish
