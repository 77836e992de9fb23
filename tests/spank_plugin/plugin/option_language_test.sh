#!/usr/bin/env bash
# The values of --energy-aggregate and HUDDLE_ENERGY_AGGREGATE, and the answers to them.
# usage: option_language_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true
start_site "option-language-$$" "$1"
halo_job srun >"$shared/halo.sh"
chmod 0644 "$shared/halo.sh"

# Submits a job and cancels it at once: only the message matters. Arguments: VARIABLE=VALUE..., then options of sbatch.
ask() {
  local variables=() job
  while [ $# -gt 0 ] && [[ $1 =~ ^[A-Z_]+= ]]; do variables+=("$1"); shift; done
  job_status=0
  job=$(on_site env "${variables[@]}" sbatch --parsable --hold --output=/dev/null "$@" "${script-$shared/halo.sh}" \
    2>"$site_scratch/err") || job_status=$?
  job_errors=$(cat "$site_scratch/err") job_output=$job
  [ -z "$job" ] || on_site scancel "$job"
}
expect_refusal() { # pattern
  [ "$job_status" -ne 0 ] || fail "the submission was not stopped"
  [ -z "$job_output" ] || fail "there is a job $job_output"
  expect_one_line "$1"
  grep -q 'error: Invalid --energy-aggregate argument' <<<"$job_errors" || fail "Slurm names no option"
}

case_begins "the option is in the help of sbatch, with its modes"
on_site sbatch --help >"$site_scratch/help" 2>&1
grep -q -- '--energy-aggregate=mode\[,key=value...\]' "$site_scratch/help" || fail "no option in the help"
grep -A4 -- '--energy-aggregate=' "$site_scratch/help" | tr -s ' \n' ' ' >"$site_scratch/usage"
grep -q 'off, profile (only measure), advise (only tell) or auto' "$site_scratch/usage" || fail "no modes in the help"
[ "$(awk 'length > 80' "$site_scratch/help" | grep -c energy || true)" -eq 0 ] || fail "lines longer than Slurm's"

case_begins "a mistyped option stops the submission, and the allowed values are listed"
ask --energy-aggregate=fast
expect_refusal '"fast" is not known, it takes off, profile, advise or auto, and behind it, .*slowdown=, objective='
ask --energy-aggregate=auto,slowdown=fast
expect_refusal 'slowdown=fast is not understood, slowdown takes a share such as 3%'
ask --energy-aggregate=samples=1,samples=2
expect_refusal 'samples is there twice'
ask --energy-aggregate=size=large
expect_refusal 'size=large is not understood, size takes a number above 0'
ask --energy-aggregate=plan=/p,profile=/q
expect_refusal 'plan= and profile= contradict each other'
script=$shared/wrong.sh
printf '#!/bin/bash\n#SBATCH --energy-aggregate=objective=power\ntrue\n' >"$script"
chmod 0644 "$script"
ask
expect_refusal 'objective takes energy, edp or time'
unset script
for command in "srun -n1" "salloc -n1"; do
  job_status=0 job_output=
  job_errors=$(on_site $command --energy-aggregate=nodes=4 true 2>&1) || job_status=$?
  expect_refusal 'nodes takes keep'
done
[ -z "$(on_site squeue -h)" ] || fail "a mistyped option left a job"

case_begins "a mistyped option of a step inside a job harms nothing"
submit <<SCRIPT
#!/bin/bash
srun -n1 --energy-aggregate=fast echo the step ran
SCRIPT
expect_success; expect_in_output 'the step ran'; expect_in_output 'huddle: --energy-aggregate: "fast" is not known.*; this step'

case_begins "a mistake in the variable is reported, and the job runs as submitted"
ask HUDDLE_ENERGY_AGGREGATE=advise,speed=3
expect_success; expect_one_line 'left as submitted: HUDDLE_ENERGY_AGGREGATE: "speed=3" is not known'

case_begins "the variable is the option's default, and the option wins"
ask HUDDLE_ENERGY_AGGREGATE=profile
expect_success; expect_one_line 'this run is measured, its profile goes to'
ask HUDDLE_ENERGY_AGGREGATE=off
expect_success; expect_silence
ask HUDDLE_ENERGY_AGGREGATE=off --energy-aggregate
expect_success; expect_one_line 'this run is measured: there is no profile'
ask HUDDLE_ENERGY_AGGREGATE=off,label=mine --energy-aggregate=slowdown=3%
expect_success; expect_one_line 'there is no profile of "mine" with 16 ranks'
ask HUDDLE_ENERGY_AGGREGATE=auto --energy-aggregate=off
expect_success; expect_silence

case_begins "runs are identified by the label that the user gives"
submit --energy-aggregate=label=my-run,size=64x32 < <(halo_job srun)
expect_success; expect_one_line 'no profile of "my-run" with 16 ranks'; expect_profiles 1
grep -q '"problem_size": 2048' "$(profile_files)" || fail "the profile does not say the size that the option said"
ask --energy-aggregate=label=my-run
expect_success; expect_one_line 'packed onto 2 of 8 nodes \(2:2:2\), predicted [-+][0-9.]+ % time'

case_begins "a run of another size is not used for a plan"
ask --energy-aggregate=label=my-run,size=64x64
expect_success; expect_one_line 'measured again: the last run was of size 2048, not of size 4096'
ask HUDDLE_SIZE=100 --energy-aggregate=label=my-run
expect_success; expect_one_line 'measured again: the last run was of size 2048, not of size 100'
ask HUDDLE_SIZE=100 --energy-aggregate=label=my-run,size=2048
expect_success; expect_one_line 'packed onto 2 of 8 nodes'
ask HUDDLE_SIZE=large --energy-aggregate=label=my-run
expect_success; expect_one_line 'packed onto 2 of 8 nodes .*; HUDDLE_SIZE is "large", not a number above 0'

case_begins "sbatch --test-only prints what would be done, and writes nothing"
find "$profiles" | sort >"$site_scratch/before"
ask --test-only --energy-aggregate=label=my-run,slowdown=4%
expect_success; expect_one_line 'packed onto 2 of 8 nodes'
grep -qE '^sbatch: Job [0-9]+ to start at .* on nodes' <<<"$job_errors" || fail "Slurm's answer is not there"
ask --test-only --energy-aggregate
expect_success; expect_one_line 'this run is measured: there is no profile of "halo"'
find "$profiles" | sort | diff "$site_scratch/before" - || fail "--test-only wrote to the store"

case_begins "a plan is made from a user's own profile"
profile=$(profile_files)
ask --energy-aggregate=profile="$profile"
expect_success; expect_one_line 'packed onto 2 of 8 nodes'
ask --energy-aggregate=profile=/nowhere.json
expect_refusal 'profile= names no profile: .*/nowhere.json: No such file or directory; name a profile of a measured run'

case_begins "a user's own plan is followed, if it is for this job"
plan=$home/plan.json
on_site "$shared/huddle/huddle" recommend "$profile" -m "$shared/machine.json" --slowdown 100% --plan "$plan" >/dev/null
chmod 0644 "$plan"
rm -f "$home/placement"
ask --energy-aggregate=plan=~nobody/plan.json # the shell leaves ~ behind = alone
expect_refusal 'plan= names no plan: .*~nobody/plan.json: No such file'
ask --energy-aggregate=plan="$profile"
expect_refusal "plan= names no plan: .*$profile"
ask HUDDLE_ENERGY_AGGREGATE=plan=/nowhere.json
expect_success; expect_one_line 'left as submitted: .*/nowhere.json'
submit --energy-aggregate=plan="$plan" < <(halo_job srun)
expect_success; expect_one_line "laid out on [0-9]+ of 8 nodes \([0-9:]+\) by your plan $plan"
"$shared/huddle/huddle" emit "$plan" --as openmpi --hosts "$(seq -s, 0 7)" |
  sed -E 's/^rank ([0-9]+)=([0-9]+) slot=(.*)$/\1 \2 \3/' | number_nodes |
  diff - <(sort -n "$home/placement" | number_nodes) || fail "ranks are not where the user's plan puts them"
ask --energy-aggregate=plan="$plan" --ntasks=12
expect_success; expect_one_line 'left as submitted: your plan .* is for 16 ranks and the job has 12'
ask --energy-aggregate=plan="$plan" --nodes=1
expect_success; expect_one_line '(more nodes than the 1 asked for|it uses one node only)'

case_begins "a job that keeps its nodes is not packed, but measured and advised"
ask --energy-aggregate=nodes=keep,label=my-run
expect_success; expect_one_line 'left as submitted: you keep your nodes \(nodes=keep\)'
ask --energy-aggregate=profile,nodes=keep,label=my-run
expect_success; expect_one_line 'this run is measured'

finish
