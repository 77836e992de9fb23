#!/usr/bin/env bash
# Whatever is wrong on a site, the job runs as it was submitted and one line says why.
# usage: never_breaks_a_job_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true
start_site "never-breaks-$$" "$1"

as_submitted() { # pattern of the line
  submit --energy-aggregate < <(halo_job srun)
  expect_success; expect_one_line "$1"; expect_nodes 8
}

case_begins "a policy that is not TOML"
echo 'slowdown = = 3' >"$policy"
as_submitted 'left as submitted: .*huddle.toml: line 1, column '
case_begins "a policy with an unknown key"
write_policy <<<'slowdwon = "5%"'
as_submitted 'left as submitted: .*huddle.toml: line 4.*slowdwon'
case_begins "a policy that the user may not read"
write_policy </dev/null
chmod 0600 "$policy"
as_submitted "left as submitted: .*can't open .*huddle.toml: Permission denied"
case_begins "a policy that is missing though plugstack.conf names it"
mv "$policy" "$policy.away"
as_submitted "left as submitted: .*can't open .*huddle.toml: No such file"
mv "$policy.away" "$policy"
chmod 0644 "$policy"

case_begins "a profile directory that does not exist"
mv "$profiles" "$profiles.away"
as_submitted 'left as submitted: .*profile directory .* does not exist'
mv "$profiles.away" "$profiles"

case_begins "a profile directory that is not writable"
chmod 0755 "$profiles"
as_submitted "left as submitted: .*can't make the directory "
chmod 1777 "$profiles"

case_begins "a recorder that is not there"
mv "$shared/huddle/libhuddle_recorder.so" "$site_scratch/"
as_submitted "left as submitted: .*recorder .* can't be read"
mv "$site_scratch/libhuddle_recorder.so" "$shared/huddle/"

with_huddle() { # replaces the command by a script
  mv "$shared/huddle/huddle" "$shared/huddle/huddle.away"
  [ -z "$1" ] || { printf '#!/bin/sh\n%s\n' "$1" >"$shared/huddle/huddle" && chmod 0755 "$shared/huddle/huddle"; }
}
with_huddle_again() { mv -f "$shared/huddle/huddle.away" "$shared/huddle/huddle"; }

case_begins "no huddle command"
with_huddle ''
as_submitted "left as submitted: .*can't start .*huddle: No such file"
with_huddle_again
case_begins "a huddle that hangs"
with_huddle 'sleep 60'
as_submitted 'left as submitted: .*took longer than 2 s'
with_huddle_again
case_begins "a huddle that crashes"
with_huddle 'kill -SEGV $$'
as_submitted 'left as submitted: .*failed with status 139'
with_huddle_again
case_begins "a huddle that prints rubbish"
with_huddle 'echo "{\"format\": 7"; head -c 100000 /dev/urandom'
as_submitted 'left as submitted: .*what huddle plan printed'
with_huddle_again
case_begins "a huddle that names a plan which is not there"
with_huddle 'echo "{\"format\":\"huddle/decision\",\"version\":1,\"action\":\"apply\",\"reason\":\"x\",\"plan\":\"/p\",\"nodes\":2,\"ranks_per_node\":8}"'
as_submitted "left as submitted: .*can't read the plan /p: No such file"
with_huddle_again
case_begins "a huddle that prints more nodes than were requested"
with_huddle 'echo "{\"format\":\"huddle/decision\",\"version\":1,\"action\":\"apply\",\"reason\":\"x\",\"plan\":\"/p\",\"nodes\":9,\"ranks_per_node\":2}"'
as_submitted 'left as submitted: .*more nodes than '
with_huddle_again

store=$profiles/nobody/halo/16
expect_profiles 0

case_begins "a run that was aborted is marked cut short and not used for a plan"
abort_job() {
  halo_job srun | sed "s#halo_exchange.*#abort_midway --how $1 --rank 3 --iterations 60#"
}
submit --energy-aggregate < <(abort_job abort)
[ "$job_status" -ne 0 ] || fail "the aborted job ended with status 0"
expect_profiles 1
# Not `show | grep -q`: grep would leave at the first match and show end by SIGPIPE, now and then.
"$shared/huddle/huddle" show "$(profile_files)" > "$site_scratch/shown"
grep -q 'cut short' "$site_scratch/shown" || fail "the profile is not marked"
as_submitted 'measured again: .*cut short'
expect_profiles 2

case_begins "a corrupt profile"
forget_runs
submit --energy-aggregate < <(halo_job srun)
truncate -s 2000 "$(profile_files)"
as_submitted 'measured again: .*profile-.*byte'
expect_profiles 2

case_begins "a corrupt profile beside a good one does not stop a plan"
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2

case_begins "a plan for another number of ranks, or one that is cut off, is made anew"
plan=$(find "$store" -name 'plan-*.json')
cp "$plan" "$site_scratch/plan"
sed -i 's/"ranks": 16,/"ranks": 15,/' "$plan"
submit_until_planned --energy-aggregate < <(halo_job srun)
expect_success; expect_nodes 2
head -c 700 "$site_scratch/plan" >"$plan"
submit_until_planned --energy-aggregate < <(halo_job srun)
expect_success; expect_nodes 2
case_begins "a plan whose PUs no node has: packed, and bound as Slurm does it"
sed -E 's/"node_pus": 8/"node_pus": 4096/; s/^( +)"7"/\1"4000"/' "$site_scratch/plan" >"$plan"
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_nodes 2; expect_in_output 'huddle: rank [0-9]+ is bound as Slurm does it'
case_begins "a plan that vanishes between submission and start"
cp "$site_scratch/plan" "$plan"
submit --energy-aggregate < <(halo_job srun | sed "s#^rm.*#rm -f $plan#")
expect_success; expect_nodes 2
[ "$(grep -c 'huddle: ' <<<"$job_output")" -le 2 ] || fail "expected at most one line for each srun or node"

case_begins "no machine document"
forget_runs
submit --energy-aggregate < <(halo_job srun)
sed -i '/^\[machine\]/,/^file/d' "$policy"
as_submitted 'left as submitted: .*no machine document'
write_policy </dev/null

case_begins "a profile directory under the user's name that another user owns"
forget_runs
install -d -m 0777 "$profiles/nobody"
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'measured.*is not a directory of user nobody, so .*nobody~65534 is used'; expect_profiles 1
submit --energy-aggregate < <(halo_job srun)
expect_success; expect_one_line 'packed onto.*is not a directory of user nobody'; expect_nodes 2
[ -z "$(ls -A "$profiles/nobody")" ] || fail "something was put into the other user's folder"
outcomes=$(on_site "$shared/huddle/huddle" report --store "$profiles" --json | grep -c '"treatment"') || true
[ "$outcomes" -ge 2 ] || fail "huddle report finds $outcomes records"
forget_runs

case_begins "every node is still there, and nothing hangs"
expect_idle_nodes
[ -z "$(on_site squeue -h)" ] || fail "jobs are left in the queue"

finish
