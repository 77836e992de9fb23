# Sourced by ../cli_test.sh, whose words it uses.

case_import() {
  local matrices=$tests/fixtures/matrices cg=$tests/fixtures/matrices/maplib/cg-class-c-64
  huddle import csv "$cg.bytes.csv" "$cg.messages.csv" -o cg.json
  [ "$status:$(cat out err)" = 0: ] || failed "import csv: $status: $(cat out err)"
  prints import/csv.txt show cg.json
  huddle show cg.json --matrix again.csv && cmp -s again.csv "$cg.bytes.csv" || failed "import and show change bytes"
  huddle show cg.json --messages --matrix again.csv && cmp -s again.csv "$cg.messages.csv" ||
    failed "import and show change numbers of messages"
  huddle map cg.json --hierarchy 2:2:16 --distance 1:10:100
  [ "$(sort -n out | uniq | wc -l)" = 64 ] || failed "map of an imported profile: $(cat err)"
  refuses 2 "the profile of cg-class-c-64 has no run time in it, so no slowdown can be predicted from it: measure..." \
    recommend cg.json -m "$machine"
  huddle import csv "$cg.bytes.csv" --output bytes.cbor --label "only bytes"
  huddle show bytes.cbor
  grep -qx 'label         only bytes' out || failed "import --label: $(head -1 out)"
  grep -q 'counts as one message' out || failed "import without counts does not say so: $(cat out)"
  huddle import openmpi "$matrices"/openmpi-monitoring/level2.{3,0,2,1}.prof -o ring.json
  prints import/openmpi.txt show ring.json
  refuses 2 "runs/halo: expected a name that ends in .RANK.prof, and those of all ranks" import openmpi runs/halo -o halo.json
  huddle import metis "$graph" -o graph.json
  prints import/metis.txt show graph.json
  huddle map "$graph" --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  cp err expected
  huddle map graph.json --hierarchy 2:2:2 --distance 1:10:100 --engine identity
  [ "$(sed 's/ in .*//' err)" = "$(sed 's/ in .*//' expected)" ] || failed "an imported graph is another: $(cat err expected)"
}
