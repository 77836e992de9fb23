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
}
