# Sourced by ../cli_test.sh, whose words it uses.

# The line that says to ranks what was chosen.
prints_line() { # GOLDEN ARGUMENT...
  local expected=$1
  shift
  huddle "$@" --json
  jq -r .teams out >line && same line "$expected"
}

case_threads() {
  local hybrid=$tests/fixtures/profiles/two-hybrid-ranks.json
  prints threads/chosen.txt threads "$hybrid" -m "$frequencies"
  prints threads/chosen.json threads "$hybrid" -m "$frequencies" --json
  prints threads/static.txt threads "$hybrid" -m "$frequencies" --strategy static
  prints threads/what_if.txt threads "$hybrid" -m "$frequencies" --what-if hybrid+0x2400=2
  prints threads/predicted.txt threads "$hybrid" -m "$frequencies" --what-if hybrid+0x2400=1
  prints threads/states.txt threads "$hybrid" -m xeon-x5560
  # A region of a ten thousandth of the run: what it changes is not shown as nothing.
  jq '.rank_records[] |= (.run_time_s = 7000 | .phases |= (.mean_s[1] = 60 | .shortest_s[1] = 60 | .longest_s[1] = 61))' "$hybrid" >short.json
  prints threads/short.txt threads short.json -m "$frequencies" --what-if hybrid+0x2400=2
  prints_line threads/line.txt threads "$hybrid" -m "$frequencies"
  prints_line threads/strict.txt threads "$hybrid" -m "$frequencies" --slowdown 0
  prints threads/published.txt threads "$hybrid" -m "$frequencies" --strategy one-phase --objective time-clock

  refuses 1 "the machine package2-die2-core2 has no power figures: ..." threads "$hybrid" -m "$machine"
  refuses 1 "the profile has no parallel regions of OpenMP: ..." threads "$tests/fixtures/profiles/four-ranks-all-kinds.json" -m "$frequencies"
  refuses 1 "no region has \"absent\" in its name; there are: hybrid+0x2000, ..." threads "$hybrid" -m "$frequencies" --what-if absent=2
  refuses 1 "hybrid+0x2400 on 3 cores at 2.00 GHz: no time is known of that; known: ..." threads "$hybrid" -m "$frequencies" --what-if hybrid+0x2400=3
  refuses 2 "--what-if: found \"solve\", expected REGION=CORES or REGION=CORES@GHZ, such as solve=4@2.1" threads "$hybrid" -m "$frequencies" --what-if solve
  refuses 2 "--machine is required..." threads "$hybrid"
  sed 's/"4-7"/"3-6"/' "$hybrid" >shared.json
  refuses 1 "ranks 0 and 1 may run on the same cores, ..." threads shared.json -m "$frequencies"
  sed 's/"4-7"/"64-67"/' "$hybrid" >elsewhere.json
  refuses 1 "rank 1 ran on PUs 64-67, which nodes of the machine package2-die2-core2-frequencies don't have; ..." threads elsewhere.json -m "$frequencies"
  refuses 2 "--teams says where threads run that are packed: expected --threads pack with it..." record --teams x -- true

  refuses 2 "PROFILE is required..." threads
  refuses 2 "expected one of --consent-sizes, --withdraw-sizes and --consents..." threads --consents --withdraw-sizes "$HUDDLE"
  mkdir store
  refuses 1 "--consent-sizes $tests/aggregator/commands/cli_test.sh: no build id is known of it, ..." threads --store store --consent-sizes "$tests/aggregator/commands/cli_test.sh"
  huddle threads --store store --consents
  [ "$(cat out)" = "No program's teams may have fewer threads." ] || failed "consents: $(cat out err)"
  huddle threads --store store --consent-sizes "$HUDDLE"
  grep -q "may crash, hang, or compute wrong results without a word" out || failed "no warning: $(cat out err)"
  huddle threads --store store --consents
  grep -q "huddle (build [0-9a-f]*): smaller teams will be tried in the next run with threads=pack[.]$" out || failed "consents: $(cat out err)"
  # A run in which two threads were tried in place of four, and where that is allowed.
  local build sizes=store/$(id -un)/~team-sizes
  build=$(huddle threads --store store --consents --json && jq -r '.programs[0].build_id' out)
  jq --arg build "$build" '.modules = [{name: "hybrid", path: "/usr/bin/hybrid", build_id: $build, first_address: 0}]
    | .rank_records[].openmp_regions.smallest_team |= map(2)
    | .rank_records[].smaller_teams = {region: [11, 12], team: [4, 4], threads: [2, 2], packages: [1, 1], passes: [4, 4], mean_s: [0.02, 0.01],
        variance_s2: [0, 0], shortest_s: [0.02, 0.01], longest_s: [0.02, 0.01], first_passes: [0, 0], first_mean_s: [0, 0],
        usual_passes: [900, 900], usual_mean_s: [0.04, 0.02], usual_variance_s2: [0, 0]}' "$hybrid" >sized.json
  huddle threads sized.json -m "$frequencies" --store store
  grep -q "^Teams of fewer threads were measured, and are not chosen: smaller teams will be tried in the next run with threads=pack[.]$" out ||
    failed "a consent that waits: $(cat out err)"
  echo token >"$sizes/$build.begun"
  huddle threads sized.json -m "$frequencies" --store store
  grep -q "not chosen: sizes stay: a run began to try smaller teams, and has not ended well[.]$" out || failed "harm: $(cat out err)"
  echo token >"$sizes/$build.ended"
  prints threads/sized.txt threads sized.json -m "$frequencies" --store store
  prints_line threads/sized_line.txt threads sized.json -m "$frequencies" --store store
  huddle threads sized.json -m "$frequencies" --store store --json
  jq -e --arg build "$build" '.smaller_configurations == 6 and .sizes == [{build_id: $build, state: "act"}] and
    ([.regions[] | .before.threads == 4 and .chosen.threads == 2 and .chosen.measured] | all)' out >/dev/null || failed "sized: $(cat out err)"
  huddle threads --store store --withdraw-sizes "$HUDDLE"
  huddle threads sized.json -m "$frequencies" --store store
  grep -q "not chosen: you have not allowed it (huddle threads --consent-sizes)[.]$" out || failed "no consent: $(cat out err)"
  huddle threads --store store --consents --json
  [ "$(jq -c .programs out)" = "[]" ] || failed "consents: $(cat out err)"

  huddle recommend "$tests/fixtures/profiles/four-ranks-all-kinds.json" -m "$frequencies" --plan plan.json
  if [ -e plan.json ]; then
    huddle threads "$hybrid" -m "$frequencies" --plan plan.json
    [ "$(jq -c .teams plan.json)" = '[{"ranks":"0-1","regions":[{"region":11,"cores":2}]}]' ] || failed "teams of the plan: $(jq -c .teams plan.json)"
  else
    failed "no plan: $(cat err)"
  fi
}
