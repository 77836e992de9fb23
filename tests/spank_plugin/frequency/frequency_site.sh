# A site whose nodes have cpufreq and whose slurmds have loaded the plugin. For scripts to source after site.sh; unlike that
# one it has no profiles and no machine, and scripts set the variable that a submission would set. After
#
#   start_frequency_site NAME BUILD [DRIVER [PUS]]     (see tests/cluster/fake_cpufreq)
#
# $site_name, $policy and $state (the cluster's directory) are set, and the site is stopped when the script ends. The plugin
# is the build's $plugin_module where that is set, slurm.conf has the lines of the file $more_slurm_conf where that is set,
# jobs are in cgroups of version $site_cgroups where that is set, and there are 2 nodes, or $site_nodes, of which n0 and n1 are
# looked at.

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
  install -m 0755 "$build/lib/${plugin_module:-spank_huddle.so}" "$site_scratch/spank_huddle.so"
  install -m 0755 "$build/lib/huddle_clocks" "$site_scratch/huddle_clocks"
  echo "optional $site_scratch/spank_huddle.so policy=$policy" >"$site_scratch/plugstack.conf"
  tree=$site_scratch/sys
  "$tests_directory/cluster/fake_sysfs" "$tree" 2 2 2
  "$tests_directory/cluster/fake_cpufreq" "$tree" "${3:-acpi-cpufreq}" "${4:-1}"
  "$tests_directory/cluster/up" --name "$site_name" --owner $$ --build "$build" --nodes "${site_nodes:-2}" \
    --cpu-tree "$tree/devices/system/cpu" --plugstack "$site_scratch/plugstack.conf" --real-binding none \
    ${more_slurm_conf:+--slurm-conf "$more_slurm_conf"} ${site_cgroups:+--cgroups "$site_cgroups"} >/dev/null
  before=$(all_controls n0; all_controls n1)
  on_site true # makes the user's home
}

write_frequency_policy() { # more of its table [frequency] on standard input
  cat >"$policy" <<TOML
[frequency]
control = true
journal = "/mnt/huddle"
$(cat)
[programs]
modules = "$site_scratch"
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

# The watchers that run on a node, one line each.
watchers_on() { node "$1" run pgrep -a -x huddle_clocks || true; }
has_no_watcher() { [ -z "$(watchers_on "$1")" ]; }

journal_of() { cat "$state/nodes/$1.disk/huddle/frequencies" 2>/dev/null || true; }

# A batch script on standard input, as a submission that allows 1.4 to 1.8 GHz would start it: sets $job. Arguments are
# sbatch's.
start_job() {
  local script
  script=$(mktemp "$shared/job.XXXXXX")
  cat >"$script"
  chmod 0644 "$script"
  job=$(on_site sbatch --parsable --output="$home/job-%j.out" --export="ALL,HUDDLE_FREQUENCY=${frequency:-1400000-1800000}" \
    "$@" "$script")
}

# Passes on what srun printed, without that its job had to wait.
without_waiting() { sed '/^srun: job [0-9]* \(queued\|has been allocated\)/d'; }

output_of() { cat "$home/job-$1.out" 2>/dev/null || true; }

is_limited() { [ "$(limits_of "$1" "$2")" = "${3:-1400000-1800000}" ]; } # NODE PU [LIMITS]

is_over() { [ -z "$(on_site squeue --noheader --jobs "$1" 2>/dev/null)" ]; }

# The slurmstepds of a job on a node, as that node numbers processes.
slurmstepds() { node "$1" run pgrep -f "slurmstepd: \\[$2\\."; }

kill_slurmstepds() { # NODE JOB
  local pids
  pids=$(slurmstepds "$1" "$2" | tr '\n' ' ')
  [ -n "$pids" ] || fail "no slurmstepd of job $2 on $1"
  # One may have been a task to be, which has become another program.
  # shellcheck disable=SC2086  # one argument a process
  node "$1" run kill -KILL $pids 2>/dev/null || true
}

# The watchers of a node, whose work the other ways to put clocks back do then.
kill_watchers() {
  local pids
  pids=$(watchers_on "$1" | cut -d' ' -f1 | tr '\n' ' ')
  # shellcheck disable=SC2086  # one argument a process
  [ -z "$pids" ] || node "$1" run kill -KILL $pids 2>/dev/null || true
}

is_as_before() {
  [ "$(all_controls n0; all_controls n1)" = "$before" ] &&
    [ -z "$(ls "$state/nodes/n0.disk/huddle" "$state/nodes/n1.disk/huddle" 2>/dev/null | grep -v ':$')" ]
}

is_idle() { [ "$(on_site sinfo --noheader --format %T 2>/dev/null | sort -u)" = idle ]; }

# Checks what must hold in the end, whatever happened.
expect_as_before() {
  until_true is_as_before || fail "not all is as before:
$(diff <(echo "$before") <(all_controls n0; all_controls n1) || true)
n0: $(journal_of n0)
n1: $(journal_of n1)"
  { until_true has_no_watcher n0 && until_true has_no_watcher n1; } || fail "watchers are left: $(watchers_on n0; watchers_on n1)"
  until_true is_idle || fail "nodes are not idle: $(on_site sinfo --noheader --Node --long)"
  [ -z "$(on_site squeue --noheader)" ] || fail "jobs are left: $(on_site squeue --noheader)"
}

expect_limited() { until_true is_limited "$@" || fail "PU $2 of $1 is at $(limits_of "$1" "$2"): $(output_of "$job")"; }

expect_over() { until_true is_over "$job" || fail "job $job does not end"; }
