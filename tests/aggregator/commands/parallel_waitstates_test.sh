#!/usr/bin/env bash
# huddle waitstates with several processes, started in every possible way: the same output, to the last byte.
#
#   parallel_waitstates_test.sh BUILD
set -euo pipefail
build=$(realpath "$1")
huddle=$build/bin/huddle
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "parallel_waitstates_test: $*" >&2; exit 1; }

. "$(dirname "${BASH_SOURCE[0]}")/../../openmpi.sh"

"$build/bin/exchange_trace" 6 300 "$work/trace"
"$huddle" waitstates "$work/trace" --json >"$work/one"
grep -q '"late_sender"' "$work/one" || fail "one process found no late sender"

same() { # NAME COMMAND...
  local name=$1
  shift
  timeout 60 "$@" >"$work/several" 2>"$work/errors" || fail "$name failed: $(cat "$work/errors")"
  cmp "$work/one" "$work/several" || fail "$name gave another result"
}
same "mpirun -n 2" mpirun.openmpi -n 2 "$huddle" waitstates "$work/trace" --json
same "mpirun -n 4" mpirun.openmpi -n 4 "$huddle" waitstates --json "$work/trace"
same "more processes than ranks" mpirun.openmpi -n 8 "$huddle" waitstates "$work/trace" --json
same "--processes" "$huddle" waitstates --processes 2 "$work/trace" --json
if [ -x "$build/lib/huddle_waitstates_mpich" ] && command -v mpirun.mpich >/dev/null; then
  same "MPICH's mpirun" mpirun.mpich -n 3 "$huddle" waitstates "$work/trace" --json
fi

# An error is reported once, with its reason.
timeout 60 mpirun.openmpi -n 2 "$huddle" waitstates "$work/missing" >"$work/output" 2>"$work/errors" &&
  fail "a missing trace is no error"
[ "$(grep -c "^huddle: .*missing" "$work/errors")" = 1 ] || fail "printed: $(cat "$work/errors")"
[ ! -s "$work/output" ] || fail "output in spite of an error"

# srun --mpi=none starts processes that can't find each other.
if SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=1 "$huddle" waitstates "$work/trace" 2>"$work/errors"; then
  fail "three processes that know nothing of each other were no error"
fi
grep -q -e "--mpi=pmix" "$work/errors" || fail "printed: $(cat "$work/errors")"
