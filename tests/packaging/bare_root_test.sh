#!/usr/bin/env bash
# The packages say all that they need: apt installs them on a root with nothing but Debian's essential packages, and what is in
# them runs there. usage: bare_root_test.sh BUILD, after make_packages BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ "$1" != inside ]; then
  build=$(realpath "$1")
  [ "$(id -u)" -eq 0 ] || { echo "needs root for a root of its own"; exit 77; }
  tree=$(cd "$here/../.." && pwd)
  [[ $build == "$tree"/* ]] || { echo "$build is not in $tree, where the other root would see it"; exit 77; }
  release=$(. /etc/os-release && echo "${VERSION_ID-}")
  "$tree/tests/on_debian" --bare "$release" true || { echo "no Debian $release is to be had"; exit 77; }
  exec "$tree/tests/on_debian" --bare "$release" "$here/bare_root_test.sh" inside "$build"
fi
build=$2
export DEBIAN_FRONTEND=noninteractive
failures=0
fail() { failures=$((failures + 1)); printf '  FAILED: %s\n' "$*"; }
apt_says() { apt-get -qq "$@" >/tmp/said 2>&1 || { tail -n 20 /tmp/said; exit 1; }; }

echo "- apt installs them, with what they need"
apt_says update
cp "$build"/packages/*.deb /tmp
apt_says install --yes --no-install-recommends /tmp/huddle_*.deb /tmp/huddle-slurm-plugin_*.deb /tmp/huddle-mpi-programs_*.deb

echo "- every program and library finds its libraries"
found=0
while read -r file; do
  missing=$(ldd "$file" 2>&1 | grep 'not found' || true)
  [ -z "$missing" ] || fail "$file: $missing"
  found=$((found + 1))
done < <(dpkg -L huddle huddle-slurm-plugin huddle-mpi-programs | sort -u | while read -r path; do
  [ ! -f "$path" ] || [ "$(head -c 4 "$path" | tr -d '\0')" != $'\x7fELF' ] || echo "$path"
done)
[ "$found" -ge 12 ] || fail "only $found programs and libraries were found"

echo "- the commands start"
for command in "huddle --version" "huddle-energyd --version" "huddle --help" "srun-aggregate --help"; do
  $command >/tmp/said 2>&1 || fail "$command: $(cat /tmp/said)"
done
huddle machine --topology "package:2 core:4 pu:1" --nodes 2 --output /tmp/machine.json >/tmp/said 2>&1 || fail "huddle machine: $(cat /tmp/said)"

echo "- setup makes a policy by which the doctor finds what there is"
mkdir -p /etc/slurm /shared
huddle setup --store /shared/huddle --topology "package:2 core:4 pu:1" --nodes 2 >/tmp/said 2>&1 || true
[ -s /etc/slurm/huddle.toml ] || fail "setup wrote no policy: $(cat /tmp/said)"
huddle doctor >/tmp/said 2>&1 || true
for check in policy planner openmpi machine; do
  grep -qE "^ok +$check " /tmp/said || fail "the doctor says of $check: $(grep -E "^[a-z]+ +$check " /tmp/said || cat /tmp/said)"
done

echo "- they go as they came"
rm -r /etc/slurm/huddle*.toml /etc/slurm/huddle*.json /tmp/*.deb
apt_says purge --yes huddle huddle-slurm-plugin huddle-mpi-programs
left=$(find / -xdev -iname '*huddle*' -not -path "$here/*" -not -path '/proc/*' -not -path '/shared/*' 2>/dev/null | head)
[ -z "$left" ] || fail "purging leaves $left"
[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
echo "all as expected"
