#!/usr/bin/env bash
# mpirun-aggregate with the real mpirun of Open MPI and of MPICH on this machine, which simulates four hosts of two cores.
# usage: mpirun_aggregate_test.sh BUILD
set -euo pipefail
build=$(realpath "$1")
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export HUDDLE_EXPLORE=trial # one measured run is enough for a plan; this is about what is done with it
export HUDDLE_MACHINE=$work/machine.json HUDDLE_RECORDER=$build/lib/libhuddle_recorder.so
unset HUDDLE_MODEL HUDDLE_COMMAND LD_PRELOAD "${!SLURM_@}"
failures=0
case_begins() { echo "- $1"; }
fail() {
  failures=$((failures + 1))
  echo "  FAILED: $1"
  head -n 8 err | sed 's/^/    said: /'
}

# Stands in for ssh: a command for a host runs here, with the name of that host.
cat >log_in <<'SCRIPT'
#!/bin/bash
while [[ $1 == -* ]]; do shift; done
export PRETENDED_HOST=$1
# Hosts have a /tmp of their own.
export OMPI_MCA_orte_tmpdir_base=$(dirname "$0")/tmp-$1
mkdir -p "$OMPI_MCA_orte_tmpdir_base"
shift
exec bash -c "$*"
SCRIPT
cat >where <<'SCRIPT'
#!/bin/bash
echo "${PMIX_RANK:-$PMI_RANK} ${PRETENDED_HOST:-none} $(taskset -cp $$ | sed 's/.*: //')"
SCRIPT
cat >arguments <<'SCRIPT'
#!/bin/bash
# At the first rank that fails mpirun ends the others: only the one that prints may fail.
[ "${PMIX_RANK:-$PMI_RANK}" = 0 ] || exit 0
printf '<%s>\n' "$@"
exit 23
SCRIPT
chmod +x log_in where arguments
"$build/bin/huddle" machine --topology "package:1 die:1 core:2 pu:1" --nodes 4 --output machine.json 2>/dev/null

aggregate() { # the arguments after the hosts
  local attempt
  for attempt in 1 2 3; do
    status=0
    timeout 60 "$build/bin/mpirun-aggregate" "${hosts[@]}" "$@" >out 2>err </dev/null || status=$?
    # On a busy machine MPICH's mpiexec may break an assertion of its own, also where Huddle is off.
    grep -qF 'assert (!closed) failed' err || break
    echo "  mpiexec failed in attempt $attempt: $(head -n 1 err)"
  done
}
expect_line() { grep -qE "^huddle: .*$1" err || fail "expected a line that matches: $1"; }
expect_status() { [ "$status" -eq "$1" ] || fail "status $status, expected $1"; }
expect_profiles() {
  local found
  found=$(find "$HUDDLE_STORE" -name 'profile-*' | wc -l)
  [ "$found" -eq "$1" ] || fail "$found profiles, expected $1"
}

check_library() { # PROGRAMS
  local programs=$1 words plan expected
  export HUDDLE_STORE=$work/store-$2
  mkdir "$HUDDLE_STORE"

  case_begins "$2: the first run is measured on the requested hosts"
  aggregate --energy-aggregate=label=halo,size=64x64 -n 4 -- "$programs/halo_exchange" --iterations 20
  expect_status 0; expect_profiles 1; expect_line 'this run is measured: there is no profile of "halo" with 4 ranks yet'
  grep -rq '"problem_size": 4096' "$HUDDLE_STORE" || fail "the profile does not say its size"

  case_begins "$2: the next one is packed, each rank on the host and core that the plan says"
  aggregate --energy-aggregate=label=halo -n 4 -- ./where
  expect_status 0; expect_line 'packed onto 2 of 4 nodes \(1:1:2\)'
  plan=$(find "$HUDDLE_STORE" -name 'plan-*.json')
  [ -n "$plan" ] || { fail "there is no plan"; return; }
  expected=$("$build/bin/huddle" emit "$plan" --as openmpi --hosts ha,hb,hc,hd | sed -E 's/rank ([0-9]+)=(.*) slot=(.*)/\1 \2 \3/')
  [ "$(sort -n out)" = "$expected" ] || fail "placed: $(sort -n out); planned: $expected"

  case_begins "$2: arguments and the exit status are the program's own, packed, measured and left"
  for words in auto profile off; do
    aggregate "--energy-aggregate=$words,label=halo" -n 4 -- ./arguments "two words" '' '$HOME' $'two\nlines' -- '-n' '*'
    expect_status 23
    [ "$(cat out)" = "$(printf '<%s>\n' "two words" '' '$HOME' $'two\nlines' -- '-n' '*')" ] || fail "$words: $(cat out)"
  done

  case_begins "$2: a user who places ranks, or requests another number of them, is obeyed"
  aggregate --energy-aggregate=label=halo "${placing[@]}" -n 4 -- ./where
  expect_status 0; expect_line 'left as requested: you place the ranks yourself'
  [ "$(awk '{ print $2 }' out | sort -u | wc -l)" -eq 4 ] || fail "placed: $(cat out)"
  SLURM_CPUS_PER_TASK=2 aggregate --energy-aggregate=label=halo -n 4 -- ./where
  expect_line 'left as requested: its ranks have several cores \(SLURM_CPUS_PER_TASK\)'
  aggregate --energy-aggregate=label=halo -- ./where
  expect_line 'left as requested: give the number of ranks by -n'
  HUDDLE_COMMAND=/bin/false aggregate --energy-aggregate=label=halo -n 4 -- ./where
  expect_status 0; expect_line 'left as requested: huddle plan ended with status 1'
}

printf '%s slots=1\n' ha hb hc hd >openmpi-hosts
printf '%s:1\n' ha hb hc hd >mpich-hosts
# Open MPI 5 does not let pretended hosts of one machine reach each other; srun_aggregate_test.sh has real ones for it.
if command -v mpirun.openmpi >/dev/null && [[ $(mpirun.openmpi --version) != *"(Open MPI) "[5-9]* ]]; then
  export MPIRUN=mpirun.openmpi
  hosts=(--mca plm_rsh_agent "$work/log_in" --hostfile openmpi-hosts) placing=(--map-by node)
  check_library "$build/programs" "Open MPI"
fi
if command -v mpirun.mpich >/dev/null && [ -x "$build/programs-mpich/halo_exchange" ]; then
  export MPIRUN=mpirun.mpich
  hosts=(-launcher ssh -launcher-exec "$work/log_in" -f mpich-hosts) placing=(-bind-to none)
  check_library "$build/programs-mpich" MPICH
fi

case_begins "on this machine alone there are no fewer hosts, and the run is measured only once"
export MPIRUN=mpirun.openmpi HUDDLE_STORE=$work/alone
hosts=()
mkdir "$HUDDLE_STORE"
HUDDLE_STEP=$'huddle/step 1\npacked_run=1\n' aggregate -n 2 -- "$build/programs/halo_exchange" --iterations 20 # of a job that this runs in
expect_status 0; expect_profiles 1; expect_line 'this run is measured'
aggregate -n 2 -- "$build/programs/halo_exchange" --iterations 20
expect_status 0; expect_profiles 1; expect_line 'no fewer nodes'

[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
echo "all as expected"
