# Sourced by ../cli_test.sh, whose words it uses.

case_policy() {
  cat >huddle.toml <<'TOML'
mode = "advise"
slowdown = "4%"
explore = "trial"
[limits]
modes = ["profile", "advise"]
least_nodes = 2
[profiles]
directory = "/scratch/huddle"
[machine]
file = "/etc/slurm/machine.json"
[partition.debug]
slowdown = "1%"
[partition.debug.limits]
slowdown = "2%"
[account.free]
risk = "interval"
TOML
  prints policy/site.txt policy --policy huddle.toml
  prints policy/site.json policy --policy huddle.toml --json
  prints policy/debug.txt policy --policy huddle.toml --partition other,debug --account free
  : >huddle.stop
  prints policy/stopped.txt policy --policy huddle.toml
  # The policy of this machine, where there is none.
  export SLURM_CONF=$work/none/slurm.conf HOME=$work
  [ -e /etc/slurm/huddle.toml ] || huddle policy && [ "$status" -eq 0 ] || failed "huddle policy: $(cat err)"
  refuses 1 "can't open none.toml: No such file or directory" policy --policy none.toml
  echo 'slowdown = 5 %' >huddle.toml
  refuses 1 "huddle.toml: line 1, column 14..." policy --policy huddle.toml
}
