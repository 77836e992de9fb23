#!/usr/bin/env bash
# If the site lacks the nodes that were planned, the job runs as it was submitted.
# usage: missing_nodes_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
start_site "missing-nodes-$$" "$1"
as_root() { timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$@"; }
as_submitted() { # pattern of the line; options of sbatch
  local pattern=$1
  shift
  submit --energy-aggregate "$@" < <(halo_job srun)
  expect_success; expect_one_line "left as submitted: .*$pattern"; expect_nodes 8
}
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_profiles 1

case_begins "nodes that are smaller than the machine document says"
mv "$shared/machine.json" "$shared/machine.true.json"
"$shared/huddle/huddle" machine --topology "package:2 die:2 core:4 pu:1" --nodes 8 --output "$shared/machine.json" 2>/dev/null
as_submitted 'the plan needs 1 node\(s\) with 16 CPUs and partition all has 0 of them'

case_begins "nodes that are larger than the machine document says"
"$shared/huddle/huddle" machine --topology "package:1 die:1 core:4 pu:1" --nodes 8 --output "$shared/machine.json" 2>/dev/null
small_job() { halo_job srun | sed 's/--nodes=8 --ntasks=16/--nodes=4 --ntasks=4/'; }
submit --energy-aggregate < <(small_job)
expect_success; expect_one_line 'measured'
submit --energy-aggregate < <(small_job)
expect_success; expect_nodes 4
expect_one_line 'left as submitted: the plan is for nodes of 1 package with 4 cores, and partition all has nodes of 2 packages with 8 cores: huddle doctor'
mv "$shared/machine.true.json" "$shared/machine.json"

case_begins "a partition whose MinNodes is above the plan's nodes"
as_root scontrol update PartitionName=whole MinNodes=4
as_submitted 'partition whole gives no fewer than 4 nodes' --partition=whole
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2
as_root scontrol update PartitionName=whole MinNodes=1

case_begins "a partition that allows few CPUs of a node"
as_root scontrol update PartitionName=all MaxCPUsPerNode=4
as_submitted 'partition all gives at most 4 CPUs of a node, and a plan needs whole nodes'
as_root scontrol update PartitionName=all MaxCPUsPerNode=UNLIMITED

case_begins "nodes that are chosen by features in a way that only Slurm understands"
as_root scontrol update NodeName=n[0-7] AvailableFeatures=fast,big ActiveFeatures=fast,big
as_submitted 'which nodes --constraint=fast&big leaves is not known' --constraint='fast&big'
submit --energy-aggregate --constraint=fast < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2

case_begins "nodes that are drained or excluded"
as_root scontrol update NodeName=n[1-6] State=DRAIN Reason=test
job_status=0
job=$(on_site sbatch --parsable --hold --output=/dev/null --energy-aggregate --exclude=n7 "$shared/job.sh" 2>"$site_scratch/err") ||
  job_status=$?
job_errors=$(cat "$site_scratch/err") job_output=
on_site scancel "$job"
expect_success
expect_one_line 'left as submitted: the plan needs 2 node\(s\) with 8 CPUs and partition all has 1 of them'
as_root scontrol update NodeName=n[1-6] State=RESUME

case_begins "answers of the controller are kept for submissions with the same options, and no others"
runtime=$shared/runtime
install -d -m 0700 -o nobody "$runtime"
halo_job srun >"$shared/job.sh"
# Asks for the plugin's answer only, not whether Slurm could start the job at all, with nodes that were drained a moment ago.
asks() { on_site env XDG_RUNTIME_DIR="$runtime" sbatch --test-only --energy-aggregate "$@" "$shared/job.sh" 2>&1 || true; }
answers() { find "$runtime/huddle" -type f -printf '%f %i\n' | sort; }
# Answers are kept for seconds, which a busy machine may take for one submission.
for _ in {1..10}; do
  job_errors=$(asks)
  grep -q 'packed onto 2 of 8' <<<"$job_errors" || fail "it is not packed: $job_errors"
  before=$(answers)
  [ "$(wc -l <<<"$before")" -ge 3 ] || fail "too few answers are kept: $before"
  job_errors=$(asks)
  grep -q 'packed onto 2 of 8' <<<"$job_errors" || fail "it is not packed the second time: $job_errors"
  [ "$(answers)" != "$before" ] || break
done
[ "$(answers)" = "$before" ] || fail "the controller was asked again: $(diff <(echo "$before") <(answers))"
as_root scontrol update PartitionName=whole MinNodes=4
job_errors=$(asks --partition=whole)
grep -q 'partition whole gives no fewer' <<<"$job_errors" || fail "another partition got the first one's answer: $job_errors"
as_root scontrol update PartitionName=whole MinNodes=1

case_begins "a site that shows its nodes to operators only"
sees_nodes() { on_site scontrol show nodes 2>/dev/null | grep NodeName=n3 >/dev/null; } # grep reads all: scontrol is not cut short
sees_nodes || fail "nobody sees nodes"
echo PrivateData=nodes >>"${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name/extra.conf"
as_root scontrol reconfigure
deadline=$((SECONDS + 30))
while sees_nodes; do
  [ "$SECONDS" -lt "$deadline" ] || { fail "nobody still sees nodes"; break; }
  sleep 0.1
done
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2
as_root scontrol update PartitionName=whole MinNodes=4
as_submitted 'partition whole gives no fewer than 4 nodes' --partition=whole
as_root scontrol update PartitionName=whole MinNodes=1

case_begins "a job without a name"
submit --energy-aggregate --job-name= < <(halo_job srun)
expect_success; expect_one_line 'left as submitted: it has no name'; expect_nodes 8

case_begins "a step on fewer nodes than the plan has works, in Slurm's order"
submit --energy-aggregate=nodes=fewer < <(halo_job srun --nodes=2 --ntasks=12)
expect_success

finish
