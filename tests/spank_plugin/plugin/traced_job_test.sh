#!/usr/bin/env bash
# A job that requests it leaves a trace of each of its steps beside the profile, and OTF2's own tools can read it.
# usage: traced_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
command -v otf2-print >/dev/null || { echo "needs otf2-print (otf2-tools)"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
build=$1
start_site "traced-job-$$" "$build"

# 8 ranks on 2 nodes. Arguments: the words before the program; each makes a step of its own.
traced_steps() {
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=2 --ntasks=8 --job-name=halo
set -e
SCRIPT
  local launcher
  for launcher in "$@"; do echo "$launcher $shared/programs/halo_exchange --iterations 20"; done
}

expect_traces() {
  local found
  found=$(trace_folders | wc -l)
  [ "$found" -eq "$1" ] || fail "expected $1 trace(s), found $found"
  found=$(find "$profiles" -name '*.raw-*' -o -name '*.tmp' | wc -l)
  [ "$found" -eq 0 ] || fail "$found files are left of what was recorded"
}

# The trace of 8 ranks on two nodes, each with messages, a barrier at least, and the program's functions around.
expect_readable() {
  local events definitions
  definitions=$(otf2-print -G "$1/traces.otf2" 2>&1) || fail "otf2-print ends with status $?"
  events=$(otf2-print "$1/traces.otf2" 2>&1) || fail "otf2-print ends with status $?"
  expect_count() { # number, what, in which text
    local found
    found=$(grep -cE "$2" <<<"$3" || true)
    [ "$found" -eq "$1" ] || fail "expected $1 lines that match $2 in the trace, found $found"
  }
  expect_count 0 'error|ERROR|UNKNOWN' "$definitions$events"
  expect_count 8 '^LOCATION ' "$definitions"
  expect_count 2 '^SYSTEM_TREE_NODE .*Class: "node"' "$definitions"
  expect_count 16 '(ENTER|LEAVE) .*"main"' "$events"
  expect_count 8 'LEAVE .*"MPI_Finalize"' "$events"
  [ "$(grep -c '^MPI_ISEND ' <<<"$events")" -eq "$(grep -c '^MPI_IRECV ' <<<"$events")" ] ||
    fail "not as many messages were received as sent"
}

case_begins "profile,trace=on leaves a profile and a trace of each step"
submit --energy-aggregate=profile,trace=on < <(traced_steps srun srun)
expect_success; expect_one_line 'this run is measured and traced, profile and trace go to'
expect_profiles 2; expect_traces 2
while read -r trace; do
  expect_readable "$trace"
  [ -f "${trace%.trace}.json" ] || fail "there is no profile beside $trace"
  [ "$(stat -c %U "$trace")" = nobody ] || fail "the trace is $(stat -c %U "$trace")'s"
done < <(trace_folders)
expect_not_in_output '^huddle:'

case_begins "under mpirun as well, which the batch script starts"
forget_runs
submit --energy-aggregate=profile,trace=on < <(traced_steps mpirun)
expect_success; expect_profiles 1; expect_traces 1
expect_readable "$(trace_folders)"

case_begins "of a step that is killed the trace is made when its user asks for it"
forget_runs
submit --energy-aggregate=profile,trace=on <<SCRIPT
#!/bin/bash
#SBATCH --nodes=2 --ntasks=4 --job-name=ring
srun --kill-on-bad-exit=1 $shared/programs/abort_midway --how kill --rank 1 --after 300 --iterations 1000
SCRIPT
[ "$(trace_folders | wc -l)" -eq 0 ] || fail "there is a trace already"
left=$(find "$profiles" -type d -name 'profile-*.trace.raw-*')
[ "$(wc -l <<<"$left")" -eq 1 ] && [ -n "$left" ] || fail "expected what one run left, found: $left"
trace=${left%.raw-*}
# Nodes of a site may not see each other's locks: then the run counts as over only after a minute of silence.
answer=$("$build/bin/huddle" waitstates "$trace" 2>&1) && fail "a trace was made at once: $answer"
grep -qE 'its run may go on, on other nodes: it was written to [0-9]+ s ago' <<<"$answer" || fail "it said: $answer"
find "$left" -exec touch -d '-2 minutes' {} +
answer=$("$build/bin/huddle" waitstates "$trace" 2>&1) || fail "no trace: $answer"
for line in 'the run was cut short, and this trace was made of what it left' ': 4 ranks on 2 nodes, ' \
  'clocks of nodes were compared at the begin of the run only' 'ranks 0-3: the run was killed'; do
  grep -qF "$line" <<<"$answer" || fail "no '$line' in: $answer"
done
expect_traces 1

case_begins "without the key there is no trace"
forget_runs
submit --energy-aggregate=profile < <(traced_steps srun)
expect_success; expect_one_line 'this run is measured, its profile goes to'
expect_profiles 1; expect_traces 0

case_begins "with another mode the option is refused"
submit --energy-aggregate=auto,trace=on < <(traced_steps srun)
grep -qF "trace=on and auto contradict each other: a run is traced with mode profile" <<<"$job_errors" ||
  fail "the contradiction is not told"

finish
