# A site that has Huddle: a test cluster with the plugin in its plugstack.conf, a policy, a machine document and a
# profile directory, on the cluster's shared file system. For scripts to source, bash with `set -euo pipefail`; after
#
#   start_site NAME BUILD [OPTION OF tests/cluster/up...]
#
# these are set: $site_name, $shared (the shared file system), $policy (huddle.toml), $profiles (the store), $home (the
# home of the user who submits, nobody), $huddle (the command), and the site is stopped when the script ends. With
# HUDDLE_SITE=packages (tests/packaging/on_packages) Huddle is as its packages install it, with the policy in /etc/slurm;
# else it is copied out of the build, and what a test does to it there harms nobody.

tests_directory=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Goes on where a build's packages are installed: runs PROGRAM there in place of this one, which is there already if it has
# HUDDLE_SITE=packages.
from_packages() { # BUILD PROGRAM ARGUMENT...
  [ "${HUDDLE_SITE-}" = packages ] || exec "$tests_directory/packaging/on_packages" "$@"
}

# For env: a job that was submitted without Huddle may print its messages.
loud=$'HUDDLE_STEP=huddle/step 1\nmessages=1\n'

on_site() { timeout 120 "$tests_directory/cluster/exec" --name "$site_name" -- "$@"; }

bytes_between_nodes() { "$tests_directory/cluster/traffic" --name "$site_name"; }

stop_site() {
  "$tests_directory/cluster/down" --name "$site_name" >/dev/null || true
  rm -rf "$site_scratch"
}

# Most tests are about what is done with a plan, and one measured run is to be enough for one: unless $site_explore says
# "no", a pattern may be tried that nothing covers. All nodes share this machine's cores, so times show nothing, and no plan
# is withdrawn for them unless $site_withdraw says "true". Scripts of one name change within a test, which are different jobs
# only if $site_by_script says "true". What Huddle has to say in steps is in their records alone, unless $site_in_steps says
# "true". Jobs of the default partition share nodes; packed ones have whole nodes all the same.
write_policy() { # more lines of TOML on standard input
  local more
  more=$(cat)
  case $more in
    *'[limits]'*) more=${more/'[limits]'/$'[limits]\nhigher_charge = true'} ;;
    limits.* | *$'\n'limits.*) more=$'limits.higher_charge = true\n'$more ;;
    *) more+=$'\n[limits]\nhigher_charge = true' ;;
  esac
  cat >"$policy" <<TOML
slowdown = "5%"
explore = "${site_explore:-trial}"
withdraw = ${site_withdraw:-false}
$more
[profiles]
directory = "$profiles"
by_script = ${site_by_script:-false}
[machine]
file = "$shared/machine.json"
$(write_programs)
$([ -z "${site_in_steps:-}" ] || printf '[messages]\nin_steps = %s' "$site_in_steps")
TOML
}

write_programs() {
  [ "${HUDDLE_SITE-}" != packages ] || return 0
  cat <<TOML
[programs]
huddle = "$shared/huddle/huddle"
modules = "$shared/huddle"
TOML
}

# In place of that, what `huddle setup` writes, where every key that it leaves out has its default, on a site of this build. Times
# on the cluster show little: a wide bound of slowdown leaves plans alone. More lines of TOML, for its end, are on standard input.
set_up_policy() { # SLOWDOWN
  local directory
  directory=$(dirname "$policy")
  rm -f "$policy" "$directory/huddle-machine.json"
  # Its last words are the doctor's, who has nothing to say of a cluster of namespaces.
  "$huddle" setup --directory "$directory" --store "$profiles" --topology "$shared/../topology.xml" --nodes 8 \
    >"$site_scratch/setup" 2>&1 || true
  [ -s "$policy" ] || { cat "$site_scratch/setup"; return 1; }
  sed -i "s/^slowdown = .*/slowdown = \"$1\"/" "$policy"
  { write_programs; cat; } >>"$policy"
}

