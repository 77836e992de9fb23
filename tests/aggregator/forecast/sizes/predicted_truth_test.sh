#!/usr/bin/env bash
# Programs are measured at some problem sizes, another size is predicted, and then really measured: messages must be the
# same, cell by cell. Times are only checked with very wide bounds: other work on the machine makes them longer.
# usage: predicted_truth_test.sh; from the environment: HUDDLE, RECORDER, TRUTH (predicted_truth), PROGRAMS (a folder)
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../../../openmpi.sh"
unset LD_PRELOAD HUDDLE_PROFILE HUDDLE_STORE HUDDLE_LABEL HUDDLE_SIZE HWLOC_SYNTHETIC HWLOC_XMLFILE
unset SLURM_JOB_ID SLURM_STEP_ID
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-predicted-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

measure() { # SIZE FILE RANKS PROGRAM ARGUMENT...
  local size=$1 file=$2 ranks=$3
  shift 3
  timeout 120 "$HUDDLE" record --recorder "$RECORDER" --size "$size" -o "$file" -- \
    mpirun.openmpi -np "$ranks" "$PROGRAMS/$@" >/dev/null || fail "$* does not run: status $?"
  grep -q "\"problem_size\": $size" "$file" || fail "$file does not say size $size"
}
halo() { measure "$1" "halo-$1.json" 4 halo_exchange --size "$1" --iterations 200 --residual-every 20; }
memory() { measure "$1" "memory-$1.json" 2 memory_bound --elements "$1" --iterations 30 --ring-elements $(($1 / 100)); }

compare() { # TRUTH PROFILE...
  "$TRUTH" machine.json "$@" >compared || fail "$1 is not what was predicted: $(cat compared)"
  echo "$1:" && cat compared
  # However busy the machine was meanwhile.
  awk '/^run time:/ { found = 1; if ($3 > 50 * $9 || $9 > 50 * $3) exit 1 } END { exit !found }' compared ||
    fail "the time is far off: $(cat compared)"
}

"$HUDDLE" machine -o machine.json 2>/dev/null || fail "no machine document"
for size in 48 96 128 192 320; do halo "$size"; done
compare halo-128.json halo-{48,96,192}.json
compare halo-320.json halo-{48,96,192}.json
for size in 40000 80000 160000 320000; do memory "$size"; done
compare memory-160000.json memory-{40000,80000,320000}.json

# The command says what is predicted, and uses measurements where there are any.
"$HUDDLE" recommend halo-{48,96,192}.json --size 128 -m machine.json --plan plan.json >out 2>err || fail "$(cat err)"
grep -qE '^This run is predicted for size 128 from sizes 48, 96, 192 \(not measured\): it takes [0-9.e+-]+ s \(([0-9.e+-]+ to [0-9.e+-]+|no useful interval)\)' out ||
  fail "recommend --size does not say what it rests on: $(cat out err)"
grep -q '"reason": ".*predicted for size 128' plan.json || fail "the plan does not say that it is predicted"
"$HUDDLE" recommend halo-{48,96,192}.json --size 96 -m machine.json >out 2>err || fail "$(cat err)"
grep -q 'This run is predicted' out && fail "a size that was run is predicted"
grep -qx 'huddle: size 96 was run: the 2 profiles of other sizes are not used' err || fail "it says: $(cat err)"
"$HUDDLE" recommend memory-*.json --size 100000 --size-argument --elements -m machine.json --json >out 2>err ||
  fail "$(cat err)"
grep -q '"from_sizes"' out || fail "the size is not found among the arguments: $(cat out)"

# Rows for huddle forecast.
"$HUDDLE" forecast collect halo-*.json -o rows.csv >out 2>err || fail "$(cat err)"
grep -qE '^rows.csv: [0-9]+ rows, [0-9]+ regions, 5 runs, 5 sizes$' out || fail "collect says: $(cat out err)"
python3 - halo-*.json <<'SUMS' || fail "the rows' times are not the runs'"
import csv, json, sys
rows = list(csv.DictReader(line for line in open("rows.csv") if not line.startswith("#")))
for name in sys.argv[1:]:
    profile = json.load(open(name))
    time = max(record["run_time_s"] for record in profile["rank_records"])
    total = sum(float(row["time_s"]) for row in rows if float(row["size"]) == profile["problem_size"])
    assert abs(total / time - 1) < 1e-6, (name, total, time)
SUMS
"$HUDDLE" forecast rows.csv >out 2>err || fail "huddle forecast does not read the rows: $(cat err)"
echo passed
