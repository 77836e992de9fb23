#!/bin/bash
# Tests the one-machine Slurm cluster itself. Needs root; about half a minute.
# Any number of copies may run at once.
#
# usage: tests/cluster/cluster_test.sh [--build DIR]
#   --build DIR   as for tests/cluster/up
#   --help
#
# Exit status: 0 passed, 1 failed, 77 cannot run here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/lib.sh"

build=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) show_help; exit 0 ;;
    --build) need_value "$1" $#; build=(--build "$2"); shift 2 ;;
    *) bad_arguments "unknown argument '$1'" ;;
  esac
done
for tool in slurmctld slurmd munged mpicc.openmpi cc lstopo-no-graphics; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: not root"; exit 77; }

a=test-a-$$ b=test-b-$$ c=test-c-$$
scratch=$(mktemp -d /tmp/huddle-cluster-test.XXXXXX)
chmod 755 "$scratch"

end() {
  local status=$? name
  trap - EXIT ERR
  for name in "$a" "$b" "$c"; do "$here/down" --name "$name" --grace 0 || status=1; done
  rm -rf "$scratch"
  [ "$status" -eq 0 ] && echo "passed" || echo "FAILED: $case"
  exit "$status"
}
trap end EXIT
set -o errtrace
trap 'echo "line $LINENO failed: $BASH_COMMAND" >&2' ERR
trap 'exit 1' INT TERM

case='setting up'
begin() {
  case=$*
  echo "[$((SECONDS)) s] $case"
}

expect() {  # expect WHAT EXPECTED FOUND
  [ "$2" = "$3" ] && return 0
  printf '%s\n--- expected: %s\n%s\n--- found:\n%s\n' "$case" "$1" "$2" "$3" >&2
  exit 1
}

expect_failure() {  # expect_failure COMMAND...: fails, and not by a timeout
  local status=0
  "$@" >"$scratch/output" 2>&1 || status=$?
  [ "$status" -ne 0 ] && [ "$status" -ne 124 ] && return 0
  printf '%s\nexpected to fail, status %s: %s\n' "$case" "$status" "$*" >&2
  cat "$scratch/output" >&2
  exit 1
}

start() { "$here/up" "${build[@]}" --owner $$ --name "$@" >"$scratch/up.$1"; }
in_cluster() { timeout --kill-after=5 120 "$here/exec" --name "$@"; }
processes() { state=$cluster_root/$1 cluster_processes; }
identity() { cat "$cluster_root/$1/id"; }

expect_nothing_left() {  # expect_nothing_left NAME ID
  [ ! -e "$cluster_root/$1" ] || expect "no directory" "" "$cluster_root/$1"
  expect "no process" "" "$(grep -ls "huddle-cluster-$2" /proc/[0-9]*/mountinfo || true)"
  expect "no mount" "" "$(grep -e "$cluster_root/$1" -e "huddle-cluster-$2" /proc/self/mountinfo || true)"
}

wait_for_file() {
  local tries
  for ((tries = 0; tries < 600; ++tries)); do
    [ ! -e "$1" ] || return 0
    sleep 0.1
  done
  expect "the file $1" "" "none"
}

wait_for_job() {  # wait_for_job NAME JOB
  local tries
  for ((tries = 0; tries < 600; ++tries)); do
    [ -n "$(in_cluster "$1" -- squeue --noheader --jobs="$2" 2>/dev/null)" ] || return 0
    sleep 0.2
  done
  expect "job $2 to end" "" "$(in_cluster "$1" -- squeue)"
}

cc -o "$scratch/show_affinity" "$here/show_affinity.c"
mpicc.openmpi -o "$scratch/mpi_ring" "$here/mpi_ring.c"
namespaces_before=$(ls /run/netns 2>/dev/null | sort || true)

begin "two clusters start at the same time and do not collide"
start "$a" & first=$!
start "$b" --nodes 3 --topology "pack:1 core:4 pu:2" & second=$!
wait $first
wait $second
expect "tasks on each node of $a" "$(for i in {0..7}; do echo "2 n$i"; done)" \
  "$(in_cluster "$a" -- srun --partition=whole -N8 -n16 hostname | sort | uniq -c | sed 's/^ *//')"
expect "16 tasks on 8 shared nodes" "16 8" \
  "$(in_cluster "$a" -- srun -N8 -n16 hostname | sort | awk '{ ++n[$1] } END { print NR, length(n) }')"
expect "tasks on $b" "n0 n1 n2" "$(in_cluster "$b" -- srun -N3 hostname | sort | xargs)"
expect "sockets:cores:threads" "2:4:1" "$(in_cluster "$a" -- sinfo --noheader --format=%z --nodes=n0)"
expect "sockets:cores:threads" "1:4:2" "$(in_cluster "$b" -- sinfo --noheader --format=%z --nodes=n0)"
expect "dies seen by hwloc in a task" "4" \
  "$(in_cluster "$a" -- srun -n1 hwloc-calc --number-of die machine:0)"

