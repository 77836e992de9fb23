#!/usr/bin/env bash
# huddle machine calibrate on this machine, with a rank on each of its cores (HUDDLE, PROGRAM, PROGRAM_MPICH).
#   calibration_test.sh CASE
# Exits with 77 (skipped) where it can't run.
set -u
. "$(dirname "$0")/calibration_lib.sh"

calibrate() { # OPTION...
  timeout 90 "$HUDDLE" machine calibrate --program "$PROGRAM" "$@" 2>err
}

needs_two_cores() {
  "$HUDDLE" machine -o this.json 2>shape || fail "$(cat shape)"
  ! grep -q ' 1 package(s) x 1 die(s) .* x 1 core(s)' shape || skip "one core"
}

fills_the_document() {
  needs_two_cores
  "$HUDDLE" machine --name here -o here.json 2>err || fail "$(cat err)"
  calibrate --budget 4s --machine here.json -o m.json || fail "$(cat err)"
  holds m.json 'm["name"] == "here" and len(m["messages"]) > 0'
  holds m.json 'all(e["origin"] == "measured" for e in m["messages"] + m.get("collectives", []))'
  holds m.json 'all(t > 0 for e in m["messages"] for t in e["time_s"])'
  # One node has no network.
  holds m.json 'links["network"]["origin"] == "assumed"'
  grep -q 'the network was not measured' err || fail "$(cat err)"
  [ ! -e m.json.results ] || fail "raw results were left behind"
  "$HUDDLE" machine calibrate --machine m.json --program "$PROGRAM" --what streams --budget 2s -o n.json 2>err ||
    fail "$(cat err)"
  holds n.json 'm["name"] == "here" and len(m["messages"]) > 0 and len(m["memory_streams"]) > 0'
}

# A run that is ended goes on where it was.
goes_on() {
  local results=m.json.results
  needs_two_cores
  (exec timeout --foreground 90 "$HUDDLE" machine calibrate --program "$PROGRAM" --budget 60s -o m.json 2>err) &
  local child=$! tries=0
  until [ -e $results ] && [ "$(count '"kind"' $results)" -ge 3 ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || fail "nothing is measured: $(cat err)"
    sleep 0.1
  done
  # The command hands SIGTERM on to mpirun; `timeout` hands it to the command.
  kill -TERM "$child"
  wait "$child" && fail "an interrupted calibration succeeds"
  grep -q 'interrupted: what was measured is kept; the same command goes on with m.json.results' err || fail "$(cat err)"
  [ ! -e m.json ] || fail "a document of half a run"
  local before
  before=$(count '"kind"' $results)
  grep '"kind"' $results | head -n "$before" >first
  printf '{"kind":"message","dist' >>$results # as if the last line had not been finished
  ln $results all # the same file, which stays when the name is gone
  calibrate --budget 2s -o m.json || fail "$(cat err)"
  grep '"kind"' all | head -n "$before" | cmp -s - first || fail "what was measured before is gone"
  [ -z "$(grep '"kind"' all | sed 's/,"[a-z_]*":[^,]*$//' | sort | uniq -d)" ] || fail "measured twice: $(cat all)"
  holds m.json 'len(m["messages"]) > 0'
}

refuses() {
  local status=0
  "$HUDDLE" machine calibrate --program /no/program 2>err && fail "a program that is not there"
  grep -q "can't run the calibration program /no/program" err || fail "$(cat err)"
  "$HUDDLE" machine calibrate --budget 5x 2>err || status=$?
  [ "$status:$(cat err)" = "2:huddle: --budget 5x: expected a time such as 90s, 10m or 1h" ] || fail "$(cat err)"
  echo '{"format":"huddle/calibration","version":1,"layout":"2:1:2","nodes":1,"ranks":4}' >a
  echo '{"kind":"message","distance":"die","pairs":1,"bytes":8,"time_s":1e-6}' >>a
  sed 's/2:1:2/1:1:4/' a >b
  status=0
  "$HUDDLE" machine calibrate --from a b 2>err || status=$?
  [ "$status" -eq 2 ] && grep -q "can't be one machine" err || fail "$(cat err)"
  "$HUDDLE" machine --topology "core:3 pu:1" -o three.json 2>err
  "$HUDDLE" machine calibrate --from a --machine three.json 2>err && fail "results of other nodes"
  grep -q 'the results are of nodes of 2:1:2, the machine has 1:1:3' err || fail "$(cat err)"
  "$HUDDLE" machine calibrate --from a -o m.json 2>err || fail "$(cat err)"
  holds m.json 'm["node"]["topology"] == "package:2 die:1 core:2 pu:1" and m["messages"][0]["time_s"] == [1e-6]'
  # The program itself: a file of another run, and ranks that are not bound.
  sed -i 's/,"nodes".*/,"nodes":7,"ranks":9}/' a
  timeout 60 mpirun.openmpi -n 1 --bind-to core "$PROGRAM" --results a >out 2>&1 && fail "another run's results"
  grep -q 'name another file' out || fail "$(cat out)"
  timeout 60 mpirun.openmpi -n 1 "$PROGRAM" --results c --layout 1:2 >out 2>&1 && fail "a wrong layout"
  grep -q 'expected packages:dies:cores' out || fail "$(cat out)"
}

with_mpich() {
  [ -n "${PROGRAM_MPICH:-}" ] && command -v mpirun.mpich >/dev/null || skip "no MPICH"
  needs_two_cores
  PROGRAM=$PROGRAM_MPICH
  calibrate --launcher mpirun.mpich --budget 3s --what messages -o m.json || fail "$(cat err)"
  holds m.json 'len(m["messages"]) > 0 and "collectives" not in m'
}

"${1:?which case}"
