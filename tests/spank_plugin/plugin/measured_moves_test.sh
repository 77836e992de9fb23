#!/usr/bin/env bash
# A measured run moves its ranks where it may, and only there.
# usage: measured_moves_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
start_site "measured-moves-$$" "$1"
"$here/../../cluster/fake_sysfs" "$shared/sys" 2 2 2

# 8 ranks on 2 nodes of 2 packages x 2 dies x 2 cores, for a moment: too short for a burst, and so the profile says why
# no rank was moved, if moves were requested. Arguments: the words before the program.
short_job() {
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=2 --ntasks=8 --ntasks-per-node=4 --job-name=short
export HUDDLE_SYSFS=$shared/sys
$* $shared/programs/compute_bound --rounds 5
SCRIPT
}

too_short="the run ended before moving was affordable, or its phases do not come again"

said() { # the newest profile's reason for not moving ranks, or nothing
  local newest
  newest=$(profile_files | tail -1)
  "$shared/huddle/huddle" show "$newest" | sed -n 's/.*were not moved, or not to the end: //p'
}

expect_asked() {
  [ "$(said)" = "$too_short" ] || fail "moving was not asked for: $(said); PUs $("$shared/huddle/huddle" show --json "$(profile_files | tail -1)" | tr -d " \n" | grep -oE "\"pus\":\"[^\"]*\"" | xargs)"
}
expect_not_asked() { [ "$(said)" != "$too_short" ] || fail "moving was asked for"; }

measured() {
  forget_runs
  submit --energy-aggregate=profile "$@"
  expect_success; expect_one_line 'measured'; expect_profiles 1
}

case_begins "a job that does not share its nodes moves its ranks"
measured --partition=whole < <(short_job srun)
expect_asked
measured --exclusive < <(short_job srun)
expect_asked

case_begins "so does one under mpirun, which fills a package first"
measured --partition=whole < <(short_job mpirun)
[ "$(said)" = "a node's ranks do not fit, one to a core, on fewer dies of the same package" ] ||
  fail "moving was not asked for: $(said)"

case_begins "a job that may share its nodes moves none"
measured --nodes=4 --ntasks-per-node=2 < <(short_job srun)
expect_not_asked

case_begins "nor does one whose ranks the user binds, in the job or in the step"
measured --exclusive --distribution=cyclic < <(short_job srun)
expect_not_asked
measured --exclusive < <(short_job srun --cpu-bind=rank)
expect_not_asked

case_begins "nor any job if the site's policy forbids it"
sed -i 's/^\[profiles\]/&\nmove_ranks = false/' "$policy"
measured --exclusive < <(short_job srun)
expect_not_asked

finish
