# Sourced by ../cli_test.sh, whose words it uses.

# Nodes as several makers build them, from tests/fixtures/nodes.
case_energy() {
  local nodes=$tests/fixtures/nodes tree machine
  for tree in "$nodes"/*.tree; do
    machine=$(basename "$tree" .tree)
    "$nodes/grow" "$machine" "$machine"
    prints "energy/$machine.txt" energy discover --root "$machine"
    huddle energy discover --root "$machine" --json
    sed "s#\"$machine/#\"/#" out >shown
    same shown "energy/$machine.json"
  done
  # What is broken has its reason, and the others are shown all the same.
  echo 4294967295 >odroid/sys/class/hwmon/hwmon0/power1_input
  rm odroid/sys/class/hwmon/hwmon1/power1_input
  mkdir odroid/sys/class/hwmon/hwmon1/power1_input
  echo nonsense >odroid/sys/class/hwmon/hwmon2/power1_input
  prints energy/broken.txt energy discover --root odroid

  huddle energy discover --root odroid -o found.txt
  same found.txt energy/broken.txt
  refuses 2 "--root nowhere: no such folder" energy discover --root nowhere
  refuses 2 "A subcommand is required..." energy
}
