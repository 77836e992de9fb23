#!/usr/bin/env bash
# The main job on a real Slurm: measured once, then packed, as sbatch, salloc and srun users do it.
# usage: main_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
start_site "main-job-$$" "$1"

case_begins "a job without the option is left alone and gets no message"
submit < <(halo_job srun)
expect_success; expect_silence; expect_nodes 8; expect_profiles 0

case_begins "the first run with the bare option is measured as submitted"
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'measured'; expect_nodes 8; expect_profiles 1
"$shared/huddle/huddle" show --check "$(profile_files)" || fail "the stored profile is not valid"
[ "$("$shared/huddle/huddle" show "$(profile_files)" | grep -c '^state *complete')" -eq 1 ] || fail "the profile is not complete"

case_begins "the profile describes the run"
diff <("$shared/huddle/huddle" show --json "$(profile_files)" | tr -d ' \n' | grep -oE '"rank":[0-9]+,"node":"[^"]*","pus":"[^"]*"' |
  sed -E 's/"rank":([0-9]+),"node":"([^"]*)","pus":"([^"]*)"/\1 \2 \3/') <(sort -n "$home/placement") ||
  fail "the profile's placement is not what the ranks read themselves"

case_begins "the next run is packed onto fewer nodes, each rank bound as the plan says"
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8 nodes \(2:2:2\)'; expect_nodes 2; expect_placed_as_planned
expect_profiles 1

case_begins "a packed job says so in its comment, unless its user wrote one, and in its own output where the site wants that"
says_comment() { halo_job "$1" && echo "scontrol --oneliner show job \$SLURM_JOB_ID | grep -o 'Comment=huddle:[^=]*%\|Comment=[^ ]*' || true"; }
submit --energy-aggregate < <(says_comment srun)
expect_success; expect_nodes 2; expect_in_output '^Comment=huddle:packed 8->2 2:2:2 [+-][0-9.]+%'; expect_not_in_output '^huddle'
site_in_steps=true
write_policy </dev/null
for launcher in srun ${steered_mpirun:+mpirun}; do
  submit --energy-aggregate < <(says_comment $launcher)
  expect_success; expect_nodes 2
  expect_in_output '^huddle: .*packed onto 2 of 8 nodes \(2:2:2\), predicted '
  [ "$(grep -c '^huddle: ' <<<"$job_output")" -eq 1 ] || fail "$launcher: expected one line of huddle's in the job's output"
  expect_in_output '^Comment=huddle:packed 8->2 2:2:2 [+-][0-9.]+%'
done
submit --energy-aggregate --comment=mine < <(says_comment srun)
expect_success; expect_in_output '^Comment=mine$'
(write_policy <<<'announce = false')
submit --energy-aggregate < <(says_comment srun)
expect_success; expect_nodes 2; expect_not_in_output 'huddle'
site_in_steps=
write_policy </dev/null

case_begins "the option in the script works as on the command line"
submit < <(halo_job srun | sed 's/--ntasks=16/& --energy-aggregate=auto/')
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

case_begins "packed ranks send less than half of the default order's bytes between nodes"
traffic_of() {
  local before
  before=$(bytes_between_nodes)
  submit "$@" < <(halo_job srun | sed 's/--iterations 40/--iterations 400/')
  traffic=$(($(bytes_between_nodes) - before))
}
traffic_of --energy-aggregate
packed=$traffic
traffic_of --energy-aggregate=off --nodes=2
echo "  packed $packed bytes, default order $traffic bytes"
[ $((2 * packed)) -lt "$traffic" ] || fail "packed: $packed bytes between nodes, default order: $traffic"

case_begins "advise prints the plan and changes nothing"
submit --energy-aggregate=advise < <(halo_job srun)
expect_success; expect_nodes 8; expect_profiles 1
grep -q 'chosen *2:2:2' <<<"$job_errors" || fail "no table of patterns"

if [ -n "$steered_mpirun" ]; then

