#!/usr/bin/env bash
# The energy daemon of the installed package, started by its unit under a systemd of its own, can be asked by users, and what it
# leaves can be read. usage: energyd_service_test.sh BUILD, after make_packages BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || { echo "needs root for a layer of file systems"; exit 77; }
[ -x /lib/systemd/systemd ] || { echo "there is no systemd here"; exit 77; }
groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ -n "$groups" ] || { echo "there are no cgroups of version 2 here, which systemd needs for itself"; exit 77; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/huddle-service-XXXXXX")
group=$groups/$(basename "$scratch")
mkdir "$group"
end() {
  find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
  rm -rf "$scratch"
  [ ! -d "$group" ] || { echo "$group can't be removed"; exit 1; }
}
trap end EXIT
said=$build/energyd_service.log
: >"$said"
status=0
(
  echo $BASHPID >"$group/cgroup.procs"
  exec unshare --mount --pid --fork --kill-child=KILL -- "$here/in_a_layer" "$scratch" "$build" \
    "$here/boot_systemd" "$group" "$said" "$here/try_energyd_service" "$build"
) || status=$?
cat "$said"
exit $status
