#!/usr/bin/env bash
# The calibration program, compiled by SimGrid's smpicxx, on a simulated network of two nodes: a machine document comes
# out whose figures are those of the network. Exits with 77 (skipped) without SimGrid.
set -u
sources=$(cd "$(dirname "$0")/../../../.." && pwd)
. "$(dirname "$0")/calibration_lib.sh"
command -v smpicxx >/dev/null && command -v smpirun >/dev/null || skip "no SimGrid (libsimgrid-dev)"

# Ranks of a node meet over its loopback.
cat >network.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="5us"
           loopback_bw="8GBps" loopback_lat="0.5us"/>
</platform>
XML
printf 'n0\nn0\nn1\nn1\n' >hosts
smpicxx -std=c++20 -O1 -I"$sources" "$sources"/profiles/programs/calibration/*.cpp -o program >log 2>&1 || fail "$(cat log)"
# The simulator's own figures: messages take the links' latency and bandwidth, and no CPU time.
timeout 200 smpirun -np 4 -platform network.xml -hostfile hosts --cfg=network/model:CM02 --cfg=smpi/simulate-computation:no \
  ./program --results results --layout 1:1:2 --by-rank --seconds 3 --what messages,collectives --largest 262144 \
  >log 2>&1 || fail "$(cat log)"
[ "$(count '"kind":"message","distance":"network","pairs":2' results)" -gt 3 ] || fail "$(cat results)"
"$HUDDLE" machine calibrate --from results -o m.json 2>log || fail "$(cat log)"
# Two links lie between two nodes; CM02 lets a message have 97 % of the bandwidth, and others have some of it.
holds m.json '8e-6 < links["network"]["latency_s"] < 1.6e-5'
holds m.json '7e8 < links["network"]["bandwidth_bytes_per_s"] < 1.1e9'
holds m.json 'links["die"]["latency_s"] < links["network"]["latency_s"] / 5'
# Two pairs share the link: large messages take nearly twice as long.
holds m.json 'all(1.5 < t["network", 2][-1] / t["network", 1][-1] < 2.5 for t in
  [{(e["distance"], e["pairs"]): e["time_s"] for e in m["messages"]}])'
holds m.json '{e["operation"] for e in m["collectives"]} >= {"allreduce", "alltoall", "bcast", "barrier", "gather"}'
holds m.json '{(e["pattern"], e["ranks"]) for e in m["collectives"]} == {("1:1:1", 2), ("1:1:2", 2), ("1:1:2", 4)}'