begin "a second start under the same name is refused and harms nothing"
expect_failure start "$a"
expect "tasks" "n0" "$(in_cluster "$a" -- srun -w n0 hostname)"

begin "a command in the cluster keeps its exit status, user and directory"
status=0
in_cluster "$a" -- sh -c 'exit 37' || status=$?
expect "status" 37 "$status"
expect "user and home" "nobody $cluster_root/$a/shared/home/nobody" \
  "$(in_cluster "$a" -- sh -c 'echo $(id -un) $HOME')"
expect "user of a task" "games" "$(in_cluster "$a" --user games -- srun id -un)"
expect "directory of a task" "$scratch" "$(cd "$scratch" && in_cluster "$a" -- srun pwd)"
expect_failure in_cluster "no-such-$$" -- true

begin "a task sees the mask that Slurm gave it, on CPUs the machine lacks too"
bound() { in_cluster "$a" -- srun --partition=whole "$@" | sort; }
expect "masks of ranks 0 and 1" $'0: mask 7 on 7\n1: mask 5 on 5' \
  "$(bound --label -n2 --cpu-bind=map_cpu:7,5 "$scratch/show_affinity")"
expect "mask" "mask 2,6,7" "$(bound -n1 --cpu-bind=mask_cpu:0xc4 "$scratch/show_affinity" | sed 's/ on .*//')"
expect "hwloc's mask" "0x00000040" "$(bound -n1 --cpu-bind=map_cpu:6 hwloc-bind --get)"
expect "mask after exec with an empty environment" "mask 6 on 6" \
  "$(bound -n1 --cpu-bind=map_cpu:6 env -i "$scratch/show_affinity")"
expect "mask set in the task" "mask 3 on 3" "$(bound -n1 taskset -c 3 "$scratch/show_affinity")"
expect_failure bound -n1 taskset -c 8 true
grep -q 'Invalid argument' "$scratch/output" || expect "EINVAL" "" "$(cat "$scratch/output")"
expect_failure bound -n1 --cpu-bind=map_cpu:8 true
math=$(ldd "$(command -v awk)" | awk '/libm\.so/ { print $3 }')
[ -r "$math" ] || expect "a library to preload" "" "$math"
expect "the job's own preload is kept" "yes" \
  "$(bound -n1 env LD_PRELOAD="$math" sh -c "grep -q '$math' /proc/self/maps && echo yes")"

begin "Open MPI runs across nodes, started by srun and by mpirun"
hosts_of_ranks() { sort -k2,2n | sed -n 's/^rank \([0-9]*\) of 8 on \([^ ]*\) .*/\1 \2/p' | xargs; }
block='0 n0 1 n0 2 n1 3 n1 4 n2 5 n2 6 n3 7 n3'
before=$("$here/traffic" --name "$a")
expect "ranks" "$block" "$(in_cluster "$a" -- srun --partition=whole -w 'n[0-3]' -n8 --mpi=pmix \
  "$scratch/mpi_ring" 1000000 | hosts_of_ranks)"
moved=$(($("$here/traffic" --name "$a") - before))
((moved > 4000000 && moved < 5000000)) || expect "4 MB and a little between nodes" "" "$moved"
cat >"$scratch/job.sh" <<END
#!/bin/bash
#SBATCH --partition=whole --nodelist=n[0-3] --ntasks=8 --output=$cluster_root/$a/shared/job.out
mpirun --map-by ppr:2:node --bind-to core $scratch/mpi_ring 1000
mpirun --map-by ppr:1:node --bind-to core hwloc-bind --get
END
job=$(in_cluster "$a" --user games -- sbatch --parsable "$scratch/job.sh")
wait_for_job "$a" "$job"
expect "ranks" "$block" "$(hosts_of_ranks <"$cluster_root/$a/shared/job.out")"
expect "orted's binding" "0x00000001" "$(grep ^0x "$cluster_root/$a/shared/job.out" | sort -u)"

begin "MPI_Finalize waits for the ranks on other nodes"
early_ranks() {  # the ranks that had ended before the last one called MPI_Finalize
  awk '/^rank/ { end[$2] = $8; if ($7 > last) last = $7 }
       END { print length(end) " ranks"; for (r in end) if (end[r] < last) print "early: " r }'
}
for nodes in 2 3 4; do
  expect "ranks that end together" "$nodes ranks" \
    "$(in_cluster "$a" -- srun --partition=whole "-N$nodes" "-n$nodes" "$scratch/mpi_ring" 1 2 | early_ranks)"
done

begin "a step on two nodes behind the first one of its job ends, too"
expect "10 steps of 2 ranks" "20" "$(in_cluster "$a" -- salloc --partition=whole -N4 -n4 sh -c \
  "for i in 0 1 2 3 4 5 6 7 8 9; do timeout 30 srun --relative=2 -N2 -n2 $scratch/mpi_ring 1; done" 2>/dev/null |
  grep -c '^rank')"

