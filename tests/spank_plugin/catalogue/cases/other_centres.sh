# Job scripts written after what centres of America, Asia and Oceania show their users: the same options, variables and idioms, in our words.
# Most have 8 ranks on 4 nodes of 8 cores, so that they could be packed.

all_lines=size=--time=10 # the script has the rest

packed 'NERSC: numbers in the job, binding in the step' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --constraint=fast
#SBATCH --qos=normal
export OMP_PROC_BIND=spread
export OMP_PLACES=threads
export OMP_NUM_THREADS=1
srun -n 8 -c 1 --cpu-bind=cores ./heat
END
packed 'NERSC: the step has the number of tasks, and cores for each' 'size=--nodes=4' ranks=8 <<'END'
#!/bin/bash
#SBATCH --constraint=fast
#SBATCH --time=10
export OMP_NUM_THREADS=2
export OMP_PLACES=threads
srun -n 8 -c 2 --cpu-bind=cores ./heat
END
packed 'OLCF: nodes are the job'"'"'s, the rest is the step'"'"'s' 'size=--nodes=4' ranks=8 <<'END'
#!/bin/bash
#SBATCH -A phy123
#SBATCH -t 0:10:00
srun -N 4 -n 8 --ntasks-per-node=2 ./heat
END
packed 'OLCF: the step repeats all that the job says' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH -A phy123
#SBATCH -J heat
#SBATCH -o %x-%j.log
#SBATCH -t 0:10:00
#SBATCH -N 4
#SBATCH -n 8
cd $SLURM_SUBMIT_DIR
srun -N4 -n8 -c1 --ntasks-per-node=2 --cpu-bind=cores ./heat
END
kept 'SDSC: a core for each rank by its number' $all_lines ranks=8 'because=srun --cpu-bind' <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --mem=400M
#SBATCH --export=ALL
module() { :; }
module purge
module load slurm gcc openmpi
srun --mpi=pmix -n 8 --cpu-bind=rank ./heat
END
packed 'PSC: mpirun with the number of tasks' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH -N 4
#SBATCH -p whole
#SBATCH -t 5
#SBATCH --ntasks-per-node=2
set -x
cd .
mpirun -np $SLURM_NTASKS ./heat
END
packed 'NCSA: a greeting with the host, then the ranks' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --mem=400M
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1
#SBATCH --constraint="fast"
#SBATCH --mail-type="BEGIN,END"
module() { :; }
module reset
echo "job is starting on `hostname`"
srun ./heat
END
packed 'Purdue: mpirun with a plain number' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH -A myallocation
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --time=00:10:00
#SBATCH -J heat
#SBATCH --mail-user=nobody
module() { :; }
module --force purge
module load gcc openmpi
mpirun -np 8 ./heat
END
packed 'Digital Research Alliance of Canada: whole nodes with all memory' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --account=def-someuser
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --mem=0
#SBATCH --time=0-00:10
echo "Running $SLURM_NTASKS tasks"
srun ./heat
END
packed 'Digital Research Alliance of Canada: memory by the core' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --mem-per-cpu=50M
export OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:-1}"
srun --cpus-per-task=1 ./heat
END
packed 'NeSI: memory and hints' $all_lines ranks=8 <<'END'
#!/bin/bash -e
#SBATCH --job-name=heat
#SBATCH --account=nesi12345
#SBATCH --time=00:10:00
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --mem-per-cpu=40MB
#SBATCH --hint=nomultithread
srun --kill-on-bad-exit --output=slurm_%j_%n.out ./heat
sort slurm_${SLURM_JOB_ID}_*.out
END
packed 'Pawsey: the job'"'"'s variables in the step, blocks on three levels' $all_lines ranks=8 <<'END'
#!/bin/bash --login
#SBATCH --account=project
#SBATCH --partition=whole
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=2
#SBATCH --nodes=4
#SBATCH --cpus-per-task=1
#SBATCH --exclusive
#SBATCH --time=00:10:00
export OMP_NUM_THREADS=1
export MPICH_OFI_STARTUP_CONNECT=1
srun -N $SLURM_JOB_NUM_NODES -n $SLURM_NTASKS -c $OMP_NUM_THREADS -m block:block:block ./heat
END
kept 'KAUST: tasks by the socket' $all_lines ranks=8 'because=srun --ntasks-per-socket' <<'END'
#!/bin/bash
#SBATCH --partition=whole
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --time=00:10:00
srun --hint=nomultithread --ntasks=8 --ntasks-per-node=2 --ntasks-per-socket=1 --mem-bind=local ./heat
END
packed 'Stanford: PMIx by its option' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --job-name=heat
#SBATCH --ntasks=8
#SBATCH --nodes=4
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=40M
srun --mpi=pmix ./heat
END
packed 'Harvard: the task count by variable, output in the folder of the user' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH -N 4
#SBATCH -n 8
#SBATCH -t 10
#SBATCH -p whole
#SBATCH --mem-per-cpu=40
#SBATCH -o heat_%j.out
#SBATCH -e heat_%j.err
srun -n $SLURM_NTASKS --mpi=pmix ./heat
END
packed 'Ohio: input by sbcast, results by a later step' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4 --ntasks-per-node=2
#SBATCH --job-name=heat
sbcast -f job.sh /mnt/input.$SLURM_JOB_ID
srun ./heat
srun -n 1 -N 1 wc -l </mnt/input.$SLURM_JOB_ID
END
packed 'Monash: mpirun in the folder of submission, with the time that it takes' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --job-name=heat
#SBATCH --time=00:10:00
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --mem-per-cpu=50
time mpirun --bind-to core ./heat
END
packed 'NSCC Singapore: a python driver of many runs' $all_lines ranks=16 <<'END'
#!/usr/bin/env python3
#SBATCH --nodes=4
#SBATCH --ntasks=8
import subprocess
for temperature in (300, 400):
    print("temperature", temperature, flush=True)
    subprocess.run("srun ./heat", shell=True, check=True)
END
packed 'a chain: each job submits the next one' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
part=${PART:-1}
srun ./heat
[ "$part" -ge 1 ] || sbatch --export=ALL,PART=$((part + 1)) --dependency=afterok:$SLURM_JOB_ID job.sh
echo "part $part is done"
END
packed 'a queue of centres without a shared environment' 'size=--nodes=4 --ntasks-per-node=2' options=--export=none ranks=8 <<'END'
#!/bin/bash
export OMP_NUM_THREADS=1
srun --export=ALL ./heat
END
kept 'a list of hosts for another tool' $all_lines ranks=8 'because=scontrol show hostnames' <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
scontrol show hostnames "$SLURM_JOB_NODELIST" >hosts.$SLURM_JOB_ID
srun ./heat
END
kept 'a number of ranks that follows from the nodes' $all_lines ranks=8 'because=SLURM_NNODES' <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
RANKS=$((SLURM_NNODES * 2))
srun -n $RANKS ./heat
END
kept 'ranks by the node, from its own option' $all_lines ranks=8 'because=mpirun -npernode' <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
mpirun -npernode 2 ./heat
END
left 'cyclic ranks by the job' $all_lines ranks=8 'because=--distribution' <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --distribution=cyclic
srun ./heat
END
kept 'cyclic ranks by the step' $all_lines ranks=8 'because=srun -m' <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
srun -m cyclic ./heat
END
left 'a heterogeneous job' $all_lines 'because=several parts' <<'END'
#!/bin/bash
#SBATCH --nodes=1 --ntasks=1
#SBATCH hetjob
#SBATCH --nodes=2 --ntasks=3
srun --het-group=0 ./heat
srun --het-group=1 ./heat
END
