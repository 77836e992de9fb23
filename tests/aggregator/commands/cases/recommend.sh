# Sourced by ../cli_test.sh, whose words it uses.

nine_digits() { sed -E 's/(\.[0-9]{9})[0-9]+/\1/g' "$1"; }

case_recommend() {
  local rank
  prints recommend/table.txt recommend "$profile" -m "$machine" --plan plan.json
  sed "s|$tests|TESTS|" plan.json >plan-anywhere.json
  # With g++ 16 the last digits of some figures are others.
  if grep -q '^VERSION_CODENAME=forky' /etc/os-release; then
    diff <(nine_digits plan-anywhere.json) <(nine_digits "$golden/recommend/plan.json") ||
      failed "plan.json: other figures"
  else
    same plan-anywhere.json recommend/plan.json
  fi
  prints recommend/time.txt recommend "$profile" -m "$machine" --objective time
  prints recommend/no-gain.txt recommend "$profile" -m "$machine" --reference 1:1:2 --nodes 4
  prints recommend/none.txt recommend "$profile" -m "$machine" --nodes 1
  prints recommend/nodes.txt recommend "$profile" -m "$machine" --reference nodes --nodes 5
  prints recommend/measured.txt recommend "$profile" -m "$machine" --reference measured --slowdown 0
  huddle recommend "$profile" -m "$machine" --json
  [ "$status" -eq 0 ] || failed "recommend --json: status $status"
  # The figures are those of the table; here the names count, which other programs read.
  grep -oE '^ *"[a-z_]+":' out | sort | uniq -c >keys
  same keys recommend/json-keys.txt
  grep -qx ' "chosen": "1:2:1",' out || failed "recommend --json: $(head -3 out)"
  grep -qx ' "reference": "1:1:1",' out || failed "recommend --json: $(head -3 out)"
  huddle recommend "$profile" -m "$machine" --json --nodes 1
  grep -qx ' "chosen": null,' out || failed "recommend --json without a feasible pattern: $(head -3 out)"

  # A run on sparse nodes leaves contention unknown, and the notes say so.
  huddle recommend "$profile" -m "$machine" --json
  python3 -c '
import json
answer = json.load(open("out"))
assert any(note.startswith("contention unknown: ") for note in answer["notes"]), answer["notes"]
assert "the prediction of 1:2:1 rests on nothing" in answer["notes"], answer["notes"]
coverage = {forecast["pattern"]: forecast["coverage"] for forecast in answer["patterns"]}
assert coverage["1:1:1"] == "measured" and coverage["2:2:2"] == "none", coverage
assert answer["reference_forecast"]["coverage"] == "measured", answer["reference_forecast"]
' || failed "recommend --json says of what it rests on: $(cat out)"
  # A run that fills nodes covers everything.
  sed -E 's/"node":"node[0-9]+","pus":"0"/"node":"node00","pus":"PU"/g' "$profile" >filled.json
  for rank in 0 1 2 3 4 5 6 7; do sed -i "0,/\"pus\":\"PU\"/s//\"pus\":\"$rank\"/" filled.json; done
  prints recommend/covered.txt recommend "$profile" filled.json -m "$machine"

  # The profile does not show waiting for memory: within 5 % only the nominal frequency is left, and a note says why.
  prints recommend/frequency.txt recommend "$profile" -m "$frequencies" --frequency auto
  same err recommend/frequency-note.txt
  # Nodes that nobody uses: energies of the job and of the machine. The option comes before the document.
  prints recommend/idles.txt recommend "$profile" -m "$frequencies" --unused-nodes idles
  jq '.power.off_node_w = 10 | .unused_nodes = {become: "sleeps", sleep_after_s: 300, origin: "given"}' "$frequencies" >sleeps.json
  prints recommend/sleeps.txt recommend "$profile" -m sleeps.json
  prints recommend/sleeps.txt recommend "$profile" -m sleeps.json --unused-nodes sleeps
  huddle recommend "$profile" -m "$frequencies"
  cp out used
  huddle recommend "$profile" -m sleeps.json --unused-nodes used
  diff used out | grep -q '^> Nodes that the job leaves unused: other jobs use them (given).$' || failed "recommend --unused-nodes used: $(cat out)"
  huddle recommend "$profile" -m "$machine" --unused-nodes off
  [ "$status" -eq 2 ] || failed "recommend --unused-nodes off: status $status"
  prints recommend/frequency-slow.txt recommend "$profile" -m "$frequencies" --frequency 1-1.6GHz --slowdown 100% --plan slow.json
  tr -d ' \n' <slow.json >slow-in-a-line.json
  grep -qF '"frequency":{"policy":"set","hz":1500000000.0}' slow-in-a-line.json ||
    failed "the plan has no frequency: $(grep -A 3 '"frequency"' slow.json)"
  huddle recommend "$profile" -m "$frequencies" --frequency 1.5GHz --slowdown 1 --json
  [ "$(grep -c '^   "frequency_hz": 1500000000.0,' out)" -eq 8 ] || failed "recommend --json --frequency: $(cat out)"
  grep -qx '  "frequency_hz": 2000000000.0,' out || failed "the reference is at another frequency: $(cat out)"
  huddle emit slow.json --as openmpi --hosts north,east,south,west
  [ "$status" -eq 0 ] || failed "a plan with a frequency is no plan: $(cat err)"

  # Ranks with two cores each, not shared and kept busy: they get as many again.
  local script=
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

  # NUMA nodes are a level of patterns, and PUs if asked; a plan then puts ranks on single PUs.
  huddle machine --topology "package:1 numa:2 l3:2 core:2 pu:2" --nodes 8 -o deep.json
  [ "$(cat err)" = "huddle: a node of 1 package(s) x 2 NUMA nodes x 2 die(s) (L3) x 2 core(s)" ] ||
    failed "machine says of NUMA nodes: $(cat err)"
  prints recommend/numa.txt recommend "$profile" -m deep.json --slowdown 1
  prints recommend/smt.txt recommend "$profile" -m deep.json --smt --computation simple --slowdown 1 --plan smt-plan.json
  grep -qx '   "1",' smt-plan.json || failed "no rank of the plan is on the second PU of a core: $(cat smt-plan.json)"
  huddle recommend "$profile" -m deep.json --reference 1:2:2 --json
  grep -q '"reference": "1:1:2:2:1"' out || failed "a reference of three numbers does not fill a NUMA node first: $(cat out)"
  # The dies of a rank of two count, not its one slot.
  sed 's/package:1 numa:2 l3:2 core:2 pu:2/package:1 numa:2 l3:4 core:2 pu:1/' deep.json >deeper.json
  huddle recommend "$profile" -m deeper.json --cores-per-rank 4 --reference 1:4:2 --json
  grep -q '"reference": "1:1:4:2:1"' out || failed "ranks of two dies on a reference of three numbers: $(cat err out)"
  refuses 2 "--smt and --cores-per-rank exclude each other..." recommend "$profile" -m deep.json --smt --cores-per-rank 2

  # Only the size that is asked counts where there are several.
  local size
  for size in 100 200 400; do
    "$tests/aggregator/commands/sized_profile.py" "$profile" $size run-$size.json
  done
  refuses 1 "no profile is of size 300: they are of 100, 400; huddle forecast collect and huddle forecast --at predict sizes that were not run" \
    recommend run-100.json run-400.json -m "$machine" --size 300
  huddle recommend run-100.json run-400.json -m "$machine" --size 400
  cp out measured && huddle recommend run-400.json -m "$machine"
  cmp -s out measured || failed "a size that was run is not taken as it is"
  refuses 2 "run-100.json is of size 100 and run-400.json of size 400: ask for one of them, or for another" \
    recommend run-100.json run-400.json -m "$machine"
  refuses 2 "--size many: expected a number above 0..." recommend run-100.json -m "$machine" --size many
  refuses 2 "huddle recommend: --size-argument is gone: ..." recommend run-100.json -m "$machine" --size-argument 2
  refuses 1 "$profile has no problem size..." recommend "$profile" -m "$machine" --size 5
}
