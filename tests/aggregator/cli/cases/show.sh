# Sourced by ../cli_test.sh, whose words it uses.

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
  prints show/all-kinds-on-machine.txt show "$tests/fixtures/profiles/four-ranks-all-kinds.json" -m "$tests/fixtures/machines/package2-die2-core2.json"
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
  show_traces
}

show_traces() {
  cp -r "$tests/fixtures/traces/score-p-ping-pong" ping-pong
  prints show/trace.txt show ping-pong
  prints show/trace.json show ping-pong/traces.otf2 --json
  huddle show ping-pong --check
  [ "$status:$(cat out)" = "0:ping-pong: a valid trace" ] || failed "show --check of a trace: $status: $(cat out)"
  huddle show "$tests/fixtures/traces/eztrace-four-ranks"
  grep -q 'rank 1, P#1T#0: 2 nonblocking receives have no end' out || failed "show is silent about what a trace lacks: $(cat out)"
  refuses 2 "ping-pong is a trace: of the options only --json and --check are for traces" show ping-pong --messages
  head -c 300 "$tests/fixtures/traces/score-p-ping-pong/traces/0.evt" >ping-pong/traces/0.evt
  refuses 1 "ping-pong/traces/0.evt: byte 298: found the end of the file, expected a whole time stamp" show ping-pong --check
  huddle show ping-pong
  [ "$status" = 0 ] && grep -q 'odd, missing or damaged' out || failed "show of a cut trace: $status: $(cat out)"
  mkdir empty
  refuses 1 "empty: the folder: found no file that ends in .otf2..." show empty
}
