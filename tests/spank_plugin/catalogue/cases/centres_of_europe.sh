# Job scripts written after what centres of Europe show their users: the same options, variables and idioms, in our words.
# Most have 8 ranks on 4 nodes of 8 cores, so that they could be packed.

all_lines=size=--time=10 # the script has the rest

packed 'ARCHER2: ranks in blocks, without hyperthreads' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1
#SBATCH --account=z19
export OMP_NUM_THREADS=1
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
srun --distribution=block:block --hint=nomultithread ./heat
END
packed 'ARCHER2: ranks with threads' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=2
export OMP_NUM_THREADS=2
export OMP_PLACES=cores
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
srun --hint=nomultithread --distribution=block:block ./heat
END
packed 'Juelich: numbers of nodes and tasks, one thread a core' $all_lines ranks=8 <<'END'
#!/bin/bash -x
#SBATCH --account=budget
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=2
#SBATCH --output=mpi-out.%j
#SBATCH --error=mpi-err.%j
#SBATCH --time=00:10:00
srun --threads-per-core=1 ./heat
END
packed 'Juelich: threads and their exported number' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=2
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK}
export OMP_NUM_THREADS=${SRUN_CPUS_PER_TASK}
srun ./heat
END
packed 'LRZ: no environment, the mpiexec of the job' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH -J heat
#SBATCH -D ./
#SBATCH --mail-type=END
#SBATCH --no-requeue
#SBATCH --export=NONE
#SBATCH --account=insert
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
unset SLURM_EXPORT_ENV
mpiexec -n $SLURM_NTASKS ./heat
END
packed 'DKRZ: lines with ranks, binding is shown, blocks of nodes' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --job-name=heat
#SBATCH --partition=whole
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --mail-type=FAIL
export OMPI_MCA_pml_base_verbose=0
ulimit -c 0
srun -l --cpu-bind=verbose --hint=nomultithread --distribution=block:cyclic:block ./heat 2>/dev/null
END
packed 'DKRZ: binding to cores by a variable' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --exclusive
export SLURM_CPU_BIND="verbose,cores"
export SLURM_DISTRIBUTION=block:cyclic
srun ./heat 2>/dev/null
END
packed 'CSCS: one task a core, by hint and by number' $all_lines ranks=8 <<'END'
#!/bin/bash -l
#SBATCH --job-name="heat"
#SBATCH --time=00:10:00
#SBATCH --nodes=4
#SBATCH --ntasks-per-core=1
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1
#SBATCH --partition=whole
#SBATCH --constraint=fast
#SBATCH --hint=nomultithread
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
export CRAY_CUDA_MPS=1
srun ./heat
END
packed 'CSC: an account, and srun alone' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --job-name=heat
#SBATCH --account=project_2000000
#SBATCH --partition=whole
#SBATCH --time=00:10:00
#SBATCH --ntasks=8
#SBATCH --nodes=4
#SBATCH --mem-per-cpu=40
srun ./heat
END
kept 'LUMI: masks of cores' $all_lines ranks=8 nodes=whole 'because=srun --cpu-bind' <<'END'
#!/bin/bash -l
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
CPU_BIND="map_cpu:1,5"
srun --cpu-bind=${CPU_BIND} ./heat
END
packed 'CINECA: srun that binds to cores' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --time=00:10:00
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1
#SBATCH --mem=400M
#SBATCH --gres=none
#SBATCH --account=account
srun --cpu-bind=cores -m block:block ./heat
END
kept 'CINECA: mpirun that maps by socket' $all_lines ranks=8 'because=mpirun --map-by' <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
mpirun --map-by socket --rank-by core ./heat
END
packed 'BSC: a queue, and srun with its number of cores' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH -D .
#SBATCH --qos=normal
#SBATCH --account=bsc
#SBATCH --output=mpi_%j.out
#SBATCH --error=mpi_%j.err
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=2
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK}
export OMP_NUM_THREADS=2
srun ./heat
END
packed 'IDRIS: no hyperthreads, echoed commands' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --job-name=heat
#SBATCH --nodes=4
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=2
#SBATCH --hint=nomultithread
#SBATCH --time=00:10:00
cd ${SLURM_SUBMIT_DIR}
module() { :; }
module purge
set -x
srun ./heat
END
packed 'PDC: output of ranks in a file' $all_lines ranks=8 <<'END'
#!/bin/bash -l
#SBATCH -A naiss2026-1-1
#SBATCH -J heat
#SBATCH -t 00:10:00
#SBATCH -N 4
#SBATCH --ntasks-per-node=2
#SBATCH -p whole
srun -n 8 ./heat > my_output_file 2>&1
sort my_output_file
END
packed 'Sigma2: a strict shell, and a folder of work' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --account=nn9999k
#SBATCH --job-name=heat
#SBATCH --time=0-00:10:00
#SBATCH --nodes=4 --ntasks-per-node=2
set -o errexit
set -o nounset
module() { :; }
module --quiet purge
module list
cp job.sh input.$SLURM_JOB_ID
srun ./heat
exit 0
END
packed 'SURF: mpiexec from a local folder, results are copied back' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --tasks-per-node=2
#SBATCH --time=10
mkdir -p /mnt/run.$SLURM_JOB_ID
cp job.sh /mnt/run.$SLURM_JOB_ID/input
mpiexec ./heat | sort >/mnt/run.$SLURM_JOB_ID/result
cp /mnt/run.$SLURM_JOB_ID/result result.$SLURM_JOB_ID
cat result.$SLURM_JOB_ID
END
packed 'VSC: one task a core' $all_lines ranks=8 <<'END'
#!/bin/bash
#SBATCH -J heat
#SBATCH -N 4
#SBATCH --ntasks-per-node=2
#SBATCH --ntasks-per-core=1
#SBATCH --mail-type=BEGIN
mpirun -np 8 ./heat
END
packed 'Luxembourg: a function for errors, the task count by variable' $all_lines ranks=8 <<'END'
#!/bin/bash -l
#SBATCH -J heat
#SBATCH -N 4
#SBATCH --ntasks-per-node 2
#SBATCH -c 1
#SBATCH --time=0-00:10:00
print_error_and_exit() { echo "***ERROR*** $*"; exit 1; }
[ -e job.sh ] || print_error_and_exit "no program"
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:=1}
OPTS=$*
srun -n $SLURM_NTASKS ./heat ${OPTS}
END
