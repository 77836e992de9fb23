# Whole scripts, as centres' public pages show them to their users.

packed 'an environment by source, then a solver with its log' <<'END'
#!/bin/bash -l
#SBATCH --time=00:20:00
#SBATCH --mail-type=FAIL
cat >environment.$SLURM_JOB_ID <<'SETUP'
module() { echo "module $*"; }
export SOLVER_HOME=$PWD OMP_NUM_THREADS=1
SETUP
source ./environment.$SLURM_JOB_ID
module purge; module load gcc openmpi
cd "$SLURM_SUBMIT_DIR" || exit 1
echo "job $SLURM_JOB_NAME with $SLURM_NTASKS tasks"
srun --unbuffered ./heat | tee solver.log.$SLURM_JOB_ID
[ "${PIPESTATUS[0]}" -eq 0 ] || { echo "the solver failed"; exit 1; }
grep -c time_s solver.log.$SLURM_JOB_ID
END
packed 'a scratch folder on a local disk, whose results a trap brings home' <<'END'
#!/bin/bash
set -euo pipefail
scratch=/mnt/scratch.$SLURM_JOB_ID
mkdir -p "$scratch"
bring_home() { cp "$scratch/result" "result.$SLURM_JOB_ID"; rm -rf "$scratch"; }
trap bring_home EXIT
echo "size 64" >"$scratch/input"
srun ./heat <"$scratch/input" >"$scratch/result"
sort -n "$scratch/result"
END
packed 'each rank leaves a part on its local disk, and a later step gathers the parts' <<'END'
#!/bin/bash
export SCRATCH=/mnt/parts.$SLURM_JOB_ID
srun sh -c 'mkdir -p "$SCRATCH" && echo "part $SLURM_PROCID" >"$SCRATCH/part-$SLURM_PROCID"'
srun ./heat
srun sh -c 'cat "$SCRATCH/part-$SLURM_PROCID"' | sort
END
packed 'ranks read what an earlier step put on their local disks' <<'END'
#!/bin/bash
export SCRATCH=/mnt/input.$SLURM_JOB_ID
cat >read-input.$SLURM_JOB_ID <<'RANK'
#!/bin/bash
cat "$SCRATCH/input-$SLURM_PROCID" && exec "$@"
RANK
chmod +x read-input.$SLURM_JOB_ID
srun sh -c 'mkdir -p "$SCRATCH" && echo "input of rank $SLURM_PROCID" >"$SCRATCH/input-$SLURM_PROCID"'
srun ./read-input.$SLURM_JOB_ID ./heat
END
packed 'ranks keep checkpoints in memory of their nodes, and go on from there' ranks=8 <<'END'
#!/bin/bash
export CHECKPOINT=/dev/shm/checkpoint.$SLURM_JOB_ID
cat >restart.$SLURM_JOB_ID <<'RANK'
#!/bin/bash
if [ -e "$CHECKPOINT-$SLURM_PROCID" ]; then echo "rank $SLURM_PROCID goes on"; else echo "rank $SLURM_PROCID begins"; fi
touch "$CHECKPOINT-$SLURM_PROCID"
exec "$@"
RANK
chmod +x restart.$SLURM_JOB_ID
for part in 1 2; do
  echo "part $part"
  srun ./restart.$SLURM_JOB_ID ./heat || exit
done
srun sh -c 'rm -f "$CHECKPOINT-$SLURM_PROCID"'
END
packed 'mpirun takes the number of tasks from the job, and its status and log are looked at' <<'END'
#!/bin/bash
#SBATCH --time=00:20:00
export OMPI_MCA_btl_base_warn_component_unused=0
mpirun -np $SLURM_NTASKS ./heat >heat.log.$SLURM_JOB_ID 2>&1
status=$?
if [ $status -ne 0 ] || ! grep -q '^time_s' heat.log.$SLURM_JOB_ID; then
  echo "heat ended with status $status"
  exit 1
