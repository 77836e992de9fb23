#!/bin/bash
# tests/demo builds only its own target, which must hold everything that a test site installs: otherwise the demo works in a
# tree that was built whole, and not on a fresh machine.
#
#   tests/demo_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
built=$(ninja -C "$1" -t query tests/demo)
# What start_site copies out of the build for the command and the plugin: names, with {a,b} and * as the shell has them.
names=$(sed -n '/install -m 0755 "$build/,/"$shared\/huddle"$/p' "$here/spank_plugin/site.sh" |
  grep -o '\$build"\?/[^" ]*' | sed -E 's#^\$build"?/##')
[ "$(wc -l <<<"$names")" -ge 4 ] || { echo "site.sh installs nothing that this test finds: $names"; exit 1; }
missing=''
while read -r name; do
  for file in $(cd "$1" && eval "echo $name"); do
    # A recorder for MPICH is not part of the demo, and of the programs it takes those that are there.
    [[ $file == *libhuddle_recorder_* || $file == programs/* ]] || grep -qxF "    $file" <<<"$built" || missing+=" $file"
  done
done <<<"$names"
[ -z "$missing" ] || { echo "the target demo does not build:$missing"; exit 1; }
