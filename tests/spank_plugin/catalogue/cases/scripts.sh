# The things that scripts do besides starting ranks, and the ways in which they are submitted.

packed 'lines #SBATCH with comments between them' <<'END'
#!/bin/bash -l
#SBATCH --time=0:20:00   # enough for the largest input
## SBATCH --nodes=99
# #SBATCH --distribution=cyclic
#SBATCH --signal=TERM@30
srun ./heat
END
packed 'a script that stops at the first error' <<'END'
set -euo pipefail
input=${INPUT:-small}
srun ./heat
echo "done with $input"
END
packed 'modules' <<'END'
module() { echo "module $*"; }
module purge
module load compiler mpi/4.1
srun ./heat
END
packed 'a folder for the results' <<'END'
results=results.$SLURM_JOB_ID
mkdir -p "$results" && cd "$results"
ln -s ../heat .
srun ./heat
cd .. && rm -r "$results"
END
packed 'time is taken' <<'END'
time srun ./heat
END
packed 'a bound of time for one step' <<'END'
timeout 100 srun ./heat
END
packed 'output to a log and to the screen' <<'END'
srun ./heat 2>&1 | tee log.$SLURM_JOB_ID
END
packed 'the output of a step in a variable' <<'END'
result=$(srun ./heat)
echo "$result"
END
packed 'a step whose output goes to files of its ranks' ranks=0 <<'END'
srun --output=log.%j.%t ./heat
cat log.$SLURM_JOB_ID.* | awk '{print $1}' | sort | uniq -c
END
packed 'srun in place of the script' <<'END'
exec srun ./heat
END
packed 'a program that fails after another one' ends=3 <<'END'
srun ./heat
srun ./die --how abort --rank 0 --after 2 2>/dev/null
END
unmeasured 'a program that fails' ends=3 ranks=0 <<'END'
srun ./die --how abort --rank 0 --after 2 2>/dev/null
END
unmeasured 'a program that is killed by a signal' ends=9 ranks=0 <<'END'
srun --kill-on-bad-exit=1 ./die --how kill --rank 0 --after 2 2>/dev/null || exit 9
END
packed 'a script that fails after its ranks' ends=4 <<'END'
srun ./heat
exit 4
END
packed 'a step that fails is forgiven' <<'END'
srun -n 2 false || echo "went on"
srun ./heat
END
packed 'a script that asks for signals and traps them' options=--signal=B:USR1@30 <<'END'
checkpoint() { echo "checkpoint"; }
trap checkpoint USR1
srun ./heat &
wait $!
kill -USR1 $$
echo "ended"
END
packed 'a script that traps the end' <<'END'
trap 'echo "cleaned up"' EXIT
trap 'echo "terminated"; exit 143' TERM
srun ./heat
END
packed 'a signal from outside while ranks run' later=signal ranks=8 <<'END'
stop=no
trap 'stop=yes; echo "asked to stop"' USR1
srun ./heat
touch ready
while [ "$stop" = no ]; do sleep 0.1; done
srun ./heat
END
packed 'a script that requeues itself' options=--requeue later=requeue ranks=4 <<'END'
if [ "${SLURM_RESTART_COUNT:-0}" -eq 0 ]; then
  scontrol requeue "$SLURM_JOB_ID"
  sleep 100
fi
srun ./heat
END
packed 'a chain of two jobs' ranks=8 on=4 <<'END'
[ -n "${SECOND:-}" ] || SECOND=yes sbatch --quiet --dependency=afterany:$SLURM_JOB_ID --output=out-second --nodes=2 \
  --ntasks=4 job.sh >/dev/null
srun ./heat
END
packed 'a small job that is submitted from inside' <<'END'
sbatch --quiet --nodes=1 --ntasks=1 --output=out-inner --wrap 'echo "inner job"' >/dev/null
srun ./heat
END
packed 'a text in place of a script' row=--wrap 'submit=sbatch "${batch[@]}" --wrap "srun $(tail -n 1 job.sh)"' <<'END'
./heat
END
kept 'a text in place of a script that places ranks' 'because=srun -N' \
  'submit=sbatch "${batch[@]}" --wrap "srun -N 4 $(tail -n 1 job.sh)"' <<'END'
./heat
END
packed 'a script on the standard input' 'submit=sbatch "${batch[@]}" <job.sh' <<'END'
srun ./heat
END
packed 'a script through a pipe' 'submit=cat job.sh | sbatch "${batch[@]}"' <<'END'
srun ./heat
END
kept 'a script through a pipe that places ranks' 'because=srun --nodes' 'submit=cat job.sh | sbatch "${batch[@]}"' <<'END'
srun --nodes=4 ./heat
END
packed 'a script by its name in PATH' \
  'submit=mkdir -p bin && cp job.sh bin/my-heat-job && PATH=$PWD/bin:$PATH sbatch "${batch[@]}" my-heat-job' <<'END'
srun ./heat
END
packed 'a script with arguments' 'submit=sbatch "${batch[@]}" job.sh 4 small' <<'END'
echo "input $2"
srun -n "$1" ./heat
END
kept 'a script that is a pipe by name' 'row=a script that cannot be read' "because=can't be looked at" \
  'submit=mkfifo script.pipe; cat job.sh >script.pipe & sbatch "${batch[@]}" script.pipe' <<'END'
srun ./heat
END
packed 'a batch script in Python that calls srun' ranks=8 <<'END'
#!/usr/bin/env python3
import subprocess, sys
for case in ("a", "b"):
    print("case", case, flush=True)
    done = subprocess.run("srun ./heat".split())
sys.exit(done.returncode)
END
kept 'a batch script in Python that places ranks' 'because=srun --nodes' <<'END'
#!/usr/bin/env python3
import subprocess
subprocess.run(["srun", "--nodes=4", *"./heat".split()], check=True)
END
packed 'a driver in Python beside the script' <<'END'
cat >driver.$SLURM_JOB_ID.py <<'DRIVER'
import os, subprocess
subprocess.check_call(["srun", "-n", os.environ["SLURM_NTASKS"], *"./heat".split()])
DRIVER
python3 driver.$SLURM_JOB_ID.py
END
packed 'a batch script in Perl' needs=perl <<'END'
#!/usr/bin/perl
use strict;
system("srun ./heat") == 0 or exit 1;
END
packed 'a batch script in csh' needs=csh <<'END'
#!/bin/csh -f
setenv OMP_NUM_THREADS 1
srun ./heat
END
packed 'a batch script in awk' <<'END'
#!/usr/bin/awk -f
BEGIN { exit system("srun ./heat") }
END
packed 'a container of apptainer' needs=apptainer <<'END'
srun apptainer exec --bind "$PWD" image.sif ./heat
END
packed 'a container of podman' needs=podman <<'END'
srun podman run --rm --network=host -v "$PWD:$PWD" -w "$PWD" image ./heat
END
packed 'variables for MPI' <<'END'
export OMPI_MCA_btl=self,vader,tcp OMP_PROC_BIND=close OMP_PLACES=cores
ulimit -s 8192
srun ./heat
END
packed 'a here-document as the input of the ranks' <<'END'
srun ./heat <<'INPUT'
size 64
INPUT
END
packed 'files for each node of a job' <<'END'
sbcast --force job.sh /tmp/input.$SLURM_JOB_ID
srun ./heat
END
packed 'the state of the job is asked for' <<'END'
scontrol show job "$SLURM_JOB_ID" | grep -c JobState
srun ./heat
squeue --noheader --job "$SLURM_JOB_ID" --format %T
END
