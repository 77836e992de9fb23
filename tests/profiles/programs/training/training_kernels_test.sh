#!/usr/bin/env bash
# Each training kernel is right on one rank and on six, of which some share a processor, with each shape of exchange.
#
#   training_kernels_test.sh PROGRAM
set -u
program=$1
. "$(dirname "${BASH_SOURCE[0]}")/../../../openmpi.sh"
unset LD_PRELOAD
failures=0
failed() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}
kernels=$("$program" --list | awk '{print $1}') || failed "--list"
[ "$(wc -w <<<"$kernels")" -ge 12 ] || failed "--list names few kernels: $kernels"
for kernel in $kernels; do
  said=$(timeout 120 mpirun.openmpi -np 6 "$program" --kernel "$kernel" --iterations 3 --footprint 200000 2>&1) ||
    failed "$kernel on 6 ranks: $said"
  [[ $said == *"kernel $kernel footprint 200000 ranks 6 iterations 3 seconds "* ]] || failed "$kernel says: $said"
done
said=$(timeout 120 mpirun.openmpi -np 1 "$program" --kernel triad --seconds 0.2 --footprint 100000 2>&1) || failed "$said"
[[ $said =~ iterations\ [1-9] ]] || failed "--seconds says: $said"
for wrong in "--kernel none" "--kernel triad --iterations 0" "--kernel triad --seconds much" "--iterations 3" "--what 1"; do
  # shellcheck disable=SC2086
  said=$("$program" $wrong 2>&1)
  [ $? -eq 2 ] || failed "'$wrong' is accepted: $said"
done
exit $((failures > 0))
