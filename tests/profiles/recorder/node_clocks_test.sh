#!/bin/bash
# The nodes of the test cluster are one machine and share its clock, so what ranks of different nodes find out about
# rank 0's clock must agree, up to the uncertainty that they state.
#   usage: node_clocks_test.sh BUILD RECORDER EVENTS CHECK
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
build=$1 recorder=$2 events=$3 check=$4
name=clocks-$$
cluster=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$name
trap 'timeout 60 "$root/tests/cluster/down" --name "$name" >/dev/null 2>&1 || true' EXIT
timeout 120 "$root/tests/cluster/up" --name "$name" --nodes 3 --build "$build" --owner $$ >/dev/null

shared=$cluster/shared/clocks
mkdir "$shared"
cp "$recorder" "$build/programs/halo_exchange" "$shared"
chmod -R a+rwX "$shared"
timeout 90 "$root/tests/cluster/exec" --name "$name" -- env LD_PRELOAD="$shared/$(basename "$recorder")" \
  HUDDLE_PROFILE="$shared/p.json" HUDDLE_TRACE="$shared/trace" HUDDLE_TRACE_RAW=keep \
  timeout 60 srun --mpi=pmix --nodes=3 --ntasks=6 "$shared/halo_exchange" --iterations 50 >"$shared/output" 2>&1 ||
  { cat "$shared/output"; exit 1; }

"$check" "$shared/p.json" "$shared"/trace.raw-* >"$shared/checked" || { cat "$shared/checked"; exit 1; }
"$events" "$shared"/trace.raw-* >"$shared/events"
[ "$(grep '^rank' "$shared/events" | awk '{print $6}' | sort -u | wc -l)" -eq 3 ] || { echo "not on 3 nodes"; exit 1; }

# Each point against rank 0's first one: ticks of one counter, by the rate that rank 0's two points give.
grep '^clock' "$shared/events" | awk '
  NR == 1 { t0 = $2; n0 = $4; u0 = $6 }
  NR == 2 { rate = ($4 - n0) / ($2 - t0) }
  { t[NR] = $2; n[NR] = $4; u[NR] = $6 }
  END {
    for (i = 1; i <= NR; ++i) {
      off = n[i] - (n0 + (t[i] - t0) * rate)
      if (off < 0) off = -off
      printf "point %d is off by %.0f ns, it says %d at most\n", i, off, u[i]
      if (off > u[i] + u0 + 2000) wrong = 1
    }
    exit wrong || NR != 12
  }' || { echo "FAILED: clocks of one machine differ"; exit 1; }
