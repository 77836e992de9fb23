#!/bin/bash
# OpenMP in traces of unmodified programs: huddle waitstates finds the waiting of threads that the program itself measured.
#   HUDDLE=huddle WAITS=openmp_waits REGIONS=openmp_regions (and what recorder_lib.sh needs) openmp_trace_test.sh CASE
. "$(dirname "$0")/recorder_lib.sh"
: "${HUDDLE:?}" "${WAITS:?}" "${REGIONS:?}"
export OMP_WAIT_POLICY=passive HUDDLE_TRACE=$work/trace
unset OMP_DYNAMIC OMP_THREAD_LIMIT OMP_NUM_THREADS

# The waiting of each rank in implicit and in explicit barriers is within 5 % of what the program printed.
found_as_it_was() { # PROGRAM
  record "$work/p.json" 2 "$1" 30 >"$work/truth" 2>"$work/errors" || fail "status $?: $(cat "$work/errors")"
  equal "what it said" "$(cat "$work/errors")" ""
  "$HUDDLE" waitstates "$work/trace" --json >"$work/waits.json" || fail "no trace"
  python3 - "$work/waits.json" "$work/truth" "$(basename "$1")" <<'PYTHON' || fail "see above"
import json, re, sys
waits = json.load(open(sys.argv[1]))
truth = {}
for line in open(sys.argv[2]):
    _, rank, _, implicit, _, explicit = line.split()
    truth[int(rank), "implicit"], truth[int(rank), "explicit"] = float(implicit), float(explicit)
paths = waits["call_paths"]
found = dict.fromkeys(truth, 0.0)
functions = set()
for wait in waits["waits"]:
    if wait["pattern"] != "wait_at_openmp_barrier":
        continue
    region = paths[wait["call_path"]]["path"][-1]
    # Clang's outlined functions have names that say nothing.
    place = re.fullmatch(r"!\$omp (implicit barrier|barrier) @(?:(\w+) \()?%s\+0x[0-9a-f]+\)?" % sys.argv[3], region)
    assert place, f"what is {region}?"
    functions.add((place[1], place[2]))
    found[wait["rank"], "implicit" if "implicit" in region else "explicit"] += wait["time_s"]
print(truth, found, functions)
assert {("implicit barrier", "uneven"), ("implicit barrier", "with_barrier")} <= functions, functions
for key, seconds in truth.items():
    assert abs(found[key] / seconds - 1) < 0.05, f"{key}: found {found[key]} s, waited {seconds} s"
assert not waits.get("remarks"), waits["remarks"]
PYTHON
}

waiting_of_threads_is_found_as_it_was() {
  found_as_it_was "$WAITS"
}

waiting_of_threads_of_llvms_runtime_is_found_as_it_was() {
  found_as_it_was "${WAITS}_clang"
}

# 200000 regions of about a microsecond: what is recorded stays within the limit, the run goes on, and the trace is whole until then.
ends_at_its_limit() { # PROGRAM
  HUDDLE_TRACE_LIMIT=2 HUDDLE_TRACE_RAW=keep record "$work/p.json" 1 "$1" short 200000 >/dev/null 2>"$work/errors" || fail "status $?"
  grep -q '^huddle: the trace of some ranks ends before the run did' "$work/errors" || fail "it said: $(cat "$work/errors")"
  local bytes
  bytes=$(cat "$work"/trace.raw-*/*.events | wc -c)
  [ "$bytes" -gt 1000000 ] && [ "$bytes" -le 2097152 ] || fail "$bytes bytes of events"
  equal "passes in the profile" "$(jq '[.rank_records[].openmp_regions.passes | add] | add' "$work/p.json")" 200000
  "$HUDDLE" waitstates "$work/trace" --json >"$work/waits.json" || fail "no trace"
  jq -e '[.call_paths[] | select(.path[-1] | startswith("!$omp parallel")) | .visits] | add > 10000' "$work/waits.json" >/dev/null ||
    fail "hardly any regions"
}

short_regions_end_a_trace_at_its_limit() {
  ends_at_its_limit "$WAITS"
}

short_regions_of_llvms_runtime_end_a_trace_at_its_limit() {
  ends_at_its_limit "${WAITS}_clang"
}

# Threads that spin report the end of a region's barrier while the one that began it is at it, too.
threads_of_llvms_runtime_that_spin_leave_a_whole_trace() {
  OMP_WAIT_POLICY=active record "$work/p.json" 1 "${WAITS}_clang" short 20000 >/dev/null 2>"$work/errors" || fail "status $?"
  equal "what it said" "$(cat "$work/errors")" ""
  "$HUDDLE" waitstates "$work/trace" --json >"$work/waits.json" || fail "no trace"
  jq -e '(.remarks // []) == [] and ([.anomalies[]?] | add // 0) == 0' "$work/waits.json" >/dev/null ||
    fail "damaged: $(jq -c '.remarks, .anomalies' "$work/waits.json")"
  equal "visits by teams of two" \
    "$(jq '[.call_paths[] | select(.path[-1] | startswith("!$omp parallel")) | .visits] | add' "$work/waits.json")" 40000
}

# As many passes of each region as the profile has, each below the functions that lead to it, whatever kind of region it is.
in_the_functions_that_begin_them() { # PROGRAM
  OMP_NUM_THREADS=3 record "$work/p.json" 2 "$1" 10 multiple >/dev/null 2>"$work/errors" || fail "status $?"
  "$HUDDLE" waitstates "$work/trace" --json >"$work/waits.json" || fail "no trace"
  python3 - "$work/waits.json" "$work/p.json" <<'PYTHON' || fail "see above"
import collections, json, re, sys
waits, profile = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
places = {region["id"]: region["place"].removeprefix("region at ") for region in profile["openmp_regions"]}
expected, found, functions = collections.Counter(), collections.Counter(), set()
for record in profile["rank_records"]:
    table = record["openmp_regions"]
    for region, passes in zip(table["region"], table["passes"]):
        expected[places[region]] += passes
for path in waits["call_paths"]:
    region = re.fullmatch(r"!\$omp parallel @(\w+) \((.*)\)", path["path"][-1])
    if region and len(path["path"]) > 1:
        found[region[2]] += path["visits"]
        functions.add(tuple(path["path"][:-1]) + (region[1],))
print(expected, found, functions)
assert expected == found
assert {names[0] for names in functions} == {"main", "other_thread"}
# Inlined code is in the function around it.
assert all(names[-2] in (names[-1], "main", "pass", "other_thread") for names in functions)
PYTHON
}

regions_are_in_the_functions_that_begin_them() {
  in_the_functions_that_begin_them "$REGIONS"
}

regions_of_llvms_runtime_are_in_the_functions_that_begin_them() {
  in_the_functions_that_begin_them "${REGIONS}_clang"
}

run_case "$@"
