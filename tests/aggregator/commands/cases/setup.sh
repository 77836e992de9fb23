# Sourced by ../cli_test.sh, whose words it uses.

# A Slurm with 4 nodes, 3 of which have two packages of 4 cores. Of its settings it says too little for the doctor.
pretend_slurm() {
  mkdir -p bin
  cat >bin/scontrol <<'SCRIPT'
#!/bin/sh
case "$*" in
  "show config") echo "ClusterName = site"; [ ! -e "$POWER_SAVING" ] || cat "$POWER_SAVING" ;;
  "--oneliner show partition") printf 'PartitionName=all Nodes=n[0-2]\nPartitionName=slow Nodes=n1 SuspendTime=900\n' ;;
  "--oneliner show nodes") printf 'NodeName=n0 Partitions=all\nNodeName=n1 Partitions=all,slow\nNodeName=n2 Partitions=all\n' ;;
  "show hostnames "*) echo "$3" | tr , '\n' ;;
esac
SCRIPT
  printf '#!/bin/sh\ncat <<ROWS\nn0 2 4\nn1 2 4\nn2 2 4\nn2 2 4\nbig 4 8\nROWS\n' >bin/sinfo
  chmod +x bin/scontrol bin/sinfo
}

# Prints what it says before the doctor speaks.
said() {
  sed '/^$/,$d' out | sed "s|$work|WORK|g"
}

