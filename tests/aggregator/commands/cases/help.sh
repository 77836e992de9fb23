# Sourced by ../cli_test.sh, whose words it uses.

case_help() {
  local command words option
  for command in clocks doctor emit explain forecast forecast-collect help import machine machine-calibrate map plan policy recommend record report setup show study threads train waitstates; do
    words=(${command//-/ })
    huddle "${words[@]}" --help
    [ "$status" -eq 0 ] || failed "huddle $command --help: status $status"
    [ ! -s err ] || failed "huddle $command --help: $(cat err)"
    awk -v command="$command" 'length > 100 { print "huddle " command " --help: too long: " $0; bad = 1 } END { exit bad }' out ||
      failed "lines of huddle $command --help are longer than 100 columns"
    ! grep -qE 'UINT|TEXT|FLOAT' out || failed "huddle $command --help has words of its parser: $(cat out)"
    if LC_ALL=C grep -q '[^[:print:][:space:]]' out; then failed "huddle $command --help: unprintable characters"; fi
    while read -r option; do
      grep -qE -- "^  (.*, )?$option([ ,]|\$)" out || failed "huddle $command --help says nothing of $option"
    done <"$golden/$command/options.txt"
    # And the other way round: every option that it shows is in the list, so that the list stays whole.
    while read -r option; do
      grep -qxF -- "$option" "$golden/$command/options.txt" || failed "tests/golden/$command/options.txt lacks $option"
    done < <(grep -oE '^  (-[a-z], )?--[a-z0-9-]+' out | grep -oE -- '--[a-z0-9-]+')
    # Its examples use options that there are, of the command or of one below it. The value of --size-argument is an option
    # of a user's program.
    while read -r option; do
      cat "$golden/$command/options.txt" "$golden/$command"-*/options.txt 2>/dev/null | grep -qxF -- "$option" ||
        failed "an example of huddle $command --help uses $option, which there is not"
    done < <(sed -n '/^Examples:/,$p' out | sed 's/ -- .*//; s/--size-argument --[a-z]*/--size-argument/' | grep "^  huddle ${words[*]} " | grep -oE -- ' --[a-z0-9-]+' | tr -d ' ')
  done
  huddle --help
  [ "$status" -eq 0 ] || failed "huddle --help: status $status"
  for command in clocks doctor emit explain forecast help import machine map plan policy recommend record report setup show study threads train waitstates; do
    grep -qE "^  $command +" out || failed "huddle --help says nothing of $command"
  done
  huddle help plan
  [ "$status" -eq 0 ] && [ "$(sed -n 1p out)" = "usage: huddle plan [OPTION...]" ] || failed "huddle help plan: $(cat out)"
  huddle help forecast collect
  grep -q '^usage: huddle forecast collect ' out || failed "huddle help forecast collect: $(cat out)"
  huddle
  [ "$status" -eq 0 ] && [ "$(wc -l <out)" -le 10 ] || failed "bare huddle: status $status, $(cat out)"
  huddle version
  [ "$status:$(cat out)" = "0:huddle $HUDDLE_VERSION" ] || failed "huddle version: $(cat out)"
  huddle --version
  [ "$status:$(cat out)" = "0:huddle $HUDDLE_VERSION" ] || failed "huddle --version: $(cat out)"
}
