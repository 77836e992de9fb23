#!/usr/bin/env bash
# A store whose file system hangs holds up neither a submission nor the end of a step, and nothing is left when it answers
# again. The file system is real: ext4 on a loop device, frozen (fsfreeze), which blocks whoever writes, beyond any signal.
# usage: hanging_store_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
for tool in mkfs.ext4 fsfreeze losetup; do
  command -v "$tool" >/dev/null || { echo "needs $tool"; exit 77; }
done

place=$(mktemp -d)
chmod 0755 "$place"
is_frozen=
thaw() { [ -z "$is_frozen" ] || fsfreeze --unfreeze "$place/disk"; is_frozen=; }
freeze() { fsfreeze --freeze "$place/disk" && is_frozen=yes; }
remove_disk() {
  thaw
  [ -z "${site_name:-}" ] || stop_site
  umount "$place/disk" 2>/dev/null || umount --lazy "$place/disk" 2>/dev/null || true
  rm -rf "$place"
}
trap remove_disk EXIT
truncate -s 64M "$place/image"
mkfs.ext4 -q "$place/image"
install -d "$place/disk"
# Before the nodes are made, which see what is mounted then.
mount -o loop "$place/image" "$place/disk" 2>/dev/null || { echo "needs a loop device"; exit 77; }
site_in_steps=true
start_site "hanging-store-$$" "$1"
trap remove_disk EXIT
profiles=$place/disk/profiles
install -d -m 1777 "$profiles"
write_policy </dev/null

now_ms() { date +%s%3N; }
# within MILLISECONDS WHAT: since `since`, set by the caller
within() {
  local took=$(($(now_ms) - since))
  printf '  %s: %d ms\n' "$2" "$took"
  [ "$took" -le "$1" ] || fail "$2 took $took ms, more than $1"
}
# Processes that the file system still holds.
stuck() { ps -e -o stat=,comm= | awk '$1 ~ /^D/ && $2 ~ /huddle|sbatch|srun|slurm|mpirun|halo/'; }
is_stuck() { grep -c " $1\$" <<<"$(stuck)" || true; }
# A job, by its script on standard input, that starts while the store hangs: it takes few seconds longer than usual.
starts_and_ends() { # WHAT OPTION...
  cat >"$shared/job.sh"
  job=$(on_site sbatch --parsable --hold --output="$home/job.out" "${@:2}" "$shared/job.sh" 2>"$site_scratch/err") || fail "not submitted"
  job_errors=$(cat "$site_scratch/err")
  freeze
  since=$(now_ms)
  on_site scontrol release "$job"
  wait_for_job "$job"
  within $((2 * usual_job + 12000)) "$1, from its release to its end"
  job_output=$(cat "$home/job.out")
  thaw
  expect_success
}

case_begins "a measured run, and a plan"
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'measured'; expect_profiles 1
since=$(now_ms)
submit --energy-aggregate < <(halo_job srun)
usual_job=$(($(now_ms) - since))
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2
since=$(now_ms)
on_site sbatch --test-only --energy-aggregate "$shared/job.sh" 2>/dev/null
usual=$(($(now_ms) - since))
printf '  a submission where nothing hangs: %d ms\n' "$usual"

case_begins "a submission while the store takes no changes follows the plan that it can read"
halo_job srun >"$shared/job.sh"
freeze
since=$(now_ms)
job=$(on_site sbatch --parsable --output="$home/job.out" --energy-aggregate "$shared/job.sh" 2>"$site_scratch/err")
within $((usual + 4500)) "sbatch"
wait_for_job "$job"
job_errors=$(cat "$site_scratch/err")
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2
thaw

case_begins "one that would be measured runs as it was submitted"
freeze
since=$(now_ms)
job=$(on_site sbatch --parsable --output="$home/job.out" --energy-aggregate --job-name=new "$shared/job.sh" 2>"$site_scratch/err")
within $((usual + 4500)) "sbatch"
wait_for_job "$job"
job_errors=$(cat "$site_scratch/err")
expect_success; expect_one_line 'left as submitted: the file system of .* did not answer within 1 s'; expect_nodes 8
thaw

case_begins "a step ends with its program while the store hangs"
cat >"$shared/wait.sh" <<SCRIPT
#!/bin/bash
touch $home/started
while [ ! -e $home/go ]; do sleep 0.05; done
SCRIPT
chmod 0755 "$shared/wait.sh"
rm -f "$home/started" "$home/go"
cat >"$shared/job.sh" <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=16 --job-name=halo --output=/dev/null
srun --mpi=none $shared/wait.sh
date +%s%3N >$home/ended
SCRIPT
job=$(on_site sbatch --parsable --energy-aggregate "$shared/job.sh" 2>"$site_scratch/err")
deadline=$((SECONDS + 60))
until [ -e "$home/started" ] || [ "$SECONDS" -ge "$deadline" ]; do sleep 0.05; done
freeze
since=$(now_ms)
touch "$home/go"
until [ -s "$home/ended" ] || [ "$SECONDS" -ge $((deadline + 60)) ]; do sleep 0.02; done
within $((usual + 3500)) "the end of the step"
wait_for_job "$job"
[ "$job_status" -eq 0 ] || fail "the job ended with status $job_status: $(cat "$site_scratch/err")"
thaw

