# Sourced by ../cli_test.sh, whose words it uses.

case_machine_power() {
  local seen=$tests/fixtures/observations
  # The figures that they were made from: 60 W idle, 10 W a package, 4 W a die, 1.375 W a core at 1.2 GHz and 4 W at 2.4 GHz,
  # give or take 2 %.
  huddle machine --name example --topology "package:2 die:2 core:2 pu:1" -o m.json
  sed -i 's/"links":/"frequencies": {"hz": [1.2e9, 2.4e9], "nominal_hz": 2.4e9, "origin": "given"}, &/' m.json
  prints machine/power.json machine power "$seen/n0.json" "$seen/n1.json" -m m.json --rest-w 40
  cp err said
  [ "$(head -n 1 said)" = "huddle: an idle node draws 99.99 W; busy, a package draws 9.965 W more, a die 4.016 W, a core 1.371 W at 1.2 GHz and 3.999 W at 2.4 GHz" ] ||
    failed "machine power says: $(cat said)"
  [ "$(wc -l <said)" -eq 2 ] || failed "machine power says more: $(cat said)"
  huddle machine power "$seen/n0.json" -m m.json -o filled.json
  grep -q 'do not count all that a node draws: without --rest-w' err || failed "without --rest-w it says: $(cat err)"
  huddle recommend "$profile" -m filled.json --frequency auto
  [ "$status" -eq 0 ] || failed "recommend with measured power: $(cat err)"
  # Into the very file that it was read from, in place.
  huddle machine power "$seen/n0.json" -m filled.json -o filled.json
  [ "$status" -eq 0 ] || failed "in place: $(cat err)"
  if [ ! -e /var/lib/huddle-energyd ]; then
    refuses 2 "there is no /var/lib/huddle-energyd/power-observations.json: ..." machine power -m m.json
  fi
  huddle machine --name other --topology "package:1 core:8 pu:1" -o other.json
  refuses 1 "n0 has 2 package(s), 4 die(s) and 8 core(s), and the nodes of other.json have 1, 1 and 8" \
    machine power "$seen/n0.json" -m other.json
}
