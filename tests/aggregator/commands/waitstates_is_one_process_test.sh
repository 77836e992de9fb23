#!/usr/bin/env bash
# huddle waitstates started by mpirun: several of it are refused, and one works as without mpirun.
#
#   waitstates_is_one_process_test.sh HUDDLE
set -euo pipefail
huddle=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
trace=$here/../../fixtures/traces/score-p-ping-pong
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "waitstates_is_one_process_test: $*" >&2; exit 1; }

. "$here/../../openmpi.sh"

"$huddle" waitstates "$trace" --json >"$work/alone"
grep -q '"late_sender"' "$work/alone" || fail "no late sender"

tried=0
for mpirun in mpirun.openmpi mpirun.mpich; do
  command -v "$mpirun" >/dev/null || continue
  tried=$((tried + 1))
  timeout 60 "$mpirun" -n 1 "$huddle" waitstates "$trace" --json >"$work/one" 2>"$work/errors" ||
    fail "$mpirun -n 1 failed: $(cat "$work/errors")"
  cmp "$work/alone" "$work/one" || fail "$mpirun -n 1 gave another result"
  timeout 60 "$mpirun" -n 3 "$huddle" waitstates "$trace" --json --html "$work/page.html" >"$work/several" 2>"$work/errors" &&
    fail "$mpirun -n 3 is no error"
  grep -q -e "huddle: .*=3: .*--threads" "$work/errors" || fail "$mpirun -n 3 printed: $(cat "$work/errors")"
  ! grep -q '"late_sender"' "$work/several" || fail "$mpirun -n 3: a process did the work"
  [ ! -e "$work/page.html" ] || fail "$mpirun -n 3: a process wrote a page"
done
[ "$tried" -gt 0 ] || fail "there is no mpirun"
