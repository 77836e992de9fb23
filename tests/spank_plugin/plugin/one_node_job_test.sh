#!/usr/bin/env bash
# Jobs of one node on a real Slurm, with the settings that `huddle setup` writes: measured once, and then ranks that talk share
# a die, on the cores that the job has anyway, whether it has the whole node or shares it.
# usage: one_node_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
tree=$(mktemp -d)
"$tests_directory/cluster/fake_sysfs" "$tree" 2 2 2
start_site "one-node-job-$$" "$1" --nodes 2 --cpu-tree "$tree/devices/system/cpu"
rm -r "$tree"
set_up_policy "80%" </dev/null

# Says on which cores a rank is, in one write, and becomes the rank.
cat >"$shared/rank" <<'RANK'
#!/bin/bash
echo "rank $SLURM_PROCID on $SLURMD_NODENAME: cores $(taskset --cpu-list --pid $$ | sed 's/.*: //')"
exec "$@"
RANK
chmod 0755 "$shared/rank"

job_of() { # NAME RANKS [LAUNCHER...]
  local name=$1 ranks=$2
  shift 2
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=1 --ntasks=$ranks --job-name=$name
${*:-srun} $shared/rank $shared/programs/distant_partners --rounds 8
SCRIPT
}

run() { # submits the job of standard input until its plan is in time
  local script
  script=$(cat)
  for _ in 1 2 3 4 5 6; do
    submit "$@" <<<"$script"
    plan_was_late || break
  done
  ranks=$(ranks_in "$job_output")
}
ranks_in() { sed -nE 's/^rank ([0-9]+) on n[0-9]+: cores /\1 /p' <<<"$1" | sort -n; }

# Ranks r and r + half talk. Two cores are a die.
expect_partners_share_dies() { # RANKS
  local found
  found=$(awk -v half=$(($1 / 2)) '{ die[$1] = int($2 / 2) } END { for (r = 0; r < half; r++) n += die[r] == die[r + half]; print n + 0 }' <<<"$ranks")
  [ "$found" -eq $(($1 / 2)) ] || fail "expected all $(($1 / 2)) pairs of ranks to share dies, found $found: $ranks"
}
expect_cores_of_their_own() { # RANKS
  [ "$(awk '{print $2}' <<<"$ranks" | sort -u | wc -l)" -eq "$1" ] || fail "ranks share cores: $ranks"
}

for partition in whole all; do
  export SBATCH_PARTITION=$partition SLURM_PARTITION=$partition
  case_begins "in partition $partition, a job of one node is measured, and then its partners share dies"
  run --energy-aggregate < <(job_of "full-$partition" 8)
  expect_success; expect_one_line 'this run is measured: there is no profile'
  run --energy-aggregate < <(job_of "full-$partition" 8)
  expect_success; expect_one_line 'kept on 1 node, ranks that talk share (dies|packages): predicted 100 % fewer bytes'
  expect_cores_of_their_own 8; expect_partners_share_dies 8
done

case_begins "beside neighbours its ranks keep to the cores that Slurm gave them"
neighbours=()
for place in '--nodelist=n0 --ntasks=4' '--nodelist=n1 --ntasks=8'; do
  neighbours+=("$(on_site sbatch --parsable --output=/dev/null --nodes=1 $place --wrap 'sleep 600' 2>/dev/null)")
done
are_running() { [ "$(on_site squeue --noheader --states=running --format=%i | wc -l)" -eq 2 ]; }
until_true are_running || fail "the neighbours do not run"
run --energy-aggregate < <(job_of half 4 srun --distribution=block:block)
expect_success; expect_one_line 'this run is measured: there is no profile'
run --energy-aggregate < <(job_of half 4 srun --distribution=block:block)
expect_success; expect_one_line 'kept on 1 node, ranks that talk share (dies|packages)'
expect_cores_of_their_own 4; expect_partners_share_dies 4
for neighbour in "${neighbours[@]}"; do on_site scancel "$neighbour"; done

case_begins "a job that asks for no number of nodes stays on the one that Slurm gives it, too"
run --energy-aggregate < <(job_of unsaid 8 | sed 's/--nodes=1 //')
expect_success; expect_one_line 'this run is measured'
run --energy-aggregate < <(job_of unsaid 8 | sed 's/--nodes=1 //')
expect_success; expect_one_line 'kept on 1 node, ranks that talk share (dies|packages)'
expect_cores_of_their_own 8; expect_partners_share_dies 8

case_begins "an srun on its own is measured, and then its ranks follow its plan"
for line in 'this run is measured: there is no profile' 'kept on 1 node, ranks that talk share (dies|packages)'; do
  for _ in 1 2 3 4 5 6; do
    job_status=0
    job_output=$(on_site srun --nodes=1 --ntasks=8 --job-name=direct --energy-aggregate "$shared/rank" \
      "$shared/programs/distant_partners" --rounds 8 2>"$site_scratch/srun.err") || job_status=$?
    job_errors=$(grep '^srun: *huddle\|^huddle' "$site_scratch/srun.err" || true)
    plan_was_late || break
  done
  expect_success; expect_one_line "$line"
done
ranks=$(ranks_in "$job_output")
expect_cores_of_their_own 8; expect_partners_share_dies 8

case_begins "a job of one rank is left alone at once"
run --energy-aggregate < <(job_of serial 1)
expect_success; expect_one_line 'left as submitted: it uses one node only'

finish
