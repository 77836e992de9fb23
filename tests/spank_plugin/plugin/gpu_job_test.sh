#!/usr/bin/env bash
# Jobs with GPUs keep their nodes, and ranks that talk share them: each kind of request runs without the option, measured, and
# grouped. Each node's ranks have the same GPUs and the same cores in all three runs, and the job prints and ends alike. The
# GPUs are device files that nobody opens; Slurm's own code hands them out.
# usage: gpu_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true
start_site "gpu-job-$$" "$1" --nodes 4 --gpus 4

# Says what Slurm gave to a rank, in one write, and becomes the rank.
cat >"$shared/rank" <<'RANK'
#!/bin/bash
cpus=$(taskset --cpu-list --pid $$ | sed 's/.*: //')
echo "rank $SLURM_PROCID on $SLURMD_NODENAME: GPUs ${CUDA_VISIBLE_DEVICES-none} of ${SLURM_STEP_GPUS-none}, cores $cpus"
exec "$@"
RANK
chmod 0755 "$shared/rank"

job_of() { # NAME [WORDS BEFORE THE RANK...]
  local name=$1
  shift
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=4 --ntasks=8 --job-name=$name
${*:-srun} $shared/rank $shared/programs/${program:-distant_partners} ${arguments---rounds 8}
SCRIPT
}

# run NAME OPTIONS...: runs the job of standard input; keeps what it printed as $site_scratch/NAME.*, and sets $moved_bytes.
run() {
  local name=$1 script before attempt
  shift
  script=$(cat)
  for attempt in 1 2 3 4 5 6; do
    before=$(bytes_between_nodes)
    submit "$@" <<<"$script"
    plan_was_late || break
    sleep "$attempt"
  done
  moved_bytes=$(($(bytes_between_nodes) - before))
  grep '^rank [0-9]' <<<"$job_output" | sort -k2n >"$site_scratch/$name.ranks" || true
  { echo "status $job_status"; grep -Ev '^(rank [0-9]|huddle: |time_s )' <<<"$job_output" | sort; } >"$site_scratch/$name.ending" || true
}

# Prints what each node's ranks have of it, whichever they are: a line for each node.
nodes_of() {
  sed -E 's/^rank [0-9]+ on (\S+): /\1 /' "$site_scratch/$1.ranks" | sort |
    awk '{ node = $1; $1 = ""; has[node] = has[node] ";" $0 } END { for (node in has) print node has[node] }' | sort
}

expect_alike() { # NAME: as without the option
  local difference
  [ "$(wc -l <"$site_scratch/$1.ranks")" -eq 8 ] || fail "$1: expected 8 ranks, found $(wc -l <"$site_scratch/$1.ranks")"
  difference=$(diff <(nodes_of plain) <(nodes_of "$1")) || fail "$1: nodes give their ranks something else: $difference"
  difference=$(diff "$site_scratch/plain.ending" "$site_scratch/$1.ending") || fail "$1: it ended otherwise: $difference"
}

expect_partners_share() { # HOW MANY of the four pairs
  local pairs
  pairs=$(sed -E 's/^rank ([0-9]+) on ([^:]+):.*/\1 \2/' "$site_scratch/grouped.ranks" |
    awk '{ node[$1] = $2 } END { for (r = 0; r < 4; r++) n += node[r] == node[r + 4]; print n }')
  [ "$pairs" -eq "$1" ] || fail "expected $1 pairs of ranks that share a node, found $pairs"
}

expect_fewer_bytes() { # PERCENT of those that the job moved without the option
  [ $((moved_bytes * 100)) -le $((plain_bytes * $1)) ] ||
    fail "expected at most $1 % of $plain_bytes bytes between nodes, found $moved_bytes"
}

# three_runs NAME PAIRS PERCENT OPTIONS...: of the job NAME
three_runs() {
  local name=$1 pairs=$2 most=$3
  shift 3
  run plain "$@" < <(job_of "$name")
  plain_bytes=$moved_bytes
  expect_success; expect_silence
  run measured "$@" --energy-aggregate < <(job_of "$name")
  expect_success; expect_one_line 'this run is measured'; expect_alike measured; expect_not_in_output '^huddle:'
  run grouped "$@" --energy-aggregate < <(job_of "$name")
  expect_success; expect_one_line 'kept on 4 nodes, ranks that talk share nodes: predicted [0-9]+ % fewer bytes between nodes'
  expect_alike grouped; expect_in_output '^huddle: kept on 4 nodes'
  expect_partners_share "$pairs"; expect_fewer_bytes "$most"
  printf '  bytes between nodes: %d without the option, %d grouped\n' "$plain_bytes" "$moved_bytes"
}

# Two ranks of different nodes exchange 4 MiB in all; beside that, the launch itself moves some ten kilobytes.
case_begins "a GPU for each rank: partners share nodes, and no rank shares its GPU"
three_runs by-task 4 10 --ntasks-per-node=2 --gpus-per-task=1
expect_one_line 'fewer bytes between nodes$'
[ "$(sed -E 's/^rank [0-9]+ on (\S+): GPUs (\S+) .*/\1 \2/' "$site_scratch/grouped.ranks" | sort -u | wc -l)" -eq 8 ] ||
  fail "ranks share GPUs"

