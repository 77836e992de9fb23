# The ways in which scripts start their ranks.

packed 'srun takes the number of tasks from the job' <<'END'
srun -n "$SLURM_NTASKS" ./heat
END
packed 'srun by its path' <<'END'
/usr/bin/srun ./heat
END
packed 'srun with PMIx' <<'END'
srun --mpi=pmix ./heat
END
packed 'srun with labels, and no waiting for the slowest' <<'END'
srun --label --wait=0 --kill-on-bad-exit=1 hostname | sed 's/n[0-9]*$/node/'
srun --unbuffered ./heat
END
packed 'mpirun counts by itself' <<'END'
mpirun ./heat
END
packed 'mpirun takes the number of tasks from the job' <<'END'
mpirun -np $SLURM_NTASKS ./heat
END
packed 'mpiexec with settings' <<'END'
mpiexec --mca btl self,vader,tcp -x PATH ./heat
END
kept 'mpirun with ranks by the node' 'row=a script with mpirun --map-by' 'because=mpirun --map-by' <<'END'
mpirun --map-by ppr:1:node ./heat
END
kept 'mpirun with a number for each node' 'row=a script with mpirun -npernode' 'because=mpirun -npernode' <<'END'
mpirun -npernode 1 ./heat
END
kept 'mpirun with hosts' 'row=a script with mpirun -host' 'because=(mpirun -host|SLURM_JOB_NODELIST)' <<'END'
mpirun -host $(scontrol show hostnames $SLURM_JOB_NODELIST | paste -sd,) -np 4 ./heat
END
kept 'mpirun with a file of hosts' 'row=a script with mpirun -hostfile' 'row=a script with scontrol show hostnames' \
  'because=(lists its nodes|-hostfile)' <<'END'
scontrol show hostnames "$SLURM_JOB_NODELIST" >hosts.$SLURM_JOB_ID
mpirun -np 4 -hostfile hosts.$SLURM_JOB_ID ./heat
END
kept 'a list of nodes for another launcher' 'because=lists its nodes' <<'END'
nodes=($(scontrol show hostnames))
echo "${#nodes[@]} nodes"
srun ./heat
END
kept 'srun with a number of nodes' 'row=a script with srun -N' 'because=srun -N' <<'END'
srun -N4 -n4 ./heat
END
kept 'srun with nodes by name' 'row=a script with srun -w' 'because=srun -w' <<'END'
srun -w "$SLURMD_NODENAME" -n1 hostname | sed 's/n[0-9]*$/node/'
srun ./heat
END
kept 'srun with ranks by the node' 'row=a script with srun --ntasks-per-node' 'because=srun --ntasks-per-node' <<'END'
srun --ntasks-per-node=1 ./heat
END
kept 'srun beginning with another node' 'row=a script with srun -r' 'because=srun -r' ranks=6 <<'END'
srun ./heat
srun -r 2 -n 2 ./heat
END
kept 'srun with a distribution' 'row=a script with srun -m' 'because=srun -m' <<'END'
srun -m cyclic ./heat
END
kept 'srun with binding' 'because=srun --cpu-bind' <<'END'
srun --cpu-bind=rank ./heat
END
packed 'srun with all that plans do' 'row=a script with srun -N8' 'row=a script with srun --ntasks-per-node=2' \
  'size=--nodes=4 --ntasks-per-node=2' ranks=8 <<'END'
export SLURM_CPU_BIND=cores
unset SLURM_DISTRIBUTION
srun -N4 --ntasks-per-node=2 --cpu-bind=cores --distribution=block:block --mem-bind=local ./heat
END
packed 'srun with its job'"'"'s variables' 'size=--nodes=4 --ntasks-per-node=2' ranks=8 <<'END'
srun --nodes=$SLURM_NNODES --ntasks=${SLURM_NTASKS} --hint=nomultithread ./heat
END
packed 'mpirun that binds to cores' 'row=a script with mpirun --bind-to' <<'END'
mpirun --bind-to core -np $SLURM_NTASKS ./heat
END
kept 'one task a node prepares, then all compute' 'because=srun --ntasks-per-node' <<'END'
srun --ntasks-per-node=1 sh -c 'mkdir -p /tmp/scratch && echo ready'
srun ./heat
END
kept 'as many ranks as there are nodes' 'row=a script that uses SLURM_NNODES' 'because=SLURM_NNODES' <<'END'
srun -n $((SLURM_NNODES * 1)) ./heat
END
kept 'the list of nodes as an argument' 'row=a script that uses SLURM_JOB_NODELIST' 'because=SLURM_JOB_NODELIST' <<'END'
hosts=$SLURM_JOB_NODELIST
srun ./heat
[ -n "$hosts" ] && echo "the nodes are known"
END
packed 'the list of nodes is only printed' <<'END'
echo "Running on $SLURM_JOB_NODELIST" >&2
srun ./heat
END
packed 'nodes are named in a comment only' <<'END'
# to be run as: srun -N 4 --ntasks-per-node=1, on the nodes of $SLURM_NODELIST
srun ./heat   # not mpirun --map-by node
END
packed 'one task on one node prepares and another one evaluates' <<'END'
srun -N1 -n1 echo "prepared"
srun ./heat
srun -N 1 -n 1 echo "evaluated"
END
packed 'two MPI programs in one job' ranks=8 <<'END'
srun ./heat
srun ./cool
END
packed 'the same program twice' ranks=8 <<'END'
srun ./heat
srun ./heat
END
packed 'a loop of steps' ranks=12 <<'END'
for input in a b c; do
  echo "input $input"
  srun ./heat
