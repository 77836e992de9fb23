# Sourced by ../cli_test.sh, whose words it uses.

case_threads() {
  local hybrid=$tests/fixtures/profiles/two-hybrid-ranks.json
  prints threads/chosen.txt threads "$hybrid" -m "$frequencies"
  prints threads/chosen.json threads "$hybrid" -m "$frequencies" --json
  prints threads/static.txt threads "$hybrid" -m "$frequencies" --strategy static
  prints threads/what_if.txt threads "$hybrid" -m "$frequencies" --what-if hybrid+0x2400=2
  prints threads/predicted.txt threads "$hybrid" -m "$frequencies" --what-if hybrid+0x2400=1
  prints threads/line.txt threads "$hybrid" -m "$frequencies" --emit
  prints threads/strict.txt threads "$hybrid" -m "$frequencies" --slowdown 0 --emit
  prints threads/published.txt threads "$hybrid" -m "$frequencies" --strategy one-phase --objective time-clock
  huddle threads "$hybrid" -m "$frequencies" -o file
  same file threads/chosen.txt

  refuses 1 "the machine package2-die2-core2 has no power figures: ..." threads "$hybrid" -m "$machine"
  refuses 1 "the profile has no parallel regions of OpenMP: ..." threads "$tests/fixtures/profiles/four-ranks-all-kinds.json" -m "$frequencies"
  refuses 1 "no region has \"absent\" in its name; there are: hybrid+0x2000, ..." threads "$hybrid" -m "$frequencies" --what-if absent=2
  refuses 1 "hybrid+0x2400 on 3 cores at 2.00 GHz: no time is known of that; known: ..." threads "$hybrid" -m "$frequencies" --what-if hybrid+0x2400=3
  refuses 2 "--what-if: found \"solve\", expected REGION=CORES or REGION=CORES@GHZ, such as solve=4@2.1" threads "$hybrid" -m "$frequencies" --what-if solve
  refuses 2 "--machine is required..." threads "$hybrid"
  sed 's/"4-7"/"3-6"/' "$hybrid" >shared.json
  refuses 1 "ranks 0 and 1 may run on the same cores, ..." threads shared.json -m "$frequencies"
  sed 's/"4-7"/"64-67"/' "$hybrid" >elsewhere.json
  refuses 1 "rank 1 ran on PUs 64-67, which nodes of the machine don't have; ..." threads elsewhere.json -m "$frequencies"
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
  huddle threads --store store --withdraw-sizes "$HUDDLE"
  huddle threads --store store --consents --json
  [ "$(jq -c .programs out)" = "[]" ] || failed "consents: $(cat out err)"

  huddle recommend "$tests/fixtures/profiles/four-ranks-all-kinds.json" -m "$frequencies" --plan plan.json
  if [ -e plan.json ]; then
    huddle threads "$hybrid" -m "$frequencies" --plan plan.json --emit
    [ "$(jq -c .teams plan.json)" = '[{"ranks":"0-1","regions":[{"region":11,"cores":2}]}]' ] || failed "teams of the plan: $(jq -c .teams plan.json)"
  else
    failed "no plan: $(cat err)"
  fi
}
