#!/usr/bin/env bash
# The second run of a program is measured on nodes that are filled in different ways, and the third one follows a plan that
# was made from both: on a site with a model, and on one without that lets nothing be tried.
# usage: second_sample_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
. "$here/../../aggregator/training_profile.sh"
start_site "second-sample-$$" "$1"

train_model() {
  training_profiles "$site_scratch"
  "$shared/huddle/huddle" train "$site_scratch"/*.json --machine "$shared/machine.json" \
    --output "$shared/model.json" >/dev/null 2>&1
  chmod 0644 "$shared/model.json"
}
train_model

with_model() { # more lines of TOML, for the table profiles, on standard input
  write_policy </dev/null
  sed -i -e "s#^\[machine\]#&\nmodel = \"$shared/model.json\"#" "$policy"
  local more
  more=$(cat)
  [ -z "$more" ] || sed -i -e "s#^\[profiles\]#&\n$more#" "$policy"
}

sparse_job() { halo_job srun | sed 's/--ntasks=16/& --ntasks-per-node=2/'; }

case_begins "the first run is measured as submitted"
with_model </dev/null
submit --energy-aggregate < <(sparse_job)
expect_success; expect_one_line 'this run is measured, 1 of at most 2: there is no profile'; expect_nodes 8; expect_profiles 1

case_begins "the second run is measured on nodes filled in different ways, each rank bound as the plan says"
submit --energy-aggregate < <(sparse_job)
expect_success; expect_nodes 4; expect_profiles 2
expect_one_line 'measured on 4 nodes filled in different ways \(2:2:2, 1:1:2, 2:2:1, 1:2:1\).*: measured run 2 of 2'
[ "$(awk '{print $2}' "$home/placement" | sort | uniq -c | awk '{print $1}' | sort -n | xargs)" = "2 2 4 8" ] ||
  fail "the nodes do not hold 8, 4, 2 and 2 ranks"
[ "$(awk '{print $2, $3}' "$home/placement" | sort -u | wc -l)" -eq 16 ] || fail "ranks share a core"

case_begins "the third run follows a plan made from both, against the job as submitted"
submit_until_planned --energy-aggregate < <(sparse_job)
expect_success; expect_one_line '(packed onto [0-9]+ of 8 nodes|no fewer nodes)'; expect_profiles 2
plan=$(find "$profiles" -name 'plan-*.json')
[ "$(tr -d ' \n' <"$plan" | grep -o '"made_from":\[[^]]*\]' | grep -o 'profile-' | wc -l)" -eq 2 ] ||
  fail "the plan was not made from two profiles"

case_begins "with samples = 1 the second run is planned already"
forget_runs
with_model <<<'samples = 1'
submit --energy-aggregate < <(sparse_job)
expect_one_line 'this run is measured'
submit_until_planned --energy-aggregate < <(sparse_job)
expect_success; expect_one_line '(packed onto [0-9]+ of 8 nodes|no fewer nodes)'; expect_profiles 1

case_begins "without a model and without trials, the second run shows what the first one does not"
forget_runs
site_explore=no write_policy </dev/null
submit --energy-aggregate < <(sparse_job)
expect_success; expect_one_line 'this run is measured, 1 of at most 2: there is no profile'; expect_nodes 8
submit --energy-aggregate < <(sparse_job)
expect_success; expect_nodes 4; expect_profiles 2
expect_one_line 'measured on 4 nodes filled in different ways \(2:2:2, 1:1:2, 2:2:1, 1:2:1\).*: measured run 2 of 2'
submit_until_planned --energy-aggregate < <(sparse_job)
expect_success; expect_one_line '(packed onto [0-9]+ of 8 nodes .*% time \(|no fewer nodes)'; expect_profiles 2
plan=$(find "$profiles" -name 'plan-*.json' ! -name '*.none.json')
[ -n "$plan" ] || fail "there is no plan"
grep -q '"coverage": "measured"' "$plan" || fail "the plan does not say that it rests on measured runs"
sed -n '/"chosen"/,/}/p' "$plan" | grep -q '"coverage": "none"' && fail "a pattern was chosen that nothing covers"

case_begins "with samples=1 such a job is left as submitted, and its user learns why"
forget_runs
submit --energy-aggregate=samples=1 < <(sparse_job)
expect_success; expect_one_line 'this run is measured: there is no profile'
submit_until_planned --energy-aggregate=samples=1 < <(sparse_job)
expect_success; expect_nodes 8; expect_profiles 1
expect_one_line 'nothing shows how ranks that share a die slow each other; with samples=2 a second measured run would'

case_begins "a site that lets patterns be tried packs it after one run, and says that this is a trial"
write_policy </dev/null
submit_until_planned --energy-aggregate < <(sparse_job)
expect_success; expect_nodes 2
expect_one_line 'trial: packed onto 2 of 8 nodes \(2:2:2\), predicted .* % time \(contention unknown\)'

case_begins "a model that can't be read harms no job"
forget_runs
with_model </dev/null
submit --energy-aggregate < <(sparse_job)
echo '{"format": "huddle/model"' >"$shared/model.json"
submit_until_planned --energy-aggregate < <(sparse_job)
expect_success; expect_nodes 8; expect_one_line "left as submitted: .*model.json"

finish
