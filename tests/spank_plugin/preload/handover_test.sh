#!/usr/bin/env bash
# Tests the way of a rank's LD_PRELOAD: huddle-rank puts our libraries in, in the words of mpirun's fork agent, and
# libhuddle_exec.so hands them on to what the rank starts, or takes them out. Programs with a sanitizer, which mind any
# preloaded library, tell whether it works.
# usage: handover_test.sh BUILD
set -euo pipefail
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }

# Prints what of ours it has in LD_PRELOAD and in memory.
cat >"$scratch/show.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char line[4096];
  const char* preloaded = getenv("LD_PRELOAD");
  int mapped = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) mapped |= strstr(line, "libhuddle_recorder.so") != NULL;
  printf("%s %s\n", preloaded == NULL ? "none" : preloaded, mapped ? "mapped" : "not");
  return 0;
}
C
gcc -o "$scratch/show" "$scratch/show.c"
gcc -fsanitize=address -o "$scratch/show_asan" "$scratch/show.c" 2>/dev/null && "$scratch/show_asan" >/dev/null ||
  { echo "gcc has no AddressSanitizer that works here"; exit 77; }
gcc -static -o "$scratch/show_static" "$scratch/show.c"
ours=("$build/lib/libhuddle_exec.so" "$build/lib/libhuddle_recorder.so")
[ ! -e "$build/lib/libhuddle_recorder_mpich.so" ] || ours+=("$build/lib/libhuddle_recorder_mpich.so")
preload=$(IFS=:; echo "${ours[*]}")
export HUDDLE_RECORDER=$build/lib/libhuddle_recorder.so
cd "$scratch"

# expect WORDS COMMAND...: COMMAND succeeds and prints just this, on both outputs.
expect() {
  local expected=$1 found status=0
  shift
  found=$("$@" 2>&1) || status=$?
  [ "$status" -eq 0 ] && [ "$found" = "$expected" ] || fail "$* ended with $status and said: $found; expected: $expected"
}

start=("$build/share/huddle/huddle-rank" --recorder "$HUDDLE_RECORDER" --store "$scratch/store" --label test --)
expect "$preload mapped" "${start[@]}" ./show
expect "$preload:/no.such mapped" bash -c 'LD_PRELOAD=/no.such "$@" 2>/dev/null' sh "${start[@]}" ./show
expect "none not" "${start[@]}" ./show_asan
expect "none not" "${start[@]}" ./show_static
expect $'huddle: not measured: ./show_asan has a sanitizer\nnone not' env OMPI_COMM_WORLD_RANK=0 "${start[@]}" ./show_asan
expect $'none not' env OMPI_COMM_WORLD_RANK=0 "${start[@]}" sh -c './show_asan; exit $?'
expect "none not" env OMPI_COMM_WORLD_RANK=1 "${start[@]}" ./show_asan
# Nobody here sees what a container's program gets for which its user asks.
cp "$scratch/show" "$scratch/apptainer"
container=(env OMPI_COMM_WORLD_RANK=0 "${start[@]}" ./apptainer exec)
expect $'huddle: not measured: ./apptainer starts a container, in which the recorder has to be asked for (see huddle-record(1))\nnone not' \
  "${container[@]}" image ./show
expect "none not" "${container[@]}" --env "LD_PRELOAD=$HUDDLE_RECORDER" image ./show
expect "none not" env PMI_RANK=1 "${start[@]/#$HUDDLE_RECORDER/\/no\/recorder.so}" ./show
expect "a b  *" "${start[@]}" printf '%s %s %s %s' a b '' '*'
status=0
"${start[@]}" ./no_such 2>/dev/null || status=$?
[ "$status" -eq 127 ] || fail "a program that is missing: status $status"

