#!/usr/bin/env bash
# Runs the huddle command (HUDDLE) on fixtures and compares what it prints with tests/golden/<subcommand>/.
#
#   cli_test.sh CASE          a case is a subcommand, "help" or "errors"
#   UPDATE=1 cli_test.sh CASE writes the golden files instead: look at the difference before it is committed
set -u
tests=$(cd "$(dirname "$0")/../.." && pwd)
golden=$tests/golden
profile=$tests/fixtures/profiles/eight-ranks-in-pairs.json
machine=$tests/fixtures/machines/package2-die2-core2.json
frequencies=$tests/fixtures/machines/package2-die2-core2-frequencies.json
graph=$tests/fixtures/graphs/eight-vertices-in-pairs.graph
# Neither the language nor the time zone of whoever runs this may matter.
export LC_ALL=C TZ=Asia/Kathmandu
unset LD_PRELOAD HWLOC_SYNTHETIC HWLOC_XMLFILE
work=$(mktemp -d)
. "$tests/aggregator/training_profile.sh"
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

failed() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# huddle ARGUMENT... -> files out and err, variable status
huddle() {
  status=0
  "$HUDDLE" "$@" >out 2>err </dev/null || status=$?
}

# same FILE GOLDEN
same() {
  if [ -n "${UPDATE:-}" ]; then
    mkdir -p "$(dirname "$golden/$2")" && cp "$1" "$golden/$2"
  else
    diff -u "$golden/$2" "$1" >&2 || failed "differs from tests/golden/$2"
  fi
}

# prints GOLDEN ARGUMENT...: it succeeds, and prints what the golden file holds
prints() {
  local expected=$1
  shift
  huddle "$@"
  [ "$status" -eq 0 ] || failed "huddle $*: status $status: $(cat err)"
  same out "$expected"
}

# refuses STATUS MESSAGE ARGUMENT...: one line on standard error that is or begins with the message ("..." at its end),
# nothing on standard output
refuses() {
  local expected=$1 message=$2 found
  shift 2
  huddle "$@"
  found=$(cat err)
  [ "$status" -eq "$expected" ] || failed "huddle $*: status $status, expected $expected"
  [ ! -s out ] || failed "huddle $*: printed $(cat out)"
  [ "$(wc -l <err)" -eq 1 ] || failed "huddle $*: not one line: $found"
  case $message in
    *...) [[ $found == "huddle: ${message%...}"* ]] || failed "huddle $*: $found" ;;
    *) [ "$found" = "huddle: $message" ] || failed "huddle $*: $found" ;;
  esac
}

