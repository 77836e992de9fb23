#!/usr/bin/env bash
# Runs the huddle command (HUDDLE) on fixtures and compares what it prints with tests/golden/<subcommand>/.
#
#   cli_test.sh CASE          a case is a file of cases/: a subcommand, "help" or "errors"
#   UPDATE=1 cli_test.sh CASE writes the golden files instead: look at the difference before it is committed
set -u
tests=$(cd "$(dirname "$0")/../.." && pwd)
golden=$tests/golden
profile=$tests/fixtures/profiles/eight-ranks-in-pairs.json
machine=$tests/fixtures/machines/package2-die2-core2.json
frequencies=$tests/fixtures/machines/package2-die2-core2-frequencies.json
graph=$tests/fixtures/graphs/eight-vertices-in-pairs.graph
# Neither the language nor the time zone of whoever runs this may matter.
export LC_ALL=C TZ=Asia/Kathmandu
unset LD_PRELOAD HWLOC_SYNTHETIC HWLOC_XMLFILE COLUMNS
work=$(mktemp -d)
. "$tests/aggregator/training_profile.sh"
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

failed() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# huddle ARGUMENT... -> files out and err, variable status; what it says, it says once
huddle() {
  status=0
  "$HUDDLE" "$@" >out 2>err </dev/null || status=$?
  local twice
  twice=$(PATH=/usr/bin:/bin; sort <(sed 's/^huddle: //' err) <(grep -Fxf <(sed 's/^huddle: //' err | sort -u) out) | uniq -d)
  [ -z "$twice" ] || failed "huddle $*: says twice: $twice"
}

# same FILE GOLDEN
same() {
  if [ -n "${UPDATE:-}" ]; then
    mkdir -p "$(dirname "$golden/$2")" && cp "$1" "$golden/$2"
  else
    diff -u "$golden/$2" "$1" >&2 || failed "differs from tests/golden/$2"
  fi
}

# prints GOLDEN ARGUMENT...: it succeeds, and prints what the golden file holds; and fits, if that is text
prints() {
  local expected=$1
  shift
  huddle "$@"
  [ "$status" -eq 0 ] || failed "huddle $*: status $status: $(cat err)"
  same out "$expected"
  [[ $expected != *.txt ]] || fits "$@"
}

# fits ARGUMENT...: where 60 or 80 columns are asked for, no row of a table is wider: no line of three cells or more
fits() {
  local width
  for width in 60 80; do
    COLUMNS=$width "$HUDDLE" "$@" >narrow 2>/dev/null </dev/null
    awk -v width=$width '{ cells = $0; sub(/^ +/, "", cells) } length > width && gsub(/   *[^ ]/, "&", cells) > 1' narrow >wide
    [ ! -s wide ] || failed "huddle $* is wider than $width columns: $(cat wide)"
  done
}

# refuses STATUS MESSAGE ARGUMENT...: one line on standard error that is or begins with the message ("..." at its end),
# nothing on standard output
refuses() {
  local expected=$1 message=$2 found
  shift 2
  huddle "$@"
  found=$(cat err)
  [ "$status" -eq "$expected" ] || failed "huddle $*: status $status, expected $expected"
  [ ! -s out ] || failed "huddle $*: printed $(cat out)"
  [ "$(wc -l <err)" -eq 1 ] || failed "huddle $*: not one line: $found"
  case $message in
    *...) [[ $found == "huddle: ${message%...}"* ]] || failed "huddle $*: $found" ;;
    *) [ "$found" = "huddle: $message" ] || failed "huddle $*: $found" ;;
  esac
}

case=${1:?which case}
. "$tests/aggregator/commands/cases/$case.sh"
"case_$case"
[ "$failures" -eq 0 ] || echo "$failures check(s) failed" >&2
exit $((failures > 0))
