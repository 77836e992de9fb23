#!/usr/bin/env bash
# huddle train --run in a Slurm allocation of two simulated nodes: srun and mpirun place ranks as patterns specify. Times
# mean nothing here, as the simulated nodes share their processors. Needs root.
#
#   train_cluster_test.sh BUILD      status 77: skipped
set -u
here=$(cd "$(dirname "$0")/../../cluster" && pwd)
build=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || { echo "skipped: not root"; exit 77; }
for tool in slurmctld slurmd munged salloc mpirun.openmpi; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
unset LD_PRELOAD HUDDLE_PROFILE HUDDLE_STORE HUDDLE_LABEL HWLOC_SYNTHETIC HWLOC_XMLFILE
name=train-$$
end() {
  "$here/down" --name "$name" --grace 0
}
trap end EXIT
trap 'exit 1' INT TERM

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

"$here/up" --name "$name" --nodes 2 --build "$build" --owner $$ || fail "the cluster does not start"
work=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$name/shared/train
mkdir "$work" && chmod 777 "$work" && cd "$work" || exit 1
# A user may not read the tree that this was built in.
cp "$build/bin/huddle" "$build/lib/libhuddle_recorder.so" "$build/lib/huddle_training_kernels" . || fail "copies"
chmod 755 huddle libhuddle_recorder.so huddle_training_kernels
./huddle machine --topology "package:2 l3:2 core:2 pu:1" --name pretended -o machine.json 2>said || fail "$(cat said)"

# places FILE: node and PUs of each rank, in order
places() {
  tr -d ' \n' <"$1" | grep -o '"node":"[a-z0-9]*","pus":"[^"]*"' | sed 's/"node":"\([^"]*\)","pus":"\([^"]*\)"/\1:\2/' | tr '\n' ' '
}

for launcher in srun mpirun.openmpi; do
  timeout 200 "$here/exec" --name "$name" --user nobody -- salloc -Q -p whole --exclusive -N 2 \
    ./huddle train --run -m machine.json --kernels polynomial,triad,copy --patterns 1:1:1,2:2:2 --budget 3s \
    --launcher "$launcher" --recorder "$work/libhuddle_recorder.so" -o "$launcher.json" --keep-poor-model \
    >out 2>said || fail "$launcher: $(cat said)"
  grep -q '3 kernel(s) on 2 pattern(s) of 2 node(s): 6 run(s)' said || fail "$launcher: it says: $(cat said)"
  found=$(places "$launcher.json.profiles/triad-1-1-1.json")
  [ "$found" = "n0:0 n1:0 " ] || fail "$launcher: on 1:1:1 ranks are at $found"
  found=$(places "$launcher.json.profiles/triad-2-2-2.json")
  [ "$found" = "n0:0 n0:1 n0:2 n0:3 n0:4 n0:5 n0:6 n0:7 " ] || fail "$launcher: on 2:2:2 ranks are at $found"
  [ -s "$launcher.json" ] || fail "$launcher: there is no model"
done
echo passed