case_begins "a job that starts while the store hangs"
job=$(on_site sbatch --parsable --hold --energy-aggregate "$shared/job.sh" 2>"$site_scratch/err")
rm -f "$home/ended" "$home/started"
freeze
since=$(now_ms)
on_site scontrol release "$job"
until [ -s "$home/ended" ] || [ $(($(now_ms) - since)) -gt 60000 ]; do sleep 0.05; done
within $((2 * usual_job + 12000)) "a packed job, from its release to its end"
wait_for_job "$job"
[ "$job_status" -eq 0 ] || fail "the job ended with status $job_status: $(cat "$site_scratch/err")"
thaw

case_begins "ranks of a packed job start and end while the store hangs, by srun and by mpirun"
starts_and_ends "a packed job" --energy-aggregate < <(halo_job srun)
expect_one_line 'packed onto 2 of 8'; expect_nodes 2
starts_and_ends "a packed job of an mpirun" --energy-aggregate < <(halo_job mpirun)
expect_one_line 'packed onto 2 of 8'

case_begins "ranks that are measured start and end while the store hangs"
starts_and_ends "a measured job" --energy-aggregate=profile < <(halo_job srun)
expect_one_line 'measured'; expect_nodes 8
expect_in_output 'huddle: not measured: the file system of .* did not answer within 1 s'
starts_and_ends "a measured job of an mpirun" --energy-aggregate=profile < <(halo_job mpirun)
expect_one_line 'measured'

case_begins "a step of a job that runs starts and ends while the store hangs"
cat >"$shared/job.sh" <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=16 --job-name=halo --output=$home/job.out
touch $home/started
while [ ! -e $home/go ]; do sleep 0.05; done
srun $shared/programs/halo_exchange --iterations 40
date +%s%3N >$home/ended
SCRIPT
for mode in auto profile; do
  rm -f "$home/started" "$home/go" "$home/ended"
  job=$(on_site sbatch --parsable --energy-aggregate=$mode "$shared/job.sh" 2>"$site_scratch/err")
  deadline=$((SECONDS + 60))
  until [ -e "$home/started" ] || [ "$SECONDS" -ge "$deadline" ]; do sleep 0.05; done
  freeze
  since=$(now_ms)
  touch "$home/go"
  until [ -s "$home/ended" ] || [ "$SECONDS" -ge $((deadline + 60)) ]; do sleep 0.02; done
  within $((2 * usual_job + 12000)) "a step of a job with $mode"
  wait_for_job "$job"
  thaw
  [ "$job_status" -eq 0 ] || fail "the job ended with status $job_status: $(cat "$site_scratch/err" "$home/job.out")"
done

# The parts of a run that is killed, and the profile of one that ends, are brought to the store by a process beside the
# ranks: these never wait for it.
spools() { # each node has its own memory
  for node in n{0..7}; do
    "$tests_directory/cluster/node" --name "$site_name" $node run find /dev/shm -maxdepth 1 -name "huddle-*-$job.*"
  done
}
couriers() { pgrep -f "^$shared/huddle/huddle_courier" || true; }
parts_are_kept() { find "$profiles" -name '*.parts-*' | grep -q .; }
recorded_profile() { find "$profiles" -path '*/recorded/*' -name 'profile-*' -type f; }
profile_has() { grep -qE "\"complete\": *$1" "$(recorded_profile)" 2>/dev/null; } # true or false
nothing_is_left_of_it() { [ -z "$(couriers)$(spools)" ]; }
recorded_job() { # LAUNCHER...
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=16 --job-name=recorded --output=$home/job.out
$* $shared/programs/crowded --steps 120 --slower 0
echo "status \$?"
SCRIPT
}
for launcher in srun mpirun; do
  case_begins "ranks that are recorded end while the store hangs, and their profile comes when it answers again, $launcher"
  rm -rf "$profiles/nobody/recorded" "$home/job.out"
  recorded_job $launcher >"$shared/job.sh"
  job=$(on_site sbatch --parsable --energy-aggregate=profile "$shared/job.sh" 2>"$site_scratch/err")
  until_true parts_are_kept || fail "nothing is kept of a run that goes on"
  freeze
  since=$(now_ms)
  wait_for_job "$job"
  within $((6000 + 2 * usual_job + 8000)) "a job whose store hangs while it runs"
  [ "$job_status" -eq 0 ] || fail "the job ended with status $job_status: $(cat "$home/job.out")"
  thaw
  grep -qx 'status 0' "$home/job.out" || fail "the program failed: $(cat "$home/job.out")"
  until_true profile_has true || fail "no whole profile after the store answered: $(find "$profiles" -type f)"
  "$shared/huddle/huddle" show "$(recorded_profile)" >/dev/null || fail "the profile can't be read"
  until_true nothing_is_left_of_it || fail "left are couriers: $(couriers), spools: $(spools)"
