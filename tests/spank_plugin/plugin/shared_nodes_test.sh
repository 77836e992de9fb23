#!/usr/bin/env bash
# Jobs on nodes that they share with others, on a real Slurm and with the settings that `huddle setup` writes: they are packed onto
# the cores that Slurm chooses, beside neighbours, and charged no more than as submitted, whatever partition, memory and
# nodes they ask for.
# usage: shared_nodes_test.sh BUILD [NUMBER OF RANDOM REQUESTS [SEED]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
requests=${2:-16}
RANDOM=${3:-1}
tree=$(mktemp -d)
"$tests_directory/cluster/fake_sysfs" "$tree" 2 2 2
conf=$(mktemp)
cat >"$conf" <<'CONF'
PartitionName=weighted Nodes=ALL State=UP TRESBillingWeights=CPU=1.0,Mem=4.0G
PartitionName=by-node Nodes=ALL State=UP DefMemPerNode=400 TRESBillingWeights=CPU=1.0,Mem=4.0G
PartitionName=whole-weighted Nodes=ALL State=UP OverSubscribe=EXCLUSIVE TRESBillingWeights=CPU=1.0,Mem=4.0G
CONF
start_site "shared-nodes-$$" "$1" --cpu-tree "$tree/devices/system/cpu" --slurm-conf "$conf"
rm -r "$conf" "$tree"
set_up_policy "80%" </dev/null
export SBATCH_PARTITION=all

neighbour() { # OPTIONS...: two cores of a node, for as long as it is left there
  on_site sbatch --parsable --output=/dev/null --partition=all --nodes=1 --ntasks=2 "$@" --wrap 'sleep 600' 2>/dev/null
}
# Without --ntasks-per-node Slurm puts 8 ranks on one node, 2 on another, and 1 on each of the rest.
resting_job() { halo_job "$@" | sed 's/--iterations 40/& --rest-ms 25/; s/--ntasks=16/& --ntasks-per-node=2/'; }

# Lines "NODE PU", ascending, of the cores that Slurm gave to the newest job of that name.
cores_of_job() { # NAME
  on_site scontrol --details show job | awk -v name="JobName=$1" '
    /^JobId=/ { mine = index($0, name) > 0; if (mine) lines = "" }
    mine && /^ +Nodes=.* CPU_IDs=/ { lines = lines $0 "\n" }
    END { printf "%s", lines }' | sed -E 's/^ +Nodes=([^ ]+) CPU_IDs=([^ ]+).*/\1 \2/' | expand_cores
}
expand_cores() { # lines "n[0-1] 0-1,4": Slurm writes a set of nodes that have the same cores in one line
  python3 -c '
import re, sys
def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)
for line in sys.stdin:
    nodes, cores = line.split()
    inside = re.fullmatch(r"n\[(.*)\]", nodes)
    for node in ["n%d" % n for n in numbers(inside[1])] if inside else [nodes]:
        for core in numbers(cores):
            print(node, core)
' | sort
}

# Each rank has a core of its own, all of them are the job's, and ranks of a node have theirs in the order of their planned ones.
expect_own_cores() {
  local used planned
  used=$(awk '{print $2, $3}' "$home/placement" | sort)
  [ "$used" = "$(cores_of_job halo)" ] ||
    fail "ranks are on other cores than the job's: $(diff <(echo "$used") <(cores_of_job halo))"
  by_core() { sort -k2,2n -k3,3n | awk '{print $2, $1}'; }
  planned=$(planned_placement | sort -n | number_nodes | by_core)
  [ "$(sort -n "$home/placement" | number_nodes | by_core)" = "$planned" ] ||
    fail "ranks are in another order than planned: $(diff <(sort -n "$home/placement" | number_nodes | by_core) <(echo "$planned"))"
}

case_begins "a job is measured, measured on nodes filled alike, packed, and packed again, beside neighbours that come and go"
submit --energy-aggregate < <(resting_job srun)
expect_success; expect_one_line 'this run is measured, 1 of at most 2'; expect_nodes 8
submit --energy-aggregate < <(resting_job srun)
expect_success; expect_one_line 'measured on 2 nodes filled alike \(2:2:2\), and may take longer: measured run 2 of 2'; expect_nodes 2; expect_own_cores
first=$(neighbour --nodelist=n0) second=$(neighbour --nodelist=n1)
for _ in 1 2 3 4 5 6; do
  submit --energy-aggregate < <(resting_job srun)
  plan_was_late || break
done
expect_success; expect_one_line 'packed onto [24] of 8'; expect_own_cores
install -m 0644 "$(cat "$home/plan")" "$shared/plan.json"
on_site scancel "$first"
first=$(neighbour --nodelist=n2)
submit --energy-aggregate < <(resting_job srun)
expect_success; expect_one_line 'packed onto [24] of 8 .*; 1 packed run took [+-][0-9.]+ % time'; expect_own_cores
on_site scancel "$first" "$second"

if [ -n "$steered_mpirun" ] && [ -n "$mpirun_has_programs" ]; then
  case_begins "Open MPI's mpirun puts ranks on the nodes of the plan, on any of the job's cores there"
  submit --energy-aggregate=plan="$shared/plan.json" < <(resting_job mpirun)
  expect_success; expect_one_line 'laid out on [24] of 8 nodes'
  nodes_of_ranks() { sort -n | number_nodes | awk '{print $1, $2}'; }
  [ "$(nodes_of_ranks <"$home/placement")" = "$(planned_placement | nodes_of_ranks)" ] ||
    fail "ranks are on other nodes than planned: $(cat "$home/placement")"
fi

case_begins "of $requests random requests none is charged more than as submitted"
one_of() { local words=("$@"); echo "${words[RANDOM % $#]}"; }
random_request() {
  local partition
  partition=$(one_of all whole weighted by-node whole-weighted)
  echo "--partition=$partition --nodes=8 --ntasks=16 $(one_of '' '' --ntasks-per-node=2 --hint=nomultithread) \
    $(one_of '' '' --exclusive --exclusive=user) $(one_of '' "--mem=$((RANDOM % 900 + 1))M" "--mem-per-cpu=$((RANDOM % 400 + 1))M")"
}
run() { # OPTIONS...: prints the job's number
  on_site sbatch --parsable --output=/dev/null --job-name=halo "$@" --wrap 'srun -N1 -n1 true' 2>>"$site_scratch/lines"
}
charge_of() { on_site scontrol --oneliner show job "$1" | grep -oE ' (Alloc)?TRES=[^ ]*' | tail -n 1 | grep -oE 'billing=[0-9]+' | cut -d= -f2; }
packed=0
for ((i = 0; i < requests; ++i)); do
  options=($(random_request))
  as_submitted=$(run "${options[@]}")
  : >"$site_scratch/lines"
  with_plan=$(run --energy-aggregate=plan="$shared/plan.json,nodes=fewer" "${options[@]}")
  ! grep -q 'huddle: laid out on' "$site_scratch/lines" || packed=$((packed + 1))
  until [ -z "$(on_site squeue --noheader --format=%i)" ]; do sleep 0.1; done
  before=$(charge_of "$as_submitted") after=$(charge_of "$with_plan")
  [ -n "$before" ] && [ -n "$after" ] || fail "no charge is known of ${options[*]}: '$before' and '$after'"
  [ "${after:-0}" -le "${before:-0}" ] || fail "${options[*]}: charged $after in place of $before; $(cat "$site_scratch/lines")"
done
echo "  packed: $packed of $requests"
[ "$packed" -ge "$((requests / 2))" ] || fail "only $packed of $requests were packed: $(cat "$site_scratch/lines")"

finish