# The wait policy of threads is set only where a rank gets our libraries, and HUDDLE_THREADS asks for it.
waits='echo "${GOMP_SPINCOUNT-none} ${KMP_BLOCKTIME-none}"'
rank=(env HUDDLE_THREADS=auto OMPI_COMM_WORLD_LOCAL_SIZE=1 OMP_NUM_THREADS=1)
found=$("${rank[@]}" "${start[@]}" sh -c "$waits") # as far as this machine has room
[[ $found =~ ^(50000\ 2|1\ 0|none\ none)$ ]] || fail "a rank with room waits $found"
rank+=(OMP_NUM_THREADS=100000)
expect "1 0" "${rank[@]}" "${start[@]}" sh -c "$waits"
expect "1 0" "${rank[@]}" "${start[@]}" sh -c "exec sh -c '$waits'"
expect "1 0" "${rank[@]}" OMP_NUM_THREADS=1 OMPI_COMM_WORLD_LOCAL_SIZE=100000 "${start[@]}" sh -c "$waits"
expect "1 0" env HUDDLE_THREADS=auto MPI_LOCALNRANKS=100000 OMP_NUM_THREADS=1 "${start[@]}" sh -c "$waits"
expect "300 0" "${rank[@]}" HUDDLE_THREADS=pack "${start[@]}" sh -c "$waits"
expect "none none" "${rank[@]}" HUDDLE_THREADS=keep "${start[@]}" sh -c "$waits"
expect "none none" env HUDDLE_THREADS=auto OMP_NUM_THREADS=1 "${start[@]}" sh -c "$waits" # no rank
expect "none none" "${rank[@]}" OMP_WAIT_POLICY=passive "${start[@]}" sh -c "$waits"
expect "7 none" "${rank[@]}" GOMP_SPINCOUNT=7 "${start[@]}" sh -c "$waits"
gcc -static -o "$scratch/waits_static" -x c - <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char* spins = getenv("GOMP_SPINCOUNT");
  return puts(spins == NULL ? "none" : spins) < 0;
}
C
expect "none" "${rank[@]}" "${start[@]}" ./waits_static
expect $'none\n1 0' "${rank[@]}" "${start[@]}" sh -c "./waits_static; $waits" # and what a recorded shell starts
expect "7" "${rank[@]}" GOMP_SPINCOUNT=7 "${start[@]}" ./waits_static
# libgomp takes it.
printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() > 0 ? 0 : 1; }\n' >omp.c
gcc -fopenmp -o omp omp.c
said=$("${rank[@]}" OMP_DISPLAY_ENV=verbose "${start[@]}" ./omp 2>&1)
[[ $said == *"GOMP_SPINCOUNT = '1'"* ]] || fail "libgomp does not say 1: $said"

# The chooser for a rank's teams is beside each rank that will try them, and nothing else.
if [ "$(nproc)" -ge 2 ] && [ -x "$build/lib/huddle_chooser" ]; then
  # Says whether a rank has a connection, and how many processes are at its other end.
  cat >"$scratch/choosers" <<'SH'