# refuses_store MESSAGE STORE
refuses_store() {
  huddle setup --directory linked --store "$2" --topology "package:2 die:2 core:2 pu:1" --nodes 2
  [ "$status" -eq 1 ] && [[ $(cat err) == "huddle: ${1%...}"* ]] && [ ! -e linked/huddle.toml ] || failed "setup --store $2: $(cat out err)"
  rm -f linked/*
}

case_setup() {
  local topology="package:2 die:2 core:2 pu:1" doctor_status
  pretend_slurm
  local PATH=$work/bin:$PATH
  mkdir etc shared
  chmod 755 "$work" # the doctor tries as a user what is in it
  huddle setup --directory etc --store shared/huddle --topology "$topology" --dry-run
  [ "$status:$(ls etc shared)" = "0:etc:

shared:" ] || failed "setup --dry-run: status $status, $(ls etc shared), $(cat err)"
  said >dry-run && same dry-run setup/dry-run.txt

  (umask 077; huddle setup --directory etc --store shared/huddle --topology "$topology"; echo "$status" >status)
  status=$(cat status)
  said >first && same first setup/first.txt
  [ "$(stat -c %a etc/huddle.toml etc/huddle-machine.json shared/huddle | tr '\n' ' ')" = "644 644 1777 " ] ||
    failed "setup leaves modes $(stat -c %a etc/* shared/huddle)"
  sed "s|$work|WORK|g" etc/huddle.toml >policy && same policy setup/huddle.toml
  huddle doctor --policy etc/huddle.toml
  doctor_status=$status
  grep -q "^ok *policy *etc/huddle.toml is valid" out || failed "the doctor on what setup wrote: $(cat out)"
  grep -q "^ok *machine " out || failed "the doctor on what setup wrote: $(cat out)"
  [ "$(cat status)" -eq "$doctor_status" ] || failed "setup: status $(cat status), that of the doctor is $doctor_status"
  python3 -c 'import json
machine = json.load(open("etc/huddle-machine.json"))
assert (machine["name"], machine["nodes"]) == ("site", 3), machine' || failed "setup describes the nodes: $(cat etc/huddle-machine.json)"

  # Nodes that Slurm powers down sleep, those that it keeps on are used by others.
  python3 -c 'import json
unused = json.load(open("etc/huddle-machine.json"))["unused_nodes"]
assert (unused["become"], unused["origin"]) == ("used", "assumed"), unused' || failed "setup without power saving: $(cat etc/huddle-machine.json)"
  mkdir asleep
  printf 'SuspendProgram = /bin/off\nSuspendTime = 300 sec\nSuspendExcNodes = n2\n' >saving
  POWER_SAVING=$work/saving huddle setup --directory asleep --topology "$topology" --nodes 3
  grep -qx 'nodes that no job uses: of 33 % they sleep after 300 s, of 33 % they sleep after 900 s, of 33 % other jobs use them (as Slurm powers nodes down)' out ||
    failed "setup with power saving: $(cat out err)"
  python3 -c 'import json; print(json.dumps(json.load(open("asleep/huddle-machine.json"))["unused_nodes"]))' >unused && same unused setup/unused-nodes.json

  jq 'del(.unused_nodes)' asleep/huddle-machine.json >older && mv older asleep/huddle-machine.json
  POWER_SAVING=$work/saving huddle setup --directory asleep --topology "$topology" --nodes 3
  grep -q '^to do: it says nothing of nodes that no job uses, and Slurm powers some down (of 33 % they sleep after 300 s, ' out ||
    failed "setup beside a document that says nothing of unused nodes: $(cat out err)"

  # Again: all is kept, whatever it is by now.
  echo "# mine" >>etc/huddle.toml
  cp -rp etc before
  mkdir etc/plugstack.conf.d
  echo "include plugstack.conf.d/*.conf" >etc/plugstack.conf
  echo "optional spank_huddle.so" >etc/plugstack.conf.d/huddle.conf
  huddle setup --directory etc --store shared/huddle --topology "$topology"
  said >again && same again setup/again.txt
  cmp etc/huddle.toml before/huddle.toml && cmp etc/huddle-machine.json before/huddle-machine.json || failed "setup changes what is there"
  [ -z "$(find etc shared -name '.*tmp')" ] || failed "setup leaves $(find etc shared -name '.*tmp')"

  # Another store than the policy that is there names: none is made.
  huddle setup --directory etc --store shared/other --topology "$topology"
  grep -q "^made no $work/shared/other: $work/etc/huddle.toml is kept, by which profiles go to $work/shared/huddle; to change" out &&
    [ ! -e shared/other ] || failed "setup --store beside a policy: $(cat out err; ls shared)"
  # A store that others could lead elsewhere, before anything is named by it.
  mkdir linked
  ln -s "$work/shared" shared/link
  refuses_store "$work/shared/link is a link: name the directory that it leads to" shared/link
  if [ "$(id -u)" -eq 0 ]; then
    mkdir shared/theirs
    chown nobody shared/theirs
    refuses_store "$work/shared/theirs belongs to user 65534..." shared/theirs
    [ "$(stat -c %a shared/theirs)" = 755 ] || failed "setup changes others' directories"
  fi

  # Things that it can't know or do.
  mkdir other
  refuses 1 "package:4 core:2 pu:1 has 4 package(s) of 2 cores, and no node of Slurm's has: run this on a node..." \
    setup --directory other --topology "package:4 core:2 pu:1"
  printf '#!/bin/sh\nexit 1\n' | tee bin/scontrol >bin/sinfo
  refuses 2 "Slurm does not say which nodes there are: give their number by --nodes" setup --directory other --topology "$topology"
  refuses 1 "there is no directory $work/missing: name that of Slurm's configuration by --directory" setup --directory missing
  [ -z "$(ls -A other)" ] || failed "a setup that fails leaves $(ls -A other)"
  # Half-way: what was written is whole.
  huddle setup --directory other --store missing/huddle --topology "$topology" --nodes 2
  [ "$status:$(cat err)" = "1:huddle: can't make the directory $work/missing/huddle: No such file or directory" ] ||
    failed "setup without the store's parent: $status: $(cat err)"
  [ "$(ls -A other)" = huddle-machine.json ] || failed "setup without the store's parent leaves $(ls -A other)"
  "$HUDDLE" recommend "$profile" -m other/huddle-machine.json >/dev/null || failed "the machine of a setup that failed is broken"
  [ "$(id -u)" -eq 0 ] && return
  mkdir -m 555 closed
  huddle setup --directory closed --topology "$topology" --nodes 2
  grep -q "Permission denied: run this as root, or name another --directory" err || failed "setup without rights: $(cat err)"
}
