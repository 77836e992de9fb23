#!/usr/bin/env bash
# huddle machine calibrate inside a Slurm allocation of two pretended nodes, by mpirun and by srun. Figures of a machine
# that is shared out like this are good for nothing, so only their being there is looked at. Needs root; exits with 77
# (skipped) where it can't run.
set -u
tests=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/calibration_lib.sh"
[ "$(id -u)" -eq 0 ] || skip "not root"
for tool in slurmctld slurmd munged lstopo-no-graphics; do
  command -v "$tool" >/dev/null || skip "no $tool"
done

name=calibration-$$
root=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$name
"$tests/cluster/up" --name "$name" --nodes 2 --owner $$ --build "$BUILD" \
  --topology "pack:1 [numa(memory=4294967296)] l3:1(size=16777216) core:2 pu:1" >up.log 2>&1 || fail "$(cat up.log)"
trap '"$tests/cluster/down" --name "$name" --grace 0 >/dev/null 2>&1; rm -rf "$work"' EXIT
here=$root/shared/calibration
install -d -m 1777 "$here"
install -m 0755 "$HUDDLE" "$PROGRAM" "$here"
"$here/huddle" machine --topology "$root/topology.xml" --nodes 2 -o "$here/nodes.json" 2>up.log || fail "$(cat up.log)"

# by NAME LAUNCHER: writes NAME.json
by() {
  cat >"$here/$1.sh" <<JOB
#!/bin/sh
cd $here && exec ./huddle machine calibrate --machine nodes.json --program $here/huddle_calibration \
  --launcher "$2" --what messages,collectives --budget 6s -o $1.json
JOB
  chmod 0755 "$here/$1.sh"
  timeout 120 "$tests/cluster/exec" --name "$name" -- sbatch --wait --nodes=2 --exclusive --output="$here/$1.out" \
    "$here/$1.sh" >submit.log 2>&1 || fail "$2: $(cat submit.log "$here/$1.out")"
  holds "$here/$1.json" '{"die", "network"} <= {e["distance"] for e in m["messages"]} and m["nodes"] == 2'
  holds "$here/$1.json" 'all(e["origin"] == "measured" for e in m["messages"])'
}

by mpirun mpirun
by srun "srun --mpi=pmix"
