# Sourced by ../cli_test.sh, whose words it uses.

case_machine() {
  prints machine/described.json machine --name example --topology "package:2 die:2 core:2 pu:2" --nodes 16 \
    --link network=2e-6,1.25e10 --link die=1e-7,1e10
  [ "$(cat err)" = "huddle: a node of 2 package(s) x 2 die(s) (Die) x 2 core(s)" ] || failed "machine says: $(cat err)"
  huddle machine --topology "$tests/fixtures/topology/package1-core4-pu1.xml" -o m.json
  [ "$status" -eq 0 ] || failed "machine from XML: $(cat err)"
  huddle recommend "$profile" -m m.json
  [ "$status" -eq 0 ] || failed "recommend on a machine from XML: $(cat err)"
  # Memory of GPUs is none of ranks, unless it is said.
  local gpu=$tests/fixtures/topology/package1-core2-numa2-gpu.xml
  huddle machine --topology "$gpu" -o m.json
  grep -q '"memory_bytes": 1073741824' m.json || failed "memory beside that of a GPU: $(cat m.json)"
  grep -qxF 'huddle: ranks get the 1 GiB of ordinary memory; beside it: 2 GiB of GPUMemory (--count-memory KIND counts it, too)' err ||
    failed "memory of a GPU: $(cat err)"
  huddle machine --topology "$gpu" --count-memory GPUMemory -o m.json
  grep -q '"memory_bytes": 3221225472' m.json || failed "counted memory of a GPU: $(cat m.json)"
  refuses 2 '--count-memory NVM: the topology has no such memory beside the ordinary one: GPUMemory' machine --topology "$gpu" --count-memory NVM
  huddle machine -o this.json
  [ "$status" -eq 0 ] || failed "this machine: $(cat err)"
  # A file of this machine and its name give the same result; without either there is a note.
  huddle recommend "$profile" -m this --nodes 8 && cp out by-name
  [ "$status:$(cat err)" = 0: ] || failed "recommend on this machine: $status: $(cat err)"
  huddle recommend "$profile" --nodes 8 && cmp -s out by-name || failed "recommend without --machine: $(cat err)"
  [ "$(cat err)" = "huddle: without --machine, the nodes are taken to be like this machine; what messages take is assumed" ] ||
    failed "recommend without --machine says: $(cat err)"
  huddle recommend "$profile" -m this.json --nodes 8 && cmp -s out by-name || failed "this.json is not this machine: $(cat err)"
  huddle machine -o this.json
  if grep -q "$(uname -n)" this.json; then failed "this machine's document names the host"; fi
}
