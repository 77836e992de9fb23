#!/usr/bin/env bash
# A file for Cube of a report with odd names, read by a reader of its own.
#
#   cubex_file_test.sh MADE_UP_CUBEX
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder/odd.cubex" >"$folder/odd.json"
"$here/check_cubex.py" "$folder/odd.cubex" "$folder/odd.json"
"$1" "$folder/again.cubex" >"$folder/again.json"
cmp "$folder/odd.cubex" "$folder/again.cubex"

# The reader sees it if a value is another.
python3 - "$folder/odd.cubex" "$folder/wrong.cubex" <<'END'
import io, sys, tarfile
with tarfile.open(sys.argv[1]) as old, tarfile.open(sys.argv[2], "w") as new:
    for member in old.getmembers():
        data = bytearray(old.extractfile(member).read())
        if member.name == "6.data":  # waiting
            data[-1] ^= 0x40
        new.addfile(member, io.BytesIO(bytes(data)))
END
if "$here/check_cubex.py" "$folder/wrong.cubex" "$folder/odd.json" 2>"$folder/said"; then
  echo "FAILED: the reader does not see a value that is wrong" >&2
  exit 1
fi
grep -q "^FAILED: waiting of" "$folder/said"
