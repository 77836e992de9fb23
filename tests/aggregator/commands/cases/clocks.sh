# Sourced by ../cli_test.sh, whose words it uses.

# A made-up node of 4 clocks, one of which somebody has limited; whether a slurmd or a watcher runs is this machine's.
case_clocks() {
  local clocks="--policy $work/huddle.toml --sysfs $work/sys"
  "$tests/cluster/fake_sysfs" "$work/sys" 1 2 2
  "$tests/cluster/fake_cpufreq" "$work/sys" acpi-cpufreq
  echo 1800000 >"$work/sys/devices/system/cpu/cpufreq/policy2/scaling_max_freq"
  printf '[frequency]\njournal = "%s/journal"\n' "$work" >huddle.toml
  chmod 0644 huddle.toml

  # shellcheck disable=SC2086  # several arguments
  huddle clocks show $clocks
  [ "$status" -eq 0 ] || failed "clocks show: status $status: $(cat err)"
  grep -vE '^(process [0-9]+ watches|no slurmd with the plugin)' out >shown
  same shown clocks/show.txt
  # shellcheck disable=SC2086
  huddle clocks show --json $clocks
  sed -E "s#$work#WORK#; s/(\"slurmd_has_plugin\"): [a-z]+/\1: -/; /\"watchers\"/q" out >shown
  same shown clocks/show.json

  refuses 2 "--all is for huddle clocks restore" clocks show --all
  refuses 2 "ACTION: stop not in {show,restore}..." clocks stop
  [ "$(id -u)" -eq 0 ] || return 0
  # shellcheck disable=SC2086
  prints clocks/restore.txt clocks restore $clocks
  # shellcheck disable=SC2086
  prints clocks/restore.json clocks restore --json $clocks
  # shellcheck disable=SC2086
  prints clocks/restore-all.txt clocks restore --all $clocks
  # shellcheck disable=SC2086
  prints clocks/nothing.txt clocks restore $clocks
}
