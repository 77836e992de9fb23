# A site whose Slurm has no Huddle plugin, but whose users have the command and its wrappers; for scripts to source, after
# site.sh and expectations.sh:
#
#   start_bare_site NAME BUILD
#
# Sets what start_site() sets, and besides $wrappers (the folder of srun-aggregate and mpirun-aggregate).

start_bare_site() {
  local build=$2
  start_site "$1" "$build"
  : >"${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name/plugstack.conf"
  install -d "$shared/tools/bin" "$shared/tools/share/huddle"
  install -m 0755 "$build"/bin/{huddle,srun-aggregate,mpirun-aggregate} "$shared/tools/bin"
  install -m 0755 "$build"/share/huddle/{aggregate.bash,huddle-rank} "$shared/tools/share/huddle"
  wrappers=$shared/tools/bin
  # As in a user's shell profile.
  here_is_huddle=("HUDDLE_STORE=$profiles" "HUDDLE_MACHINE=$shared/machine.json"
    "HUDDLE_RECORDER=$shared/huddle/libhuddle_recorder.so" HUDDLE_EXPLORE=trial) # as in site.sh
}

# Runs a command as a user of the site who has Huddle: sets $job_status, $job_output and $job_errors.
as_user() {
  job_status=0
  on_site env "${here_is_huddle[@]}" "$@" >"$site_scratch/out" 2>"$site_scratch/err" || job_status=$?
  job_output=$(cat "$site_scratch/out") job_errors=$(cat "$site_scratch/err")
}
