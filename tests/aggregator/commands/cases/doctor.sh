# Sourced by ../cli_test.sh, whose words it uses.

# A machine without Slurm: the findings depend on the machine, the list of checks does not.
case_doctor() {
  local name kept
  mkdir -p bin
  for name in env true; do ln -sf "$(command -v $name)" "bin/$name"; done
  kept=$PATH
  PATH=$work/bin huddle doctor --json --policy none.toml
  PATH=$kept
  [ "$status" -eq 1 ] || failed "doctor with a policy that is missing: status $status"
  python3 -c '
import json
report = json.load(open("out"))
for finding in report["findings"]:
    print(finding["check"], "-" if finding["check"] in ("counters", "energy", "frequency", "topology") else finding["verdict"])
' >checks
  same checks doctor/no-slurm.txt
  grep -q "\"what\": \"can.t open none.toml: No such file or directory: the plugin turns itself off" out || failed "doctor: $(cat out)"

  mkdir -p profiles
  cat >good.toml <<TOML
[profiles]
directory = "$work/profiles"
[machine]
file = "$machine"
[programs]
recorder = "$work/no-recorder.so"
TOML
  chmod 1777 profiles
  PATH=$work/bin huddle doctor --policy good.toml
  PATH=$kept
  [ "$status" -eq 1 ] || failed "doctor with a recorder that is missing: status $status"
  for line in "^ok +slurm +there is no Slurm here: huddle record" "^ok +policy +good.toml is valid" "^ok +profiles +" "^ok +machine +" \
    "^warning +model +no model" "^w[a-z]+ +openmpi +the recorder for Open MPI, .*no-recorder.so, can't be loaded .No such file" "^ +-> install huddle"; do
    grep -qE -- "$line" out || failed "doctor: no line that matches $line: $(cat out)"
  done
  [ -z "$(ls -A profiles)" ] || failed "doctor leaves $(ls -A profiles)"
}