start_site() {
  site_name=$1
  local build=$2
  shift 2
  site_scratch=$(mktemp -d)
  trap stop_site EXIT
  local root=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name
  shared=$root/shared
  policy=$shared/huddle.toml
  profiles=$shared/profiles
  home=$shared/home/nobody
  huddle=$shared/huddle/huddle
  echo "optional $shared/huddle/spank_huddle.so policy=$policy" >"$site_scratch/plugstack.conf"
  if [ "${HUDDLE_SITE-}" = packages ]; then
    huddle=/usr/bin/huddle policy=/etc/slurm/huddle.toml
    echo 'include /etc/slurm/plugstack.conf.d/*.conf' >"$site_scratch/plugstack.conf" # as Debian's own
  fi
  "$tests_directory/cluster/up" --name "$site_name" --owner $$ --build "$build" \
    --plugstack "$site_scratch/plugstack.conf" --real-binding none "$@" >/dev/null
  install -d "$shared/programs"
  if [ "${HUDDLE_SITE-}" != packages ]; then
    install -d "$shared/huddle"
    install -m 0755 "$build/bin/huddle" "$build"/lib/libhuddle_recorder*.so "$build/lib/mca_schizo_huddle.so" \
      "$build"/lib/libhuddle_{exec,launcher}.so \
      "$build/lib/huddle_clocks" "$build/lib/huddle_courier" "$build/lib/huddle_chooser" \
      "$build/lib/spank_huddle.so" "$shared/huddle"
  fi
  local programs=$build/programs
  # MPICH's where srun starts no others; Open MPI's mpirun then has no program.
  ! grep -q '^MpiDefault=pmi2' "$shared/../slurm.conf" || { programs=$build/programs-mpich; mpirun_has_programs=''; }
  install -m 0755 "$programs"/* "$shared/programs"
  install -d -m 1777 "$profiles"
  "$huddle" machine --name test-cluster --topology "$root/topology.xml" --nodes 8 \
    --output "$shared/machine.json" 2>/dev/null
  write_policy </dev/null
  on_site true # makes the user's home
}

# Starts the slurmds of all nodes anew: a site's plugin is put there after they have started, and what it does in slurmd (limits of
# frequencies, the end of a job) is done by those that have loaded it.
restart_slurmds() {
  local i logs=$shared/../logs node=("$tests_directory/cluster/node" --name "$site_name")
  for i in {0..7}; do "${node[@]}" "n$i" kill-slurmd; done
  for i in {0..7}; do "${node[@]}" "n$i" start-slurmd; done
  have_started() { ! grep -c 'slurmd started on' "$logs"/n?.log | grep -q ':[01]$'; }
  are_idle() { [ "$(on_site sinfo --noheader --format=%T | sort -u)" = idle ]; }
  until_true have_started && until_true are_idle || { echo "the slurmds don't come back"; return 1; }
}

# Runs a batch script given on standard input to its end. Options of sbatch are the arguments. Sets $job_output, $job_errors
# (of the submission) and $job_status. (sbatch --wait would poll every few seconds only.)
submit() {
  local script=$shared/job.sh job
  cat >"$script"
  chmod 0644 "$script"
  rm -f "$home/job.out" "$home/plan"
  job_status=0
  job=$(on_site sbatch --parsable --output="$home/job.out" "$@" "$script" 2>"$site_scratch/sbatch.err") || job_status=$?
  job_errors=$(cat "$site_scratch/sbatch.err")
  [ "$job_status" -ne 0 ] || wait_for_job "$job"
  job_output=$(cat "$home/job.out" 2>/dev/null || true)
}

# On a busy machine a plan may take longer than a submission waits: then the next one has it, as its user read.
plan_was_late() { grep -qE 'took longer than 2 s|(is still|are) being made|did not answer within' <<<"$job_errors"; }

# As submit, for a job whose plan has to be made.
submit_until_planned() {
  local script attempt
  script=$(cat)
  for attempt in 1 2 3 4 5 6; do
    submit "$@" <<<"$script"
    plan_was_late || break
    sleep "$attempt"
  done
}

# Repeats a condition until it holds, at most 30 s.
until_true() {
  local deadline=$((SECONDS + 30))
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.05
  done
}

wait_for_job() { # sets $job_status to its exit status, or to 124 if it does not end
  local deadline=$((SECONDS + 180)) description ended=$shared/../logs/ended_jobs
  while [ "$SECONDS" -lt "$deadline" ]; do
    # A look into a file is cheap. Asking all the time would take half a CPU from what is waited for.
    for _ in {1..20}; do
      ! grep -q "^JobId=$1 " "$ended" || break
      sleep 0.1
    done
    description=$(on_site scontrol --oneliner show job "$1" || true)
    case $description in
      *JobState=PENDING* | *JobState=CONFIGURING* | *JobState=RUNNING* | *JobState=COMPLETING* | "") sleep 0.1 ;;
      *) job_status=$(sed -E 's/.* ExitCode=([0-9]+):([0-9]+) .*/\1 \2/' <<<"$description" |
           awk '{print ($2 > 0 ? 128 + $2 : $1)}')
         return ;;
    esac
  done
  on_site scancel "$1" || true
  job_status=124
}
