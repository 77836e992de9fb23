#!/bin/bash
# A recorded program with debug information: huddle waitstates gives the source lines of its functions as long as the
# program is the one that ran. From the environment: HUDDLE; RECORDER; PYTHON.
set -u
: "${HUDDLE:?}" "${RECORDER:?}" "${PYTHON:=python3}"
here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/../../../openmpi.sh"
unset LD_PRELOAD HUDDLE_PROFILE HUDDLE_STORE HUDDLE_LABEL HUDDLE_STORE_CREATE HUDDLE_TRACE SLURM_JOB_ID SLURM_STEP_ID
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-lines-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# lines MEMBERS...: what the analysis says of step, late_barrier and main in traced_lines.c; "none" without a line.
lines_found() {
  timeout 60 "$HUDDLE" waitstates trace --json "$@" >report.json 2>errors || fail "huddle waitstates $*: $(cat errors)"
  "$PYTHON" - <<'END'
import json
report = json.load(open("report.json"))
found = {}
for path in report["call_paths"]:
    place = f'{path["file"]}:{path["line"]}' if "file" in path else "none"
    assert found.setdefault(path["path"][-1], place) == place, "a function has one place"
assert found["MPI_Barrier"] == "none", "MPI's functions have no place"
print(*(found[name] for name in ("main", "step", "late_barrier")))
END
}

cp "$here/traced_lines.c" . || exit 1
line_of() { grep -n "// here: $1\$" traced_lines.c | cut -d: -f1; }
mpicc.openmpi -g -O1 -o program traced_lines.c || fail "mpicc"
timeout 60 "$HUDDLE" record --recorder "$RECORDER" -o profile.json --trace=trace -- mpirun.openmpi -np 2 ./program >output 2>&1 ||
  fail "the program: $(cat output)"
expected="$work/traced_lines.c:$(line_of main) $work/traced_lines.c:$(line_of step) $work/traced_lines.c:$(line_of late_barrier)"
found=$(lines_found) || exit 1
[ "$found" = "$expected" ] || fail "the lines are $found, expected $expected"
grep -q "\"program\": \"$work/program\"" report.json || fail "the report does not name the program"
timeout 60 "$HUDDLE" waitstates trace --by callpath >text || fail "huddle waitstates --by callpath"
grep -q "^ *late_barrier (traced_lines.c:$(line_of late_barrier)) " text || fail "the tree has no line: $(cat text)"
timeout 60 "$HUDDLE" waitstates trace --cubex lines.cubex >text || fail "huddle waitstates --cubex"
tar -xOf lines.cubex anchor.xml | grep -q "mod=\"$work/traced_lines.c\" begin=\"$(line_of step)\"" || fail "no line in the file for Cube"

# Elsewhere, or another build: no line is better than a wrong one.
mv program moved
[ "$(lines_found)" = "none none none" ] || fail "lines of a program that is gone"
[ "$(lines_found --program moved)" = "$expected" ] || fail "lines of a program that was moved"
# Debug information in a file of its own.
objcopy --only-keep-debug moved moved.debug && objcopy --strip-debug --add-gnu-debuglink=moved.debug moved || fail "objcopy"
[ "$(lines_found --program moved)" = "$expected" ] || fail "lines of debug information that was split off"
rm moved.debug
[ "$(lines_found --program moved)" = "none none none" ] || fail "lines of debug information that is gone"

sed -i '1i // one line more' traced_lines.c
mpicc.openmpi -g -O1 -o program traced_lines.c || fail "mpicc"
[ "$(lines_found)" = "none none none" ] || fail "lines of another build"
timeout 60 "$HUDDLE" waitstates trace --program program >text 2>errors && fail "another build is taken"
grep -q "another build" errors || fail "it says $(cat errors)"
timeout 60 "$HUDDLE" waitstates trace --program nowhere >text 2>errors && fail "a program that is not there is taken"
grep -q "nowhere" errors || fail "it says $(cat errors)"

# Functions in a library that the program brought along.
mkdir lib && mpicc.openmpi -g -O1 -shared -fPIC -Dmain=not_main -o lib/libsteps.so traced_lines.c || fail "mpicc -shared"
cat >caller.c <<'END'
#include <mpi.h>
void step(int rank);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i) step(rank);
  MPI_Finalize();
  return 0;
}
END
mpicc.openmpi -g -O1 -o program caller.c -Llib -lsteps -Wl,-rpath,'$ORIGIN/lib' || fail "mpicc"
rm -rf trace
timeout 60 "$HUDDLE" record --recorder "$RECORDER" -o library.json --trace=trace -- mpirun.openmpi -np 2 ./program >output 2>&1 ||
  fail "the program with a library: $(cat output)"
expected="$work/caller.c:3 $work/traced_lines.c:$(line_of step) $work/traced_lines.c:$(line_of late_barrier)"
found=$(lines_found) || exit 1
[ "$found" = "$expected" ] || fail "with a library the lines are $found, expected $expected"
touch -d '+1 hour' lib/libsteps.so
[ "$(lines_found)" = "$work/caller.c:3 none none" ] || fail "lines of a library that is newer than the trace"
exit 0
