# Sourced by ../cli_test.sh, whose words it uses.

case_balance() {
  local i
  {
    echo "iteration,rank,load_ms"
    for i in {0..39}; do printf '%s\n' "$i,0,10" "$i,1,6" "$i,2,8" "$i,3,5.5"; done
  } >loads.csv
  {
    echo "step pe chare seconds"
    for i in {0..39}; do printf '%s\n' "$i 0 0 0.3" "$i 0 1 0.3" "$i 0 2 0.3" "$i 1 3 0.1"; done
  } >objects.txt
  for i in {0..39}; do echo "0.9 0.9 0.9 0.9"; done >even.txt
  prints balance/loads.txt balance loads.csv -m "$frequencies"
  prints balance/loads.json balance loads.csv -m "$frequencies" --json
  prints balance/objects.txt balance objects.txt -m "$frequencies"
  prints balance/even.txt balance even.txt -m "$frequencies"
  # Two of four ranks have objects, and the last one is there by a line without any.
  printf '%s\n' iteration,rank,object,load 0,0,0,1 0,0,1,0.5 0,1,2,2 0,3,, >once.csv
  prints balance/once.txt balance once.csv -m xeon-x5560
  huddle balance once.csv -m xeon-x5560 --ranks 6 --json
  jq -e '.ranks == 6 and (.schemes[1] | .saved == null and .state == "needs more than 4 iterations")' out >/dev/null || failed "more ranks: $(cat out err)"
  {
    echo "iteration,rank,load"
    for i in {0..199}; do for r in {0..7}; do echo "$i,$r,$((r == i / 3 * 5 % 8 ? 10 : 6))"; done; done
  } >fast.csv
  prints balance/fast.txt balance fast.csv -m xeon-x5560
  refuses 2 "--ranks 2: found a table with objects of 4 ranks, ..." balance once.csv -m xeon-x5560 --ranks 2
  sed 's/"4-7"/"64-67"/' "$tests/fixtures/profiles/two-hybrid-ranks.json" >elsewhere.json
  huddle balance elsewhere.json -m "$frequencies"
  grep -q "^Note: the profile is of another machine than package2-die2-core2-frequencies: rank 1 ran on PUs 64-67, which its nodes don't have[.]$" out ||
    failed "another machine: $(cat out err)"

  printf 'iteration,rank,load\n0,0,x\n' >wrong.csv
  refuses 1 "wrong.csv: line 2, column 5: found ..." balance wrong.csv -m "$frequencies"
  refuses 1 "the machine package2-die2-core2 has no power figures: ..." balance loads.csv -m "$machine"
  refuses 1 "can't open absent.csv: ..." balance absent.csv -m "$frequencies"
  refuses 2 "--machine is required..." balance loads.csv
  refuses 2 "huddle balance: --sensitivity is gone: all work is taken to follow the clock; see huddle balance --help" \
    balance loads.csv -m "$frequencies" --sensitivity 0.3
}
