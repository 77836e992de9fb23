# Options of sbatch with which a job is packed.

packed 'an account' row=--account options=--account=physics <<'END'
srun ./heat
END
packed 'a quality of service' row=--qos options=--qos=normal <<'END'
srun ./heat
END
packed 'a partition of whole nodes' row=--partition options=--partition=whole <<'END'
srun ./heat
END
packed 'members of an array' row=--array options=--array=3,5%2 ranks=8 on=4 <<'END'
echo "member $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT"
srun ./heat
END
packed 'a time to begin' row=--begin options=--begin=now <<'END'
srun ./heat
END
packed 'one job of this name at a time' row=--dependency options=--dependency=singleton <<'END'
srun ./heat
END
packed 'a job that is held at first' row=--hold options=--hold later=release <<'END'
srun ./heat
END
packed 'nodes with a feature' row=--constraint options=--constraint=fast <<'END'
srun ./heat
END
packed 'without a node that is known to be slow' row=--exclude options=--exclude=n7 <<'END'
srun ./heat
END
packed 'ranks of two cores with threads' row=--cpus-per-task options=--cpus-per-task=2 <<'END'
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
echo "$OMP_NUM_THREADS threads a rank"
srun ./heat
END
packed 'binding to cores, of steps' row=--cpu-bind=cores <<'END'
srun --cpu-bind=verbose,cores ./heat 2>/dev/null
END
packed 'memory beside the core' row=--mem-bind=local options=--mem-bind=local <<'END'
srun ./heat
END
packed 'the usual order of ranks' row=--distribution=block options=--distribution=block:block <<'END'
srun ./heat
END
packed 'one rank on a core' row=--ntasks-per-core=1 options=--ntasks-per-core=1 <<'END'
srun ./heat
END
packed 'one thread of a core' row=--threads-per-core=1 options=--threads-per-core=1 <<'END'
srun ./heat
END
packed 'ranks of four cores, two of which fill a node' options=--cpus-per-task=4 <<'END'
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
srun --cpus-per-task=4 ./heat
END
packed 'whole nodes' row=--exclusive options=--exclusive <<'END'
srun ./heat
END
packed 'the environment and one more variable' 'options=--export=ALL,INPUT=small' <<'END'
echo "input $INPUT"
srun ./heat
END
packed 'an environment that is not handed on' row=--export=NONE options=--export=NONE <<'END'
echo "hidden ${HIDDEN:-is not set}, ${SLURM_HUDDLE:-nothing is carried}"
srun ./heat
END
packed 'an environment that steps get again' options=--export=NONE <<'END'
unset SLURM_EXPORT_ENV
export INPUT=small
srun sh -c 'echo "input $INPUT" >&2'
srun ./heat
END
packed 'some variables only' row=--export=PATH 'options=--export=PATH,HOME' <<'END'
echo "home $HOME"
srun ./heat
END
packed 'a hint that ranks compute' options=--hint=compute_bound <<'END'
srun ./heat
END
packed 'memory for each node' row=--mem options=--mem=200M <<'END'
srun ./heat
END
packed 'all memory of each node' row=--mem=0 options=--mem=0 <<'END'
srun ./heat
END
packed 'memory for each core' row=--mem-per-cpu options=--mem-per-cpu=50M <<'END'
srun ./heat
END
packed 'a range of nodes' row=--nodes=4-8 'size=--nodes=2-4 --ntasks=4' <<'END'
srun ./heat
END
packed 'ranks by the node' row=--ntasks-per-node 'size=--nodes=4 --ntasks-per-node=1' <<'END'
srun ./heat
END
packed 'two ranks on each node' 'size=--nodes=4 --ntasks-per-node=2' ranks=8 <<'END'
srun ./heat
END
packed 'a job that may be requeued' row=--requeue options=--requeue <<'END'
srun ./heat
END
packed 'a job that may not be requeued' row=--no-requeue options=--no-requeue <<'END'
srun ./heat
END
packed 'a reservation of whole nodes' row=--reservation options=--reservation=ours <<'END'
srun ./heat
END
packed 'a warning before the end' row=--signal options=--signal=B:USR1@60 <<'END'
trap 'echo "write a checkpoint"' USR1
srun ./heat
END
packed 'a limit of leaf switches' row=--switches options=--switches=1 <<'END'
srun ./heat
END
packed 'a time limit that is long enough' row=--time options=--time=30 <<'END'
srun ./heat
END
packed 'a minimal and a maximal time' 'options=--time=30 --time-min=10' <<'END'
srun ./heat
END
packed 'a comment, mail and a file for errors' 'options=--comment=trial --mail-type=END --error=errors-%j' <<'END'
srun ./heat
END
packed 'a lower priority' options=--nice=100 <<'END'
srun ./heat
END
packed 'a folder to run in' 'options=--chdir=$folder' <<'END'
[ -e heat ] && echo "in the folder"
srun ./heat
END
packed 'nodes next to each other' options=--contiguous <<'END'
srun ./heat
END
packed 'the option in the environment' \
  'submit=HUDDLE_ENERGY_AGGREGATE=$mode sbatch "${batch[@]/#--energy-aggregate*/--quiet}" job.sh' <<'END'
srun ./heat
END
packed 'options of the environment' 'submit=SBATCH_PARTITION=whole SBATCH_TIMELIMIT=20 sbatch "${batch[@]}" job.sh' <<'END'
srun ./heat
END
packed 'a partition that gives memory by the node' options=--partition=by-node <<'END'
srun ./heat
END
packed 'a partition that gives memory by the core' options=--partition=by-core <<'END'
srun ./heat
END
