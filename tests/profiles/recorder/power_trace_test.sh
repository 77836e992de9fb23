#!/bin/bash
# A traced MPI program beside a sensor of energy: the trace has what the sensor counted, from MPI_Init to the last event, and
# waiting is measured by it. The sensor is files in a /sys/class of the test's own.
#   HUDDLE=huddle RECORDER=libhuddle_recorder.so COMPARE=compare_matrix PROGRAMS=directory MPI=openmpi power_trace_test.sh CASE
set -u
: "${HUDDLE:?}" "${PROGRAMS:?}"
[ "$(id -u)" -eq 0 ] || { echo "needs root for a /sys of its own"; exit 77; }
if [ -z "${OWN_MOUNTS-}" ]; then
  OWN_MOUNTS=1 exec unshare --mount --propagation private -- bash "$0" "$@"
fi
. "$(dirname "$0")/recorder_lib.sh"

zone=/sys/class/powercap/intel-rapl:0
counting=

# A package that draws 50 W all the time. Its file appears whole, as a kernel's does.
begin_sensor() {
  mount -t tmpfs none /sys/class && mkdir -p "$zone" || { echo "no mounts here"; exit 77; }
  echo package-0 >"$zone/name"
  echo 262143328850 >"$zone/max_energy_range_uj"
  echo 000000000000000 >"$zone/energy_uj"
  nice -n -20 python3 - "$zone/energy_uj" <<'PYTHON' &
import os, sys, time
file = os.open(sys.argv[1], os.O_WRONLY)
begin = time.clock_gettime(time.CLOCK_BOOTTIME)
while True:
    joules = 50 * (time.clock_gettime(time.CLOCK_BOOTTIME) - begin)
    os.pwrite(file, b"%015d\n" % int(joules * 1e6), 0)
    time.sleep(0.002)
PYTHON
  counting=$!
  trap 'kill $counting; rm -rf "$work"' EXIT
  until [ "$(cat "$zone/energy_uj")" -gt 0 ]; do sleep 0.01; done
}

power_is_in_the_trace() {
  begin_sensor
  HUDDLE_TRACE=$work/trace record "$work/p.json" 2 "$PROGRAMS/halo_exchange" --iterations 40000 >"$work/output" 2>&1 ||
    fail "status $?: $(cat "$work/output")"
  "$HUDDLE" waitstates "$work/trace" --machine xeon-x5560 --json >"$work/waits.json" || fail "no trace: $(cat "$work/output")"
  python3 - "$work/waits.json" <<'PYTHON' || fail "see above"
import json, sys
waits = json.load(open(sys.argv[1]))
inits = [path["time_s"] for path in waits["call_paths"] if path["path"][-1].startswith("MPI_Init")]
measured = waits["measured_power"]
print(measured, waits["run_time_s"], waits["energy_j"], waits["waiting_s"], waits["esp_j"])
assert len(measured) == 1 and measured[0]["sensors"] == ["package-0"]
assert abs(measured[0]["mean_w"] / 50 - 1) < 0.02, "not 50 W"
# A sample was taken before any rank left MPI_Init, and one when the first rank came to MPI_Finalize.
assert measured[0]["begin_s"] < max(inits), f"it begins late: MPI_Init took {inits} s of both ranks together"
assert waits["run_time_s"] - 0.5 < measured[0]["end_s"] <= waits["run_time_s"], "it ends early"
assert abs(waits["energy_j"] / (50 / 2 * waits["waiting_s"]) - 1) < 0.05, "not half of the node"
# The machine's states as shares of what was measured: short waits idle in the first state, endless ones in the best.
first = waits["power_states"]["states"][0]
least = 1 - first["idle_w"] / first["active_w"]
most = waits["power_states"]["most_idle_percent"] / 100
saved = waits["esp_j"] / waits["energy_j"]
assert 0.999 * least < saved <= most, f"saving {saved}, expected {least} to {most}"
PYTHON
}

"$@"
