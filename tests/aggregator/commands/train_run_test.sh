#!/usr/bin/env bash
# Really runs huddle train --run on this machine: a few kernels on one core and on two. Times are checked with wide
# margins only, by the shortest passes, which no other work on the machine can make shorter.
# From the environment: HUDDLE, RECORDER, KERNELS (the program). Status 77: skipped.
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
unset LD_PRELOAD HUDDLE_PROFILE HUDDLE_STORE HUDDLE_LABEL SLURM_JOB_NODELIST HWLOC_SYNTHETIC HWLOC_XMLFILE
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-train-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

# The pattern of two cores of one die, or the smallest with two ranks that the machine has.
"$HUDDLE" machine -o machine.json 2>shape || fail "$(cat shape)"
two=$(sed -nE 's/.* ([0-9]+) package\(s\) x ([0-9]+) die\(s\) \(.*\) x ([0-9]+) core\(s\)/\1 \2 \3/p' shape |
  awk '{if ($3 > 1) print "1:1:2"; else if ($2 > 1) print "1:2:1"; else if ($1 > 1) print "2:1:1"}')
[ "$(nproc)" -ge 2 ] && [ -n "$two" ] || skip "this needs two cores: $(cat shape)"

# Other work may run on this machine, and then the model is poor: it is not the matter here.
kernels=dense-multiply,polynomial,pointer-chase,triad,copy
train() {
  timeout 300 "$HUDDLE" train --run --patterns "1:1:1,$two" --kernels "$kernels" --budget 15s \
    --launcher mpirun.openmpi --recorder "$RECORDER" --program "$KERNELS" -o model.json --keep-poor-model "$@" >out 2>err
}

train || fail "train --run: $(cat err)"
grep -q '5 kernel(s) on 2 pattern(s) of 1 node(s): 10 run(s) of about .* 0 done before' err || fail "it says: $(cat err)"
"$HUDDLE" recommend model.json.profiles/triad-1-1-1.json -m this --model model.json >out 2>err ||
  fail "recommend with the model: $(cat err)"

# Finished runs are not repeated; a missing one gets as many iterations as the others.
iterations() { sed -n 's/.*"arguments":\["--kernel","[a-z-]*","--iterations","\([0-9]*\)"\].*/\1/p' "$1" | head -n 1; }
tr -d ' \n' <model.json.profiles/copy-1-1-1.json >flat
before=$(iterations flat)
[ -n "$before" ] || fail "no iterations in $(head -c 600 flat)"
rm model.json.profiles/copy-1-1-1.json
train || fail "train --run again: $(cat err)"
grep -q ' 1 run(s) of about .* 9 done before' err || fail "the second time it says: $(cat err)"
tr -d ' \n' <model.json.profiles/copy-1-1-1.json >flat
[ "$(iterations flat)" = "$before" ] || fail "iterations changed from $before to $(iterations flat)"
grep -q '"scaling":"weak"' flat || fail "the profile does not say that the program scales weakly"

# A profile of another kernel under this name does not count.
cp model.json.profiles/triad-1-1-1.json model.json.profiles/copy-1-1-1.json
train || fail "train --run with a wrong profile: $(cat err)"
grep -q ' 1 run(s) of about .* 9 done before' err || fail "with a wrong profile it says: $(cat err)"

# More turns add runs.
train --turns 2 || fail "train --turns: $(cat err)"
grep -q ' 10 run(s) of about .* 10 done before' err || fail "--turns says: $(cat err)"

# Errors name what does not exist.
train --patterns 1:1:1,9:9:9 && fail "a pattern that the machine lacks is accepted"
grep -q 'the pattern 9:9:9 does not fit' err || fail "9:9:9: $(cat err)"
train --kernels none && fail "a kernel that does not exist is accepted"
grep -q -- '--kernels: found none, expected some of dense-multiply, ' err || fail "--kernels none: $(cat err)"

# A failing launcher is reported, with its last message.
rm model.json.profiles/copy-*
timeout 60 "$HUDDLE" train --run --patterns "1:1:1,$two" --kernels copy --budget 5s --launcher false \
  --recorder "$RECORDER" --program "$KERNELS" -o model.json >out 2>err
[ $? -eq 1 ] || fail "a launcher that fails: $(cat err)"
grep -q 'ended with status 1: it said nothing .*; the same command goes on behind the runs that are done' err ||
  fail "a launcher that fails: $(cat err)"

# The shortest pass of the group that takes most of the time, in microseconds; over ranks and turns.
shortest() { # KERNEL PATTERN
  local file
  for file in model.json.profiles/"$1-${2//:/-}"*.json; do
    tr -d ' \n' <"$file" |
      grep -o '"count":\[[^]]*\],"mean_s":\[[^]]*\],"variance_s2":\[[^]]*\],"shortest_s":\[[^]]*\]' |
      sed 's/"[a-z_0-9]*"://g' | tr -d '[]' |
      awk -F, '{n = NF / 4; best = 1; for (i = 2; i <= n; ++i) if ($i * $(n + i) > $best * $(n + best)) best = i
                v = $(3 * n + best); if (!least || v < least) least = v} END {print least * 1e6}'
  done | sort -g | sed -n 1p
}
train --turns 4 || fail "train --turns 4: $(cat err)"
worst_computing=0
for kernel in dense-multiply polynomial pointer-chase triad copy; do
  one=$(shortest $kernel 1:1:1)
  both=$(shortest $kernel $two)
  ratio=$(awk -v a="$both" -v b="$one" 'BEGIN {print a / b}')
  echo "$kernel: shortest pass $one us on one core, $both us on two: $ratio"
  case $kernel in
    dense-multiply | polynomial)
      # SMT siblings would share their arithmetic, but cores don't.
      awk -v r="$ratio" 'BEGIN {exit !(r > 0.7 && r < 1.3)}' || fail "$kernel, bound by computing, changes by $ratio"
      worst_computing=$(awk -v r="$ratio" -v w="$worst_computing" 'BEGIN {print r > w ? r : w}') ;;
    *)
      awk -v r="$ratio" -v w="$worst_computing" 'BEGIN {exit !(r > w - 0.35)}' ||
        fail "$kernel, bound by memory, suffers less ($ratio) than what is bound by computing ($worst_computing)" ;;
  esac
done

# The kernel bound by latency really is: the same number of steps in the first cache takes far less time.
far=$("$KERNELS" --kernel pointer-chase --iterations 60 | sed 's/.* //')
near=$("$KERNELS" --kernel pointer-chase --iterations 60 --footprint 8192 | sed 's/.* //')
awk -v a="$far" -v b="$near" 'BEGIN {exit !(a > 3 * b)}' || fail "a chase through 64 MiB takes $far s, through 8 KiB $near s"
