# Sourced by ../cli_test.sh, whose words it uses.

case_study() {
  local dump=$tests/fixtures/sacct/site.txt
  cp "$dump" jobs.txt
  prints study/jobs.txt study jobs.txt
  same err study/notes.txt
  prints study/jobs.json study jobs.txt --json
  # Partitions with nodes of their own, and another bound.
  jq '.node = {"topology": "package:2 die:4 core:12 pu:1", "memory_bytes": 193273528320} | .name = "wide"' "$frequencies" >wide.json
  prints study/machines.txt study jobs.txt --partition batch=wide.json --partition site/shared=wide.json --slowdown 10%
  jq '.unused_nodes = {become: "sleeps", sleep_after_s: 600, origin: "given"}' wide.json >sleeps.json
  huddle study jobs.txt --machine sleeps.json
  grep '^Energy' out >energy && same energy study/energy.txt
  # The page shows the same figures, prints what is printed without it, and no name in it is anything but text.
  sed 's/halo/<i>halo/g' jobs.txt >hostile.txt
  huddle study hostile.txt --html page.html
  cp out printed
  huddle study hostile.txt
  cmp -s out printed || failed "--html changes what is printed"
  huddle study hostile.txt --json
  python3 -c '
import json
page = open("page.html").read()
data = json.loads(page.split("id=\"data\">")[1].split("</script>")[0])
for verdict in data["verdicts"]:
    assert verdict.pop("text")
document = json.load(open("out"))
for kind, more in data.pop("more").items():
    assert more == 0
    document[kind] = [group for group in document[kind] if group["could_use_fewer"]["jobs"]]
assert data == document
assert "<i>halo" not in page and any(one["name"] == "<i>halo" for one in data["applications"])
assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page
' || failed "the page of study --html"
  refuses 2 "--html jobs.txt: this file is read, and would be gone: expected another name" study jobs.txt --html jobs.txt
  # The wrong document of nodes is noticed.
  huddle study jobs.txt --machine "$machine"
  grep -q "^huddle: a node of machine package2-die2-core2 has 8 CPUs, and no job had so many of a node of partition batch, but 96 at most" err ||
    failed "study with another machine: $(cat err)"
  # The same from a pipe, from several files, and from compressed ones.
  huddle study jobs.txt
  cp out expected
  status=0
  "$HUDDLE" study - <jobs.txt >out 2>err || status=$?
  { [ "$status" -eq 0 ] && cmp -s out expected; } || failed "study -: status $status: $(cat err)"
  gzip -k jobs.txt
  huddle study jobs.txt.gz
  cmp -s out expected || failed "study jobs.txt.gz: $(cat err)"
  head -n 61 jobs.txt >first.txt
  { head -n 1 jobs.txt && tail -n +62 jobs.txt; } >second.txt
  huddle study first.txt second.txt
  cmp -s out expected || failed "study of two files: $(cat err)"

  cut -d '|' -f 1-10 jobs.txt >narrow.txt
  refuses 1 "narrow.txt: its first line does not name NNodes, NTasks, AllocCPUS, ReqCPUS, TotalCPU, MaxRSS, AllocTRES: expected what this prints: sacct --allusers --parsable2 ..." study narrow.txt
  : >empty.txt
  refuses 1 "empty.txt is empty: expected what this prints: sacct ..." study empty.txt
  refuses 1 "can't open absent.txt: ..." study absent.txt
  refuses 2 "--partition batch: expected NAME=MACHINE" study jobs.txt --partition batch
  head -c 700 jobs.txt.gz >cut.txt.gz
  huddle study cut.txt.gz
  { [ "$status" -eq 1 ] && grep -q "^huddle: cut.txt.gz could not be unpacked: gzip failed" err; } ||
    failed "study of a cut file: status $status: $(cat err)"
  head -n 1 jobs.txt >header.txt
  huddle study header.txt
  [ "$status:$(cat out)" = "0:No job ran in these records." ] || failed "study of nothing: $(cat out)"
  sed -i 1d jobs.txt
  refuses 1 "jobs.txt: its first line does not name JobID, ..." study jobs.txt
}
