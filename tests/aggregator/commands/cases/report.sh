# Sourced by ../cli_test.sh, whose words it uses.

case_report() {
  local store=(--store "$tests/fixtures/outcomes" --user ann)
  # As sacct prints it; seconds in UTC. Job 103's meter overflowed, job 107's figure is not from a meter.
  mkdir bin
  cat >bin/sacct <<'SCRIPT'
#!/bin/sh
echo "$SLURM_TIME_FORMAT $*" >>"$ASKED"
cat <<ROWS
101|1793606400|120|8|176000|billing=64,cpu=64,node=8|batch
101.0|1793606400|120|8|176000|cpu=64,node=8|
102|1793692800|122|2|50500|billing=16,cpu=16,node=2|batch
102.0|1793692800|122|2|50500|cpu=16,node=2
103.0|1793779200|121|2|18446744073709500416
104.0|1793865600|17|2|6000
107.1|1794038400|119|2|0
108.0|1794124800|119|8|180000
ROWS
SCRIPT
  chmod +x bin/sacct
  local PATH=$PWD/bin:$PATH
  export ASKED=$PWD/asked
  prints report/sums.txt report "${store[@]}"
  [ ! -s err ] || failed "report says: $(cat err)"
  [ "$(sort -u asked)" = "%s --parsable2 --noheader --jobs=101,102,103,104,105,107,108,110 --format=JobIDRaw,Start,ElapsedRaw,NNodes,ConsumedEnergyRaw,AllocTRES,Partition --clusters=site" ] ||
    failed "report asks sacct: $(cat asked)"
  prints report/jobs.txt report "${store[@]}" --jobs
  prints report/report.json report "${store[@]}" --json
  report_as_page "${store[@]}"
  # Without the days before: runs of those days are still used for comparison.
  prints report/since.txt report "${store[@]}" --jobs --since 2026-11-04 --until 2026-11-05 --label halo
  rm asked
  prints report/no-accounting.txt report "${store[@]}" --no-accounting --label halo
  [ ! -e asked ] || failed "report --no-accounting asks sacct"
  printf '#!/bin/sh\necho "Slurm accounting storage is disabled" >&2\nexit 1\n' >bin/sacct
  prints report/no-accounting.txt report "${store[@]}" --label halo
  [ "$(cat err)" = "huddle: neither energies nor charges from Slurm's accounting: sacct ended with status 1: Slurm accounting storage is disabled" ] ||
    failed "report without accounting says: $(cat err)"
  # A record that is cut short is skipped.
  cp -r "$tests/fixtures/outcomes" broken
  find broken -name 'outcome-20261103*' -exec truncate -s 50 {} +
  huddle report --store broken --user ann --no-accounting
  grep -q '^huddle: 1 record(s) passed over, the first one: broken/ann/halo/16/outcome-20261103' err ||
    failed "report of a broken record says: $(cat err)"
  huddle report --store broken --user nobody-yet
  [ "$status:$(cat out)" = "0:No record of a job of nobody-yet in broken." ] || failed "report of nothing: $(cat out)"
  report_of_efficiencies
  report_of_balanced_run
  report_of_all_users
  [ "$(id -u)" -ne 0 ] || report_that_sweeps
  report_as_metrics
}

# The page shows what --json has in its summary, and prints what is printed without it. Rates and nodes are the site's.
report_as_page() {
  mkdir site
  echo "optional spank_huddle.so policy=$work/site/huddle.toml" >site/plugstack.conf
  jq '.unused_nodes = {become: "idles", origin: "given"}' "$frequencies" >site/machine.json
  cat >site/huddle.toml <<TOML
[machine]
file = "$work/site/machine.json"
[report]
currency = "EUR"
node_hour_price = 0.5
kwh_price = 0.25
co2_g_per_kwh = 400
TOML
  export SLURM_CONF=$work/site/slurm.conf
  huddle report "$@" --json
  python3 -c 'import json; print(json.dumps(json.load(open("out"))["summary"], indent=1))' >summary && same summary report/summary.json
  huddle report "$@"
  cp out printed
  huddle report "$@" --html page.html
  cmp -s out printed || failed "report --html changes what is printed"
  same out report/idles.txt
  unset SLURM_CONF
  python3 -c '
import json
page = open("page.html").read()
data = json.loads(page.split("id=\"data\">")[1].split("</script>")[0])
assert data.pop("notes") == []
assert data == json.load(open("summary"))
assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page
' || failed "the page of report --html"
  huddle report "$@" --html page.html --openmetrics report.prom
  [ "$status" -eq 2 ] || failed "report --html --openmetrics: status $status"
}

