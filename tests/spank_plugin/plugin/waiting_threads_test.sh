#!/usr/bin/env bash
# Tests how threads wait in a job with threads=auto: set in its ranks, by srun and by mpirun, and in nothing else; never over
# what the user has set, and not where the site forbids it.
# usage: waiting_threads_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
start_site "waiting-threads-$$" "$1"
program=$shared/programs/show_waiting
cat >"$site_scratch/show.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static const char* value(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? "none" : text;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d waits %s %s\n", rank, value("GOMP_SPINCOUNT"), value("KMP_BLOCKTIME"));
  return MPI_Finalize();
}
C
mpicc.openmpi -o "$program" "$site_scratch/show.c"

# 16 ranks, one for each PU of two of the nodes once they are packed. Arguments: the script's lines.
job() {
  printf '%s\n' '#!/bin/bash' '#SBATCH --nodes=8 --ntasks=16 --job-name=waiting' \
    'echo "script waits ${GOMP_SPINCOUNT-none} ${KMP_BLOCKTIME-none}"' "$@"
}
expect_ranks() { # "SPINS MILLISECONDS", an extended regular expression
  local found
  found=$(grep -cE "^rank [0-9]+ waits $1\$" <<<"$job_output" || true)
  [ "$found" -eq 16 ] || fail "expected 16 ranks that wait $1, found $found"
}

case_begins "the run that is measured has nothing of it"
submit --energy-aggregate=auto,threads=auto < <(job "srun $program")
expect_success; expect_one_line 'its threads wait as they are used to while it is measured'
expect_ranks "none none"

case_begins "ranks of srun have room for one thread each, and none for more"
submit --energy-aggregate=auto,threads=auto < <(job "OMP_NUM_THREADS=1 srun $program")
expect_success; expect_one_line 'its threads sleep while they wait long'
expect_in_output '^script waits none none$'
expect_ranks "(50000 2|none none|1 0)" # as far as this machine has room
submit --energy-aggregate=auto,threads=auto < <(job "OMP_NUM_THREADS=4 srun $program")
expect_success; expect_ranks "1 0"

case_begins "a shell that srun starts and its tools have what their rank has, and a program that gets no recorder has not"
gcc -static -o "$shared/programs/static_waiting" -x c - <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) { return printf("static waits %s\n", getenv("GOMP_SPINCOUNT") == NULL ? "none" : "ours") < 0; }
C
submit --energy-aggregate=auto,threads=auto < <(job "OMP_NUM_THREADS=4 srun -n 16 sh -c '$shared/programs/static_waiting; exec $program'")
expect_success; expect_ranks "1 0"
expect_in_output '^static waits none$'; expect_not_in_output '^static waits ours$'

if [ -n "$steered_mpirun" ]; then
  case_begins "ranks of mpirun have it, mpirun itself has not"
  submit --energy-aggregate=auto,threads=auto < <(job "OMP_NUM_THREADS=4 mpirun.openmpi -x OMP_NUM_THREADS $program")
  expect_success; expect_ranks "1 0"
fi

case_begins "what the user has set stays, whichever of the variables it is"
submit --energy-aggregate=auto,threads=auto < <(job "OMP_NUM_THREADS=4 OMP_WAIT_POLICY=active srun $program")
expect_success; expect_ranks "none none"
submit --energy-aggregate=auto,threads=auto < <(job "OMP_NUM_THREADS=4 GOMP_SPINCOUNT=17 srun $program")
expect_success; expect_ranks "17 none"

case_begins "HUDDLE_THREADS asks for it as well, and threads=keep takes it back"
HUDDLE_THREADS=auto submit --energy-aggregate=auto < <(job "OMP_NUM_THREADS=4 srun $program")
expect_success; expect_ranks "1 0"
HUDDLE_THREADS=auto submit --energy-aggregate=auto,threads=keep < <(job "OMP_NUM_THREADS=4 srun $program")
expect_success; expect_ranks "none none"

case_begins "a site may forbid it, and says so to those who ask"
write_policy <<'TOML'
threads.allow = false
TOML
submit --energy-aggregate=auto,threads=auto < <(job "OMP_NUM_THREADS=4 srun $program")
expect_success; expect_one_line 'its threads stay as they are: the site does not allow it \(threads.allow'
expect_ranks "none none"
HUDDLE_THREADS=auto submit --energy-aggregate=auto < <(job "export HUDDLE_THREADS=auto" "OMP_NUM_THREADS=4 srun $program")
expect_success; expect_ranks "none none"

finish
