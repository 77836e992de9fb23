#!/usr/bin/env bash
# However its ranks end, a step ends with the same status whether its job is left alone, measured or packed, and nothing of
# Huddle's is printed in it. A job for each launcher and treatment runs through the ways to end, all jobs at once.
# usage: endings_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
start_site "endings-$$" "$1"
sed -i 's/^slowdown.*/slowdown = "80%"/' "$policy"
programs=$shared/programs
if [ -x "$1/programs-mpich/endings" ]; then install -m 0755 "$1/programs-mpich/endings" "$programs/endings_mpich"; fi

# Words of the launcher, and what its ranks do (tests/programs/endings.cpp); of these, the statuses of launchers are the same
# each time. Where some of the ranks end with status 0, srun waits for the others.
pmix="srun --mpi=pmix"
pmi2="srun --mpi=pmi2"
ways_by_launcher() {
  case $1 in
    srun) cat <<WAYS ;;
$pmix endings well all
$pmix endings exit all
$pmix endings exit-0 all
$pmix endings exit 1,2 exit-0
$pmix endings finalized all
$pmix endings late all
$pmix -K1 endings exit 1
$pmix -K1 endings exit 0
$pmix -K1 endings _exit 2
$pmix -K1 endings abort 1
$pmix -K1 endings segv 1
$pmix -K1 endings abrt 1
$pmix -K1 endings kill 1
$pmix -K1 endings throw 1
$pmix -K1 endings handler 1
$pmix -K1 endings mpi-error 1
$pmix -K1 endings ended-child 1
$pmix -K1 endings exit 1 deaf
$pmix -K1 endings exit 1 init
cancelled $pmix endings waits all
WAYS
    mpirun) cat <<WAYS ;;
mpirun endings well all
mpirun endings exit 1 waits
mpirun endings abort 1 waits
mpirun endings segv 1 waits
mpirun endings exit-0 1 waits
WAYS
    mpich) cat <<WAYS ;;
$pmi2 endings_mpich exit all
$pmi2 endings_mpich exit 1,2 exit-0
$pmi2 -K1 endings_mpich exit 1
WAYS
  esac
}

cat >"$shared/run_ways" <<'RUN'
#!/bin/bash
# run_ways WAYS RESULTS: a line for each way, with how it ended
cancelled() { # once its ranks are there
  (until grep -q ends_ms "$out"; do sleep 0.1; done; scancel "$SLURM_JOB_ID.$step") &
  "$@"
}
step=0 out=$2.out
PATH=$(dirname "$0")/programs:$PATH
while read -r -u 7 way; do
  status=0
  eval "$way" >"$out" 2>"$2.err" </dev/null || status=$?
  echo "$way: $status"
  grep -h '^huddle' "$out" "$2.err"
  step=$((step + 1))
done 7<"$1" >"$2"
echo "done" >>"$2"
RUN
chmod 0755 "$shared/run_ways"

launchers=(srun mpirun)
[ ! -e "$programs/endings_mpich" ] || launchers+=(mpich)
for launcher in "${launchers[@]}"; do ways_by_launcher "$launcher" >"$shared/ways.$launcher"; done

submit_ways() { # LAUNCHER TREATMENT OPTION...
  local job=$1.$2
  cat >"$shared/$job.sh" <<SCRIPT
#!/bin/bash
#SBATCH --nodes=4 --ntasks=4 --job-name=$1 --output=$home/$job.log
$shared/run_ways $shared/ways.$1 $home/$job
SCRIPT
  chmod 0644 "$shared/$job.sh"
  on_site sbatch --parsable "${@:3}" "$shared/$job.sh" 2>"$site_scratch/$job.said"
  job_errors+=$(cat "$site_scratch/$job.said")
}

job_errors='' jobs=()
for launcher in "${launchers[@]}"; do
  jobs+=("$(submit_ways "$launcher" plain)")
  jobs+=("$(submit_ways "$launcher" measured --energy-aggregate=profile)")
done
for job in "${jobs[@]}"; do wait_for_job "$job"; done
# The first run of each launcher that ended well shows enough.
jobs=()
for launcher in srun mpirun; do jobs+=("$(submit_ways "$launcher" packed --energy-aggregate)"); done
for job in "${jobs[@]}"; do wait_for_job "$job"; done

for launcher in "${launchers[@]}"; do
  for treatment in measured packed; do
    [ -e "$home/$launcher.$treatment" ] || continue
    case_begins "$launcher, $treatment: $(head -n 1 "$site_scratch/$launcher.$treatment.said")"
    grep -qx "done" "$home/$launcher.$treatment" || fail "it did not run through all ways: $(cat "$home/$launcher.$treatment.log")"
    difference=$(diff "$home/$launcher.plain" "$home/$launcher.$treatment") || fail "it ended otherwise than without the option: $difference"
  done
done
cat "$home/srun.plain"

case_begins "what is known of runs that ended badly is kept, and why they ended"
cut_short=$(grep -lE '"complete": *false' $(profile_files) | wc -l)
[ "$cut_short" -ge 8 ] || fail "only $cut_short profiles are marked as cut short"
grep -qE 'MPI_Abort\(MPI_COMM_WORLD, 8\) called by rank 1' $(profile_files) || fail "none says who called MPI_Abort"
grep -qE 'rank 0 exited without MPI_Finalize' $(profile_files) || fail "none says who exited"

finish
