# Sourced by ../cli_test.sh, whose words it uses.

# in_own_slurm COMMAND...   with an empty /etc/slurm that nobody else sees; fails where that can't be
in_own_slurm() {
  [ "$(id -u)" -eq 0 ] && [ -d /etc/slurm ] &&
    unshare --mount --propagation private sh -c 'mount -t tmpfs none /etc/slurm && exec "$@"' - "$@"
}

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
  huddle policy --policy huddle.toml --json
  grep -q '^ "stopped": "huddle.stop",$' out || failed "policy --json where a stop file is: $(cat out)"
  rm huddle.stop
  # Wherever the policy is, the file beside the usual one counts.
  if in_own_slurm touch /etc/slurm/huddle.stop; then
    in_own_slurm sh -c 'touch /etc/slurm/huddle.stop; exec "$0" policy --policy huddle.toml' "$HUDDLE" >out 2>err
    grep -q "^stopped  */etc/slurm/huddle.stop$" out && grep -q "^enabled  *false$" out || failed "policy, stopped for all: $(cat out err)"
    in_own_slurm sh -c 'touch /etc/slurm/huddle.stop; exec "$0" doctor --policy huddle.toml' "$HUDDLE" >out 2>err
    grep -q "^warning *switch *stopped: /etc/slurm/huddle.stop exists" out || failed "doctor, stopped for all: $(cat out err)"
  fi
  # The policy of this machine, where there is none.
  export SLURM_CONF=$work/none/slurm.conf HOME=$work
  [ -e /etc/slurm/huddle.toml ] || huddle policy && [ "$status" -eq 0 ] || failed "huddle policy: $(cat err)"
  refuses 1 "can't open none.toml: No such file or directory" policy --policy none.toml
  # A policy of this machine that is broken, or named and missing: nothing is printed as if it held.
  mkdir slurm
  echo "optional spank_huddle.so policy=$work/site.toml" >slurm/plugstack.conf
  export SLURM_CONF=$work/slurm/slurm.conf
  refuses 1 "can't open $work/site.toml: No such file or directory" policy
  printf 'slowdown = "5%%"\nmode = "advise\n' >site.toml
  refuses 1 "$work/site.toml: line 2, column 8: found a text with a missing quote: \"advise, expected a \" at its end" policy
  refuses 1 "$work/site.toml: line 2, column 8: found..." policy --json
  echo 'slowdown = 5 %' >huddle.toml
  refuses 1 "huddle.toml: line 1, column 14..." policy --policy huddle.toml
}
