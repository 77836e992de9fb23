#!/usr/bin/env bash
# srun-aggregate on a real Slurm that has no plugin: measured first, then on the same nodes and cores as the plugin would
# choose, and the words after "--" are never changed.
# usage: srun_aggregate_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../spank_plugin/site.sh"
. "$here/../spank_plugin/plugin/expectations.sh"
. "$here/bare_site.sh"
start_bare_site "srun-aggregate-$$" "$1"

halo=("$shared/programs/halo_exchange" --iterations 40 --rest-ms 20 --placement "$home/placement")
aggregate() { # the arguments before "--"
  rm -f "$home/placement"
  as_user "$wrappers/srun-aggregate" "$@" -- "${halo[@]}"
}
# Lines of huddle's that match; the command is one of them.
expect_line() { grep -qE "^huddle: .*$1" <<<"$job_errors" || fail "expected a line that matches: $1"; }

case_begins "off, and an option that places ranks, leave the ranks alone"
aggregate --energy-aggregate=off --nodes=4 --ntasks=16
expect_success; expect_nodes 4; expect_profiles 0; expect_silence
aggregate --nodes=4 --ntasks=16 --distribution=cyclic
expect_success; expect_nodes 4; expect_profiles 0; expect_line 'left as requested: you ask for it yourself \(--distribution\)'

case_begins "the first run is measured as requested"
aggregate --nodes=8 --ntasks=16 --job-name=halo
expect_success; expect_nodes 8; expect_profiles 1
expect_line 'this run is measured: there is no profile of "halo" with 16 ranks yet'
expect_line 'srun --nodes=8 --ntasks=16 --job-name=halo -- '

case_begins "the next one is packed onto nodes of its own, each rank where the plan puts it"
aggregate -N 8 -n16 -Jhalo
expect_success; expect_line 'packed onto 2 of 8 nodes \(2:2:2\)'; expect_nodes 2; expect_placed_as_planned
expect_line 'salloc -Jhalo --nodes=2 --ntasks=16 --ntasks-per-node=8 --exclusive '
expect_line 'srun -Jhalo --ntasks=16 --distribution=arbitrary'

case_begins "inside an allocation of whole nodes it uses some of these"
rm -f "$home/placement"
as_user salloc --nodes=8 --ntasks=16 --exclusive --job-name=halo "$wrappers/srun-aggregate" -- "${halo[@]}"
expect_success; expect_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

case_begins "what the batch job itself asks for holds in it: its distribution, its ranks of several cores"
aggregate_job() {
  printf '#!/bin/bash\n#SBATCH --nodes=8 --ntasks=16 --job-name=halo --exclusive\nrm -f %q\n' "$home/placement"
  printf '%q ' env "${here_is_huddle[@]}" "$wrappers/srun-aggregate" -- "${halo[@]}"
}
submit --distribution=cyclic < <(aggregate_job)
expect_success; expect_in_output 'left as requested: you place the ranks yourself \(SLURM_DISTRIBUTION\)'; expect_nodes 8
submit --cpus-per-task=2 < <(aggregate_job)
expect_success; expect_in_output 'left as requested: its ranks have several cores \(SLURM_CPUS_PER_TASK\)'; expect_nodes 8

