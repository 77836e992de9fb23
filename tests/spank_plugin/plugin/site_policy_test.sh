#!/usr/bin/env bash
# The effect of a site's policy on partitions, accounts and groups, and its limits.
# usage: site_policy_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
start_site "site-policy-$$" "$1"

submit --energy-aggregate < <(halo_job srun)
expect_success; expect_profiles 1
ask() { # the job only prints its own environment
  submit "$@" <<<$'#!/bin/bash\n#SBATCH --nodes=8 --ntasks=16 --job-name=halo\nenv | grep ^HUDDLE_ || true'
}

case_begins "a partition's default applies in it, the default partition included, and nowhere else"
write_policy <<<'[partition.all]
mode = "auto"'
ask; expect_one_line 'packed onto 2 of 8'
ask --partition=whole; expect_silence

case_begins "an account's default wins over the partition's, a group's over both"
group=$(on_site id -gn)
write_policy <<<'[partition.all]
mode = "profile"
[account.climate]
mode = "advise"'
ask --account=climate
expect_one_line 'with auto: packed onto 2 of 8'
ask --account=physics; expect_one_line 'this run is measured'
write_policy <<<"[partition.all]
mode = \"profile\"
[account.climate]
mode = \"advise\"
[group.$group]
mode = \"auto\""
ask --account=climate; expect_one_line 'packed onto 2 of 8'

case_begins "a mode that is not allowed is refused, with the rule that refuses it"
write_policy <<<'[partition.all]
limits.modes = ["profile", "advise"]'
ask --energy-aggregate
expect_success; expect_one_line 'left as submitted: by site policy \(partition all: mode auto is not allowed, only off, profile, advise\)'
expect_not_in_output 'HUDDLE_PLAN'
ask --energy-aggregate=profile; expect_one_line 'this run is measured'
write_policy <<<'limits.modes = []'
ask --energy-aggregate=advise; expect_one_line 'by site policy \(mode advise is not allowed, only off\)'

case_begins "of the jobs that would be packed a share runs as submitted"
write_policy <<<'control = 0.5
control_seed = "2026"'
for ((i = 0; i < 30; i++)); do
  ask --energy-aggregate
  case $job_errors in
    *'drawn for the control group: 50 %'*) drawn=$((${drawn-0} + 1)); expect_not_in_output 'HUDDLE_PLAN' ;;
    *) packed=$((${packed-0} + 1)); expect_one_line 'packed onto 2 of 8' ;;
  esac
  [ "${drawn-0}" -lt 2 ] || [ "${packed-0}" -lt 2 ] || break
done
[ "${drawn-0}" -ge 2 ] && [ "${packed-0}" -ge 2 ] || fail "of $i jobs ${drawn-0} were drawn"

case_begins "others read a user's profiles only if the site says so"
part=$(stat -c %a "$profiles"/*)
[ "$part" = 700 ] || fail "the user's part of the store has mode $part"
write_policy </dev/null
sed -i '/^\[profiles\]/a readable_by = "group"' "$policy"
ask --energy-aggregate
part=$(stat -c %a "$profiles"/*)
[ "$part" = 750 ] || fail "the user's part of the store has mode $part, not opened to the group"

case_begins "a request beyond a limit is cut to it"
write_policy <<<'limits.slowdown = "2%"'
ask --energy-aggregate=slowdown=9%
expect_success; expect_one_line "packed onto 2 of 8.*; slowdown 9 % cut to the site's limit of 2 %"
write_policy <<<'limits.least_nodes = 4'
ask --energy-aggregate
expect_success; expect_one_line '(packed onto 4 of 8|no fewer nodes)'
write_policy <<<'limits.least_nodes = 8'
ask --energy-aggregate
expect_success; expect_one_line 'left as submitted: no fewer nodes'

case_begins "frequencies are set only where the site allows it"
ask --energy-aggregate=frequency=1.2-2.4GHz
expect_success; expect_one_line 'frequencies are kept: this site does not let jobs set them'
expect_not_in_output 'HUDDLE_FREQUENCY'
write_policy <<<'frequency.control = true
limits.frequency = "1.5GHz-2GHz"'
ask --energy-aggregate=frequency=1.2-2.4GHz
expect_success; expect_one_line "packed.*frequencies are cut to the site's limit; cores run at 1.5 GHz to 2 GHz"
expect_in_output '^HUDDLE_FREQUENCY=1500000-2000000$'
ask --energy-aggregate=frequency=3GHz
expect_success; expect_one_line "frequencies are kept: 3 GHz is outside of the site's limit of 1.5 GHz to 2 GHz"
expect_not_in_output 'HUDDLE_FREQUENCY'
ask --energy-aggregate=frequency=1.6GHz --cpu-freq=low
expect_success; expect_one_line 'frequencies are as you say \(--cpu-freq\)'
expect_not_in_output 'HUDDLE_FREQUENCY'
ask --energy-aggregate=profile,frequency=1.6GHz
expect_success; expect_one_line 'measured.*; frequencies are kept while it is measured'
expect_not_in_output 'HUDDLE_FREQUENCY'

case_begins "a range of frequencies holds for a job that is not packed, too"
ask --energy-aggregate=frequency=1.6GHz,nodes=keep
expect_success; expect_one_line 'left as submitted: you keep your nodes.*; cores run at 1.6 GHz'
expect_in_output '^HUDDLE_FREQUENCY=1600000-1600000$'

case_begins "a wrong policy turns Huddle off: one line in slurmd's log at its start, one to each user who asks"
wrong='[partition.all]
mdoe = "auto"'
write_policy <<<"$wrong"
ask --energy-aggregate
expect_success; expect_one_line 'left as submitted: .*huddle.toml: line 5, column .*, key partition.all.mdoe: found an unknown key'
expect_not_in_output 'HUDDLE_'
printf '%s\n' "$wrong" >"$site_scratch/wrong.toml"
echo "optional $1/lib/spank_huddle.so policy=$site_scratch/wrong.toml" >"$site_scratch/plugstack.conf"
"$tests_directory/cluster/up" --name "$site_name-log" --owner $$ --nodes 1 --build "$1" \
  --plugstack "$site_scratch/plugstack.conf" >/dev/null
log=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name-log/logs/n0.log
grep -F 'huddle: ' "$log" >"$site_scratch/log" || true
"$tests_directory/cluster/down" --name "$site_name-log" >/dev/null
job_errors= job_output=$(cat "$site_scratch/log")
[ "$(wc -l <"$site_scratch/log")" -eq 1 ] || fail "slurmd's log does not have one line of huddle's"
expect_in_output 'wrong.toml: line 2, .*mdoe.*; Huddle is off until that is mended'

finish
