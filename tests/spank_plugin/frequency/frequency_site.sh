# A site whose nodes have cpufreq and whose slurmds have loaded the plugin. For scripts to source after site.sh, of which it
# is a small relative: no profiles, no machine, the variable that a submission would set is given by hand. After
#
#   start_frequency_site NAME BUILD [DRIVER [PUS]]     (see tests/cluster/fake_cpufreq)
#
# $site_name, $policy and $state (the cluster's directory) are set, and the site is stopped when the script ends.

start_frequency_site() {
  site_name=$1
  local build=$2 tree
  site_scratch=$(mktemp -d)
  chmod 755 "$site_scratch"
  trap stop_site EXIT
  state=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name
  shared=$state/shared
  home=$shared/home/nobody
  policy=$site_scratch/huddle.toml
  write_frequency_policy </dev/null
  install -m 0755 "$build/lib/spank_huddle.so" "$site_scratch/"
  echo "optional $site_scratch/spank_huddle.so policy=$policy" >"$site_scratch/plugstack.conf"
  tree=$site_scratch/sys
  "$tests_directory/cluster/fake_sysfs" "$tree" 2 2 2
  "$tests_directory/cluster/fake_cpufreq" "$tree" "${3:-acpi-cpufreq}" "${4:-1}"
  "$tests_directory/cluster/up" --name "$site_name" --owner $$ --build "$build" --nodes 2 \
    --cpu-tree "$tree/devices/system/cpu" --plugstack "$site_scratch/plugstack.conf" --real-binding none >/dev/null
  before=$(all_controls n0; all_controls n1)
  on_site true # makes the user's home
}

write_frequency_policy() { # more of its table [frequency] on standard input
  cat >"$policy" <<TOML
[frequency]
control = true
journal = "/mnt/huddle"
$(cat)
TOML
}

node() { timeout 60 "$tests_directory/cluster/node" --name "$site_name" "$@"; }

# Lines "policy0/scaling_max_freq 2400000" of everything that Huddle may write to on a node.
all_controls() {
  (cd "$state/nodes/$1.cpu/cpufreq" &&
    find . -name scaling_governor -o -name scaling_min_freq -o -name scaling_max_freq \
      -o -name energy_performance_preference | sort | xargs grep -H . | sed "s#^\./#$1 #")
}

limits_of() { # NODE PU: "1200000-1800000"
  echo "$(cat "$state/nodes/$1.cpu/cpufreq/policy$2/scaling_min_freq")-$(cat "$state/nodes/$1.cpu/cpufreq/policy$2/scaling_max_freq")"
}

journal_of() { cat "$state/nodes/$1.disk/huddle/frequencies" 2>/dev/null || true; }

# Repeats a condition until it holds, at most 30 s.
until_true() {
  local deadline=$((SECONDS + 30))
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.05
  done
}
