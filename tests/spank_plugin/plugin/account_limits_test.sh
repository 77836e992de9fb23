#!/usr/bin/env bash
# A job that would wait for ever when it is packed, since a limit of its QOS or its account is below what whole nodes have,
# is left as submitted, and its line names the limit. The accounting is real: slurmdbd, and limits that slurmctld enforces.
# usage: account_limits_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
command -v slurmdbd mariadbd >/dev/null || { echo "needs slurmdbd and MariaDB"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
conf=$(mktemp)
echo AccountingStorageEnforce=limits,qos >"$conf"
start_site "account-limits-$$" "$1" --accounting --slurm-conf "$conf"
rm "$conf"
as_root() { timeout 60 "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$@"; }
accounts() { as_root sacctmgr --immediate --quiet "$@" >/dev/null; }
add_qos() { accounts add qos "$1" && accounts modify qos "$1" set "${@:2}"; }

# 8 ranks on 8 nodes have 8 CPUs; packed onto 2 nodes that they have alone, 16.
write_policy <<<'[limits]
least_nodes = 2'
accounts add account faculty
accounts add account lab parent=faculty
accounts add user nobody account=lab
add_qos small MaxTRESPerJob=cpu=12
add_qos alone MaxTRESPerUser=cpu=12
add_qos thin MaxTRESPerNode=cpu=4
add_qos brief MaxTRESMinsPerJob=cpu=60
add_qos wide MinTRESPerJob=node=4
add_qos strict MinTRESPerJob=node=4 Flags=DenyOnLimit
add_qos roomy MaxTRESPerJob=cpu=16 GrpTRES=cpu=64
add_qos over MaxTRESPerJob=cpu=16 Flags=OverPartQOS
accounts modify user nobody set qos=normal,small,alone,thin,brief,wide,strict,roomy,over
as_root scontrol update PartitionName=whole QOS=small OverSubscribe=NO

small_job() { halo_job srun | sed 's/--ntasks=16/--ntasks=8 --time=5/'; }
# left AS OPTIONS...: the job keeps its nodes for the reason AS, and runs to its end.
left() {
  submit --energy-aggregate "${@:2}" < <(small_job)
  expect_success; expect_nodes 8
  expect_one_line "left as submitted: Slurm would not run it packed: $1"
  [ "$(wc -l <<<"$job_errors")" -eq 1 ] || fail "Slurm had something to say, too"
}
# The same for a job that is not run.
would_be_left() {
  local job
  small_job >"$shared/job.sh"
  job_output=''
  job=$(on_site sbatch --parsable --hold --output=/dev/null --energy-aggregate "${@:2}" "$shared/job.sh" 2>"$site_scratch/err") || fail "it is refused"
  job_errors=$(cat "$site_scratch/err")
  expect_one_line "left as submitted: Slurm would not run it packed: $1"
  [ "$(on_site scontrol --oneliner show job "$job" | grep -oE 'NumNodes=[0-9]+')" = NumNodes=8 ] || fail "it does not keep its nodes"
  on_site scancel "$job"
}
would_be_packed() {
  job_output=''
  job_errors=$(on_site sbatch --test-only --energy-aggregate "$@" "$shared/job.sh" 2>&1 >/dev/null) || fail "it is refused"
  expect_one_line 'packed onto 2 of 8.*charged 16 CPUs in place of 8'
}
packed() {
  submit --energy-aggregate "$@" < <(small_job)
  expect_success; expect_nodes 2
  expect_one_line 'packed onto 2 of 8.*charged 16 CPUs in place of 8'
}
# slurmdbd hands limits on within a moment.
set_limit() { # WHAT LIMIT...
  accounts modify "${1%% *}" "${1#* }" set "${@:2}"
  local deadline=$((SECONDS + 20)) limits
  until limits=$(as_root scontrol show assoc_mgr users=nobody flags=assoc,qos) && [ "$limits" != "${limits_before:-}" ]; do
    [ "$SECONDS" -lt "$deadline" ] || { fail "slurmctld does not learn of: $*"; break; }
    sleep 0.1
  done
  limits_before=$limits
}

set_default_qos() { # until jobs get it
  accounts modify user nobody set DefaultQOS="$1"
  local deadline=$((SECONDS + 20)) job got=''
  while [ "$got" != "$1" ]; do
    [ "$SECONDS" -lt "$deadline" ] || { fail "jobs do not get QOS $1"; break; }
    job=$(on_site sbatch --parsable --hold --output=/dev/null --wrap true)
    got=$(on_site squeue --noheader --jobs="$job" --format=%q)
    on_site scancel "$job"
  done
}

case_begins "a job within all limits is measured, then packed"
submit --energy-aggregate < <(small_job)
expect_success; expect_one_line 'measured'
packed
packed --qos=roomy

case_begins "Slurm would let the packed job wait for ever"
for qos in small thin wide; do
  job=$(on_site sbatch --parsable --output=/dev/null --qos=$qos --nodes=2 --ntasks=8 --exclusive --wrap true)
  reason=''
  for ((tries = 0; tries < 100; ++tries)); do
    reason=$(on_site squeue --noheader --jobs="$job" --format=%r 2>/dev/null) || true
    case $reason in QOS*) break ;; esac
    sleep 0.1
  done
  [[ $reason == QOS* ]] || fail "the job does not wait for QOS $qos: $reason"
  on_site scancel "$job"
