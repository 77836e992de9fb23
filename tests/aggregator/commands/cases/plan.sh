# Sourced by ../cli_test.sh, whose words it uses.

# request [MEMBERS]: of a job, in request.json
request() {
  printf '{"format": "huddle/plan-request", "version": 1, "user": "ann", "label": "pairs", "ranks": 8, "store": "store", "machine": "%s"%s}\n' \
    "$machine" "${1:+, $1}" >request.json
}

# asks MEMBERS [ARGUMENT...]: what is to be done with such a job where trials may be
asks() {
  request "\"explore\": \"trial\", $1"
  huddle plan --request request.json "${@:2}"
}

case_plan() {
  local folder=store/ann/pairs/8
  mkdir store
  prints plan/no-profile.txt plan --store store --label pairs --ranks 8 --machine "$machine"
  request '"explore": "trial"'
  prints plan/measure.json plan --request request.json --json
  mkdir -p "$folder" && cp "$profile" "$folder/profile-1.json"
  request '"explore": "trial", "nodes": 8, "every_pattern": true'
  prints plan/packed.txt plan --request request.json
  asks '"nodes": 8' --json
  sed -E 's/plan-[0-9a-f]{16}/plan-HASH/' out >decision
  same decision plan/apply.json
  # One output for people, with every pattern, and one for programs, the same for every call.
  "$HUDDLE" plan --request - --json <request.json >out || failed "a request on the standard input: status $?"
  sed -E 's/plan-[0-9a-f]{16}/plan-HASH/' out >decision
  same decision plan/apply.json
  [ "$(find "$folder" -name 'plan-*.json' | wc -l)" -eq 2 ] || failed "equal questions make another plan"
  # A job that a person asks about by options is the caller's own.
  mkdir -p "mine/$(id -un)/pairs" && cp -r "$folder" "mine/$(id -un)/pairs"
  refuses 1 "there is a profile, but no machine document: give --machine, or set..." plan --store mine --label pairs --ranks 8
  # A rank a node can share its node with nobody.
  request '"nodes": 8, "keeps_nodes": true'
  prints plan/kept.json plan --request request.json --json
  # A plan that is made in the background is there in the end; who waits for the command's output does not wait for it.
  local answer
  request '"explore": "trial", "nodes": 6, "answer_within_s": 0.001'
  for _ in $(seq 300); do
    answer=$("$HUDDLE" plan --request request.json --json 2>&1 </dev/null)
    [[ $answer == *"the plan for this job is still being made: the next submission will have it"* ]] || break
    sleep 0.1
  done
  [[ $answer == *'"action": "apply"'* ]] || failed "with a limit of time: $answer"
  # Runs of another size, or of an unknown one, are not used for a job of a known size.
  asks '"size": 4096' --json
  grep -q '"action": "measure"' out && grep -q "the last run was of unknown size, not of size 4096" out ||
    failed "a job of another size: $(cat out err)"
  # Without trials a job is not packed onto what nothing covers: a second run shows it, or the job is left.
  request '"nodes": 8, "samples": 1'
  huddle plan --request request.json --json
  same out plan/uncovered.json
  request '"nodes": 8, "every_pattern": true'
  prints plan/second-sample.txt plan --request request.json
  # Old files go, but not what the next plan needs.
  touch -d '40 days ago' "$folder"/*
  cp "$folder/profile-1.json" "$folder/profile-0.json" && touch -d '50 days ago' "$folder/profile-0.json"
  asks '"nodes": 8, "keep_days": 30' --json
  local plan
  plan=$(basename "$(sed -n 's/.*"plan": "\(.*\)",/\1/p' out)")
  [ "$(cd "$folder" && echo *)" = "$plan profile-1.json" ] || failed "what is kept: $(ls -a "$folder")"
  # With no time to wait for the answer, the command does not wait for the removal of old files, but it is done, once an hour.
  rm store/ann/.sweep
  touch -d '50 days ago' "$folder/.making-plan-old"
  asks '"nodes": 8, "keep_days": 30, "answer_within_s": 20' --json
  local pause
  for pause in {1..100}; do [ -e "$folder/.making-plan-old" ] && sleep 0.1; done
  [ ! -e "$folder/.making-plan-old" ] || failed "old files stay where there is a limit of time: $(ls -a "$folder")"
  # The sweep's end is on record once its file is complete; then none is due.
  for pause in {1..100}; do grep -q '^ended [1-9]' store/ann/.sweep || sleep 0.1; done
  touch -d '50 days ago' "$folder/.making-plan-old"
  asks '"nodes": 8, "keep_days": 30, "answer_within_s": 20' --json
  [ -e "$folder/.making-plan-old" ] || failed "a second sweep within the hour"
  request "\"explore\": \"trial\", \"profiles\": [\"$profile\"]"
  sed -i 's/"pairs"/"other"/' request.json
  huddle plan --request request.json --json
  grep -q '"plan": "store/ann/other/8/plan-' out || failed "a plan from a given profile: $(cat out err)"
  # A range is passed on as requested where its cost is not known.
  sed -i 's/"profiles"/"frequency": {"policy": "range", "lowest_hz": 1.2e9, "highest_hz": 2.4e9}, "profiles"/' request.json
  huddle plan --request request.json --json
  [ "$(tr -d ' \n' <out | grep -o '"frequency_khz":{[^}]*}')" = '"frequency_khz":{"min":1200000,"max":2400000}' ] ||
    failed "a range of frequencies: $(cat out err)"
  request '"explore": "trial", "nodes": 4'
  prints plan/no-gain.json plan --request request.json --json
  head -c 300 "$profile" >"$folder/profile-1.json"
  asks '"nodes": 7' --json
  grep -q '"action": "measure"' out || failed "a corrupt profile: $(cat out)"
  grep -q "this run is measured again: store/ann/pairs/8/profile-1.json: byte 301: found" out ||
    failed "a corrupt profile: $(cat out)"
  refuses 2 "huddle plan: --slowdown is gone: a request has it: --request FILE, see docs/formats/plan-request.md; see huddle plan --help" \
    plan --label pairs --ranks 8 --slowdown=3%
  wide_ranks
}

# Ranks of four cores, whose teams need fewer by what a run tried.
wide_ranks() {
  local folder=store/anna/hybrid/2 hybrid=$tests/fixtures/profiles/two-hybrid-ranks.json
  sed 's/package:2 die:2 core:2/package:1 die:2 core:2/' "$frequencies" >wide.json
  mkdir -p "$folder"
  jq '.rank_records[].pus = "0-3" | .rank_records[1].node = "n1"' "$hybrid" >"$folder/packed-2.json"
  jq 'del(.rank_records[].packed_regions)' "$folder/packed-2.json" >"$folder/profile-1.json"
  wide_request() { # MEMBERS
    sed "s/\"ann\"/\"anna\"/; s/\"pairs\", \"ranks\": 8/\"hybrid\", \"ranks\": 2/; s#$machine#wide.json#" <(request \
      "\"nodes\": 2, \"cores_per_rank\": 4, \"slowdown\": 0.3, \"packs_threads\": true, $1" && cat request.json) >wide-request.json
  }
  wide_request '"explore": "trial", "every_pattern": true'
  prints plan/wide-ranks.txt plan --request wide-request.json
}
