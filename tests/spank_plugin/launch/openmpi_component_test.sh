#!/usr/bin/env bash
# Open MPI's mpirun with our component in its search path, and without Slurm: which ranks are measured, and that no mpirun is
# disturbed.
# usage: openmpi_component_test.sh BUILD
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
command -v mpirun.openmpi mpicc.openmpi >/dev/null || { echo "Open MPI is missing"; exit 77; }
[[ $(mpirun.openmpi --version) != *"(Open MPI) "[5-9]* ]] || { echo "Open MPI 5 takes no such component"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }
mpicc.openmpi -o ring "$here/../../cluster/mpi_ring.c"
mpicc.openmpi -fsanitize=address -o ring_asan "$here/../../cluster/mpi_ring.c"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export HUDDLE_RECORDER=$build/lib/libhuddle_recorder.so
export HUDDLE_PROFILE=$scratch/profile.json OMPI_MCA_mca_base_component_path=SYS_DEFAULT:$build/lib:USR_DEFAULT
unset LD_PRELOAD "${!SLURM_@}"

# runs WORDS...: an mpirun of two ranks that ends well. Sets $output, and $measured to yes if there is a profile then.
runs() {
  rm -f "$HUDDLE_PROFILE"
  output=$(timeout 120 mpirun.openmpi --oversubscribe "$@" 2>&1) || fail "mpirun $*: status $?: $output"
  [ "$(grep -c '^rank [01] of 2' <<<"$output")" -eq 2 ] || fail "mpirun $*: not two ranks: $output"
  measured=no
  [ ! -e "$HUDDLE_PROFILE" ] || measured=yes
}
expect_measured() { [ "$measured" = "$1" ] || fail "expected measured: $1, found $measured: $output"; }
expect_words() { grep -qF -- "$1" <<<"$output" || fail "expected '$1' in: $output"; }
expect_no_words() { ! grep -qE -- "$1" <<<"$output" || fail "not expected '$1' in: $output"; }

runs -n 2 ./ring 100
expect_measured yes; expect_no_words 'huddle|mca_|ld\.so'
runs -x HOME --mca btl self,tcp -n 1 ./ring 100 : -n 1 ./ring 100
expect_measured yes; expect_no_words 'huddle|mca_|ld\.so'
runs -n 2 ./ring_asan 100
expect_measured no; expect_words 'huddle: not measured: ./ring_asan has a sanitizer'; expect_no_words 'ASan runtime|ld\.so'
runs -n 2 sh -c 'exec ./ring_asan 100'
expect_measured no; expect_no_words 'ASan runtime|ld\.so'
runs -n 2 sh -c 'exec ./ring 100'
expect_measured yes

# The parameter reaches daemons that are started by ssh through a shell. Each has a /tmp of its own, as on a node: two daemons
# that make one session folder at once fail now and then.
cat >remote <<'SCRIPT'
#!/bin/sh
[ "$1" != -x ] || shift
export OMPI_MCA_orte_tmpdir_base="$(dirname "$0")/tmp-$1"
mkdir -p "$OMPI_MCA_orte_tmpdir_base"
shift
exec sh -c "$*"
SCRIPT
chmod +x remote
runs --mca plm rsh --mca plm_rsh_agent "$scratch/remote" --host 127.0.0.2:1,127.0.0.3:1 -n 2 ./ring 100
expect_measured yes

# The user's own means go before.
runs -x LD_PRELOAD=libm.so.6 -n 2 ./ring 100
expect_measured no; expect_words 'huddle: not measured: mpirun sets another LD_PRELOAD'
OMPI_MCA_orte_fork_agent=/usr/bin/env runs -n 2 ./ring 100
expect_measured no
runs --mca orte_fork_agent /usr/bin/env -n 2 ./ring 100
expect_measured no

# As in a container: the folder, or the recorder, is not there.
OMPI_MCA_mca_base_component_path=SYS_DEFAULT:/no/such/folder:USR_DEFAULT runs -n 2 ./ring 100
expect_measured no; expect_no_words 'huddle|mca_'
HUDDLE_RECORDER=/no/such/recorder.so runs -n 2 ./ring 100
expect_measured no; expect_words 'huddle: not measured: /no/such/recorder.so is not on this node'
# Without the variables of a job the component does nothing.
(unset HUDDLE_RECORDER; runs -n 2 ./ring 100; expect_measured no; expect_no_words huddle; exit "$failures") || failures=$?
[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
