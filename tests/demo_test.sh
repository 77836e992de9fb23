#!/bin/bash
# tests/demo builds only its own target, which must hold everything that the packages install: otherwise the demo works in a
# tree that was built whole, and not on a fresh machine.
#
#   tests/demo_test.sh BUILD
set -euo pipefail
build=$(realpath "$1")
built=$(ninja -C "$build" -t query tests/demo)
names=$(cd "$build" && find . -name cmake_install.cmake -not -path '*/charm/*' -exec grep -hoE "FILES \"$build/(bin|lib)/[^\"]*\"" {} + |
  sed -E "s#^FILES \"$build/##; s/\"\$//" | sort -u)
[ "$(wc -l <<<"$names")" -ge 10 ] || { echo "this test does not find what is installed: $names"; exit 1; }
missing=''
while read -r name; do
  grep -qxF "    $name" <<<"$built" || missing+=" $name"
done <<<"$names"
[ -z "$missing" ] || { echo "the target demo does not build:$missing"; exit 1; }
