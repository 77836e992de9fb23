# Sourced by ../cli_test.sh, whose words it uses.

# library FILE: one that says as whom it is loaded, in a file beside it that all may write
library() {
  printf '#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) static void loaded(void) {
  FILE* file = fopen("%s.loaded", "a");\n  if (file) fprintf(file, "%%d\\n", (int)geteuid());\n}\n' "$1" >loaded.c
  cc -shared -fPIC -o "$1" loaded.c || failed "cc: no library"
  : >"$1.loaded"
  chmod 666 "$1.loaded"
}

# Root's huddle neither follows a policy that others could change, nor loads or runs what they could.
case_doctor_as_root() {
  local place
  mkdir -m 755 site theirs
  library "$work/site/libhuddle_recorder.so"
  ln -s libhuddle_recorder.so site/libhuddle_recorder_mpich.so
  printf '#!/bin/sh\nid -u >>%s/site/huddle.ran\n' "$work" >site/huddle
  chmod 755 site/huddle
  : >site/huddle.ran
  chmod 666 site/huddle.ran
  printf '[profiles]\ndirectory = "%s/profiles"\n[programs]\nmodules = "%s/site"\nhuddle = "%s/site/huddle"\n' \
    "$work" "$work" "$work" >site/huddle.toml
  # All is root's: users' rights are enough to try it with.
  huddle doctor --policy "$work/site/huddle.toml"
  [ "$(sort -u site/libhuddle_recorder.so.loaded):$(sort -u site/huddle.ran)" = 65534:65534 ] ||
    failed "doctor loads and runs as $(cat site/libhuddle_recorder.so.loaded site/huddle.ran)"
  for place in site site/libhuddle_recorder.so site/huddle site/huddle.toml; do
    : >site/libhuddle_recorder.so.loaded
    : >site/huddle.ran
    chown nobody "$place"
    huddle doctor --policy "$work/site/huddle.toml"
    [ "$status" -eq 1 ] && grep -q "^wrong .*$work/$place belongs to user 65534" out || failed "doctor: $place of others: $(cat out)"
    [ "$place" = site/huddle ] || [ ! -s site/libhuddle_recorder.so.loaded ] || failed "doctor loads what is others': $place"
    [ "$place" = site/libhuddle_recorder.so ] || [ ! -s site/huddle.ran ] || failed "doctor runs what is others': $place"
    chown root "$place"
    chmod g+w "$place"
    huddle doctor --policy "$work/site/huddle.toml"
    grep -q "^wrong .*$work/$place has mode" out || failed "doctor: others may write to $place: $(cat out)"
    chmod g-w "$place"
  done
  # No more do setup, and what PATH leads to.
  chown nobody site/huddle.toml
  refuses 1 "$work/site/huddle.toml belongs to user 65534: root writes and follows only what nobody else can change..." \
    setup --directory site --nodes 1 --topology "core:2 pu:1"
  chown root site/huddle.toml
  mkdir -m 755 there
  printf '#!/bin/sh\nid -u >%s/ran\n' "$work" | tee scontrol sinfo >theirs/scontrol
  cp theirs/scontrol theirs/sinfo
  chmod 755 scontrol sinfo theirs/*
  chown -R nobody theirs
  PATH=$work/theirs::$work/theirs:$PATH "$HUDDLE" setup --directory there --topology "core:2 pu:1" --dry-run >out 2>err </dev/null
  [ ! -e ran ] || failed "setup runs others' scontrol as $(cat ran)"
  grep -q "^huddle: no program is looked up in \"$work/theirs\" of PATH, since root must not: $work/theirs belongs to user 65534" err ||
    failed "setup: $(cat err)"
  [ "$(grep -c "looked up in \"$work/theirs\"" err)" -eq 1 ] || failed "setup says it twice: $(cat err)"
}

# A machine without Slurm: the findings depend on the machine, the list of checks does not.
case_doctor() {
  local name kept
  chmod 755 "$work" # of what root examines users must be able to use it
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
modules = "$work/none"
TOML
  chmod 1777 profiles
  PATH=$work/bin huddle doctor --policy good.toml
  PATH=$kept
  [ "$status" -eq 1 ] || failed "doctor with a recorder that is missing: status $status"
  for line in "^ok +slurm +there is no Slurm here: huddle record" "^ok +policy +good.toml is valid" "^ok +profiles +" "^ok +machine +" \
    "^warning +model +no model" "^w[a-z]+ +openmpi +the recorder for Open MPI, .*/none/libhuddle_recorder.so, can't be loaded .No such file" "^ +-> install huddle"; do
    grep -qE -- "$line" out || failed "doctor: no line that matches $line: $(cat out)"
  done
  grep -qE "^ok +planner +.*huddle plan answers users$" out || failed "doctor: $(cat out)"
  [ -z "$(ls -A profiles)" ] || failed "doctor leaves $(ls -A profiles)"

  # A fault that leaves every job as submitted: users can't run the command that makes plans.
  mkdir closed
  cp "$HUDDLE" closed/huddle
  chmod 600 closed/huddle
  for name in closed/huddle closed/none "$(command -v true)"; do
    sed "\$ a huddle = \"$(realpath -m "$name")\"" good.toml >policy.toml
    huddle doctor --policy policy.toml
    [ "$status" -eq 1 ] && grep -qE "^wrong +planner +.*: every job is left as submitted$" out || failed "doctor, $name: $(cat out)"
  done
  # A folder in a user's part that is another's.
  if [ "$(id -u)" -eq 0 ]; then
    mkdir -p profiles/nobody/pairs/8
    chown -R nobody profiles/nobody
    huddle doctor --policy good.toml
    ! grep -q "belong to others" out || failed "doctor: $(cat out)"
    chown root profiles/nobody/pairs
    huddle doctor --policy good.toml
    [ "$status" -eq 1 ] && grep -qE "^wrong +profiles +1 folder.*: $work/profiles/nobody/pairs$" out || failed "doctor: $(cat out)"
    chmod 600 good.toml
    huddle doctor --policy good.toml
    grep -qE "^wrong +policy +users can't read good.toml: Permission denied .tried as nobody." out || failed "doctor: $(cat out)"
    case_doctor_as_root
  fi
}