done
END
packed 'steps in the background' <<'END'
srun ./heat
srun --exact -n2 --mem=0 echo "one half" &
srun --exact -n2 --mem=0 echo "the other half" &
wait
echo "both have ended"
END
packed 'one step of all ranks in the background' <<'END'
srun ./heat >log.$SLURM_JOB_ID &
wait $! && cat log.$SLURM_JOB_ID
END
left 'fewer ranks than tasks' ranks=2 'because=none of its steps has all of its ranks .srun -n 2.' <<'END'
srun --exact -n2 ./heat
END
packed 'four serial tasks in the background after the ranks' <<'END'
srun ./heat
for i in 1 2 3 4; do
  srun --exact -N1 -n1 --mem=0 sh -c "echo part $i" &
done
wait
END
packed 'several programs in one step' <<'END'
cat >programs.$SLURM_JOB_ID <<'PROGRAMS'
0 echo leader
1-3 echo worker %o of rank %t
PROGRAMS
srun --multi-prog programs.$SLURM_JOB_ID
srun ./heat
END
packed 'MPI ranks from a list of programs' <<'END'
printf '%s\n' '# ocean and air' '0-1 ./heat' '* ./heat' >programs.$SLURM_JOB_ID
srun --multi-prog programs.$SLURM_JOB_ID
END
packed 'a script around the program' <<'END'
cat >wrapper.$SLURM_JOB_ID <<'WRAPPER'
#!/bin/bash
export RANK_SEED=$((SLURM_PROCID + 7))
exec "$@"
WRAPPER
chmod +x wrapper.$SLURM_JOB_ID
srun ./wrapper.$SLURM_JOB_ID ./heat
END
packed 'a function around srun' <<'END'
launch() { srun -n "$SLURM_NTASKS" "$@"; }
launch ./heat
END
packed 'a script around srun' <<'END'
printf '#!/bin/sh\nexec srun "$@"\n' >launch.$SLURM_JOB_ID
chmod +x launch.$SLURM_JOB_ID
./launch.$SLURM_JOB_ID ./heat
END
packed 'a launcher in a variable' <<'END'
MPIRUN="srun --kill-on-bad-exit"
$MPIRUN ./heat
END
kept 'a launcher in a variable, with a number of nodes' 'because=srun -N' <<'END'
MPIRUN="srun -N 4"
$MPIRUN ./heat
END
kept 'a script that places its ranks out of sight' 'because=was placed by' <<'END'
echo "srun --node$(echo s)=4 ./heat" >late.$SLURM_JOB_ID
. ./late.$SLURM_JOB_ID
END
packed 'a program of fewer ranks than tasks runs beside' <<'END'
srun -n 2 echo "beside"
srun ./heat
END
packed 'salloc with a command' 'submit=salloc "${job[@]}" bash -c "srun ./heat >out-0 2>out-1"' </dev/null
kept 'srun on its own' 'because=a run of the same name by sbatch would' 'submit=srun "${job[@]}" ./heat >out-0' </dev/null
packed 'a step that wants nothing of Huddle repeats its job'"'"'s numbers' 'size=--nodes=4 --ntasks-per-node=2' ranks=16 <<'END'
srun ./heat
srun --energy-aggregate=off -N4 --ntasks-per-node=2 ./heat
END
packed 'several programs of one mpirun' <<'END'
mpirun -n 1 ./heat : -n 3 ./heat
END
left 'an ensemble of steps side by side' ranks=2 'because=none of its steps has all of its ranks .srun -n 2.' <<'END'
for member in 1 2; do
  srun --exact --mem=0 -N 2 -n 2 echo "member $member" &
done
wait
srun -N 2 -n 2 ./heat
END