# Two runs of one program and one of another left profiles: rank 1 of two computes half as long as rank 0, which computes all
# the time, so that a quarter of the node-hours is lost; in the other program both ranks are in MPI half of the time.
report_of_efficiencies() {
  local me
  me=$(id -un)
  mkdir worth
  cp -r "$tests/fixtures/outcomes/ann" "worth/$me"
  python3 - "$tests/fixtures/profiles/eight-ranks-in-pairs.json" "worth/$me" <<'MAKE'
import json, pathlib, sys
profile = json.load(open(sys.argv[1]))
profile.update(ranks=2, rank_records=profile["rank_records"][:2], communicators=[], phase_groups=[])
for job, program, outside in ((101, "/opt/late", (10, 5)), (102, "/opt/late", (10, 5)), (110, "/opt/slow", (5, 5))):
    profile["program"]["executable"] = program
    for record, time in zip(profile["rank_records"], outside):
        record.update(run_time_s=10, mpi_time_s=10 - time, sent={"receiver": [], "size_class": [], "messages": [], "bytes": []}, calls=None, collectives=[], phases=None, periods=None)
    path = next(pathlib.Path(sys.argv[2]).glob(f"*/*/outcome-*-{job}.*"))
    kept = path.parent.absolute() / f"profile-{job}.json"
    kept.write_text(json.dumps(profile))
    record = json.loads(path.read_text())
    record["profile"] = str(kept)
    path.write_text(json.dumps(record))
MAKE
  chmod 755 "$work"
  chmod -R a+rX worth
  prints report/efficiency.txt report --store worth --user "$me" --no-accounting
  prints report/efficiency-jobs.txt report --store worth --user "$me" --no-accounting --jobs
  huddle report --store worth --user "$me" --no-accounting --json
  python3 -c 'import json
report = json.load(open("out"))
slow, late = report["summary"]["programs"]
assert slow["program"] == "slow" and late["program"] == "late" and (late["runs"], late["users"]) == (2, 1), (slow, late)
assert abs(slow["node_h"] - 910 / 3600) < 1e-9 and abs(slow["lost_node_h"] - 455 / 3600) < 1e-9, slow
assert abs(slow["communication_efficiency"] - 0.5) < 1e-9 and abs(slow["load_balance"] - 1) < 1e-9, slow
assert abs(late["parallel_efficiency"] - 0.75) < 1e-9 and abs(late["load_balance"] - 0.75) < 1e-9, late
runs = {run["run"]["job"]: run for run in report["runs"]}
assert runs[101]["efficiency"]["program"] == "late" and "efficiency" not in runs[103]' || failed "report of efficiencies as JSON: $(cat out)"
  cp -r worth theirs
  # A profile that is gone is passed over; and the same figures are for all users.
  rm "worth/$me"/heat/64/profile-110.json
  huddle report --store worth --all-users --no-accounting
  grep -qE '^late +2 +16 ' out && ! grep -q '^slow' out || failed "report of a profile that is gone: $(cat out err)"
  [ "$(id -u)" -eq 0 ] || return 0
  # Root reads a user's profiles with that user's rights: one that its owner can't read is none.
  mv "theirs/$me" theirs/nobody
  sed -i "s#$PWD/worth/$me#$PWD/theirs/nobody#" theirs/nobody/*/*/outcome-*
  chown -R nobody theirs/nobody
  huddle report --store theirs --all-users --no-accounting
  cp out allowed
  grep -qE '^late +2 +16 ' out && grep -q '^slow' out || failed "root's report of a user's profiles: $(cat out err)"
  chown root theirs/nobody/heat/64/profile-110.json
  chmod 600 theirs/nobody/heat/64/profile-110.json
  huddle report --store theirs --all-users --no-accounting
  grep -qE '^late +2 +16 ' out && ! grep -q '^slow' out || failed "root read what the user could not: $(cat out err)"
}

