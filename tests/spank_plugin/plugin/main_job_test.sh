#!/usr/bin/env bash
# The main job on a real Slurm, on a site as the packages and `huddle setup` make it: measured as submitted, measured on nodes filled in different
# ways, packed, and packed again, which confirms what the plan promised; as users of sbatch, salloc and srun do it, by srun and by
# Open MPI's mpirun. (Debian 12's MPICH does not end on several nodes that share a machine, also without Huddle.)
# usage: main_job_test.sh BUILD, after tests/packaging/make_packages BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
from_packages "$1" "$here/main_job_test.sh" "$(realpath "$1")"
. "$here/expectations.sh"
start_site "main-job-$$" "$1"
set_up_policy "80%" </dev/null
export SBATCH_PARTITION=whole SALLOC_PARTITION=whole SLURM_PARTITION=whole # as on most sites, jobs get whole nodes

# The four runs of a job that its user submits again and again. Then $job_output is that of the last one. Arguments: the numbers
# of nodes as submitted, in the second run, and packed, and the plan's pattern; a function that submits, with its arguments.
expect_main_job() {
  local submitted=$1 mixed=$2 packed=$3 pattern=$4
  shift 4
  "$@"
  expect_success; expect_one_line 'this run is measured, 1 of at most 2'; expect_nodes "$submitted"; expect_profiles 1
  "$@"
  expect_success; expect_one_line "measured on $mixed nodes filled in different ways .*: measured run 2 of 2"
  expect_nodes "$mixed"; expect_places; expect_profiles 2
  for _ in 1 2 3 4 5 6; do
    "$@"
    plan_was_late || break
  done
  expect_success; expect_one_line "packed onto $packed of $submitted nodes \($pattern\), predicted"
  expect_nodes "$packed"; expect_places; expect_profiles 2
  "$@"
  expect_success
  expect_one_line "packed onto $packed of $submitted nodes \($pattern\), predicted .*$(expected_comparison)"
  expect_nodes "$packed"; expect_places
}
# Ranks that rest in each step take about as long on a cluster whose nodes share two cores as on another one.
resting_job() { halo_job "$@" | sed 's/--iterations 40/& --rest-ms 25/'; }
submit_halo() { submit --energy-aggregate < <(resting_job "$@"); }
# As the job that was packed, though its script is another one now.
as_before=--energy-aggregate=label=halo

case_begins "a job without the option is left alone, and its user learns what the option would do"
submit < <(resting_job srun)
expect_success; expect_one_line 'with auto: this run is measured'; expect_nodes 8; expect_profiles 0

case_begins "the first run with the bare option is measured as submitted, and its profile describes it"
submit_halo srun
expect_success; expect_one_line 'measured'; expect_nodes 8; expect_profiles 1
"$huddle" show --check "$(profile_files)" || fail "the stored profile is not valid"
[ "$("$huddle" show "$(profile_files)" | grep -c '^state *complete')" -eq 1 ] || fail "the profile is not complete"
diff <("$huddle" show --json "$(profile_files)" | tr -d ' \n' | grep -oE '"rank":[0-9]+,"node":"[^"]*","pus":"[^"]*"' |
  sed -E 's/"rank":([0-9]+),"node":"([^"]*)","pus":"([^"]*)"/\1 \2 \3/') <(sort -n "$home/placement") ||
  fail "the profile's placement is not what the ranks read themselves"

in_own_order() { [[ $launcher = mpirun && -z $steered_mpirun ]]; }
# Each rank where the plan has it.
expect_places() { in_own_order || expect_placed_as_planned; }
# Nobody learns when ranks of PRRTE's end.
expected_comparison() { in_own_order || echo '; 1 packed run took [+-][0-9.]+ % time'; }
for launcher in ${mpirun_has_programs:+mpirun} srun; do
  case_begins "a job is measured, measured on nodes filled in different ways, packed, and its promise confirmed, $launcher"
  forget_runs
  expect_main_job 8 4 2 2:2:2 submit_halo $launcher
done


case_begins "a packed job says so in its comment, unless its user wrote one, and in its own output where the site wants that"
says_comment() { resting_job "$1" && echo "scontrol --oneliner show job \$SLURM_JOB_ID | grep -o 'Comment=huddle:[^=]*%\|Comment=[^ ]*' || true"; }
submit_until_planned $as_before < <(says_comment srun)
expect_success; expect_nodes 2; expect_in_output '^Comment=huddle:packed 8->2 2:2:2 [+-][0-9.]+%'; expect_not_in_output '^huddle'
sed -i '1i messages = { in_steps = true }' "$policy"
for launcher in srun ${steered_mpirun:+mpirun}; do
  submit_until_planned $as_before < <(says_comment $launcher)
  expect_success; expect_nodes 2
  expect_in_output '^huddle: .*packed onto 2 of 8 nodes \(2:2:2\), predicted '
  [ "$(grep -c '^huddle: ' <<<"$job_output")" -eq 1 ] || fail "$launcher: expected one line of huddle's in the job's output"
  expect_in_output '^Comment=huddle:packed 8->2 2:2:2 [+-][0-9.]+%'
done
submit_until_planned $as_before --comment=mine < <(says_comment srun)
expect_success; expect_in_output '^Comment=mine$'
sed -i 1d "$policy"

case_begins "the option in the script works as on the command line"
submit < <(resting_job srun | sed "s/--ntasks=16/& --energy-aggregate=auto,label=halo/")
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

