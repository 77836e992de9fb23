# shellcheck shell=bash disable=SC2034  # what is set here is used by the scripts
# Functions for the scripts of the test cluster: where a cluster's state is,
# which process owns it, and how to find and end its processes. To be sourced.
#
# A cluster is a directory, ROOT/NAME, and the processes that see a mount whose
# source is huddle-cluster-ID, with a new ID for every start. Every process of
# the cluster sees it: daemons, jobs and clients, whatever they did since; so no
# other process can be taken for a part of it, not even by a reused pid.

cluster_root=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}
cluster_network=10.77.0
cluster_hub_address=$cluster_network.254
cluster_max_nodes=200

fail() {
  echo "tests/cluster/$(basename "$0"): $*" >&2
  exit 1
}

bad_arguments() {
  echo "tests/cluster/$(basename "$0"): $*; see --help" >&2
  exit 2
}

# The header of the running script is its help.
show_help() {
  sed -n '2,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$0"
}

# need_value OPTION REMAINING: checks that an option with a value has one.
need_value() {
  [ "$2" -ge 2 ] || bad_arguments "$1 needs a value"
}

need_root() {
  [ "$(id -u)" -eq 0 ] || fail "needs root: it makes namespaces and runs Slurm's daemons"
}

check_name() {
  [[ $1 =~ ^[A-Za-z0-9][A-Za-z0-9_.-]*$ ]] ||
    bad_arguments "--name is '$1', expected letters, digits, '_', '.' and '-'"
}

# Sets `state` to the directory of the cluster NAME.
set_state() {
  check_name "$1"
  state=$cluster_root/$1
}

# The hierarchies of cgroups of VERSION that nodes get a part of, one a line: where this machine has it,
# its name below /sys/fs/cgroup ("." for version 2), and all controllers of it. Of version 1 those that a
# process can join without more settings.
cgroup_hierarchies() {
  awk -v version="$1" '
    version == 2 && $3 == "cgroup2" && !found++ { print $2, ".", "-" }
    version == 1 && $3 == "cgroup" {
      count = split($4, options, ",")
      name = controllers = ""
      for (i = 1; i <= count; ++i) {
        if (options[i] ~ /^(rw|ro|relatime|no[a-z]*)$/) continue
        controllers = controllers (controllers == "" ? "" : ",") options[i]
        if (options[i] ~ /^(freezer|cpuacct|memory)$/) name = options[i]
      }
      if (name != "") print $2, name, controllers
    }' /proc/self/mounts
}

# The name of a node's part in each of them.
cgroup_of_node() { echo "huddle-cluster-$(cat "$state/id")-$1"; }

# Removes what nodes leave there when they end.
remove_cgroups() {
  [ -e "$state/cgroups" ] || return 0
  local place part
  while read -r place _; do
    for part in "$place/$(cgroup_of_node '')"n*; do
      [ ! -d "$part" ] || find "$part" -depth -type d -exec rmdir {} \; 2>/dev/null || true
    done
  done < <(cgroup_hierarchies "$(cat "$state/cgroups")")
}

# Only one command at a time may decide about clusters. The lock is the root
# directory itself, held as descriptor 9, so that it leaves no file behind.
lock_clusters() {
  local tries
  for ((tries = 0; tries < 100; ++tries)); do
    # shellcheck disable=SC2174  # only the last directory is ours
    mkdir -p -m 0755 "$cluster_root"
    exec 9<"$cluster_root" || continue
    flock --timeout 60 9 || fail "$cluster_root stays locked by another command"
    # The one before us may have removed the directory on leaving.
    [ "$cluster_root" -ef /proc/self/fd/9 ] && return 0
  done
  fail "cannot lock $cluster_root"
}

unlock_clusters() {
  rmdir "$cluster_root" 2>/dev/null || true
  exec 9<&-
}

# Identifies a process by number and start time, so that a reused number differs.
process_identity() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  read -r -a stat <<<"${stat##*) }"
  [ "${stat[0]}" != Z ] || return 1
  echo "$1 ${stat[19]}"
}

# is_alive FILE: the process whose identity FILE holds is still there.
is_alive() {
  local recorded
  recorded=$(cat "$1" 2>/dev/null) && [ -n "$recorded" ] &&
    [ "$(process_identity "${recorded%% *}")" = "$recorded" ]
}

# The pids of every process of the cluster in `state`, one a line.
cluster_processes() {
  local id
  id=$(cat "$state/id" 2>/dev/null) || return 0
  [ -n "$id" ] || return 0
  { grep -ls -- " huddle-cluster-$id " /proc/[0-9]*/mountinfo || true; } | cut -d/ -f3
}

cluster_daemons() {
  local pid
  for pid in $(cluster_processes); do
    case $(cat "/proc/$pid/comm" 2>/dev/null) in slurmd | slurmctld) echo "$pid" ;; esac
  done
}

# wait_until_silent SECONDS COMMAND...: polls until COMMAND prints nothing.
wait_until_silent() {
  local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000))
  shift
  while [ -n "$("$@")" ]; do
    [ "${EPOCHREALTIME/./}" -lt "$deadline" ] || return 1
    sleep 0.05
  done
}

signal_all() {
  local signal=$1 pids
  shift
  pids=$("$@")
  # shellcheck disable=SC2086  # one argument a pid
  [ -z "$pids" ] || kill "-$signal" $pids 2>/dev/null || true
}

# Ends every process of the cluster in `state`; daemons get $1 seconds to end by
# themselves. All its namespaces and mounts end with its last process.
stop_processes() {
  if [ "$1" -gt 0 ]; then
    signal_all TERM cluster_daemons
    wait_until_silent "$1" cluster_daemons || true
  fi
  local tries
  for ((tries = 0; tries < 20; ++tries)); do
    signal_all KILL cluster_processes
    if wait_until_silent 1 cluster_processes; then
      remove_cgroups
      return 0
    fi
  done
  fail "these processes of $state do not end: $(cluster_processes | tr '\n' ' ')"
}

# Checks that the cluster in `state` runs, and sets `hub` to the process whose
# namespaces are the hub's.
find_hub() {
  [ -d "$state" ] || fail "there is no cluster '$(basename "$state")'; start it with tests/cluster/up"
  is_alive "$state/hub.pid" ||
    fail "the cluster '$(basename "$state")' has died; tests/cluster/down clears it away"
  hub=$(cut -d' ' -f1 "$state/hub.pid")
}