# The effect of clocks that followed loads is in the profile that the run left. As root, no file that another user's record
# names is opened.
report_of_balanced_run() {
  local me record line
  me=$(id -un)
  mkdir balanced
  cp -r "$tests/fixtures/outcomes/ann" "balanced/$me"
  record=$(ls balanced/"$me"/halo/16/outcome-*-102.0-*)
  python3 - "$tests/fixtures/profiles/four-ranks-all-kinds.json" "$record" <<'MAKE'
import json, pathlib, sys
profile = json.load(open(sys.argv[1]))
profile["rank_records"][0]["balancing"] = profile["rank_records"][1]["balancing"]
kept = pathlib.Path("balanced-1.json").absolute()
kept.write_text(json.dumps(profile))
record = json.load(open(sys.argv[2]))
record["profile"] = str(kept)
pathlib.Path(sys.argv[2]).write_text(json.dumps(record))
MAKE
  line="job 102.0: clocks could follow its loads: at the end clocks follow loads; lower clocks cost 0.03 s of 19.50 s, by 12 balance points"
  huddle report --store balanced --user "$me" --no-accounting --jobs
  grep -qxF "$line" out || failed "report of a balanced run: $(cat out err)"
  huddle report --store balanced --user "$me" --no-accounting --json
  python3 -c 'import json
runs = {run["run"]["job"]: run for run in json.load(open("out"))["runs"]}
assert runs[102]["balancing"]["state"] == "following" and runs[102]["balancing"]["points"] == 12, runs[102]
assert "balancing" not in runs[101]' || failed "report of a balanced run as JSON: $(cat out)"
  [ "$(id -u)" -ne 0 ] || {
    mv "balanced/$me" balanced/nobody
    chown -R nobody balanced/nobody
    huddle report --store balanced --user nobody --no-accounting --jobs
    ! grep -q "clocks" out || failed "root opened a file that a user named: $(cat out)"
  }
  rm balanced-1.json
}

# Whose folders these are only root can say, so only root's report is compared as a whole.
report_of_all_users() {
  local me
  me=$(id -un)
  chmod 755 "$work"
  mkdir all
  cp -r "$tests/fixtures/outcomes/ann" "all/$me"
  mkdir all/of-no-user
  huddle report --all-users --user ann --store all
  [ "$status" -eq 2 ] || failed "report --all-users --user: status $status"
  huddle report --all-users --store all --no-accounting --json
  [ "$status" -eq 0 ] || failed "report --all-users: $(cat err)"
  grep -q "^huddle: 1 folder(s) passed over, which are not of a user of their name, the first one: all/of-no-user" err ||
    failed "report --all-users says: $(cat err)"
  python3 -c 'import json, sys
report = json.load(sys.stdin)
assert {run["user"] for run in report["runs"]} == {sys.argv[1]}, report["runs"]
assert [user["user"] for user in report["users"]] == [sys.argv[1]], report["users"]
assert report["users"][0]["labels"] == report["labels"] and report["users"][0]["total"] == report["total"]' "$me" <out ||
    failed "report --all-users --json: $(cat out)"
  [ "$(id -u)" -eq 0 ] || { report_without_rights; return; }
  rm -r "all/$me"
  local user
  for user in daemon nobody; do
    cp -r "$tests/fixtures/outcomes/ann" all/$user
    chown -R $user all/$user
    chmod 700 all/$user
  done
  # One that took much longer than its plan's bound allows.
  sed -i 's/"elapsed_s": 122.4/"elapsed_s": 140/' all/nobody/halo/16/outcome-*-102.0-*
  prints report/all-users.txt report --all-users --store all --no-accounting
  prints report/all-users-jobs.txt report --all-users --store all --no-accounting --jobs --since 2026-11-03 --until 2026-11-05
  # Links do not lead root to what their owner may not read, nor does one in place of a user's folder.
  cp -r "$tests/fixtures/outcomes/ann/halo" secret
  chmod 700 secret
  ln -s "$work/secret" all/nobody/secrets
  ln -s "$work/secret/16/$(ls secret/16 | head -1)" all/daemon/halo/16/outcome-20261201T080000.000Z-1.0-pid1.json
  ln -s daemon all/games
  huddle report --all-users --store all --no-accounting --json
  python3 -c 'import json
report = json.load(open("out"))
assert report["total"]["measured"] == 1, report["total"]
assert [user["user"] for user in report["users"]] == ["daemon"], report["users"]' || failed "report --all-users follows links: $(cat err)"
  grep -q "^huddle: the records of 1 user(s) can't be read and are not counted: nobody; the first one: can't read all/nobody/secrets: Permission denied" err ||
    failed "report --all-users of a linked label says: $(cat err)"
  grep -q "^huddle: 2 folder(s) passed over.*: all/games" err || failed "report --all-users of a linked folder says: $(cat err)"
}

