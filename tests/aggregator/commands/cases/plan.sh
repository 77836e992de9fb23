# Sourced by ../cli_test.sh, whose words it uses.

case_plan() {
  local folder=store/ann/pairs/8
  mkdir store
  prints plan/no-profile.txt plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine"
  prints plan/measure.json plan --explore trial --store store --user ann --label pairs --ranks 8 --json
  mkdir -p "$folder" && cp "$profile" "$folder/profile-1.json"
  prints plan/packed.txt plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8
  huddle plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json
  sed -E 's/plan-[0-9a-f]{16}/plan-HASH/' out >decision
  same decision plan/apply.json
  # One output for people, with every pattern, and one for programs, the same for every call.
  huddle plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json
  [ "$(find "$folder" -name 'plan-*.json' | wc -l)" -eq 2 ] || failed "equal questions make another plan"
  # The plugin sends the same as one document, and gets the same plan.
  cat >request.json <<END
{"format": "huddle/plan-request", "version": 1, "user": "ann", "label": "pairs", "ranks": 8, "store": "store", "nodes": 8,
 "explore": "trial", "machine": "$machine"}
END
  huddle plan --request request.json --json
  sed -E 's/plan-[0-9a-f]{16}/plan-HASH/' out >decision
  same decision plan/apply.json
  "$HUDDLE" plan --request - --json <request.json >out || failed "a request on the standard input: status $?"
  sed -E 's/plan-[0-9a-f]{16}/plan-HASH/' out >decision
  same decision plan/apply.json
  [ "$(find "$folder" -name 'plan-*.json' | wc -l)" -eq 2 ] || failed "a request makes another plan than options"
  sed -i 's/"machine"/"every_pattern": true, "machine"/' request.json
  prints plan/packed.txt plan --request request.json
  # A rank a node can share its node with nobody.
  prints plan/kept.json plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --keep-nodes --json
  # A plan that is made in the background is there in the end; who waits for the command's output does not wait for it.
  local answer
  for _ in $(seq 300); do
    answer=$("$HUDDLE" plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 6 --json \
      --answer-within 0.001s 2>&1 </dev/null)
    [[ $answer == *"the plan for this job is still being made: the next submission will have it"* ]] || break
    sleep 0.1
  done
  [[ $answer == *'"action": "apply"'* ]] || failed "with a limit of time: $answer"
  # Runs of another size, or of an unknown one, are not used for a job of a known size.
  huddle plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --size 64x64 --json
  grep -q '"action": "measure"' out && grep -q "the last run was of unknown size, not of size 4096" out ||
    failed "a job of another size: $(cat out err)"
  # Without trials a job is not packed onto what nothing covers: a second run shows it, or the job is left.
  huddle plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --samples 1 --json
  same out plan/uncovered.json
  prints plan/second-sample.txt plan --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8
  refuses 2 "--size 0: expected a number above 0..." plan --label pairs --ranks 8 --size 0
  # Old files go, but not what the next plan needs.
  touch -d '40 days ago' "$folder"/*
  cp "$folder/profile-1.json" "$folder/profile-0.json" && touch -d '50 days ago' "$folder/profile-0.json"
  huddle plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json --keep-days 30
  local plan
  plan=$(basename "$(sed -n 's/.*"plan": "\(.*\)",/\1/p' out)")
  [ "$(cd "$folder" && echo *)" = "$plan profile-1.json" ] || failed "what is kept: $(ls -a "$folder")"
  # With no time to wait for the answer, the command does not wait for the removal of old files, but it is done, once an hour.
  rm store/ann/.sweep
  touch -d '50 days ago' "$folder/.making-plan-old"
  huddle plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json --keep-days 30 \
    --answer-within 20s
  local pause
  for pause in {1..100}; do [ -e "$folder/.making-plan-old" ] && sleep 0.1; done
  [ ! -e "$folder/.making-plan-old" ] || failed "old files stay where there is a limit of time: $(ls -a "$folder")"
  # The sweep's end is on record once its file is complete; then none is due.
  for pause in {1..100}; do grep -q '^ended [1-9]' store/ann/.sweep || sleep 0.1; done
  touch -d '50 days ago' "$folder/.making-plan-old"
  huddle plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 8 --json --keep-days 30 \
    --answer-within 20s
  [ -e "$folder/.making-plan-old" ] || failed "a second sweep within the hour"
  huddle plan --explore trial --store store --user ann --label other --ranks 8 --machine "$machine" --profile "$profile" --json
  grep -q '"plan": "store/ann/other/8/plan-' out || failed "a plan from a given profile: $(cat out err)"
  # A range is passed on as requested where its cost is not known.
  huddle plan --explore trial --store store --user ann --label other --ranks 8 --machine "$machine" --profile "$profile" --json \
    --frequency 1.2GHz-2.4GHz
  [ "$(tr -d ' \n' <out | grep -o '"frequency_khz":{[^}]*}')" = '"frequency_khz":{"min":1200000,"max":2400000}' ] ||
    failed "a range of frequencies: $(cat out err)"
  prints plan/no-gain.json plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 4 --json
  head -c 300 "$profile" >"$folder/profile-1.json"
  huddle plan --explore trial --store store --user ann --label pairs --ranks 8 --machine "$machine" --nodes 7 --json
  grep -q '"action": "measure"' out || failed "a corrupt profile: $(cat out)"
  grep -q "this run is measured again: store/ann/pairs/8/profile-1.json: byte 301: found" out ||
    failed "a corrupt profile: $(cat out)"
  wide_ranks
}

# Ranks of four cores, whose teams need fewer by what a run tried.
wide_ranks() {
  local folder=store/anna/hybrid/2 hybrid=$tests/fixtures/profiles/two-hybrid-ranks.json
  sed 's/package:2 die:2 core:2/package:1 die:2 core:2/' "$frequencies" >wide.json
  mkdir -p "$folder"
  jq '.rank_records[].pus = "0-3" | .rank_records[1].node = "n1"' "$hybrid" >"$folder/packed-2.json"
  jq 'del(.rank_records[].packed_regions)' "$folder/packed-2.json" >"$folder/profile-1.json"
  prints plan/wide-ranks.txt plan --explore trial --store store --user anna --label hybrid --ranks 2 --nodes 2 --machine wide.json \
    --cores-per-rank 4 --slowdown 30% --pack-threads
}
