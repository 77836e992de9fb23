#!/usr/bin/env bash
# `huddle show` names the functions between which a program's phases are, as long as its files are those that ran.
# usage: show_functions_test.sh BUILD
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$1"; exit 1; }
huddle() { "$build/bin/huddle" "$@"; }
. "$(dirname "${BASH_SOURCE[0]}")/../../openmpi.sh"

cp "$build/programs/halo_exchange" "$work/program"
huddle record --output "$work/p.json" -- mpirun.openmpi -n 4 "$work/program" --iterations 20 >"$work/out" 2>&1 ||
  fail "huddle record: $(cat "$work/out")"
huddle show "$work/p.json" >"$work/named"
grep -qE '^ +[0-9]+  from [a-z]+ at main \(program\+0x[0-9a-f]+\)$' "$work/named" || fail "no functions: $(cat "$work/named")"
huddle show "$work/p.json" --json >"$work/named.json"
grep -q '"begin_functions": "[a-z]* at .*main"' "$work/named.json" || fail "no functions in JSON: $(cat "$work/named.json")"
grep -q '"begin": "[a-z]* at program+0x' "$work/named.json" || fail "the places are gone: $(cat "$work/named.json")"

# So it is if the program was started by a link's name.
ln -s program "$work/link"
huddle record --output "$work/l.json" -- mpirun.openmpi -n 2 "$work/link" --iterations 20 >"$work/out" 2>&1 ||
  fail "huddle record of a link: $(cat "$work/out")"
huddle show "$work/l.json" >"$work/linked"
grep -qE '^ +[0-9]+  from [a-z]+ at main \(link\+0x[0-9a-f]+\)$' "$work/linked" || fail "no functions by a link: $(cat "$work/linked")"

# Another program in its place names nothing.
cp "$build/programs/memory_bound" "$work/program"
huddle show "$work/p.json" >"$work/other"
grep -qE '^ +[0-9]+  from [a-z]+ at program\+0x[0-9a-f]+' "$work/other" || fail "named by another program: $(cat "$work/other")"
! grep -q ' at main ' "$work/other" || fail "functions of another program: $(cat "$work/other")"
rm "$work/program"
mkfifo "$work/program"
timeout 10 "$build/bin/huddle" show "$work/p.json" >"$work/other" || fail "status $? where the program is a pipe"
