# A site whose nodes have meters that follow what runs on them (tests/cluster/node_model.c), and huddle-energyd on node n0. For
# scripts to source after frequency_site.sh. After
#
#   start_energy_site NAME BUILD
#
# the model is in /run/model of n0, in memory: on a disk it would wait for others' writes. work S in a job is the program of the
# model, the directory $profiles takes records, and everything is stopped when the script ends.

start_energy_site() {
  local build=$2 package zone
  start_frequency_site "$1" "$build"
  local model=$site_scratch/model
  for package in 0 1; do
    zone=$model/sys/class/powercap/intel-rapl:$package
    mkdir -p "$zone"
    echo "package-$package" >"$zone/name"
    echo 200000000 >"$zone/max_energy_range_uj"
    # Twice that is the most that it draws for long: so two values 5 s apart tell what was in between.
    echo 20000000 >"$zone/constraint_0_power_limit_uw"
    echo 0 >"$zone/energy_uj"
  done
  mkdir -p "$model/sys/class/hwmon/hwmon0" "$model/sys/devices/system" "$model/proc"
  echo ina231 >"$model/sys/class/hwmon/hwmon0/name"
  echo rail >"$model/sys/class/hwmon/hwmon0/label"
  echo 0 >"$model/sys/class/hwmon/hwmon0/power1_input"
  ln -s /sys/devices/system/cpu "$model/sys/devices/system/cpu"
  gcc -O1 -o "$shared/node_model" "$tests_directory/cluster/node_model.c"
  install -m 0755 "$build/bin/huddle" "$build/bin/huddle-energyd" "$shared"
  # Hardware does not wait for a processor.
  local at_once=''
  ! chrt --fifo 10 true 2>/dev/null || at_once='chrt --fifo 10'
  node n0 run sh -c 'cp -r "$0" /run/model && chmod 777 /run/model
    nohup $2 "$1" run /run/model /sys/devices/system/cpu/cpufreq >/run/model/log 2>&1 &' "$model" "$shared/node_model" "$at_once"
  until_true node n0 run test -s /run/model/truth || fail "the model does not begin: $(node n0 run cat /run/model/log)"
  profiles=$shared/profiles
  install -d -m 1777 "$profiles"
  install -m 0755 "$build/lib/huddle_courier" "$site_scratch"
  write_frequency_policy <<<$'[energy]\nperiod = 0.1\n[profiles]\ndirectory = "'"$profiles\""
  echo "huddle = \"$shared/huddle\"" >>"$policy"
  start_energyd
}

start_energyd() {
  node n0 run sh -c 'mkdir -p /run/huddle-energyd/state && chmod 755 /run/huddle-energyd
    nohup "$0" --root /run/model --state /run/huddle-energyd/state --policy "$1" >>/run/huddle-energyd/log 2>&1 & echo $! >/run/huddle-energyd/pid' \
    "$shared/huddle-energyd" "$policy"
  until_true answers || fail "huddle-energyd does not answer: $(node n0 run cat /run/huddle-energyd/log)"
}
answers() { node n0 run "$shared/huddle" energy node --json >"$site_scratch/node.json" 2>/dev/null; }
kill_energyd() { node n0 run sh -c 'kill -KILL $(cat /run/huddle-energyd/pid)'; }
# As systemd does, and waits for its end.
stop_energyd() {
  node n0 run sh -c 'kill -TERM $(cat /run/huddle-energyd/pid); while kill -0 $(cat /run/huddle-energyd/pid) 2>/dev/null; do sleep 0.05; done'
}

# Prints the command of a job on n0: the seconds of work of each task.
work() { echo "$shared/node_model work /run/model /sys/devices/system/cpu/cpufreq $1"; }

# Prints what huddle-energyd says of a step that has ended, as JSON: JOB STEP
energy_of_step() {
  node n0 run "$shared/huddle" energy job "$1" --json |
    jq -c --arg step "$2" '[.steps[] | select(.step == $step and (.running | not))][0]'
}
has_ended() { [ "$(energy_of_step "$1" "$2" 2>/dev/null || echo null)" != null ]; }

# Two numbers differ by at most so many per cent of the second.
within() { awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= b * p / 100) }'; }
