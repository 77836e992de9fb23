#!/bin/bash
# What huddle record, show and waitstates say of the efficiency of ranks whose efficiency is known, beside what the program
# measures itself. Usage: efficiency_test.sh KNOWN_LOADS
# From the environment: HUDDLE, the command; PYTHON; MPI, openmpi (the default) or mpich; RECORDER, the library for that.
set -u
: "${HUDDLE:?}" "${RECORDER:?}" "${MPI:=openmpi}" "${PYTHON:=python3}"
program=$(realpath "$1")
. "$(dirname "${BASH_SOURCE[0]}")/../../openmpi.sh"
unset LD_PRELOAD HUDDLE_PROFILE HUDDLE_STORE HUDDLE_LABEL HUDDLE_TRACE SLURM_JOB_ID SLURM_STEP_ID
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# The number of runs that may fail by chance on a busy machine.
tries=4

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

record() { # OPTION... -- ARGUMENT...
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  timeout 60 "$HUDDLE" record --recorder "$RECORDER" "${options[@]}" -- "mpirun.$MPI" -n 4 "$program" "$@" >out 2>err ||
    fail "huddle record ${options[*]} of $*: status $?: $(cat out err)"
}

# agree NAME STEPS MS EXPECTED_LOAD_BALANCE LEAST_SERIALISATION MOST_SERIALISATION: what huddle says is within 2 points of what the program measured,
# and, as far as sleeping takes as long as it was told to on a busy machine, of what is expected.
agree() {
  local try
  for ((try = 1; try <= tries; ++try)); do
    record -o "$1.json" --trace="$1-$try.trace" -- "$1" "$2" "$3"
    "$HUDDLE" show --json "$1.json" >show.json || fail "huddle show: status $?"
    "$HUDDLE" waitstates --efficiency --json "$1-$try.trace" >waits.json 2>/dev/null || fail "huddle waitstates: status $?"
    "$PYTHON" - "$4" "$5" "$6" out show.json waits.json <<'COMPARE' >verdict && return
import json, re, sys
expected, least, most = map(float, sys.argv[1:4])
measured, shown, traced = open(sys.argv[4]).read(), json.load(open(sys.argv[5])), json.load(open(sys.argv[6]))
own = {name: float(value) for name, value in re.findall(r"(\w+) ([\d.]+)", measured)}
run, trace = shown["efficiency"], traced["efficiency"]
faults = []
def near(name, found, wanted, points=2):
    if found is None or abs(100 * found - wanted) > points:
        faults.append(f"{name}: found {found}, expected {wanted} %")
near("load balance", run["mpi"]["load_balance"], own["load_balance"])
near("communication", run["mpi"]["communication_efficiency"], own["communication"])
near("parallel efficiency", run["parallel_efficiency"], own["parallel"])
near("load balance as meant", run["mpi"]["load_balance"], expected, 8)
near("load balance of the trace", trace["load_balance"], own["load_balance"])
near("communication of the trace", trace["communication_efficiency"], own["communication"])
near("serialisation as meant", trace["serialisation_efficiency"], (least + most) / 2, (most - least) / 2)
near("serialisation x transfer", trace["serialisation_efficiency"] * trace["transfer_efficiency"], own["communication"])
if run["openmp"]:
    near("OpenMP", run["openmp"]["parallel_efficiency"], own["openmp"])
    near("OpenMP's serialisation", run["openmp"]["serialisation_efficiency"], own["serialisation"])
    near("OpenMP's load balance as meant", run["openmp"]["load_balance"], 75, 8)
print("\n".join(faults))
sys.exit(1 if faults else 0)
COMPARE
  done
  fail "$1: not as the program measured in any of $tries runs: $(cat out verdict)"
}

# Rank 0 of four computes twice as long: (4 + 1) / (2 * 4).
agree late 40 30 62.5 70 100
# One rank after the other: a quarter of the time each, and what they wait is no transfer.
agree chain 30 20 100 15 40
# Of eight units of two threads outside MPI five are useful.
agree teams 30 20 100 70 100
"$PYTHON" -c 'import json, sys; assert json.load(open("show.json"))["efficiency"]["openmp"]' || fail "OpenMP's efficiency is not known"

# A rank's time ends where it begins MPI_Finalize, however long others take to come: what it waits there is no work.
record -o ends.json -- ends 30 20
"$HUDDLE" show --json ends.json >show.json || fail "huddle show: status $?"
"$PYTHON" - show.json <<'ENDS' || fail "ranks that end early count as computing until the last one ends: $(cat err)"
import json, sys
mpi = json.load(open(sys.argv[1]))["efficiency"]["mpi"]
sys.exit(not (abs(mpi["load_balance"] - 0.625) < 0.02 and mpi["communication_efficiency"] > 0.98))
ENDS

# huddle record ends with it, on standard error, in a few lines.
record -o late.json -- late 20 20
grep -q '^huddle: known_loads, 4 ranks on [0-9]* nodes\?, [0-9.]* s$' err || fail "record does not say what ran: $(cat err)"
grep -q '^huddle: parallel efficiency [0-9.]* % = load balance [5-7][0-9.]* % x communication [0-9.]* %$' err ||
  fail "record says of efficiency: $(cat err)"
grep -q '^huddle: most is lost from allreduce at .* to the next: [0-9.]* % of the run (.*; rank 0 computes 1\.[0-9]* times the mean)$' err ||
  fail "record says of phases: $(cat err)"
[ "$(wc -l <err)" -le 8 ] || fail "record says more than a few lines: $(cat err)"
[ "$(wc -l <out)" -eq 1 ] || fail "record adds to the program's output: $(cat out)"
record -q -o late.json -- late 2 2
[ ! -s err ] || fail "record --quiet says: $(cat err)"

# The command that it names can be run as it stands.
record -o "a chain.json" -- chain 10 10
grep -q '^huddle: ranks [0-2] and [1-3] talk most: 40 B of 120 B; 2 other pairs do as much$' err || fail "record says of pairs: $(cat err)"
next=$(sed -n 's/^huddle: next, what is waiting and what transfer: huddle //p' err)
[ -n "$next" ] || fail "record names no command to try: $(cat err)"
bash -c "exec \"\$HUDDLE\" $next" >out 2>err || fail "huddle $next: status $?: $(cat err)"
[ -e "a chain.trace/traces.otf2" ] || fail "huddle $next: no trace: $(cat err)"

# What it says never changes the status, and several programs get a line each.
timeout 60 "$HUDDLE" record --recorder "$RECORDER" -o two.json -- \
  sh -c "mpirun.$MPI -n 2 $program late 2 2; mpirun.$MPI -n 3 $program late 2 2; exit 7" >out 2>err
[ $? -eq 7 ] || fail "record of two programs: another status than theirs: $(cat err)"
[ "$(grep -c '^huddle: two\(-2\)\?.json: known_loads, [23] ranks on .*, parallel efficiency ' err)" -eq 2 ] ||
  fail "record of two programs says: $(cat err)"

# Sizes side by side.
for ranks in 2 4; do
  timeout 60 "$HUDDLE" record -q --recorder "$RECORDER" -o "$ranks.json" -- "mpirun.$MPI" -n $ranks "$program" late 10 20 >out 2>err ||
    fail "huddle record: status $?: $(cat err)"
done
"$HUDDLE" show --weak 4.json 2.json >out || fail "huddle show of two sizes: status $?"
grep -qE '^ranks +2 +4$' out || fail "show does not begin with the smaller run: $(cat out)"
echo "all as expected"
