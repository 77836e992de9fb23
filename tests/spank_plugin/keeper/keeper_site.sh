# A site whose steps may have keepers of their clocks. For scripts to source after frequency_site.sh; after
#
#   start_keeper_site NAME BUILD
#
# all of that one is set, and $client is a program for tasks, see ask_for_clocks.cpp.

start_keeper_site() {
  start_frequency_site "$1" "$2"
  write_frequency_policy <<<'balance = true'
  client=$shared/ask_for_clocks
  install -m 0755 "$2/bin/ask_for_clocks" "$client"
}

# A batch script on standard input, with HUDDLE_BALANCE in it and HUDDLE_FREQUENCY=$frequency if that is set. Sets $job.
start_balanced_job() {
  local script
  script=$(mktemp "$shared/job.XXXXXX")
  cat >"$script"
  chmod 0644 "$script"
  job=$(on_site sbatch --parsable --no-requeue --output="$home/job-%j.out" \
    --export="ALL,HUDDLE_BALANCE=1${frequency:+,HUDDLE_FREQUENCY=$frequency}" "$@" "$script")
}

# A job on all 8 PUs of a node whose ranks each ask for the clock of one PU, until the job is cancelled.
asking_job() { # NODE WISH
  start_balanced_job --nodelist="$1" --ntasks=8 <<<"#!/bin/bash
srun sh -c 'exec $client \$SLURM_LOCALID $2 300'"
}

most_of() { cat "$state/nodes/$1.cpu/cpufreq/policy$2/scaling_max_freq"; } # NODE POLICY

# True if the upper limits of these clocks are all KHZ.
are_at() { # NODE KHZ POLICY...
  local node=$1 khz=$2 policy
  shift 2
  for policy; do [ "$(most_of "$node" "$policy")" = "$khz" ] || return 1; done
}
expect_at() { until_true are_at "$@" || fail "clocks of $1 are at $(for i in {0..7}; do most_of "$1" "$i"; done | xargs), expected $2 of ${*:3}: $(output_of "$job")"; }

keepers_on() { node "$1" run pgrep -f "huddle_clocks keep ${2:-}" || true; } # NODE [STEP]
has_no_keeper() { [ -z "$(keepers_on "$@")" ]; }
kill_keepers() { # NODE [STEP]
  # shellcheck disable=SC2046  # one argument a process
  node "$1" run kill -KILL $(keepers_on "$@") 2>/dev/null || true
}
step_watcher() { node "$1" run pgrep -f "huddle_clocks watch $2"; } # NODE STEP
step_daemon() { node "$1" run pgrep -o -f "slurmstepd: \\[$2\\]"; } # NODE STEP

# The one that the ranks of asking_job have.
socket_of_ranks() { # NODE
  node "$1" run sh -c 'tr "\0" "\n" <"/proc/$(pgrep -o -f "^[^ ]*ask_for_clocks 0 ")/environ" | sed -n s/^HUDDLE_KEEPER=//p'
}
sockets_on() { node "$1" run find /run/huddle -name '*keeper-*' || true; }