case_begins "GPUs of each node, which all of its ranks see"
three_runs by-node 4 10 --ntasks-per-node=2 --gpus-per-node=2
expect_one_line 'a rank that chooses its GPU must do it by its number on the node'

case_begins "generic resources of each node"
three_runs by-gres 4 10 --ntasks-per-node=2 --gres=gpu:2

case_begins "GPUs of the job, which Slurm spreads over its nodes as it likes"
three_runs by-job 4 10 --ntasks-per-node=2 --gpus=8

case_begins "GPUs that Slurm binds one to a rank"
three_runs by-bind 4 10 --ntasks-per-node=2 --gpus-per-node=2 --gpu-bind=single:1

case_begins "whole nodes"
three_runs exclusive 4 10 --exclusive --gpus-per-node=4

case_begins "nodes that hold different numbers of ranks still hold as many"
three_runs uneven 2 80 --gpus-per-node=2
[ "$(awk '{ print $4 }' "$site_scratch/grouped.ranks" | sort | uniq -c | awk '{ print $1 }' | sort -n | paste -sd,)" = 1,1,1,5 ] ||
  fail "expected nodes of 5, 1, 1 and 1 ranks"

case_begins "a job whose nodes hold other numbers of ranks than the measured one's runs as Slurm places it, and says so"
run plain --gpus-per-task=1 < <(job_of by-task)
run other --gpus-per-task=1 --energy-aggregate < <(job_of by-task)
expect_success; expect_one_line 'kept on 4 nodes'
expect_in_output "^huddle: this step's ranks go where Slurm puts them: its nodes hold 4,2,1\(x2\) of them"
expect_alike other

case_begins "steps that place their ranks are obeyed, and the job's record says that it did not follow"
run placed --ntasks-per-node=2 --gpus-per-task=1 --energy-aggregate < <(job_of by-task srun --distribution=cyclic)
expect_success; expect_in_output "^huddle: this step's ranks go where --distribution says"
newest=$(find "$profiles" -name 'outcome-*' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
grep -q '"treatment":"left"' "$newest" || fail "expected a record of a job left as it was: $(cat "$newest")"

case_begins "a step that its user placed while it was measured is none to group"
run placed --ntasks-per-node=2 --gpus-per-task=1 --energy-aggregate < <(job_of placed srun --distribution=cyclic)
expect_success; expect_one_line 'this run is measured'
run placed --ntasks-per-node=2 --gpus-per-task=1 --energy-aggregate < <(job_of placed srun --distribution=cyclic)
expect_success; expect_one_line 'nodes are kept for what they have .*placed by --distribution'; expect_not_in_output '^huddle:'

case_begins "mpirun is left to place its ranks, and its record says so"
run mpirun --ntasks-per-node=2 --gpus-per-node=2 --energy-aggregate < <(program='' job_of by-node mpirun | sed "s#$shared/rank ##")
expect_success; expect_one_line 'kept on 4 nodes'; expect_not_in_output '^huddle:'
newest=$(find "$profiles" -name 'outcome-*' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
grep -q 'mpirun placed its ranks itself' "$newest" || fail "expected a record that mpirun placed its ranks: $(cat "$newest")"

case_begins "ranks that talk to their neighbours only are left where they are"
program=compute_bound arguments='--rounds 5'
for what in measured 'nodes are kept for what they have .*no gain: no grouping'; do
  run ring --ntasks-per-node=2 --gpus-per-task=1 --energy-aggregate < <(job_of ring)
  expect_success; expect_one_line "$what"
done
unset program arguments

case_begins "who keeps the nodes, or starts the job by srun, keeps the ranks as well"
run keep --ntasks-per-node=2 --gpus-per-task=1 --energy-aggregate=nodes=keep < <(job_of by-task)
expect_success; expect_one_line 'left as submitted: you keep your nodes'
job_errors=$(on_site srun --nodes=4 --ntasks=8 --gpus-per-task=1 --job-name=by-task --energy-aggregate \
  "$shared/rank" "$shared/programs/distant_partners" --rounds 2 2>&1 >/dev/null) || fail "srun failed"
expect_one_line 'left as submitted: its nodes are kept for what they have \(--gpus-per-task\)$'

case_begins "advice shows what would be done, and does nothing"
run advised --ntasks-per-node=2 --gpus-per-task=1 --energy-aggregate=advise < <(job_of by-task)
expect_success
grep -q 'would say: kept on 4 nodes, ranks that talk share nodes' <<<"$job_errors" || fail "no such advice"
grep -q 'reference' <<<"$job_errors" || fail "no table of patterns"

case_begins "the report compares grouped runs with the measured one"
report=$(on_site "$shared/huddle/huddle" report --store "$profiles" --jobs --label by-task 2>&1) || fail "no report: $report"
grep -q ' grouped ' <<<"$report" || fail "no grouped run in: $report"

finish