#!/bin/bash
sleep 0.2
connection=${HUDDLE_CHOOSER-none}
if [ "$connection" = none ]; then echo none; exit; fi
inode=$(stat -L -c %i "/proc/$$/fd/${connection%%:*}")
[ "$inode" = "${connection#*:}" ] && [ "${connection%%:*}" -ge 100 ] || { echo "not $connection"; exit; }
pgrep -c -f "huddle_chooser $HUDDLE_CHOOSE\$"
SH
  chmod +x "$scratch/choosers"
  order="0.05 energy $scratch/no.machine"
  tried=(env HUDDLE_THREADS=pack HUDDLE_CHOOSE="$order" OMPI_COMM_WORLD_LOCAL_SIZE=1 OMP_NUM_THREADS=2)
  expect "1" "${tried[@]}" "${start[@]}" ./choosers
  expect "1" "${tried[@]}" "${start[@]}" bash -c './choosers; exit $?'
  expect "1" "${tried[@]}" "${start[@]}" bash -c 'exec ./choosers'
  expect "1" "${tried[@]}" "${start[@]}" nice env ./choosers
  # A program that a rank starts has that rank's, or none: a process of MPI's must not be copied.
  expect "not 1:2" "${tried[@]}" HUDDLE_CHOOSER=1:2 "${start[@]}" ./choosers
  expect "none" "${tried[@]}" OMP_NUM_THREADS=1 "${start[@]}" env OMP_NUM_THREADS=2 ./choosers
  expect "none" "${tried[@]}" HUDDLE_THREADS=auto "${start[@]}" ./choosers
  expect "none" "${tried[@]}" HUDDLE_TEAMS="bound 0.05;0 1=1" "${start[@]}" ./choosers
  expect "none" "${tried[@]}" OMP_NUM_THREADS=1 "${start[@]}" ./choosers
  expect "none" "${tried[@]}" HUDDLE_CHOOSE= "${start[@]}" ./choosers
  expect "none" taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "${tried[@]}" "${start[@]}" ./choosers
  expect "none" env -u OMPI_COMM_WORLD_LOCAL_SIZE HUDDLE_THREADS=pack HUDDLE_CHOOSE="$order" "${start[@]}" ./choosers # no rank
  for _ in {1..100}; do
    pgrep -f "huddle_chooser $order\$" >/dev/null || break
    sleep 0.05
  done
  ! pgrep -a -f "huddle_chooser $order\$" || fail "a chooser is left whose rank has ended"
  # It holds none of the rank's output open, nor what the rank has open, and is no child of the rank's.
  expect "" "${tried[@]}" "${start[@]}" bash -c 'exec 7<show.c
    for _ in {1..100}; do chooser=$(pgrep -f "huddle_chooser $HUDDLE_CHOOSE\$") && break; sleep 0.1; done
    for end in /proc/$chooser/fd/*; do case $(readlink $end) in /dev/null | socket:*) ;; *) echo "$end $(readlink $end)" ;; esac; done
    ! grep -qx "PPid:[[:space:]]$$" /proc/$chooser/status || echo "a child"
    ! tr "\0" "\n" </proc/$chooser/environ | grep . || echo "has an environment"'
fi

# Without the handover a shell's sanitized child would end: what is tested here does happen.
! LD_PRELOAD=$HUDDLE_RECORDER sh -c './show_asan; exit $?' >/dev/null 2>&1 || fail "a preloaded library does not disturb a sanitizer here"

# The way in which a rank starts programs does not matter.
for shell in sh bash; do
  expect "$preload mapped" "${start[@]}" "$shell" -c './show'
  expect "$preload mapped" "${start[@]}" "$shell" -c 'exec ./show'
  expect "none not" "${start[@]}" "$shell" -c './show_asan; exit $?'
  expect "none not" "${start[@]}" "$shell" -c 'exec ./show_asan'
  expect "none not" "${start[@]}" "$shell" -c 'exec ./show_static'
  expect $'none not\n'"$preload mapped" "${start[@]}" "$shell" -c './show_asan; ./show'
done
printf '#!/bin/sh\nexec ./show_asan\n' >script
chmod +x script
expect "none not" "${start[@]}" ./script
for tool in env nice 'timeout 60' 'xargs -a /dev/null' 'sh -c "$0"' "find show -exec" "stdbuf -oL"; do
  case $tool in
    sh*) command=("${start[@]}" sh -c '"$0"; exit $?') end=() ;;
    find*) command=("${start[@]}" find show -exec) end=(';') ;;
    stdbuf*) continue ;; # preloads a library of its own
    *) read -ra words <<<"$tool"; command=("${start[@]}" "${words[@]}") end=() ;;
  esac
  expect "$preload mapped" "${command[@]}" ./show "${end[@]}"
  expect "none not" "${command[@]}" ./show_asan "${end[@]}"
done
cat >starts.py <<'PYTHON'
import os, subprocess, sys
program = sys.argv[1]
ways = [lambda: subprocess.run([program]), lambda: subprocess.run([program], close_fds=False),
        lambda: subprocess.run([program], preexec_fn=lambda: None), lambda: os.system(program), lambda: os.waitpid(os.posix_spawn(program, [program], os.environ), 0),
        lambda: os.waitpid(os.posix_spawnp(program, [program], os.environ), 0), lambda: os.spawnv(os.P_WAIT, program, [program]),
        lambda: os.waitpid(os.fork() or os.execle(program, program, os.environ), 0), lambda: os.popen(program).read() and print(end=os.popen(program).read())]
for way in ways:
    sys.stdout.flush()
    way()
PYTHON
expect "$(for _ in 1 2 3 4 5 6 7 8 9; do echo "none not"; done)" "${start[@]}" python3 starts.py ./show_asan
expect "$(for _ in 1 2 3 4 5 6 7 8 9; do echo "$preload mapped"; done)" "${start[@]}" python3 starts.py ./show

# The user has the last word.
expect "none not" "${start[@]}" sh -c 'unset LD_PRELOAD; ./show'
expect "none not" "${start[@]}" env -u LD_PRELOAD ./show
expect "none not" "${start[@]}" env -i ./show
expect "./own.so not" "${start[@]}" sh -c 'LD_PRELOAD=./own.so ./show 2>/dev/null'
runtime=$(gcc -print-file-name=libasan.so)
expect "$runtime not" env LD_PRELOAD="$runtime" ASAN_OPTIONS=detect_leaks=0 "${start[@]}" ./show
# The user's preload stays when ours goes.
gcc -shared -o own.so -x c /dev/null
expect "$scratch/own.so not" env LD_PRELOAD="$scratch/own.so" ASAN_OPTIONS=verify_asan_link_order=0 "${start[@]}" sh -c 'exec ./show_asan'
# A library that starts a program before ours was initialised.
cat >early.c <<'C'
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void early(void) {
  if (getenv("EARLY") == NULL) return;
  unsetenv("EARLY");
  execl("./show_asan", "./show_asan", (char*)NULL);
}
C
gcc -shared -fPIC -o early.so early.c
expect "$scratch/early.so not" env LD_PRELOAD="$preload:$scratch/early.so" ASAN_OPTIONS=verify_asan_link_order=0 bash -c 'EARLY=1 exec ./show'
[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