done

case_begins "limits of a QOS"
left 'QOS small allows 12 CPUs and it would have 16' --qos=small
would_be_left 'QOS alone allows 12 CPUs to a user and it would have 16' --qos=alone
would_be_left 'QOS thin allows 4 CPUs on a node and it would have 8' --qos=thin
would_be_left 'QOS brief allows 60 CPUs times minutes and it would have 80' --qos=brief
left 'QOS wide wants 4 nodes or more and it would have 2' --qos=wide

case_begins "a QOS that refuses at once says nothing else"
left 'QOS strict wants 4 nodes or more and it would have 2' --qos=strict

case_begins "the QOS of a partition, and one that comes before it"
would_be_left 'QOS small allows 12 CPUs and it would have 16' --partition=whole
would_be_left 'QOS small allows 12 CPUs and it would have 16' --partition=whole --qos=roomy
packed --partition=whole --qos=over

case_begins "limits of an account, and of those above it"
set_limit 'account lab' GrpTRES=cpu=12
left 'account lab allows 12 CPUs to all its jobs and it would have 16'
set_limit 'account lab' GrpTRES=cpu=-1
set_limit 'account faculty' GrpTRES=cpu=12
would_be_left 'account faculty allows 12 CPUs to all its jobs and it would have 16'
would_be_packed --qos=roomy # whose own limit comes before the account's
set_limit 'account faculty' GrpTRES=cpu=-1
set_limit 'user nobody' MaxTRESPerJob=cpu=12
would_be_left 'account lab for user nobody allows 12 CPUs and it would have 16'
would_be_packed --qos=roomy
set_limit 'user nobody' MaxTRESPerJob=cpu=-1
set_limit 'account faculty' MaxTRESPerJob=cpu=12
would_be_left 'account lab for user nobody allows 12 CPUs and it would have 16'
set_limit 'account faculty' MaxTRESPerJob=cpu=-1
would_be_packed

case_begins "the QOS that a job has without asking for one"
set_default_qos wide
would_be_left 'QOS wide wants 4 nodes or more and it would have 2'
set_default_qos normal
would_be_packed

case_begins "memory: a packed job has all of its nodes'"
submit --energy-aggregate=profile --mem=100 --job-name=memory < <(small_job)
expect_success
packed --mem=100 --job-name=memory
set_limit 'account lab' MaxTRESPerJob=mem=2000
would_be_left 'account lab for user nobody allows 2000 MiB of memory and it would have [0-9]+' --mem=100 --job-name=memory
set_limit 'account lab' MaxTRESPerJob=mem=-1

case_begins "limits that the site does not enforce don't count"
sed -i 's/^AccountingStorageEnforce=.*/AccountingStorageEnforce=associations/' \
  "${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name/extra.conf"
as_root scontrol reconfigure
deadline=$((SECONDS + 20))
while as_root scontrol show config | grep 'AccountingStorageEnforce.*limits' >/dev/null; do
  [ "$SECONDS" -lt "$deadline" ] || { fail "limits are still enforced"; break; }
  sleep 0.1
done
# Held: slurmctld goes on enforcing them until it is started anew.
small_job >"$shared/held.sh"
held=$(on_site sbatch --parsable --hold --energy-aggregate --qos=small "$shared/held.sh" 2>"$site_scratch/held.err") ||
  fail "no submission: $(cat "$site_scratch/held.err")"
grep -q 'packed onto 2 of 8' "$site_scratch/held.err" || fail "the submission said: $(cat "$site_scratch/held.err")"
on_site scancel "$held"

case_begins "a job of which nobody can say whose it is gets nothing that the policy grants"
# Slurm does not refuse them here: it gives the job the user's default account, whatever the user names.
write_policy <<<'[account.lab]
limits.modes = ["profile"]
[partition.whole]
limits.modes = []'
asks() { # OPTIONS...
  job_output=''
  job_errors=$(on_site sbatch --test-only --energy-aggregate "$@" "$shared/job.sh" 2>&1 >/dev/null) || true
}
forbidden='left as submitted: by site policy \(account lab: mode auto is not allowed'
asks; expect_one_line "$forbidden" # the default account's table holds, without a word of the user
asks --account=lab; expect_one_line "$forbidden"
asks --account=LAB; expect_one_line "$forbidden"
asks --account=nosuch
expect_one_line "left as submitted: Slurm has no account \"nosuch\" for user nobody, and the site's policy is not the same for all"
asks --partition=all,nosuch
expect_one_line "left as submitted: Slurm knows no partition \"nosuch\", and the site's policy is not the same for all"
job_errors=$(on_site sbatch --hold --output=/dev/null --account=nosuch "$shared/job.sh" 2>&1 >"$site_scratch/job") || true
! grep -q huddle <<<"$job_errors" || fail "a job that asked for nothing says: $job_errors"
on_site scancel --user=nobody
write_policy </dev/null

case_begins "no node was drained, and nothing waits"
expect_idle_nodes
[ -z "$(on_site squeue -h)" ] || fail "jobs are left in the queue"

finish