case_begins "mpirun in the batch script follows the plan, too"
submit --energy-aggregate < <(halo_job mpirun)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

case_begins "mpirun that places ranks itself, or starts another number of them, works as written"
submit --energy-aggregate=nodes=fewer < <(halo_job mpirun --map-by node)
expect_success; expect_nodes 2
submit --energy-aggregate=nodes=fewer < <(halo_job mpirun -n 4)
expect_success
submit --energy-aggregate=nodes=fewer < <(halo_job mpirun --oversubscribe -n 18)
expect_success

case_begins "mpirun is measured as srun is"
forget_runs
submit --energy-aggregate=profile < <(halo_job mpirun)
expect_success; expect_one_line 'measured'; expect_profiles 1

else

case_begins "a script whose mpirun is Open MPI 5's is left as submitted, without a word of Open MPI's"
submit --energy-aggregate < <(halo_job mpirun)
expect_success; expect_one_line "left as submitted: its mpirun is Open MPI 5's"; expect_nodes 8; expect_not_in_output 'MCA variable'

fi

case_begins "salloc is packed like sbatch"
forget_runs
run_salloc() {
  rm -f "$home/placement" "$home/plan"
  job_status=0
  on_site salloc --nodes=8 --ntasks=16 --job-name=halo --energy-aggregate \
    srun "$shared/programs/halo_exchange" --iterations 40 --placement "$home/placement" \
    >"$site_scratch/out" 2>"$site_scratch/err" || job_status=$?
  job_output=$(cat "$site_scratch/out") job_errors=$(cat "$site_scratch/err")
}
run_salloc
expect_success; expect_one_line 'measured'; expect_nodes 8; expect_profiles 1
run_salloc
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

case_begins "srun on its own is packed in rank order, since its nodes have no names yet"
forget_runs
run_srun() {
  rm -f "$home/placement" "$home/plan"
  job_status=0
  on_site srun --nodes=8 --ntasks=16 --job-name=halo --energy-aggregate \
    "$shared/programs/halo_exchange" --order natural --iterations 40 --placement "$home/placement" \
    >"$site_scratch/out" 2>"$site_scratch/err" || job_status=$?
  job_output=$(cat "$site_scratch/out") job_errors=$(cat "$site_scratch/err")
}
run_srun
expect_success; expect_one_line 'measured'; expect_nodes 8; expect_profiles 1
run_srun
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

sized_job() { halo_job srun | sed "s/--nodes=8 --ntasks=16/--nodes=$1 --ntasks=$2/"; }

case_begins "few ranks are packed onto one package of one node, and bound there"
submit --energy-aggregate < <(sized_job 4 4)
expect_success; expect_one_line 'measured'; expect_nodes 4
submit --energy-aggregate < <(sized_job 4 4)
expect_success; expect_one_line 'packed onto 1 of 4 nodes \(1:2:2\)'; expect_nodes 1; expect_placed_as_planned

case_begins "a number of ranks that fills no node evenly is packed, the last node less full"
submit --energy-aggregate < <(sized_job 6 11)
expect_success; expect_one_line 'measured'; expect_nodes 6
submit --energy-aggregate < <(sized_job 6 11)
expect_success; expect_one_line 'packed onto 2 of 6'; expect_nodes 2; expect_placed_as_planned
if [ -n "$steered_mpirun" ]; then
  submit --energy-aggregate < <(sized_job 6 11 | sed 's/^srun/mpirun/')
  expect_success; expect_one_line 'packed onto 2 of 6'; expect_nodes 2; expect_placed_as_planned
fi

case_begins "the Fortran program is measured and packed like its C++ twin"
forget_runs
fortran_job() { halo_job srun | sed 's/halo_exchange/halo_exchange_fortran/'; }
submit --energy-aggregate < <(fortran_job)
expect_success; expect_one_line 'measured'
submit --energy-aggregate < <(fortran_job)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned

finish
