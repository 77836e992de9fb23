#!/usr/bin/env bash
# huddle doctor on a cluster: finds no fault where there is none, and each fault where it was put.
# usage: doctor_cluster_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../../../spank_plugin/site.sh"
start_site "doctor-$$" "$1"
state=${HUDDLE_CLUSTER_ROOT:-/tmp/huddle-cluster}/$site_name
failures=0

case_begins() { echo "- $1"; }
fail() { failures=$((failures + 1)); printf '  FAILED: %s\n' "$*"; sed 's/^/    /' "$site_scratch/text"; }

# doctor ARGUMENT...   runs it, sets $status; the findings are in the files text and findings
doctor() {
  status=0
  on_site "${site_huddle:-$shared/huddle/huddle}" doctor --json "$@" >"$site_scratch/json" 2>"$site_scratch/text" ||
    status=$?
  python3 - "$site_scratch/json" >"$site_scratch/findings" 2>>"$site_scratch/text" <<'PYTHON' || true
import json, sys
report = json.load(open(sys.argv[1]))
assert report["format"] == "huddle/doctor" and report["version"] == 1, report
for f in report["findings"]:
    assert f["verdict"] == "ok" or f.get("advice"), f
    print(f["check"], f["verdict"], ",".join(sorted(f.get("nodes", []))) or "here", f["what"], sep="|")
PYTHON
  cat "$site_scratch/findings" >>"$site_scratch/text"
}

# finds CHECK VERDICT NODES PATTERN
finds() {
  grep -qE "^$1\|$2\|$3\|.*$4" "$site_scratch/findings" || fail "expected of $1 on $3: $2, $4"
}
expect_status() { [ "$status" -eq "$1" ] || fail "status $status, expected $1"; }
# Fails if anything wrong is found
expect_nothing_wrong() {
  ! grep -qE "^[a-z]+\|wrong\|" "$site_scratch/findings" || fail "something is wrong"
}

# in_node N COMMAND...   in the mounts of one node, which nobody else sees
in_node() {
  local node=$1
  shift
  nsenter --target "$(cat "$state/nodes/$node.pid")" --mount --pid -- "$@"
}

# node_has N CHANGE...   the node gets its own copy of Huddle's files, in which CHANGE is run
node_has() {
  local node=$1 copy=$site_scratch/huddle-$1
  shift
  cp -a "$shared/huddle" "$copy"
  (cd "$copy" && "$@")
  in_node "$node" mount --bind "$copy" "$shared/huddle"
}

all=n0,n1,n2,n3,n4,n5,n6,n7

case_begins "a site without faults"
doctor --nodes 8
expect_status 0; expect_nothing_wrong
finds nodes ok "$all" examined
finds plugin ok "$all" 'is loaded by Slurm [0-9.]+'
finds plugin ok here 'fits this Slurm'
finds option ok here 'energy-aggregate'
finds symbols ok here ''
finds machine ok "$all" '2 x 2 x 2'
finds profiles ok "$all" 'can be written'
finds openmpi ok "$all" 'loads'
finds mpich ok "$all" 'loads'
finds policy ok "$all" 'valid'
finds alike ok here '8 node'
finds clocks ok here within
finds fence ok here ''
finds switch ok "$all" 'stops everything'
finds planner ok "$all" 'answers users'
finds binding ok here 'task/affinity'
[ -z "$(find "$profiles" -name '.huddle-doctor*')" ] || fail "a probe was left in $profiles"

case_begins "other tasks get no information about the plugin"
on_site srun --nodes=1 --mpi=none env >"$site_scratch/text"
! grep -q '^HUDDLE_' "$site_scratch/text" || fail "a task has variables of Huddle's"

case_begins "the text for people reports the same"
on_site "$shared/huddle/huddle" doctor --nodes 2 >"$site_scratch/text" 2>&1 || fail "the text has another status"
grep -qE '^ok +plugin +n0 and n1: ' "$site_scratch/text" || fail "no line for the plugin"
grep -qE '^[0-9]+ ok, [0-9]+ warning\(s\), 0 wrong$' "$site_scratch/text" || fail "no sum"

case_begins "without nodes it examines this machine, and says so"
doctor
expect_status 0
finds nodes warning here 'no node was examined'

case_begins "root finds what a user finds, whose rights are enough for it"
status=0
timeout 120 "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$shared/huddle/huddle" doctor >"$site_scratch/text" 2>&1 ||
  status=$?
expect_status 0
for line in "planner +.*plan answers users" "openmpi +the recorder for Open MPI loads" "profiles +.*can be written to" "switch +on; the file /etc/slurm/huddle.stop or $shared/huddle.stop"; do
  grep -qE "^ok +$line" "$site_scratch/text" || fail "root does not find: $line"
done
chown nobody "$shared/huddle/huddle"
timeout 120 "$tests_directory/cluster/exec" --name "$site_name" --user root -- "$1/bin/huddle" doctor >"$site_scratch/text" 2>&1 || true
grep -qE "^wrong +planner +$shared/huddle/huddle belongs to user 65534" "$site_scratch/text" || fail "root runs what is a user's"
chown root "$shared/huddle/huddle"

case_begins "inside a job it examines the nodes of the job"
status=0
on_site salloc --quiet --nodes=3 "$shared/huddle/huddle" doctor >"$site_scratch/text" 2>&1 || status=$?
expect_status 0
grep -qE '^ok +nodes +n0, n1 and n2: examined' "$site_scratch/text" || fail "not the nodes of the job"

