#!/usr/bin/env bash
# The analyst's commands of the README, one after the other as they stand there, on a real program.
# usage: readme_test.sh BUILD
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "$1")
. "$tree/tests/openmpi.sh"
[ -x "$build/programs/halo_exchange" ] || { echo "there is no program of Open MPI"; exit 77; }
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
ln -s "$build/programs/halo_exchange" app
install -d bin
ln -s "$build/bin/huddle" bin
ln -s "$(command -v mpirun.openmpi || command -v mpirun)" bin/mpirun
export PATH=$work/bin:$PATH

sed -n '/^### Analyst: the command$/,/^- /{s/^    //p}' "$tree/README.md" >commands
[ "$(wc -l <commands)" -ge 4 ] || { echo "the README has no commands for analysts" >&2; exit 1; }
while IFS= read -r command; do
  echo "\$ $command"
  bash -euc "$command" </dev/null || { echo "it ended with status $?" >&2; exit 1; }
done <commands
[ "$(grep -cE '^rank [0-9]+=n[0-7] slot=' rankfile)" -eq 16 ] || { echo "the rankfile has not all 16 ranks:" >&2; cat rankfile >&2; exit 1; }
