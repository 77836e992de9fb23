#!/usr/bin/env bash
# Builds a program with a real Charm++ and EnergyLB, runs it on threads of this machine, and looks at what became of its
# steps.
#
#   charm_test.sh BUILD CHARMC     CHARMC may be empty: skipped
set -euo pipefail
build=$1
charmc=${2:-}
if [ -z "$charmc" ]; then
  echo "skipped: no Charm++ (cmake -D HUDDLE_CHARMC=/path/to/charmc)"
  exit 77
fi
[ -e "$build/lib/charm/libmoduleEnergyLB.a" ] || { echo "build the target huddle_charm_module first" >&2; exit 1; }
sources=$(cd "$(dirname "$0")/uneven" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$charmc" "$sources/uneven.ci"
"$charmc" -std=c++20 -I. -c "$sources/uneven.C" -o uneven.o
"$charmc" -language charm++ -o uneven uneven.o -L"$build/lib/charm" -module EnergyLB

fail() {
  echo "FAILED: $*" >&2
  cat output >&2
  exit 1
}
# run OPTIONS...: 60 chares of 0.25 to 40 ms on 6 PEs, 12 steps, balanced after every third.
run() {
  timeout 60 ./uneven +p6 +setcpuaffinity 60 12 3 40 +balancer EnergyLB +LBDebug 1 "$@" > output 2>&1 || fail "status $?"
}
has() { grep -q -- "$1" output || fail "no line with: $1"; }
has_not() { if grep -q -- "$1" output; then fail "a line with: $1"; fi; }
# The quickest of these steps: another process may hold up any one of them.
quickest() {
  awk -v from="$1" -v to="$2" '$1 == "step" && $3 == "took" && $2 >= from && $2 <= to && (!best || $4 < best) { best = $4 }
    END { print best }' output
}

clocks=1.2GHz/1.5GHz/1.8GHz/2.1GHz/2.4GHz
for balancer in greedy refine greedy_comm refine_comm; do
  run +EnergyLB "balancer=$balancer,clocks=$clocks"
  has "handed over to $balancer: "
  [ "$(grep -c 'no keeper of clocks' output)" = 1 ] || fail "the keeper's absence is said once"
  [ "$(grep -c 'handed over' output)" -le 2 ] || fail "$balancer moves the same loads again and again"
  before=$(quickest 0 2)
  after=$(quickest 6 11)
  awk -v before="$before" -v after="$after" 'BEGIN { exit !(after < 0.95 * before) }' ||
    fail "$balancer: steps took $before s, and $after s in the end"
  echo "$balancer: a step took $before s before, $after s in the end; $(grep -o 'step 0, l [0-9.]*' output)," \
    "$(grep -o 'step 2, l [0-9.]*' output)"
done

run +EnergyLB "balancer=none,grain=fine,clocks=$clocks"
has_not "handed over"
has "chares stay, clocks 1.[258]0 to 2.40 GHz"

HUDDLE_ENERGYLB=balancer=none run
has_not "handed over"

if timeout 60 ./uneven +p2 4 2 1 1 +balancer EnergyLB +EnergyLB balancer=fast > output 2>&1; then fail "runs with a mistyped option"; fi
has "balancer=fast is not understood, balancer takes none, greedy"