# Files of users who submit no more are removed by root, as the site's policy says, and by no policy that can't be read.
report_that_sweeps() {
  rm -rf all etc
  mkdir all etc
  cp -r "$tests/fixtures/outcomes/ann" all/nobody
  mkdir all/left
  chown -R nobody all/nobody
  chown 54321 all/left
  find all -exec touch -h -d '40 days ago' {} +
  echo "optional spank_huddle.so policy=$PWD/etc/huddle.toml" >etc/plugstack.conf
  export SLURM_CONF=$PWD/etc/slurm.conf
  echo 'profiles = { keep_days = "many" }' >etc/huddle.toml
  huddle report --all-users --sweep --store all --no-accounting
  [ "$status" -eq 1 ] && grep -q 'nothing is removed: .*keep_days' err || failed "a sweep by a broken policy: $(cat err)"
  [ -d all/left ] || failed "a sweep by a broken policy removes files"
  echo 'profiles = { keep_days = 30 }' >etc/huddle.toml
  huddle report --all-users --sweep --store all --no-accounting
  [ "$status" -eq 0 ] || failed "report --sweep: $(cat err)"
  grep -qE '^huddle: [1-9][0-9]* old file\(s\) of 1 user\(s\) removed from all, and the folders of 1 who left: left' err ||
    failed "report --sweep says: $(cat err)"
  [ ! -e all/left ] || failed "report --sweep leaves the folder of a user who left"
  [ "$(cat out)" = "No record of a job of any user in all." ] || failed "report --sweep leaves records: $(cat out)"
  huddle report --sweep
  [ "$status" -eq 2 ] || failed "report --sweep without --all-users: status $status"
  unset SLURM_CONF
}

# Unreadable files are a note.
report_without_rights() {
  local me
  me=$(id -un)
  mv "all/$me/heat" heat && mkdir -m 000 "all/$me/heat"
  huddle report --all-users --store all --no-accounting
  [ "$status" -eq 0 ] || failed "report --all-users without rights: status $status"
  grep -q "^huddle: the records of 1 user(s) can't be read and are not counted: $me; the first one: " err ||
    failed "report --all-users without rights says: $(cat err)"
  rmdir "all/$me/heat" && mv heat "all/$me/heat"
}

report_as_metrics() {
  local store=(--store "$tests/fixtures/outcomes" --user ann --no-accounting)
  huddle report "${store[@]}" --openmetrics report.prom
  [ "$status:$(cat out)" = 0: ] || failed "report --openmetrics: status $status: $(cat out err)"
  same report.prom report/metrics.prom
  # A name that needs care, more clusters than are told apart, and one whose energy is known.
  cp -r "$tests/fixtures/outcomes" strange
  python3 - strange/ann/halo/16 <<'SCRIPT'
import glob, json, sys
path = glob.glob(sys.argv[1] + "/*-101.0-*")[0]
record = json.load(open(path))
for number in range(20):
    record["run"].update(cluster='a "b"\\\n\u00e9' if number == 0 else f"c{number}", job=200 + number)
    for twice in range(2 if number == 0 else 1):
        json.dump(record, open(path.replace("-101.0-", f"-{200 + number}.{twice}-"), "w"))
SCRIPT
  huddle report --store strange --user ann --no-accounting --openmetrics strange.prom
  grep -qF 'huddle_runs{cluster="a \"b\"\\\n'$'\xc3\xa9''",treatment="measured"} 2' strange.prom || failed "metrics of strange names: $(cat strange.prom)"
  grep -qF 'huddle_runs{cluster="other",treatment="measured"} 5' strange.prom || failed "metrics of many clusters: $(cat strange.prom)"
  local file
  for file in report.prom strange.prom; do
    python3 "$tests/aggregator/commands/check_metrics.py" "$file" || failed "$file is not in order"
    if command -v promtool >/dev/null; then promtool check metrics <"$file" || failed "promtool refuses $file"; fi
  done
  # An older file is replaced as a whole, or stays.
  echo old >there.prom
  ln there.prom other-name
  huddle report "${store[@]}" --openmetrics there.prom
  cmp -s there.prom report.prom && [ "$(cat other-name)" = old ] || failed "report --openmetrics writes into the file that is there"
  huddle report "${store[@]}" --openmetrics missing/folder.prom
  [ "$status" -eq 1 ] || failed "report --openmetrics into no folder: status $status"
  huddle report "${store[@]}" --openmetrics there.prom --json
  [ "$status" -eq 2 ] || failed "report --openmetrics --json: status $status"
}
