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
  # A broken sensor has its reason, and the others are shown all the same.
  echo 4294967295 >odroid/sys/class/hwmon/hwmon0/power1_input
  rm odroid/sys/class/hwmon/hwmon1/power1_input
  mkdir odroid/sys/class/hwmon/hwmon1/power1_input
  echo nonsense >odroid/sys/class/hwmon/hwmon2/power1_input
  prints energy/broken.txt energy discover --root odroid

  # A counter's count while a command ran is known to the unit; the others stood still.
  local zones=$work/intel-server/sys/class/powercap
  huddle energy record --root intel-server --period 0.05s -o power.csv --json -- \
    sh -c "sleep 0.3; echo 51284463391 >$zones/intel-rapl:0/energy_uj; exit 3"
  [ "$status" -eq 3 ] || failed "record does not end as its command did: $status: $(cat err)"
  sed -E 's/("(mean_w|least_w|most_w|known_s)"): .*,/\1: -,/; s/("lateness_s"): .*/\1: -/' out >shown
  same shown energy/record.json
  [ "$(head -1 power.csv)" = "time_s,package-0 W,package-1 W,package-0/dram W,package-1/dram W,least clock GHz,mean clock GHz,most clock GHz" ] ||
    failed "the trace's columns: $(head -1 power.csv)"
  [ "$(wc -l <power.csv)" -ge 4 ] || failed "the trace: $(cat power.csv)"
  grep -qE '^[0-9.]+,([0-9.]*,){4}1,1.7,2.4$' power.csv || failed "the trace has no clocks: $(cat power.csv)"
  huddle energy record --root virtual-machine -- true
  sed 1d err >shown && same shown energy/nothing.txt
  huddle energy record --root acpi-power-meter --period 0.05s -- sleep 0.3
  grep -q '^power_meter/power1 .* integrated from power$' err || failed "record of a power meter: $(cat err)"
  refuses 2 "huddle energy: watch is gone: huddle energy record -o /dev/stdout prints power over time; see huddle energy --help" energy watch
  refuses 2 "--period: at least 0.02s" energy record --period 0.001s
  refuses 2 "huddle energy record: --for is gone: give it a command that takes so long: -- sleep 10; see huddle energy record --help" \
    energy record --for 1s -- true

  energy_of_jobs
  refuses 2 "--root nowhere: no such folder" energy discover --root nowhere
  refuses 2 "A subcommand is required..." energy
}

# The answers of huddle-energyd: about one step, which a sleeping process stands in for, and about the node.
energy_of_jobs() {
  local energyd socket=run/socket package=$work/intel-server/sys/class/powercap/intel-rapl:0/energy_uj
  energyd=$(dirname "$HUDDLE")/huddle-energyd
  refuses 1 "can't ask run/socket: No such file or directory: huddle-energyd does not run on this node..." energy job 17 --socket "$socket"
  mkdir -p run steps
  printf '[energy]\nmetrics = "%s/energy.prom"\n' "$work" >energyd.toml
  "$energyd" --root intel-server --run run --steps steps --policy energyd.toml 2>log &
  local daemon=$! step
  sleep 60 &
  step=$!
  for _ in {1..100}; do [ ! -S "$socket" ] || break; sleep 0.05; done
  printf 'huddle step 1\njob 17\nstep 0\nuser %s\npus \nslurmstepd %s %s\nend\n' "$(id -u)" "$step" \
    "$(sed 's/.*) //' "/proc/$step/stat" | cut -d' ' -f20)" >new
  mv new steps/17.0
  sleep 0.3
  echo $(($(cat "$package") + 5000000)) >new
  mv new "$package"
  rm steps/17.0
  sleep 0.3
  huddle energy job 17 --socket "$socket" --json
  grep -q '"measured_j": 5.0,' out || failed "the job's joules: $(cat out err log)"
  huddle energy job 17 --socket "$socket"
  grep -qE '^17\.0  ended +5 +- +0\.[0-9] +0\.0  measured' out || failed "the job's line: $(cat out)"
  huddle energy node --socket "$socket"
  grep -qE '^package-0 +5 +0 ' out || failed "the node's line: $(cat out)"
  refuses 1 "no job 18 of yours is known on this node" energy job 18 --socket "$socket"
  for _ in {1..60}; do [ ! -s energy.prom ] || break; sleep 0.05; done
  grep -qF 'huddle_energy_joules_total{sensor="package-0",covers="package"' energy.prom || failed "no metrics: $(cat log)"
  if command -v promtool >/dev/null; then promtool check metrics <energy.prom || failed "promtool refuses the metrics"; fi
  kill "$daemon" "$step"
  wait "$daemon" || failed "huddle-energyd ends with $?: $(cat log)"
  [ ! -e "$socket" ] || failed "huddle-energyd leaves its socket"
}