case_begins "a fault on each of eight nodes"
site_huddle=$shared/doctor-itself
cp "$shared/huddle/huddle" "$site_huddle"
version=$("$site_huddle" --version | cut -d' ' -f2)
node_has n0 rm spank_huddle.so
node_has n1 sed -i "s/@(#)spank_huddle $version/@(#)spank_huddle ${version//[0-9]/7}/" spank_huddle.so
node_has n2 rm libhuddle_recorder_mpich.so
node_has n3 truncate -s 100 libhuddle_recorder.so
: >"$site_scratch/empty"
in_node n4 mount --bind "$site_scratch/empty" "$site_huddle"
mkdir -m 1777 "$site_scratch/elsewhere"
in_node n5 mount --bind "$site_scratch/elsewhere" "$profiles"
hwloc_small=$site_scratch/topology.xml
lstopo-no-graphics --input "pack:2 [numa(memory=4294967296)] die:2 l3:1(size=16777216) core:1 pu:1" --of xml "$hwloc_small"
chmod 0644 "$hwloc_small"
chmod 0755 "$site_scratch"
in_node n6 mount --bind "$hwloc_small" "$state/topology.xml"
sed 's/5%/6%/' "$policy" >"$site_scratch/policy"
chmod 0644 "$site_scratch/policy"
in_node n7 mount --bind "$site_scratch/policy" "$policy"
doctor --nodes 8
expect_status 1
finds plugin wrong n0 'spank_huddle.so is missing'
finds plugin wrong n1 "is of Huddle 7\.7\.7, the command of $version"
finds mpich wrong n2 "can't be loaded"
finds openmpi wrong n3 "can't be loaded"
finds nodes wrong n4 'could not be examined: .*n4'
finds profiles wrong n5 'is not the directory of that name'
finds machine wrong n6 'this one has 2 x 2 x 1'
finds alike wrong n7 'another policy'
finds alike warning n6 'another topology'
finds nodes ok n0,n1,n2,n3,n5,n6,n7 examined
finds profiles ok n0,n1,n2,n3,n6,n7 'can be written'
[ -z "$(find "$profiles" "$site_scratch/elsewhere" -name '.huddle-doctor*')" ] || fail "a probe was left"
for node in n0 n1 n2 n3; do in_node $node umount "$shared/huddle"; done
in_node n4 umount "$site_huddle"
in_node n5 umount "$profiles"
in_node n6 umount "$state/topology.xml"
in_node n7 umount "$policy"
site_huddle=

case_begins "a policy that is wrong, and one that is unreadable"
echo 'slowdwon = 3' >>"$policy"
doctor --nodes 1
expect_status 1
finds policy wrong here 'slowdwon'
finds policy wrong n0 'slowdwon'
write_policy </dev/null
chmod 0600 "$policy"
doctor --nodes 1
expect_status 1
finds policy wrong n0 'Permission denied'
chmod 0644 "$policy"

case_begins "a profile directory that is missing, and one that is not open to all"
mv "$profiles" "$profiles.away"
doctor --nodes 1
expect_status 1
finds profiles wrong n0 'does not exist'
mv "$profiles.away" "$profiles"
chmod 0755 "$profiles"
doctor --nodes 1
expect_status 1
finds profiles wrong n0 "can't write"
chmod 1777 "$profiles"

case_begins "control of frequencies on a node without cpufreq, and no journal"
write_policy <<<'[frequency]
control = true
journal = "/var/tmp/journal-of-nobody"'
doctor --nodes 1
expect_status 1
finds journal wrong n0 'is missing'
in_node n0 install -d -m 0777 /var/tmp/journal-of-nobody
doctor --nodes 1
finds journal wrong n0 'others than root may open'
in_node n0 chmod 0700 /var/tmp/journal-of-nobody
doctor --nodes 1
expect_status 0
finds journal ok n0 "is root's"
write_policy </dev/null

case_begins "a plugin that is required, and one that plugstack.conf does not name"
sed -i 's/^optional/required/' "$state/plugstack.conf"
doctor --nodes 1
expect_status 0
finds plugin warning here 'plugstack.conf:1 says "required"'
: >"$state/plugstack.conf"
doctor --nodes 1
expect_status 1
finds option wrong here 'does not know'
finds plugin wrong here 'no line of .* loads spank_huddle.so'
finds plugin wrong n0 'no line of .* loads spank_huddle.so'

case_begins "a Slurm that does not answer"
status=0
on_site env SLURM_CONF=/nonexistent "$shared/huddle/huddle" doctor >"$site_scratch/text" 2>&1 || status=$?
expect_status 1
grep -qE '^wrong +slurm +Slurm does not answer' "$site_scratch/text" || fail "it is not said that Slurm does not answer"

case_begins "no Slurm at all"
status=0
on_site env PATH=/nonexistent "$shared/huddle/huddle" doctor --policy "$policy" >"$site_scratch/text" 2>&1 || status=$?
expect_status 0
grep -qE '^ok +slurm +there is no Slurm here: huddle record' "$site_scratch/text" || fail "it is not said what works"

case_begins "no job is left, and no node was harmed"
[ -z "$(on_site squeue -h)" ] || fail "jobs are left in the queue"
[ -z "$(on_site sinfo -h -o '%t' | grep -vxE 'idle|plnd')" ] || fail "not all nodes are idle"

[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
echo "all as expected"