case_begins "advise prints the plan and changes nothing"
submit_until_planned --energy-aggregate=advise < <(resting_job srun)
expect_success; expect_nodes 8; expect_profiles 2
grep -q 'chosen *2:2:2' <<<"$job_errors" || fail "no table of patterns"
submit_until_planned < <(resting_job srun | sed "s/--ntasks=16/& --energy-aggregate=advise,label=halo/")
expect_success; expect_one_line 'with auto: packed onto 2 of 8'; expect_nodes 8

if [ -n "$steered_mpirun" ]; then

case_begins "mpirun that places ranks itself, or starts another number of them, works as written"
submit_until_planned $as_before,nodes=fewer < <(resting_job mpirun --map-by node)
expect_success; expect_nodes 2
submit_until_planned $as_before,nodes=fewer < <(resting_job mpirun -n 4)
expect_success
submit_until_planned $as_before,nodes=fewer < <(resting_job mpirun --oversubscribe -n 18)
expect_success

elif [ -n "$mpirun_has_programs" ]; then

case_begins "mpirun of Open MPI 5 has no word of Open MPI's to say, and what is preloaded in ranks stays"
submit_until_planned $as_before < <(resting_job mpirun | sed "s/^mpirun/LD_PRELOAD=libm.so.6 &/")
expect_success; expect_nodes 2; expect_not_in_output 'MCA variable|ld\.so'

fi

case_begins "packed ranks send less than half of the default order's bytes between nodes"
traffic_of() {
  local before
  before=$(bytes_between_nodes)
  submit "$@" < <(halo_job srun | sed 's/--iterations 40/--iterations 400/')
  traffic=$(($(bytes_between_nodes) - before))
}
traffic_of $as_before
packed=$traffic
traffic_of --energy-aggregate=off --nodes=2
echo "  packed $packed bytes, default order $traffic bytes"
[ $((2 * packed)) -lt "$traffic" ] || fail "packed: $packed bytes between nodes, default order: $traffic"

case_begins "salloc is packed like sbatch"
forget_runs
run_salloc() {
  rm -f "$home/placement" "$home/plan"
  job_status=0
  [ $# -gt 0 ] || set -- --nodes=8 --ntasks=16
  on_site salloc "$@" --job-name=halo --energy-aggregate \
    srun "$shared/programs/halo_exchange" --iterations 40 --rest-ms 25 --placement "$home/placement" \
    >"$site_scratch/out" 2>"$site_scratch/err" || job_status=$?
  job_output=$(cat "$site_scratch/out") job_errors=$(cat "$site_scratch/err")
}
expect_main_job 8 4 2 2:2:2 run_salloc

case_begins "srun on its own is measured once, and its user learns that sbatch would do more: its nodes have no names yet"
forget_runs
run_srun() {
  rm -f "$home/placement" "$home/plan"
  job_status=0
  on_site srun --nodes=8 --ntasks=16 --job-name=halo --energy-aggregate \
    "$shared/programs/halo_exchange" --order natural --iterations 40 --rest-ms 25 --placement "$home/placement" \
    >"$site_scratch/out" 2>"$site_scratch/err" || job_status=$?
  job_output=$(cat "$site_scratch/out") job_errors=$(cat "$site_scratch/err")
}
run_srun
expect_success; expect_one_line 'this run is measured: there is no profile'; expect_nodes 8; expect_profiles 1
for _ in 1 2 3 4 5 6; do
  run_srun
  plan_was_late || break
done
expect_success; expect_one_line 'left as submitted: .*; a run of the same name by sbatch would'; expect_nodes 8

sized_job() { resting_job srun | sed "s/--nodes=8 --ntasks=16/--nodes=$1 --ntasks=$2/"; }
submit_sized() { submit --energy-aggregate < <(sized_job "$@"); }

case_begins "few ranks are packed as densely as the measured runs cover"
forget_runs
expect_main_job 4 2 2 '1:1:2|1:2:1|2:1:1' submit_sized 4 4

case_begins "a number of ranks that fills no node evenly is packed, the last node less full, also in steps of salloc"
forget_runs
expect_main_job 6 3 2 2:2:2 submit_sized 6 11
run_uneven_salloc() { run_salloc --nodes=6 --ntasks=11; }
forget_runs
expect_main_job 6 3 2 2:2:2 run_uneven_salloc
[ "$(wc -l <"$home/placement")" -eq 11 ] || fail "not 11 ranks: $(cat "$home/placement")"

# Where the site lets a pattern be tried that nothing covers.
write_policy </dev/null
as_soon_as_measured() { # NODES PATTERN: a function that submits
  local nodes=$1 pattern=$2
  shift 2
  "$@"
  expect_success; expect_one_line 'measured'
  for _ in 1 2 3 4 5 6; do
    "$@"
    plan_was_late || break
  done
  expect_success; expect_one_line "packed onto $nodes of [48] nodes \\($pattern\\)"; expect_nodes "$nodes"; expect_placed_as_planned
}
submit_fortran() { submit --energy-aggregate < <(halo_job srun | sed 's/halo_exchange/halo_exchange_fortran/'); }

case_begins "on a site that allows trials few ranks are packed onto one package of one node, and bound there"
forget_runs
as_soon_as_measured 1 1:2:2 submit_sized 4 4

case_begins "on such a site srun on its own is packed in rank order"
forget_runs
as_soon_as_measured 2 2:2:2 run_srun

case_begins "on such a site the Fortran program is measured and packed like its C++ twin"
forget_runs
as_soon_as_measured 2 2:2:2 submit_fortran

finish