done

case_begins "what is known of ranks on all nodes is kept if they are killed, and nothing else is left"
rm -rf "$profiles/nobody/recorded"
recorded_job srun >"$shared/job.sh"
for victim in job slurmstepd; do
  job=$(on_site sbatch --parsable --energy-aggregate=profile "$shared/job.sh" 2>"$site_scratch/err")
  until_true profile_has false || fail "no profile of a run that goes on"
  if [ $victim = job ]; then
    on_site scancel "$job"
  else
    pkill -KILL -f "^slurmstepd: \[$job\.0\]" || fail "no slurmstepd of job $job"
    sleep 1
    on_site scancel "$job"
  fi
  wait_for_job "$job"
  until_true nothing_is_left_of_it || fail "left are couriers: $(couriers), spools: $(spools)"
  profile_has false || fail "a killed run left no profile"
  "$shared/huddle/huddle" show --check "$(recorded_profile)" >/dev/null || fail "the profile of a killed run can't be read"
  ranks=$(grep -oE '"node": *"n[0-7]"' "$(recorded_profile)" | wc -l)
  [ "$ranks" -eq 16 ] || fail "the profile of a killed run has records of $ranks of 16 ranks"
  rm -rf "$profiles/nobody/recorded"
done

case_begins "couriers of a user on a node don't pile up while the store hangs"
site_in_steps='' write_policy </dev/null
cat >"$shared/step.sh" <<SCRIPT
#!/bin/bash
touch $home/began-\$SLURM_STEP_ID
while [ ! -e $home/go ]; do sleep 0.1; done
[ -n "\${HUDDLE_SPOOL:-}" ] || exit 0
mkdir -p "\$HUDDLE_SPOOL/nobody/crowd/8" && echo line >"\$HUDDLE_SPOOL/nobody/crowd/8/said-step"
SCRIPT
cat >"$shared/job.sh" <<SCRIPT
#!/bin/bash
#SBATCH --nodes=1 --ntasks=8 --job-name=crowd --output=$home/job.out
for step in {1..20}; do srun --overlap --ntasks=1 $shared/step.sh || echo failed & done
wait
SCRIPT
chmod 0755 "$shared/step.sh"
rm -f "$home"/began-* "$home/go" "$home/job.out"
job=$(on_site sbatch --parsable --energy-aggregate=profile "$shared/job.sh" 2>"$site_scratch/err")
all_have_begun() { [ "$(find "$home" -name 'began-*' | wc -l)" -eq 20 ]; }
until_true all_have_begun || fail "not all steps began: $(cat "$site_scratch/err" "$home/job.out")"
freeze
touch "$home/go"
wait_for_job "$job"
[ "$job_status" -eq 0 ] || fail "the job ended with status $job_status: $(cat "$home/job.out")"
crowd=$(wc -w <<<"$(couriers)")
printf '  couriers that wait: %d\n' "$crowd"
{ [ "$crowd" -ge 10 ] && [ "$crowd" -le 16 ]; } || fail "$crowd couriers wait for the store, expected 10 to 16"
! grep -q failed "$home/job.out" || fail "a step failed: $(cat "$home/job.out")"
thaw
until_true nothing_is_left_of_it || fail "left are couriers: $(couriers), spools: $(spools)"
grep -q '^not measured: this user has 16 processes on this node' "$profiles/nobody/crowd/8/said-$job."* || fail "no step's record says why it is not measured: $(find "$profiles/nobody/crowd")"
site_in_steps=true write_policy </dev/null

case_begins "what makes plans in the background does not pile up"
submit --energy-aggregate --job-name=piled < <(halo_job srun)
expect_success; expect_one_line 'measured'
halo_job srun >"$shared/job.sh"
freeze
for ((submission = 0; submission < 6; submission++)); do
  since=$(now_ms)
  job=$(on_site sbatch --parsable --hold --output=/dev/null --energy-aggregate --job-name=piled "$shared/job.sh" 2>"$site_scratch/err")
  within $((2 * usual + 4500)) "submission $submission"
  job_errors=$(cat "$site_scratch/err")
  expect_one_line 'left as submitted: (the plan for this job is still being made|the store does not answer|.* took longer than 2 s)'
  on_site scancel "$job"
done
[ "$(is_stuck huddle)" -le 2 ] || fail "$(is_stuck huddle) processes of huddle's hang: $(stuck)"
thaw

case_begins "nothing is left when the store answers again"
deadline=$((SECONDS + 30))
while [ -n "$(stuck)" ] && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.1; done
[ -z "$(stuck)" ] || fail "still held: $(stuck)"
[ -z "$(on_site squeue --noheader)" ] || fail "jobs are left: $(on_site squeue --noheader)"
expect_idle_nodes
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8|withdrawn'

finish
