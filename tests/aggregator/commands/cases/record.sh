# Sourced by ../cli_test.sh, whose words it uses.

case_record() {
  local library
  library=$(ldd "$(command -v sh)" | awk '/libc\.so/ { print $3; exit }') # in every process anyway
  [ -n "$library" ] || failed "no C library found to preload"
  huddle record --recorder "$library" -o here.json -- sh -c 'echo "$LD_PRELOAD $HUDDLE_PROFILE"; exit 5'
  [ "$status" -eq 5 ] || failed "record gives status $status instead of the command's"
  [ "$(cat out)" = "$library $work/here.json" ] || failed "record sets $(cat out)"
  # A sanitizer's runtime must be the first library of its own programs.
  LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0 huddle record --recorder "$library" -- sh -c 'echo "$LD_PRELOAD $HUDDLE_PROFILE"'
  [ "$(cat out)" = "$library $work/profile.json" ] || failed "record sets $(cat out)"
  huddle record --recorder "$library" --size 64x32 -- sh -c 'echo "$HUDDLE_SIZE"'
  [ "$(cat out)" = 64x32 ] || failed "record --size sets $(cat out)"
  refuses 2 "--size 64k: expected a number above 0 such as 4096 or 1e6, or a product such as 64x64x32..." \
    record --recorder "$library" --size 64k -- true
  refuses 1 "can't read the recorder /no/recorder.so: install it, or name it by --recorder" \
    record --recorder /no/recorder.so -- true
  refuses 1 "can't start no-such-program: No such file or directory" record --recorder "$library" -- no-such-program
  refuses 2 "COMMAND is required..." record --recorder "$library"

  # Several programs of one command, as rank 0 of each says that it begins.
  huddle record --recorder "$library" -o two.json -- \
    sh -c 'echo "3 /bin/a" >>two.json.runs; echo >two.json; echo "2 /bin/b" >>two.json.runs; echo >two-2.json'
  [ "$status:$(cat err)" = "0:huddle: 2 profiles: two.json (a, 3 ranks), two-2.json (b, 2 ranks)" ] || failed "record of two programs says $(cat err)"
  [ ! -e two.json.runs ] || failed "record leaves its list of programs"
  huddle record --recorder "$library" -o two.json -- sh -c 'echo "3 /bin/a" >>two.json.runs; exit 139'
  [ "$status:$(cat err)" = "139:huddle: no profile was written to two.json: a (3 ranks) began with the recorder, and ended without MPI_Finalize in the first two seconds (a crash, _exit, or an error that MPI ended it for)" ] ||
    failed "record of a program that crashes says $(cat err)"
  huddle record --recorder "$library" -o one.json -- sh -c 'echo "3 /bin/a" >>one.json.runs; echo >one.json; kill -INT $PPID; sleep 0.1; exit 130'
  [ "$status:$(cat err)" = "130:huddle: interrupted: what was recorded up to then is in one.json (a, 3 ranks)" ] || failed "record that is interrupted says $(cat err)"
  refuses 2 "--output no/such/p.json: nothing can be written there: ..." record --recorder "$library" -o no/such/p.json -- touch started
  [ ! -e started ] || failed "record starts a program whose profile can't be written"
  refuses 2 "--output $work: it is a folder" record --recorder "$library" -o "$work" -- touch started

  # Its last lines, which --quiet leaves out, and which don't change the status.
  cp "$profile" left.json
  same_as() { # EXPECTED-LINES, of err
    [ "$status:$(cat err)" = "$1" ] || failed "record says of a run's efficiency: $status: $(cat err)"
  }
  huddle record --recorder "$library" -o run.json -- sh -c 'cat left.json >run.json; exit 3'
  same_as "3:huddle: pairs, 8 ranks on 8 nodes, 10.5 s
huddle: parallel efficiency 81.0 % = load balance 100.0 % x communication 81.0 %
huddle: ranks 0 and 4 talk most: 100.0 MiB of 401.5 MiB; 3 other pairs do as much
huddle: next, what is waiting and what transfer: huddle record --trace --recorder $library -o run.json -- sh -c 'cat left.json >run.json; exit 3'"
  rm run.json
  # As a shell has to read it; and where many pairs have as much, no pair is named.
  jq -c '.rank_records[] |= . + {sent: {receiver: [range(8)], size_class: [range(8) | 11], messages: [range(8) | 1], bytes: [range(8) | 1024]}}' left.json >all.json
  huddle record --recorder "$library" -o "a b.json" -- sh -c "cat all.json >'a b.json'"
  grep -qx 'huddle: 28 pairs of ranks talk most, 2.0 KiB each of 56.0 KiB' err || failed "record of pairs that are alike says $(cat err)"
  grep -qF "record --trace --recorder $library -o 'a b.json' -- sh -c 'cat all.json >'\\''a b.json'\\'''" err || failed "record does not quote: $(cat err)"
  rm "a b.json"
  huddle record -q --recorder "$library" -o run.json -- sh -c 'cat left.json >run.json'
  same_as "0:"
  rm run.json
  jq -c '.complete = false | .cut_short_reason = "x" | .rank_records[].node_energy = [{meter: "node", energy_j: 2100}]
    | .rank_records[] |= . + {events: ["instructions", "cycles", "cache-misses"], event_totals: [3e9, 2e9, 1e8]}
    | .counters = {measured: true}' left.json >counted.json
  huddle record --recorder "$library" -o run.json -- sh -c 'cat counted.json >run.json'
  grep -qx 'huddle: pairs, 8 ranks on 8 nodes, 10.5 s, cut short' err || failed "record of a run that was cut short says $(cat err)"
  grep -qx 'huddle: energy 1.68e+04 J (1.6e+03 W), 1.50 instructions per cycle, 4.88 GB/s from memory, by misses of the last cache' err ||
    failed "record of a metered run says $(cat err)"
  huddle record --recorder "$library" -o many.json -- \
    sh -c 'echo "8 /bin/a" >>many.json.runs; cat left.json >many.json; echo "8 /bin/a" >>many.json.runs; cat left.json >many-2.json'
  same_as "0:huddle: 2 profiles: many.json (a, 8 ranks), many-2.json (a, 8 ranks)
huddle: many.json: pairs, 8 ranks on 8 nodes, 10.5 s, parallel efficiency 81.0 % = load balance 100.0 % x communication 81.0 %
huddle: many-2.json: pairs, 8 ranks on 8 nodes, 10.5 s, parallel efficiency 81.0 % = load balance 100.0 % x communication 81.0 %
huddle: next, of each of them: huddle show FILE"

  # The variables that make the recorder trace, and folders that a trace can't have.
  huddle record --recorder "$library" --trace=here -- sh -c 'echo "$HUDDLE_TRACE"'
  [ "$(cat out)" = "$work/here" ] || failed "record --trace=here sets $(cat out)"
  grep -qF "huddle: no trace was written to here" err || failed "record --trace says $(cat err)"
  mkdir a
  huddle record --recorder "$library" --trace -o a/run.cbor -- sh -c 'echo "$HUDDLE_TRACE"; mkdir -p a/run.trace; touch a/run.trace/traces.otf2'
  [ "$(cat out)" = "$work/a/run.trace" ] || failed "record --trace sets $(cat out)"
  grep -qF "huddle: the trace is a/run.trace; where ranks waited, says: huddle waitstates a/run.trace" err ||
    failed "record --trace says $(cat err)"
  refuses 1 "can't make the folder a/run.trace: it exists and is not empty; remove it, or name another one" \
    record --recorder "$library" --trace -o a/run.cbor -- true

  # Runs that choose within themselves. The library that is preloaded beside the recorder is the same file here.
  mkdir with
  ln -s "$library" with/recorder.so
  ln -s "$library" with/libhuddle_exec.so
  jq '.power = {idle_node_w: 50, off_node_w: 0, package_w: 30, die_w: 8, core_w: 20, origin: "given"}' "$machine" >power.json
  local pack=(record --recorder with/recorder.so --threads pack)
  sets_choice "0.05 energy $work/power.json" "${pack[@]}" --choose power.json
  export HUDDLE_CHOOSE="0.1 energy /of/the/environment.json" HUDDLE_CHOOSER=3:4
  sets_choice "$HUDDLE_CHOOSE of 3:4" "${pack[@]}"
  sets_choice "" "${pack[@]}" --choose no
  sets_choice "0.05 energy $work/power.json" "${pack[@]}" --choose power.json
  unset HUDDLE_CHOOSE HUDDLE_CHOOSER
  refuses 1 "$machine has no power figures, by which a run could choose: add \"power\" or \"power_states\" to it (huddle-machine(1))" "${pack[@]}" --choose "$machine" -- true
  refuses 2 "--choose is for runs that try their teams on fewer cores: expected --threads pack with it" record --recorder with/recorder.so --choose no -- true
  refuses 2 "--teams and --choose exclude each other: one of them chooses" "${pack[@]}" --teams "bound 1;0 1000=1" --choose power.json -- true
  refuses 2 "huddle record: --slowdown is gone: ..." "${pack[@]}" --choose power.json --slowdown 3% -- true
}

sets_choice() { # EXPECTED ARGUMENT...
  local expected=$1
  shift
  LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0 huddle "$@" -- sh -c 'echo "$HUDDLE_CHOOSE${HUDDLE_CHOOSER+ of $HUDDLE_CHOOSER}"'
  [ "$(cat out)" = "$expected" ] || failed "$* sets $(cat out), expected $expected: $(cat err)"
}
