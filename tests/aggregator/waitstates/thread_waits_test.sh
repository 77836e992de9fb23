#!/bin/bash
# Waiting of OpenMP threads, in a trace by EZTrace of tests/programs/waits/thread_waits.c: found at its two barriers, as
# long as the program itself has seen. Skipped (77) without EZTrace. From the environment: HUDDLE, PYTHON, and CC, a
# compiler with OpenMP.
set -u
: "${HUDDLE:?}" "${PYTHON:=python3}" "${CC:=gcc}"
here=$(cd "$(dirname "$0")" && pwd) || exit 1
command -v eztrace >/dev/null && command -v eztrace_cc >/dev/null || {
  echo "SKIPPED: no eztrace"
  exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-threads-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cp "$here/../../programs/waits/thread_waits.c" . || exit 1
timeout 60 eztrace_cc "$CC" -O1 -fopenmp -o thread_waits thread_waits.c >built 2>&1 || fail "eztrace_cc: $(cat built)"

# Threads reach a barrier some time after they have read the clock: on a busy machine a single run may fail by chance.
for try in 1 2 3 4; do
  timeout 60 eztrace -o "trace-$try" -t openmp ./thread_waits >expected 2>errors || fail "eztrace: $(cat errors)"
  trace=$(find "trace-$try" -name '*.otf2' | head -n 1)
  timeout 60 "$HUDDLE" waitstates --json "$trace" >waits.json 2>errors || fail "huddle waitstates: $(cat errors)"
  "$PYTHON" "$here/check_thread_waits.py" waits.json expected >verdict && exit 0
  cat verdict
done
fail "not as expected in any of $try runs"
