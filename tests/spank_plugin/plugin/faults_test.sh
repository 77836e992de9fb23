#!/usr/bin/env bash
# Whichever call of Slurm fails, throws, or runs out of memory, in whichever hook: the job runs, and the site stays intact.
# usage: faults_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
start_site "faults-$$" "$1"
plugin=$shared/huddle/spank_huddle.so
faults=$plugin.faults # the calls that fail, for the faulty plugin to read

# Hundreds of jobs: as small as packing allows.
small_job() { halo_job srun | sed 's/--nodes=8 --ntasks=16/--nodes=4 --ntasks=4/; s/--iterations 40/--iterations 5/'; }

slurm_calls() { nm --dynamic --undefined-only "$1" | awk '$2 ~ /^(spank|slurm)_/ {print $2}' | sort; }

case_begins "every call of Slurm that the plugin makes can be made to fail"
wrapped=$(nm "$1/lib/spank_huddle_faulty.so" | sed -n 's/.* __wrap_//p' | sort)
unexpected=$(comm -23 <(slurm_calls "$plugin") <(echo "$wrapped") | grep -vxE 'slurm_(spank_log|info|error|strerror|hostlist_destroy|list_[a-z_]+|free_[a-z_]+)' || true)
[ -z "$unexpected" ] || fail "faults.cpp does not know: $unexpected"

# A measured run and a packed one leave a plan, which every later job follows if nothing fails.
submit --energy-aggregate < <(small_job)
submit --energy-aggregate < <(small_job)
expect_one_line 'packed onto 1 of 4'
calls=$(comm -12 <(slurm_calls "$plugin") <(echo "$wrapped"))
install -m 0755 "$1/lib/spank_huddle_faulty.so" "$plugin"

# As the site's default, for without its option Slurm does not know --energy-aggregate either.
write_policy <<<'mode = "auto"'

under_fault() { # LINE OF $faults, OPTIONS OF sbatch
  echo "$1" >"$faults"
  submit "${@:2}" < <(small_job)
  rm "$faults"
  expect_success
  [ -s "$home/placement" ] || fail "under \"$1\" the ranks did not run"
}

for call in $calls; do
  case_begins "$call fails, or throws"
  under_fault "fail $call"
  under_fault "throw $call"
  case $call in
    spank_context | spank_option_register) ;;
    *) under_fault "throw $call" --energy-aggregate=profile ;;
  esac
done

# Options on the command line of srun or salloc are handled by other code than those of a batch script.
directly_under_fault() { # LINE OF $faults, COMMAND OF SLURM, ITS OPTIONS, -- PROGRAM
  echo "$1" >"$faults"
  shift
  rm -f "$home/placement"
  job_status=0
  job_output=$(on_site timeout 60 "${@:1:1}" --nodes=4 --ntasks=4 --job-name=halo "${@:2}" 2>"$site_scratch/direct.err") || job_status=$?
  job_errors=$(cat "$site_scratch/direct.err")
  rm "$faults"
  expect_success
  [ -s "$home/placement" ] || fail "the ranks did not run"
}
halo=("$shared/programs/halo_exchange" --iterations 5 --placement "$home/placement")
for call in $calls; do
  case_begins "$call throws in an srun of its own, and fails in salloc"
  directly_under_fault "throw $call" srun "${halo[@]}"
  directly_under_fault "fail $call" salloc srun "${halo[@]}"
done

case_begins "memory runs out, sooner or later"
for allocation in 1 3 20 100 1000; do under_fault "new $allocation" --energy-aggregate; done

case_begins "the failure is reported"
under_fault "throw spank_context"
grep -q 'an unknown error' <<<"$job_errors" || fail "expected a line about an unknown error"
under_fault "new 1"
grep -q 'bad_alloc' <<<"$job_errors" || fail "expected a line about std::bad_alloc"

case_begins "without a fault the same plugin packs"
submit --energy-aggregate < <(small_job)
expect_success; expect_one_line 'packed onto 1 of 4'; expect_nodes 1

case_begins "no node was drained, and nothing hangs"
expect_idle_nodes
[ -z "$(on_site squeue -h)" ] || fail "jobs are left in the queue"

finish