fi
cat heat.log.$SLURM_JOB_ID
END
packed 'mpirun runs for each of some inputs' ranks=12 <<'END'
#!/bin/bash
for input in cold warm hot; do
  mkdir -p run-$input.$SLURM_JOB_ID
  mpirun -n ${SLURM_NTASKS} ./heat >run-$input.$SLURM_JOB_ID/out || echo "$input failed"
  cat run-$input.$SLURM_JOB_ID/out
done
END
packed 'members of an array go on from the restart file of the one before' options=--array=1-3%1 ranks=12 on=6 <<'END'
#!/bin/bash
restart=restart.$SLURM_ARRAY_JOB_ID
from=$(cat "$restart" 2>/dev/null || echo 0)
echo "member $SLURM_ARRAY_TASK_ID goes on from $from"
srun ./heat && echo $((from + 100)) >"$restart"
END
packed 'a checkpoint, a requeue, and the rest' options=--requeue later=requeue <<'END'
#!/bin/bash
#SBATCH --open-mode=truncate
if [ ! -e checkpoint.$SLURM_JOB_ID ]; then
  srun ./heat >first-part.$SLURM_JOB_ID && touch checkpoint.$SLURM_JOB_ID
  scontrol requeue "$SLURM_JOB_ID"
  sleep 100
fi
echo "restart $SLURM_RESTART_COUNT"
srun ./heat
END
packed 'a mesh is made by one task, all compute, and one task evaluates' <<'END'
#!/bin/bash
set -e
srun --nodes=1 --ntasks=1 sh -c 'echo "mesh 8x8" >mesh.'$SLURM_JOB_ID
echo "with $(cat mesh.$SLURM_JOB_ID)"
srun --ntasks=$SLURM_NTASKS --kill-on-bad-exit=1 ./heat >field.$SLURM_JOB_ID
srun -N1 -n1 awk '/^[0-9]/ { n++ } END { print n, "ranks in the field" }' field.$SLURM_JOB_ID
sort field.$SLURM_JOB_ID
END
packed 'a signal before the end of time, which the script passes on' options=--signal=B:TERM@30 <<'END'
#!/bin/bash
pass_on() { echo "asked to end"; kill -TERM "$solver" 2>/dev/null; }
trap pass_on TERM
srun ./heat &
solver=$!
wait "$solver"
echo "the solver ended with status $?"
END
packed 'the program is copied to local disks first' <<'END'
#!/bin/bash
sbcast --force ./job.sh /mnt/script.$SLURM_JOB_ID
sbcast --force "$(readlink -f heat)" /mnt/heat.$SLURM_JOB_ID
srun /mnt/heat.$SLURM_JOB_ID --steps 4 --slower 0 --placement -
END
packed 'a farm of serial tasks before the ranks' <<'END'
#!/bin/bash
seq 1 4 | xargs -P 4 -I{} srun --exact --nodes=1 --ntasks=1 --mem=0 sh -c 'echo "tile {}"'
srun ./heat
END
packed 'threads of ranks, as the job says' options=--cpus-per-task=2 <<'END'
#!/bin/bash
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1} OMP_PLACES=cores
echo "$SLURM_NTASKS ranks of $OMP_NUM_THREADS threads"
srun --cpus-per-task=$SLURM_CPUS_PER_TASK ./heat
END
kept 'every node makes its scratch folder first' 'because=srun --ntasks-per-node' <<'END'
#!/bin/bash
export SCRATCH=/mnt/node.$SLURM_JOB_ID
srun --ntasks=$SLURM_NNODES --ntasks-per-node=1 mkdir -p "$SCRATCH"
srun sh -c 'echo "from $SLURM_PROCID" >"$SCRATCH/$SLURM_PROCID"'
srun ./heat
srun sh -c 'cat "$SCRATCH/$SLURM_PROCID"' | sort
END