case_help() {
  local command words option
  for command in doctor emit import machine machine-calibrate map plan recommend record report show train; do
    words=(${command//-/ })
    huddle "${words[@]}" --help
    [ "$status" -eq 0 ] || failed "huddle $command --help: status $status"
    [ ! -s err ] || failed "huddle $command --help: $(cat err)"
    if LC_ALL=C grep -q '[^[:print:][:space:]]' out; then failed "huddle $command --help: unprintable characters"; fi
    while read -r option; do
      grep -qE -- "^ +(.*,)?$option([ ,]|\$)" out || failed "huddle $command --help says nothing of $option"
    done <"$golden/$command/options.txt"
    # And the other way round: every option that it shows is in the list, so that the list stays whole.
    while read -r option; do
      grep -qxF -- "$option" "$golden/$command/options.txt" || failed "tests/golden/$command/options.txt lacks $option"
    done < <(grep -oE '^ +(-[a-z],)?--[a-z-]+' out | grep -oE -- '--[a-z-]+')
  done
  huddle --help
  [ "$status" -eq 0 ] || failed "huddle --help: status $status"
  for command in doctor emit import machine map plan recommend record report show train; do
    grep -qE "^  $command +" out || failed "huddle --help says nothing of $command"
  done
  huddle --version
  [ "$status:$(cat out)" = "0:huddle $HUDDLE_VERSION" ] || failed "huddle --version: $(cat out)"
}

case_machine_calibrate() {
  cat >results <<'LINES'
{"format":"huddle/calibration","version":1,"layout":"1:1:2","nodes":2,"ranks":4}
{"planned":6}
{"kind":"message","distance":"die","pairs":1,"bytes":8,"time_s":2e-07}
{"kind":"message","distance":"die","pairs":1,"bytes":8192,"time_s":2.2e-06}
{"kind":"stream","within":"die","ranks":2,"bandwidth_bytes_per_s":7e9}
{"kind":"message","distance":"network","pairs":2,"bytes":8,"time_s":2e-06}
{"kind":"collective","operation":"allreduce","pattern":"1:1:2","ranks":4,"bytes":8,"time_s":5e-06}
{"left_out_for_want_of_time":1}
LINES
  prints machine-calibrate/from-results.json machine calibrate --from results --name simulated
  [ "$(cat err)" = "huddle: 5 figures of nodes of 1:1:2 (2 of them, 4 ranks)
huddle: 1 measurements were left out for want of time: give a larger --budget" ] || failed "machine calibrate says: $(cat err)"
}

# A machine without Slurm: what is found depends on the machine, what is checked does not.
case_doctor() {
  local name kept
  mkdir -p bin
  for name in env true; do ln -sf "$(command -v $name)" "bin/$name"; done
  kept=$PATH
  PATH=$work/bin huddle doctor --json --policy none.toml
  PATH=$kept
  [ "$status" -eq 1 ] || failed "doctor with a policy that is missing: status $status"
  python3 -c '
import json
report = json.load(open("out"))
for finding in report["findings"]:
    print(finding["check"], "-" if finding["check"] in ("counters", "energy", "frequency", "topology") else finding["verdict"])
' >checks
  same checks doctor/no-slurm.txt
  grep -q "\"what\": \"can.t open none.toml: No such file or directory: the plugin turns itself off" out || failed "doctor: $(cat out)"

  mkdir -p profiles
  cat >good.toml <<TOML
[profiles]
directory = "$work/profiles"
[machine]
file = "$machine"
[programs]
recorder = "$work/no-recorder.so"
TOML
  chmod 1777 profiles
  PATH=$work/bin huddle doctor --policy good.toml
  PATH=$kept
  [ "$status" -eq 1 ] || failed "doctor with a recorder that is missing: status $status"
  for line in "^ok +slurm +there is no Slurm here: huddle record" "^ok +policy +good.toml is valid" "^ok +profiles +" "^ok +machine +" \
    "^warning +model +no model" "^w[a-z]+ +openmpi +the recorder for Open MPI, .*no-recorder.so, can't be loaded .No such file" "^ +-> install huddle"; do
    grep -qE -- "$line" out || failed "doctor: no line that matches $line: $(cat out)"
  done
  [ -z "$(ls -A profiles)" ] || failed "doctor leaves $(ls -A profiles)"
}

case_show() {
  prints show/text.txt show "$profile"
  prints show/summary.json show "$profile" --json
  huddle show "$profile" --matrix bytes.csv && same bytes.csv show/bytes.csv
  huddle show "$profile" --matrix counts.csv --messages && same counts.csv show/counts.csv
  huddle show "$profile" --matrix picture.svg && same picture.svg show/bytes.svg
  huddle show "$profile" --matrix picture.png
  [ "$(head -c 4 picture.png | tail -c 3)" = PNG ] || failed "show --matrix picture.png: no PNG: $(cat err)"
  prints show/all-kinds.txt show "$tests/fixtures/profiles/four-ranks-all-kinds.json"
  prints show/all-kinds.json show "$tests/fixtures/profiles/four-ranks-all-kinds.json" --json
  local kind
  for kind in one-sided neighbours all; do
    huddle show "$tests/fixtures/profiles/four-ranks-all-kinds.json" --matrix "$kind.csv" --traffic "$kind"
    same "$kind.csv" "show/$kind.csv"
  done
  huddle show "$profile" --traffic one-sided
  grep -qx 'bytes moved by one-sided calls' out || failed "show --traffic: $(cat out)"
  grep -qx 'nothing' out || failed "show --traffic without such traffic: $(cat out)"
  huddle show "$profile" --messages --width 20
  grep -q 'a cell is the sum of 2 x 2 ranks' out || failed "show --width: $(cat out)"
  LC_ALL=C.UTF-8 TERM=xterm NO_COLOR= huddle show "$profile"
  if grep -q "$(printf '\033')" out; then failed "show writes colours to a file"; fi
  huddle show "$profile" --check
  [ "$status:$(cat out)" = "0:$profile: a valid profile" ] || failed "show --check: $status: $(cat out)"
  sed 's/"complete": true/"complete": false, "cut_short_reason": "rank 1 was killed"/' "$profile" >cut.json
  huddle show cut.json
  grep -qx 'state         cut short: rank 1 was killed' out || failed "show does not say that a profile was cut short"
  sed 's/"label": "[^"]*"/"label": "a\\u001b[31mb"/' "$profile" >hostile.json
  huddle show hostile.json
  grep -qx 'label         a?\[31mb' out || failed "show hands control characters to the terminal: $(head -1 out)"
  sed -E 's/"ranks": [0-9]+/"ranks": 2000000000/; s/"complete": true/"complete": false, "cut_short_reason": "x"/' "$profile" >huge.json
  refuses 1 "a matrix of 2000000000 x 2000000000 is too large to write out, at most 131072 x 131072" show huge.json --matrix huge.csv
  [ ! -e huge.csv ] || failed "show leaves half a matrix"
}

case_import() {
  local matrices=$tests/fixtures/matrices cg=$tests/fixtures/matrices/maplib/cg-class-c-64
  huddle import csv "$cg.bytes.csv" "$cg.messages.csv" -o cg.json
  [ "$status:$(cat out err)" = 0: ] || failed "import csv: $status: $(cat out err)"
  prints import/csv.txt show cg.json
  huddle show cg.json --matrix again.csv && cmp -s again.csv "$cg.bytes.csv" || failed "import and show change bytes"
  huddle show cg.json --messages --matrix again.csv && cmp -s again.csv "$cg.messages.csv" ||
    failed "import and show change numbers of messages"
  huddle map cg.json --hierarchy 2:2:16 --distance 1:10:100
  [ "$(sort -n out | uniq | wc -l)" = 64 ] || failed "map of an imported profile: $(cat err)"
  refuses 2 "the profile of cg-class-c-64 has no run time in it, so no slowdown can be predicted from it: measure..." \
    recommend cg.json -m "$machine"
  huddle import csv "$cg.bytes.csv" --output bytes.cbor --label "only bytes"
  huddle show bytes.cbor
  grep -qx 'label         only bytes' out || failed "import --label: $(head -1 out)"
  grep -q 'counts as one message' out || failed "import without counts does not say so: $(cat out)"
  huddle import openmpi "$matrices/openmpi-monitoring/level2" -o ring.json
  prints import/openmpi.txt show ring.json --traffic all
  huddle import openmpi "$matrices"/openmpi-monitoring/level2.{3,0,2,1}.prof -o files.json --label level2
  cmp -s ring.json files.json || failed "import by prefix and by files differ"
  huddle import metis "$graph" -o graph.json
  prints import/metis.txt show graph.json
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  cp err expected
  huddle map graph.json --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  [ "$(sed 's/ in .*//' err)" = "$(sed 's/ in .*//' expected)" ] || failed "an imported graph is another: $(cat err expected)"
}

case_recommend() {
  prints recommend/table.txt recommend "$profile" -m "$machine" --plan plan.json
  sed "s|$tests|TESTS|" plan.json >plan-anywhere.json
  same plan-anywhere.json recommend/plan.json
  prints recommend/time.txt recommend "$profile" -m "$machine" --objective time
  prints recommend/no-gain.txt recommend "$profile" -m "$machine" --reference 1:1:2 --nodes 4
  prints recommend/none.txt recommend "$profile" -m "$machine" --nodes 1
  prints recommend/nodes.txt recommend "$profile" -m "$machine" --reference nodes --nodes 5
  prints recommend/measured.txt recommend "$profile" -m "$machine" --reference measured --slowdown 0
  huddle recommend "$profile" -m "$machine" --json
  [ "$status" -eq 0 ] || failed "recommend --json: status $status"
  # The figures are the table's; here the names count, which others read.
  grep -oE '^ *"[a-z_]+":' out | sort | uniq -c >keys
  same keys recommend/json-keys.txt
  grep -qx ' "chosen": "1:1:2",' out || failed "recommend --json: $(head -3 out)"
  grep -qx ' "reference": "1:1:1",' out || failed "recommend --json: $(head -3 out)"
  huddle recommend "$profile" -m "$machine" --json --nodes 1
  grep -qx ' "chosen": null,' out || failed "recommend --json without a feasible pattern: $(head -3 out)"

  # The profile says nothing of waiting for memory: within 5 % only the nominal frequency is left, and a note says why.
  prints recommend/frequency.txt recommend "$profile" -m "$frequencies" --frequency auto
  same err recommend/frequency-note.txt
  prints recommend/frequency-slow.txt recommend "$profile" -m "$frequencies" --frequency 1-1.6GHz --slowdown 100% --plan slow.json
  tr -d ' \n' <slow.json >slow-in-a-line.json
  grep -qF '"frequency":{"policy":"set","hz":1500000000.0}' slow-in-a-line.json ||
    failed "the plan has no frequency: $(grep -A 3 '"frequency"' slow.json)"
  huddle recommend "$profile" -m "$frequencies" --frequency 1.5GHz --slowdown 1 --json
  [ "$(grep -c '^   "frequency_hz": 1500000000.0,' out)" -eq 8 ] || failed "recommend --json --frequency: $(cat out)"
  grep -qx '  "frequency_hz": 2000000000.0,' out || failed "the reference is at another frequency: $(cat out)"
  huddle emit slow.json --as openmpi --hosts north,east,south,west
  [ "$status" -eq 0 ] || failed "a plan with a frequency is no plan: $(cat err)"

  # Ranks of two cores each, which they shared with nobody and kept busy: they get as many again.
  local rank script=
  for rank in 0 1 2 3 4 5 6 7; do
    script+="s/(\"rank\":$rank,\"node\":\"node0)[0-9](\",\"pus\":\")0\"/\\1$((rank / 2))\\2$((rank % 2 * 8))-$((rank % 2 * 8 + 1))\"/;"
  done
  sed -E "$script"'s/"cpu_time_s":10.25/"cpu_time_s":19.0/' "$profile" >hybrid.json
  sed 's/core:2/core:4/; s/4294967296/8589934592/' "$machine" >wide.json
  prints recommend/hybrid.txt recommend hybrid.json -m wide.json --plan hybrid-plan.json
  [ "$(cat err)" = "huddle: the ranks of pairs had 2 cores each, and get as many (--cores-per-rank says otherwise)" ] ||
    failed "recommend says of ranks with two cores: $(cat err)"
  grep -q '"cores_per_rank": 2' hybrid-plan.json || failed "the plan does not say how many cores a rank has"
  prints emit/hybrid.txt emit hybrid-plan.json --as openmpi --hosts north,east,south,west
  prints recommend/hybrid-odd.txt recommend hybrid.json -m wide.json --cores-per-rank 3 --reference 1:1:3
  refuses 2 "a rank of 17 cores does not fit on a node of 16 cores" recommend hybrid.json -m wide.json --cores-per-rank 17
  refuses 2 "the pattern 1:1:3 does not hold whole ranks of 2 cores; the least that does is 1:1:2" \
    recommend hybrid.json -m wide.json --cores-per-rank 2 --reference 1:1:3
  prints recommend/least-nodes.txt recommend "$profile" -m "$machine" --least-nodes 5
}

case_emit() {
  local launcher
  huddle recommend "$profile" -m "$machine" --plan plan.json
  for launcher in slurm openmpi mpich; do
    prints "emit/$launcher.txt" emit plan.json --as "$launcher" --hosts north,east,south,west
    huddle emit plan.json --as "$launcher" --hosts north east south west spare --output file
    [ ! -s out ] || failed "emit --output prints: $(cat out)"
    same file "emit/$launcher.txt"
  done
}

case_map() {
  prints map/cores.txt map "$graph" --hierarchy 2:2:2 --distance 1:10:100
  grep -qE '^huddle: J = 1680 by (auto|identity) in [0-9]+\.[0-9]{3} s$' err || failed "map says: $(cat err)"
  prints map/identity.txt map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --threads 2 --output cores
  same cores map/cores.txt
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --json
  grep -vE '"(seconds|engine)"' out >fixed
  same fixed map/summary.json
  grep -qE '^ "seconds": [0-9.e-]+,$' out || failed "map --json has no seconds"
  grep -qE '^ "engine": "(auto|identity)",$' out || failed "map --json has no engine"

  # The paper's, and only the cores of a pattern: the first of each die.
  prints map/identity.txt map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine kl
  grep -qE '^huddle: J = [0-9]+ by kl in' err || failed "map --engine kl says: $(cat err)"
  huddle map "$graph" --hierarchy 2:2:2:4 --distance 1:10:100:1000 --pattern 2:2:1
  [ "$(sort -n out | tr '\n' ' ')" = "0 2 4 6 8 10 12 14 " ] || failed "map --pattern: $(cat out)"
  huddle map "$graph" --hierarchy 2:2:3 --distance 1:10:100 --node-sizes 2x3,2
  [ "$(sort -n out | tr '\n' ' ')" = "0 1 2 4 5 6 8 9 " ] || failed "map --node-sizes: $(cat out)"
  huddle map "$graph" --hierarchy 2:2:2:1 --machine system-g --json
  [ "$status" = 0 ] || failed "map with the distances of a machine on file: $(cat err)"
  huddle map "$graph" --hierarchy 2:2:2:1 --machine "$machine" --json
  [ "$status" = 0 ] || failed "map with the distances of a machine: $(cat err)"

  local on="--hierarchy 2:2:2 --distance 1:10:100"
  prints map/profile.txt map "$profile" $on
  [ "$(wc -l <err)" -eq 1 ] || failed "map of a profile says: $(cat err)"
  # J of rank order by what the edges weigh: 8 x 52428800 bytes at distance 100, and so on, both ways.
  j_of() {
    huddle map "$profile" $on --engine identity --json "$@"
    grep -oE '"objective": [0-9]+' out || failed "map $*: $(cat err)"
  }
  local with without messages
  with=$(j_of) without=$(j_of --no-collectives) messages=$(j_of --weight messages)
  [ "$with" != "$without" ] || failed "map: collectives make no difference"
  [ "$with" = "$(j_of --weight bytes)" ] || failed "map: bytes are not the default weight"
  [ "$with" != "$messages" ] || failed "map --weight messages makes no difference"
  huddle map "$profile" $on --weight time --machine "$machine"
  [ "$status:$(sort -n out | uniq | wc -l)" = 0:8 ] || failed "map --weight time: $status: $(cat err)"

  # Nothing but all-to-alls among all ranks, which favour no grouping.
  sed -E 's/"sent":\{[^}]*\}/"sent":{"receiver":[],"size_class":[],"messages":[],"bytes":[]}/; s/"allreduce"/"alltoall"/' \
    "$profile" >alltoall.json
  huddle map alltoall.json $on
  [ "$status:$(sort -n out | uniq | wc -l)" = 0:8 ] || failed "map without edges: $status: $(cat err)"
  grep -qx 'huddle: the graph has no edges, so grouping has no effect' err || failed "map without edges: $(cat err)"
  grep -qx 'huddle: not in the graph: 6400 bytes by alltoall: as far as the profile tells, every rank .*' err ||
    failed "map without edges says not why: $(cat err)"
  sed 's/"barrier","communicator":"derived","participants":2,"size_class":0,"calls":1,"bytes":0/"reduce","communicator":"derived","participants":2,"size_class":4,"calls":1,"bytes":8/' \
    "$profile" >unknown.json
  huddle map unknown.json $on
  grep -qx 'huddle: not in the graph: 64 bytes by reduce: the profile does not say who took part' err ||
    failed "map says not what is missing: $(cat err)"
  huddle map unknown.json $on --no-collectives
  [ "$(wc -l <err)" -eq 1 ] || failed "map --no-collectives misses collectives: $(cat err)"
}

case_train() {
  training_profiles .
  training_profile other-1:1:1.json other 7 4 1:1:1
  training_profile other-2:2:2.json other 7 4 2:2:2
  huddle train solver-*.json stencil-*.json sort-*.json stream-*.json -m "$machine" -o model.json
  [ "$status" -eq 0 ] || failed "train: $(cat err)"
  grep -qE '^program +pattern +measured s +shared s +error % +paper s +error %$' out || failed "train prints: $(head -3 out)"
  grep -qE '^(mean|worst) +[0-9.]+ +[0-9.]+$' out || failed "train prints no errors: $(cat out)"
  grep -qE '^The (shared-resource|paper.s) model errs less, and is the default\.$' out || failed "train names no default"
  grep -q 'from times alone' err || failed "train does not say that there were no events: $(cat err)"
  huddle train solver-*.json stencil-*.json sort-*.json -m "$machine" --samples 1:1:1,2:2:2 --json
  [ "$status" -eq 0 ] || failed "train --json: $(cat err)"
  grep -oE '^ *"[a-z_]+":' out | sort -u >keys
  same keys train/json-keys.txt
  huddle recommend other-1:1:1.json other-2:2:2.json -m "$machine" --model model.json
  [ "$status" -eq 0 ] || failed "recommend --model: $(cat err)"
  grep -q '90 % interval' out || failed "recommend --model shows no interval: $(cat out)"
  for name in paper shared simple; do
    huddle recommend other-1:1:1.json other-2:2:2.json -m "$machine" --model model.json --computation $name --json
    grep -qx " \"computation\": \"$name\"," out || failed "recommend --computation $name: $(cat err)"
  done
  # The true time on 1:2:2 is 7 + 4 x 2 x 1.2 = 16.6 s.
  huddle recommend other-1:1:1.json other-2:2:2.json -m "$machine" --model model.json --computation shared --json
  awk '/"pattern": "1:2:2"/ { here = 1 } here && /"computation_s"/ { exit !($2 > 15.5 && $2 < 17.7) }' out ||
    failed "recommend --model predicts: $(grep -A 8 '"pattern": "1:2:2"' out)"
  # At half the frequency its 7 s of cores become 14: 23.6 s, in an interval that is wide, since times alone say little.
  huddle recommend other-1:1:1.json other-2:2:2.json -m "$frequencies" --model model.json --frequency 1GHz --objective time --json
  awk '/"pattern": "1:2:2"/ { here = 1 } here && /"time_low_s"/ && $2 > 23.6 { exit 1 }
    here && /"time_high_s"/ { exit !($2 > 23.6) }' out ||
    failed "recommend --model --frequency predicts: $(grep -A 8 '"pattern": "1:2:2"' out)"
  grep -q 'a model that saw no other frequency' out || failed "recommend --model --frequency notes: $(cat out)"
  refuses 2 "a model needs profiles of 3 programs or more, ..." train solver-*.json sort-*.json -m "$machine"
  refuses 2 "not every program ran on the sample pattern 1:1:4" \
    train solver-*.json stencil-*.json sort-*.json -m "$machine" --samples 1:1:4
  refuses 2 "the computation model \"shared\" must be learnt first: ..." \
    recommend other-1:1:1.json -m "$machine" --computation shared
  refuses 1 "$machine: field format: found ..." recommend other-1:1:1.json -m "$machine" --model "$machine"
  refuses 2 "PROFILE is required, or --run; see huddle train --help" train
  refuses 2 "--run needs --output, where the model goes" train --run
  refuses 2 "--budget: found soon, expected a time such as 90s, 10m or 1.5h" train --run -o m.json --budget soon
  refuses 1 "can't find the training program /nowhere/huddle_training_kernels: ..." train --run -o m.json --recorder /nowhere/r.so
}

case_machine() {
  prints machine/described.json machine --name example --topology "package:2 die:2 core:2 pu:2" --nodes 16 \
    --memory-gib 64 --link network=2e-6,1.25e10 --link die=1e-7,1e10
  [ "$(cat err)" = "huddle: a node of 2 package(s) x 2 die(s) (Die) x 2 core(s)" ] || failed "machine says: $(cat err)"
  huddle machine --topology "$tests/fixtures/topology/package1-core4-pu1.xml" -o m.json
  [ "$status" -eq 0 ] || failed "machine from XML: $(cat err)"
  huddle recommend "$profile" -m m.json
  [ "$status" -eq 0 ] || failed "recommend on a machine from XML: $(cat err)"
  huddle machine -o this.json
  [ "$status" -eq 0 ] || failed "this machine: $(cat err)"
  # A file of this machine and its name say the same; without either there is a note.
  huddle recommend "$profile" -m this --nodes 8 && cp out by-name
  [ "$status:$(cat err)" = 0: ] || failed "recommend on this machine: $status: $(cat err)"
  huddle recommend "$profile" --nodes 8 && cmp -s out by-name || failed "recommend without --machine: $(cat err)"
  [ "$(cat err)" = "huddle: without --machine, the nodes are taken to be like this machine; what messages take is assumed" ] ||
    failed "recommend without --machine says: $(cat err)"
  huddle recommend "$profile" -m this.json --nodes 8 && cmp -s out by-name || failed "this.json is not this machine: $(cat err)"
  huddle machine -o this.json
  if grep -q "$(uname -n)" this.json; then failed "this machine's document names the host"; fi
}

case_plan() {
  local folder=store/ann/pairs/8
  mkdir store
  prints plan/no-profile.txt plan --store store --user ann --label pairs --ranks 8 --machine "$machine"
  prints plan/measure.json plan --store store --user ann --label pairs --ranks 8 --json
  mkdir -p "$folder" && cp "$profile" "$folder/profile-1.json"
  prints plan/packed.txt plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8
  huddle plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json
  sed -E 's/plan-[0-9a-f]{16}/plan-HASH/' out >decision
  same decision plan/apply.json
  # One for people, who see every pattern, and one for programs, however often they ask.
  huddle plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json
  [ "$(find "$folder" -name 'plan-*.json' | wc -l)" -eq 2 ] || failed "equal questions make another plan"
  # A plan that is made in the background is there in the end; who waits for the command's output does not wait for it.
  local answer
  for _ in $(seq 300); do
    answer=$("$HUDDLE" plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 6 --json \
      --answer-within 0.001s 2>&1 </dev/null)
    [[ $answer == *"the plan for this job is still being made: the next submission will have it"* ]] || break
    sleep 0.1
  done
  [[ $answer == *'"action": "apply"'* ]] || failed "with a limit of time: $answer"
  # Old files go, but not what the next plan needs.
  touch -d '40 days ago' "$folder"/*
  cp "$folder/profile-1.json" "$folder/profile-0.json" && touch -d '50 days ago' "$folder/profile-0.json"
  huddle plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json --keep-days 30
  local plan
  plan=$(basename "$(sed -n 's/.*"plan": "\(.*\)",/\1/p' out)")
  [ "$(cd "$folder" && echo *)" = "$plan profile-1.json" ] || failed "what is kept: $(ls -a "$folder")"
  # Who has no time to wait for an answer does not wait for that, but it is done.
  touch -d '50 days ago' "$folder/.making-plan-old"
  huddle plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json --keep-days 30 \
    --answer-within 20s
  local pause
  for pause in {1..100}; do [ -e "$folder/.making-plan-old" ] && sleep 0.1; done
  [ ! -e "$folder/.making-plan-old" ] || failed "old files stay where there is a limit of time: $(ls -a "$folder")"
  huddle plan --store store --user ann --label other --ranks 8 --machine "$machine" --profile "$profile" --json
  grep -q '"plan": "store/ann/other/8/plan-' out || failed "a plan from a given profile: $(cat out err)"
  # A range is handed on as it was asked for, where nothing says what it costs.
  huddle plan --store store --user ann --label other --ranks 8 --machine "$machine" --profile "$profile" --json \
    --frequency 1.2GHz-2.4GHz
  [ "$(tr -d ' \n' <out | grep -o '"frequency_khz":{[^}]*}')" = '"frequency_khz":{"min":1200000,"max":2400000}' ] ||
    failed "a range of frequencies: $(cat out err)"
  prints plan/no-gain.json plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 4 --json
  head -c 300 "$profile" >"$folder/profile-1.json"
  huddle plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 7 --json
  grep -q '"action": "measure"' out || failed "a corrupt profile: $(cat out)"
  grep -q "this run is measured again: store/ann/pairs/8/profile-1.json: byte 301: found" out ||
    failed "a corrupt profile: $(cat out)"
}

case_report() {
  local store=(--store "$tests/fixtures/outcomes" --user ann)
  # As sacct prints it; seconds of UTC. Job 103's meter overflowed, job 107's is no meter.
  mkdir bin
  cat >bin/sacct <<'SCRIPT'
#!/bin/sh
echo "$SLURM_TIME_FORMAT $*" >>"$ASKED"
cat <<ROWS
101|1793606400|120|8|176000
101.0|1793606400|120|8|176000
102.0|1793692800|122|2|50500
103.0|1793779200|121|2|18446744073709500416
104.0|1793865600|17|2|6000
107.1|1794038400|119|2|0
108.0|1794124800|119|8|180000
ROWS
SCRIPT
  chmod +x bin/sacct
  local PATH=$PWD/bin:$PATH
  export ASKED=$PWD/asked
  prints report/sums.txt report "${store[@]}"
  [ ! -s err ] || failed "report says: $(cat err)"
  [ "$(cat asked)" = "%s --parsable2 --noheader --jobs=101,102,103,104,105,107,108 --format=JobIDRaw,Start,ElapsedRaw,NNodes,ConsumedEnergyRaw --clusters=site" ] ||
    failed "report asks sacct: $(cat asked)"
  prints report/jobs.txt report "${store[@]}" --jobs
  prints report/jobs.csv report "${store[@]}" --csv
  prints report/report.json report "${store[@]}" --json
  # Without the days before: compared with all the same.
  prints report/since.txt report "${store[@]}" --jobs --since 2026-11-04 --until 2026-11-05 --label halo
  rm asked
  prints report/no-accounting.txt report "${store[@]}" --no-accounting --label halo
  [ ! -e asked ] || failed "report --no-accounting asks sacct"
  # A machine whose nodes draw less than these figures say.
  huddle report "${store[@]}" --machine "$tests/fixtures/machines/package2-die2-core2.json"
  [ "$status" -eq 0 ] || failed "report --machine: $(cat err)"
  printf '#!/bin/sh\necho "Slurm accounting storage is disabled" >&2\nexit 1\n' >bin/sacct
  prints report/no-accounting.txt report "${store[@]}" --label halo
  [ "$(cat err)" = "huddle: no energy from Slurm's accounting: sacct ended with status 1: Slurm accounting storage is disabled" ] ||
    failed "report without accounting says: $(cat err)"
  # A record that is cut short is passed over.
  cp -r "$tests/fixtures/outcomes" broken
  find broken -name 'outcome-20261103*' -exec truncate -s 50 {} +
  huddle report --store broken --user ann --no-accounting
  grep -q '^huddle: 1 record(s) passed over, the first one: broken/ann/halo/16/outcome-20261103' err ||
    failed "report of a broken record says: $(cat err)"
  huddle report --store broken --user nobody-yet
  [ "$status:$(cat out)" = "0:No record of a job of nobody-yet in broken." ] || failed "report of nothing: $(cat out)"
}

case_record() {
  local library
  library=$(ldd "$(command -v sh)" | awk '/libc\.so/ { print $3; exit }') # in every process anyway
  [ -n "$library" ] || failed "no C library found to preload"
  huddle record --recorder "$library" -o here.json -- sh -c 'echo "$LD_PRELOAD $HUDDLE_PROFILE"; exit 5'
  [ "$status" -eq 5 ] || failed "record gives status $status instead of the command's"
  [ "$(cat out)" = "$library $work/here.json" ] || failed "record sets $(cat out)"
  # A sanitizer's runtime wants to be the first library of its own programs.
  LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0 huddle record --recorder "$library" -- sh -c 'echo "$LD_PRELOAD $HUDDLE_PROFILE"'
  [ "$(cat out)" = "$library $work/profile.json" ] || failed "record sets $(cat out)"
  refuses 1 "can't read the recorder /no/recorder.so: install it, or name it by --recorder" \
    record --recorder /no/recorder.so -- true
  refuses 1 "can't start no-such-program: No such file or directory" record --recorder "$library" -- no-such-program
  refuses 2 "COMMAND is required..." record --recorder "$library"
}

case_errors() {
  local see="see huddle --help"
  echo '{"format": "huddle/profile", "version": 2}' >version.json
  echo '{"format": "huddle/plan"' >broken.json
  printf '3 3\n2\n1\n\n' >bad.graph
  mkfifo pipe
  huddle recommend "$profile" -m "$machine" --plan plan.json

  refuses 2 "A subcommand is required; $see"
  refuses 2 "..." nonsense
  refuses 2 "..." show "$profile" --nonsense
  refuses 2 "PROFILE is required; $see" show
  refuses 1 "can't open none.json: No such file or directory" show none.json
  refuses 1 "pipe: the file: found something that is not a regular file, expected a regular file" show pipe
  refuses 1 "version.json: field version: found 2, expected 1, the version that this huddle reads" show version.json
  refuses 1 "broken.json: byte 26: found ..." show broken.json
  refuses 1 "$machine: field format: found \"huddle/machine\", expected \"huddle/profile\"" show "$machine"
  refuses 2 "--matrix m.jpg: expected a name that ends in .csv, .svg or .png" show "$profile" --matrix m.jpg
  refuses 2 "..." show "$profile" --traffic sneakernet
  refuses 2 "..." report --csv --json
  refuses 2 "--since yesterday: expected a day or a time of UTC such as 2026-11-22 or 2026-11-22T08:30:00Z" \
    report --store . --since yesterday
  refuses 2 "..." show "$profile" --width 5
  refuses 1 "can't create no/m.csv: No such file or directory" show "$profile" --matrix no/m.csv

  printf '0,1\n2,x\n' >bad.csv
  refuses 1 "bad.csv: line 2, column 3: found \"x\", expected a whole number of bytes" import csv bad.csv -o p.json
  refuses 1 "can't open none.csv: No such file or directory" import csv none.csv -o p.json
  refuses 2 "import csv takes 2 file(s) at most, 3 were named" import csv a b c -o p.json
  refuses 2 "import metis takes 1 file(s) at most, 2 were named" import metis a b -o p.json
  refuses 2 "--output p.txt: expected a name that ends in .json or .cbor" import csv bad.csv -o p.txt
  refuses 2 "--output is required; $see" import csv bad.csv
  refuses 2 "KIND: xml not in {csv,openmpi,metis}; $see" import xml a -o p.json
  refuses 2 "no file is named nothing.RANK.prof" import openmpi nothing -o p.json
  printf 'E\t1\t0\t1 bytes\t1 msgs sent\n' >run.0.prof
  refuses 1 "run.0.prof: line 1, column 3: found \"1\", expected 0, the rank that the file's name says" \
    import openmpi run -o p.json
  refuses 1 "bad.graph: line ..." import metis bad.graph -o p.json
  [ ! -e p.json ] || failed "a failed import leaves a file"

  refuses 2 "--slowdown 200%: expected a share from 0 to 1 such as 5% or 0.05" \
    recommend "$profile" -m "$machine" --slowdown 200%
  refuses 2 "--frequency fast: expected keep, auto, a frequency such as 1.8GHz, or a range such as 1.2GHz-2.4GHz" \
    recommend "$profile" -m "$frequencies" --frequency fast
  refuses 2 "--frequency 2GHz-1GHz: expected keep..." recommend "$profile" -m "$frequencies" --frequency 2GHz-1GHz
  refuses 2 "the machine package2-die2-core2 has no frequencies to choose from: add \"frequencies\" to its document" \
    recommend "$profile" -m "$machine" --frequency auto
  refuses 2 "the machine package2-die2-core2-frequencies has no frequency in that range: it has 1 GHz to 2 GHz" \
    recommend "$profile" -m "$frequencies" --frequency 3GHz
  refuses 2 "at least 3 nodes and at most 2 can't be used" recommend "$profile" -m "$machine" --nodes 2 --least-nodes 3
  refuses 2 "the pattern 1:1:3 does not fit on a node of 2:2:2" recommend "$profile" -m "$machine" --reference 1:1:3
  refuses 2 "\"two\" is not a pattern..." recommend "$profile" -m "$machine" --reference two
  refuses 2 "--reference nodes needs --nodes" recommend "$profile" -m "$machine" --reference nodes
  refuses 2 "8 ranks can't be spread over 9 nodes" recommend "$profile" -m "$machine" --reference nodes --nodes 9
  refuses 2 "--objective: speed not in {edp,energy,time}; $see" recommend "$profile" -m "$machine" --objective speed
  refuses 2 "..." recommend "$profile" -m "$machine" --nodes -1
  refuses 1 "no pattern is feasible, so there is no plan: see the reasons in the table" \
    recommend "$profile" -m "$machine" --nodes 1 --plan p.json
  refuses 1 "can't replace pipe: it is not a regular file" recommend "$profile" -m "$machine" --plan pipe
  [ -p pipe ] || failed "a pipe was replaced by a file"

  refuses 1 "the plan needs 4 nodes and there are 1" emit plan.json --as slurm --hosts north
  refuses 2 "--as: pbs not in {mpich,openmpi,slurm}; $see" emit plan.json --as pbs --hosts a
  refuses 2 "--hosts is required; $see" emit plan.json --as slurm
  refuses 1 "can't open none.json: No such file or directory" emit none.json --as slurm --hosts a

  refuses 2 "hierarchy \"2:x\": expected ..." map "$graph" --hierarchy 2:x --distance 1:2
  refuses 2 "..." map "$graph" --hierarchy 2:2 --distance 1
  refuses 2 "..." map "$graph" --hierarchy 2:2 --distance 1:2
  refuses 2 "..." map "$graph" --hierarchy 8 --distance 1 --engine magic
  refuses 2 "--threads: Value 0 not in range 1 to 1024; $see" map "$graph" --hierarchy 8 --distance 1 --threads 0
  refuses 1 "bad.graph: line ..." map bad.graph --hierarchy 8 --distance 1
  refuses 2 "--weight: colour not in {bytes,messages,time}; $see" map "$profile" --hierarchy 8 --distance 1 --weight colour
  refuses 2 "--weight time needs --machine: ..." map "$profile" --hierarchy 8 --distance 1 --weight time
  refuses 2 "there is no file nowhere and no machine of that name on file: expected this or one of dual-64, system-g" map "$graph" --hierarchy 2:2:2:2 --machine nowhere
  refuses 2 "--distance is missing: ..." map "$profile" --hierarchy 8
  refuses 2 "--pattern is for a hierarchy of cores, dies, packages and nodes, ..." map "$profile" --hierarchy 8:2 --distance 1:2 --pattern 1:1:1
  refuses 2 "there is no pattern 2:1:3 on nodes of 2 packages x 2 dies x 2 cores" map "$graph" --hierarchy 2:2:2:4 --distance 1:2:3:4 --pattern 2:1:3
  refuses 2 "--node-sizes 4,x: ..." map "$graph" --hierarchy 2:2:2 --distance 1:2:3 --node-sizes 4,x
  refuses 2 "--node-sizes 3x4 is for more than the 2 nodes of the hierarchy" map "$graph" --hierarchy 2:2:2 --distance 1:2:3 --node-sizes 3x4
  refuses 2 "node 1 is to use 5 cores, but it has only 4" map "$graph" --hierarchy 2:2:2 --distance 1:2:3 --node-sizes 4,5
  refuses 2 "--weight is for profiles (.json or .cbor), and ..." map "$graph" --hierarchy 8 --distance 1 --weight bytes
  refuses 2 "--no-collectives is for profiles ..." map "$graph" --hierarchy 8 --distance 1 --no-collectives
  refuses 1 "can't open none.json: No such file or directory" \
    map "$profile" --hierarchy 8 --distance 1 --weight time -m none.json

  refuses 2 "--link disk=1,2: expected die=, package=, node= or network= in front" \
    machine --topology "core:2 pu:1" --link disk=1,2
  refuses 2 "--link die=0,1: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=0,1
  refuses 2 "--link die=1: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=1
  refuses 2 "--link die=1,nan: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=1,nan
  refuses 2 "--link die=1,inf: expected DISTANCE=LATENCY,BANDWIDTH..." machine --topology "core:2 pu:1" --link die=1,inf
  refuses 1 "nonsense:1: synthetic topology: found \"nonsense:1\", expected ..." machine --topology nonsense:1
  refuses 2 "--memory-gib: Value 0 not in range ..." machine --topology "core:2 pu:1" --memory-gib 0

  refuses 2 "--label is required; $see" plan --ranks 8
  refuses 2 "--ranks: Value 0 not in range 1 to 2147483648; $see" plan --label pairs --ranks 0
  refuses 2 "--nodes: Value 0 not in range 1 to 4294967295; $see" plan --label a --ranks 8 --nodes 0
  refuses 2 "--objective: watts not in {edp,energy,time}; $see" plan --label a --ranks 8 --objective watts
  refuses 2 "--least-nodes: Value 0 not in range 1 to 4294967295; $see" plan --label a --ranks 8 --least-nodes 0
  refuses 2 "--frequency fast: expected keep, auto, a frequency such as 1.8GHz, or a range such as 1.2GHz-2.4GHz" \
    plan --label a --ranks 8 --frequency fast
  refuses 2 "--answer-within soon: expected a time such as 1.5s or 2m" plan --label a --ranks 8 --answer-within soon
  refuses 2 "--grouping: random not in {mapped,rank-order}; $see" plan --label a --ranks 8 --grouping random
  mkdir -p store/ann/pairs/8 && cp "$profile" store/ann/pairs/8/profile-1.json
  refuses 1 "there is a profile, but no machine document: give --machine, or set..." \
    plan --store store --user ann --label pairs --ranks 8

  "$HUDDLE" show "$profile" >/dev/full 2>err
  status=$?
  [ "$status:$(cat err)" = "1:huddle: can't write the standard output: No space left on device" ] ||
    failed "a full disk: $status: $(cat err)"
}

"case_${1:?which case}"
[ "$failures" -eq 0 ] || echo "$failures check(s) failed" >&2
exit $((failures > 0))