begin "what a task says to the hub is no traffic between nodes"
before=$("$here/traffic" --name "$a")
in_cluster "$a" -- srun -N1 head -c 3000000 /dev/zero >/dev/null
moved=$(($("$here/traffic" --name "$a") - before))
((moved < 100000)) || expect "next to nothing" "" "$moved"

begin "a changed plugstack.conf is effective at once"
echo "required $scratch/missing.so" >"$cluster_root/$a/plugstack.conf"
expect_failure in_cluster "$a" -- srun hostname
: >"$cluster_root/$a/plugstack.conf"
expect "tasks" "n0" "$(in_cluster "$a" -- srun -w n0 hostname)"

begin "killing a node's first process ends everything on the node and nothing else"
in_cluster "$a" -- srun -w n7 sh -c "touch $cluster_root/$a/shared/runs; sleep 1000" >/dev/null 2>&1 &
wait_for_file "$cluster_root/$a/shared/runs"
node=$(cat "$cluster_root/$a/nodes/n7.pid")
namespace=$(readlink "/proc/$node/ns/pid")
on_node() {
  local link
  for link in /proc/[0-9]*/ns/pid; do
    [ "$(readlink "$link")" != "$namespace" ] || echo "$link"
  done
}
[ "$(on_node | wc -l)" -ge 4 ] || expect "init, slurmd, slurmstepd and the task on n7" "" "$(on_node)"
kill -KILL "$node"
wait_until_silent 30 on_node || expect "no process on n7" "" "$(on_node)"
expect "tasks elsewhere" "n0" "$(in_cluster "$a" -- srun -w n0 hostname)"

begin "a cluster whose every process was killed can be started again"
old=$(identity "$a")
for ((tries = 0; tries < 20; ++tries)); do
  pids=$(processes "$a")
  # shellcheck disable=SC2086  # one argument a pid
  [ -z "$pids" ] && break || kill -KILL $pids 2>/dev/null || true
  sleep 0.1
done
expect_failure in_cluster "$a" -- true
start "$a" --nodes 2
expect "tasks" "n0 n1" "$(in_cluster "$a" -- srun -N2 hostname | sort | xargs)"
expect "tasks on $b all the while" "n0 n1 n2" "$(in_cluster "$b" -- srun -N3 hostname | sort | xargs)"

begin "a start that fails says why and leaves nothing"
echo "required $scratch/missing.so" >"$scratch/plugstack.conf"
expect_failure start "$c" --plugstack "$scratch/plugstack.conf"
grep -q "missing.so: cannot open" "$scratch/output" || expect "the reason" "" "$(cat "$scratch/output")"
expect_nothing_left "$c" none
expect_failure start "$c" --topology "pack:nonsense"
expect_failure start "$c" --nodes 0
expect_nothing_left "$c" none

begin "an interrupted start leaves nothing, a killed one does not matter"
for signal in INT TERM; do
  for after in 0.2 0.5 0.9; do
    timeout --signal=$signal "$after" "$here/up" "${build[@]}" --name "$c" >/dev/null 2>&1 || true
    [ ! -e "$cluster_root/$c/starter" ] || expect "no start under way" "" "$signal after $after s"
    "$here/down" --name "$c" --grace 0  # where it was faster than the signal
  done
done
timeout --signal=KILL 0.4 "$here/up" "${build[@]}" --name "$c" >/dev/null 2>&1 || true
[ -e "$cluster_root/$c/starter" ] || "$here/down" --name "$c" --grace 0 # it was faster than the signal
start "$c" --nodes 1
expect "tasks" "n0" "$(in_cluster "$c" -- srun hostname)"
"$here/down" --name "$c"

begin "a cluster ends with its owner"
sleep 1000 &
owner=$!
"$here/up" "${build[@]}" --name "$c" --nodes 1 --owner "$owner" >/dev/null
kill "$owner"
processes_of_c() { processes "$c"; }
wait_until_silent 30 processes_of_c || expect "no process" "" "$(processes_of_c)"
start "$c" --nodes 1

begin "stopping leaves nothing behind, with jobs and clients running too"
in_cluster "$a" -- srun -N2 sh -c "touch $cluster_root/$a/shared/runs; sleep 1000" >/dev/null 2>&1 &
wait_for_file "$cluster_root/$a/shared/runs"
for name in "$a" "$b" "$c"; do
  id=$(identity "$name")
  started=${EPOCHREALTIME/./}
  "$here/down" --name "$name"
  echo "  stopped in $(((${EPOCHREALTIME/./} - started) / 1000)) ms"
  expect_nothing_left "$name" "$id"
  "$here/down" --name "$name"
done
expect_nothing_left "$a" "$old"
in_own_namespaces() { comm -13 <(echo "$namespaces_before") <(ls /run/netns 2>/dev/null | sort || true) | grep -x 'n[0-9]*' || true; }
expect "no network namespace of ours" "" "$(in_own_namespaces)"