case_begins "a name may hold anything, and a user without HOME has one all the same"
without_home=(env --unset=HOME)
[[ $(mpirun.openmpi --version) != *"(Open MPI) "[5-9]* ]] || without_home=() # whose programs do not start without one
as_user "${without_home[@]}" "$wrappers/srun-aggregate" --nodes=2 --ntasks=2 --job-name=$'two\nlines' -- "${halo[@]}"
expect_success
[ -n "$(find "$profiles" -path '*/two%0Alines/2/profile-*')" ] || fail "there is no profile of it"
rm -rf "$profiles"/*/two*

case_begins "inside an allocation of some cores the ranks run as requested"
rm -f "$home/placement"
as_user salloc --nodes=8 --ntasks=16 --job-name=halo "$wrappers/srun-aggregate" -- "${halo[@]}"
expect_success; expect_line 'left as requested: the allocation does not hold whole nodes'; expect_nodes 8

case_begins "mpirun-aggregate in a batch script follows the plan where the job has whole nodes"
mpirun_job() {
  printf '#!/bin/bash\n#SBATCH --nodes=8 --ntasks=16 --job-name=halo\nrm -f %q\n' "$home/placement"
  printf '%q ' env "${here_is_huddle[@]}" "$wrappers/mpirun-aggregate" -- "${halo[@]}"
}
submit --exclusive < <(mpirun_job)
expect_success; expect_in_output 'huddle: packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned
submit < <(mpirun_job)
expect_success; expect_in_output 'huddle: left as requested: the allocation does not hold whole nodes'; expect_nodes 8
expect_not_in_output 'packed'

case_begins "steps of jobs leave records, as they do under the plugin, and their ranks see nothing of it"
records() { # ERE: how many records match
  { grep -lE "$1" "$profiles"/nobody/halo/16/outcome-* || true; } | wc -l
}
ended='"end":\{"elapsed_s":[0-9.]+,"status":0'
[ "$(records '"treatment":"packed".*"nodes":2.*"program":"halo_exchange".*'"$ended"'.*"pattern":"2:2:2"')" -eq 3 ] ||
  fail "there is no record with its end of each packed step: $(cat "$profiles"/nobody/halo/16/outcome-*)"
[ "$(records '"treatment":"left".*allocation does not hold whole nodes.*"nodes":8.*'"$ended")" -eq 2 ] ||
  fail "there is no record of the steps that were left as requested: $(cat "$profiles"/nobody/halo/16/outcome-*)"
as_user "$wrappers/../../huddle/huddle" report --store "$profiles"
expect_success; grep -qE '^halo +0 +3 +0 +4 ' <<<"$job_output" || fail "huddle report: $job_output"
as_user salloc --nodes=8 --ntasks=16 --exclusive --job-name=halo "$wrappers/srun-aggregate" -- env
expect_success; expect_line 'packed onto 2 of 8'; ! grep -E '^launch_|libhuddle_launcher' <<<"$job_output" || fail "ranks see it"
as_user salloc --nodes=8 --ntasks=16 --exclusive --job-name=halo "$wrappers/srun-aggregate" -- false
[ "$job_status" -eq 1 ] || fail "the status is $job_status"
[ "$(records '"program":"false".*"status":1')" -eq 1 ] || fail "there is no record of a step that failed"

case_begins "advice changes nothing"
aggregate --energy-aggregate=advise --nodes=8 --ntasks=16 --job-name=halo
expect_success; expect_nodes 8; expect_profiles 1
grep -q 'chosen *2:2:2' <<<"$job_errors" || fail "no table of patterns"

case_begins "a plan of the user's own is followed, and one for other ranks is not"
plan=$(find "$profiles" -name 'plan-*.json' | head -n 1)
aggregate "--energy-aggregate=plan=$plan" --nodes=8 --ntasks=16
expect_success; expect_nodes 2
aggregate "--energy-aggregate=plan=$plan" --nodes=4 --ntasks=8
expect_success; expect_nodes 4; expect_line 'left as requested: the plan .* is not for 8 ranks'

case_begins "arguments reach the program as they are, measured, packed and left"
cat >"$shared/show_arguments" <<'SCRIPT'
#!/bin/bash
if [ "$SLURM_PROCID" = 0 ]; then printf '<%s>\n' "$@"; fi
SCRIPT
chmod 0755 "$shared/show_arguments"
arguments=("two words" "it's" '"quoted"' '$HOME' '*' "" $'two\nlines' 'back\slash' -- --nodes=1 '%s' 'a=b' ';')
expected=$(printf '<%s>\n' "${arguments[@]}")
for words in profile "plan=$plan" off; do
  as_user "$wrappers/srun-aggregate" "--energy-aggregate=$words" --nodes=8 --ntasks=16 -- "$shared/show_arguments" "${arguments[@]}"
  expect_success
  [ "$job_output" = "$expected" ] || fail "with $words the program got: $job_output"
done

case_begins "the exit status is the program's"
for words in profile "plan=$plan" off; do
  as_user "$wrappers/srun-aggregate" "--energy-aggregate=$words" --nodes=8 --ntasks=16 -- bash -c 'exit 23'
  [ "$job_status" -eq 23 ] || fail "with $words the status is $job_status"
done

case_begins "Ctrl-C on a terminal reaches the program, packed or not"
cat >"$shared/wait" <<SCRIPT
#!/bin/bash
if [ "\$SLURM_PROCID" != 0 ]; then  # a rank that died of the signal would let srun kill the first one before it speaks
  trap '' INT
  for _ in {1..400}; do grep -q interrupted "$home/said" && exit 9; sleep 0.2; done
fi
trap 'echo interrupted >"$home/said"; exit 9' INT
echo ready >"$home/said"
while true; do sleep 0.1; done
SCRIPT
chmod 0755 "$shared/wait"
for words in profile "plan=$plan"; do
  rm -f "$home/said"
  timeout 80 python3 "$here/press_control_c.py" "$home/said" "$tests_directory/cluster/exec" --name "$site_name" -- \
    env "${here_is_huddle[@]}" "$wrappers/srun-aggregate" "--energy-aggregate=$words" --nodes=8 --ntasks=16 \
    -- "$shared/wait" >"$site_scratch/out" 2>&1 || fail "with $words: $(tail -n 5 "$site_scratch/out")"
done

case_begins "whatever is wrong with Huddle, the ranks run as requested and a line says why"
broken() { # VARIABLE=VALUE...
  rm -f "$home/placement"
  as_user "$@" "$wrappers/srun-aggregate" --nodes=8 --ntasks=16 --job-name=halo -- "${halo[@]}"
  expect_success; expect_nodes 8
}
broken HUDDLE_COMMAND=/bin/false; expect_line 'left as requested: huddle plan ended with status 1'
broken HUDDLE_MACHINE=/dev/null; expect_line 'left as requested: huddle plan ended with status 1: /dev/null: .*regular file'
forget_runs
broken HUDDLE_RECORDER=/no/recorder.so; expect_line 'left as requested: the recorder /no/recorder.so'
broken HUDDLE_STORE=/no/store; expect_line 'left as requested: the profile directory /no/store does not exist'
printf '#!/bin/sh\necho rubbish\n' >"$shared/rubbish" && chmod 0755 "$shared/rubbish"
broken HUDDLE_COMMAND="$shared/rubbish"; expect_line 'left as requested: the answer of huddle plan is not understood'

case_begins "the site's policy holds where the user says nothing, and its limits in any case"
site_toml() { printf 'slowdown = "5%%"\nexplore = "trial"\n%s\n[profiles]\ndirectory = "%s"\n[machine]\nfile = "%s"\n%s\n' "$1" "$profiles" "$shared/machine.json" "${2:-}" >"$shared/site.toml"; }
by_policy=(env -u HUDDLE_STORE -u HUDDLE_MACHINE -u HUDDLE_EXPLORE "HUDDLE_POLICY=$shared/site.toml")
under_policy() { rm -f "$home/placement" && as_user "${by_policy[@]}" "$wrappers/srun-aggregate" "$@" -- "${halo[@]}"; }
forget_runs
site_toml ''
under_policy --nodes=8 --ntasks=16 --job-name=policy
expect_success; expect_nodes 8; expect_profiles 1; expect_line 'this run is measured'
under_policy --nodes=8 --ntasks=16 --job-name=policy
expect_success; expect_nodes 2; expect_line 'packed onto 2 of 8 nodes'
site_toml '' $'[limits]\nleast_nodes = 4'
under_policy --nodes=8 --ntasks=16 --job-name=policy
expect_success; expect_nodes 4; expect_line 'packed onto 4 of 8 nodes'
site_toml '' $'[limits]\nmodes = ["off", "advise"]'
under_policy --nodes=8 --ntasks=16 --job-name=policy
expect_success; expect_nodes 8; expect_line 'left as requested: the site does not allow auto, it allows off, advise'
site_toml '' $'[limits]\nslowdown = "3%"'
under_policy --energy-aggregate=slowdown=4% --nodes=8 --ntasks=16 --job-name=policy
expect_success; expect_line "slowdown is cut to the site's limit of 0.03"
site_toml 'enabled = false'
under_policy --nodes=8 --ntasks=16 --job-name=policy
expect_success; expect_nodes 8; expect_line 'left as requested: Huddle is switched off here'
echo 'slowdown = 5 %' >"$shared/site.toml"
under_policy --nodes=8 --ntasks=16 --job-name=policy
expect_success; expect_nodes 8; expect_line "left as requested: the site's policy can't be used: "

case_begins "mistakes in the words are reported before anything runs"
as_user "$wrappers/srun-aggregate" --energy-aggregate=fast --nodes=8 -- touch "$home/ran"
[ "$job_status" -eq 2 ] && [ ! -e "$home/ran" ] || fail "status $job_status"
expect_line '"fast" is not known, it takes off, profile'
as_user "$wrappers/srun-aggregate" --energy-aggregate=slowdown=much --nodes=8 -- touch "$home/ran"
[ "$job_status" -eq 2 ] && [ ! -e "$home/ran" ] || fail "status $job_status"
expect_line 'slowdown takes a share such as 3% or 0.03'
as_user "$wrappers/srun-aggregate" --energy-aggregate profile --nodes=8 -- touch "$home/ran"
[ "$job_status" -eq 2 ] && [ ! -e "$home/ran" ] || fail "status $job_status"
expect_line 'write --energy-aggregate=profile, with an equals sign'
as_user "$wrappers/srun-aggregate" --nodes=8 touch "$home/ran"
[ "$job_status" -eq 2 ] && [ ! -e "$home/ran" ] || fail "status $job_status"

finish
