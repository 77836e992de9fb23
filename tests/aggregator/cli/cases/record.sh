# Sourced by ../cli_test.sh, whose words it uses.

case_record() {
  local library
  library=$(ldd "$(command -v sh)" | awk '/libc\.so/ { print $3; exit }') # in every process anyway
  [ -n "$library" ] || failed "no C library found to preload"
  huddle record --recorder "$library" -o here.json -- sh -c 'echo "$LD_PRELOAD $HUDDLE_PROFILE"; exit 5'
  [ "$status" -eq 5 ] || failed "record gives status $status instead of the command's"
  [ "$(cat out)" = "$library $work/here.json" ] || failed "record sets $(cat out)"
  # A sanitizer's runtime wants to be the first library of its own programs.
  LD_PRELOAD=$library ASAN_OPTIONS=verify_asan_link_order=0 huddle record --recorder "$library" -- sh -c 'echo "$LD_PRELOAD $HUDDLE_PROFILE"'
  [ "$(cat out)" = "$library $work/profile.json" ] || failed "record sets $(cat out)"
  refuses 1 "can't read the recorder /no/recorder.so: install it, or name it by --recorder" \
    record --recorder /no/recorder.so -- true
  refuses 1 "can't start no-such-program: No such file or directory" record --recorder "$library" -- no-such-program
  refuses 2 "COMMAND is required..." record --recorder "$library"
}
