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

  printf 'iteration,rank,load\n0,0,x\n' >wrong.csv
  refuses 1 "wrong.csv: line 2, column 5: found ..." balance wrong.csv -m "$frequencies"
  refuses 1 "the machine package2-die2-core2 has no power figures: ..." balance loads.csv -m "$machine"
  refuses 1 "can't open absent.csv: ..." balance absent.csv -m "$frequencies"
  refuses 2 "--machine is required..." balance loads.csv
  refuses 2 "huddle balance: --sensitivity is gone: all work is taken to follow the clock; see huddle balance --help" \
    balance loads.csv -m "$frequencies" --sensitivity 0.3
}
