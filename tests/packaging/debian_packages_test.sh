#!/usr/bin/env bash
# The Debian packages hold what they should, can be installed, work on a cluster, and leave nothing when they are purged.
# They are installed into a layer over this machine's files, which is discarded: the machine is not changed.
# usage: debian_packages_test.sh BUILD, after make_packages BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || { echo "needs root for a layer of file systems"; exit 77; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/huddle-packages-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0
case_begins() { echo "- $1"; }
fail() { failures=$((failures + 1)); printf '  FAILED: %s\n' "$*"; }

case_begins "there are three packages"
packages=("$build"/packages/*.deb)
[ "${#packages[@]}" -eq 3 ] || fail "expected 3 packages, found: ${packages[*]}"

package() { # NAME   prints its file
  local file
  for file in "${packages[@]}"; do [[ $(basename "$file") != "$1"_* ]] || echo "$file"; done
}
field() { dpkg-deb --field "$(package "$1")" "$2"; }
holds() { # NAME MODE PATTERN   a file or folder of that mode
  dpkg-deb --contents "$(package "$1")" >"$scratch/contents"
  grep -qE "^$2 root/root .* \./$3\$" "$scratch/contents" || fail "$1 lacks $3 as $2"
}

case_begins "they have a description and dependencies"
for name in huddle huddle-mpi-programs huddle-slurm-plugin; do
  [ "$(field $name Package)" = $name ] || fail "$name is called $(field $name Package)"
  [[ $(field $name Version) =~ ^[0-9]+\.[0-9]+\.[0-9]+-[0-9]+$ ]] || fail "$name: version $(field $name Version)"
  [[ $(field $name Maintainer) =~ ^.+\ \<.+@.+\>$ ]] || fail "$name: maintainer $(field $name Maintainer)"
  [ "$(field $name Description | head -n 1 | wc -c)" -le 81 ] || fail "$name: a long description"
  holds $name -rw-r--r-- "usr/share/doc/$name/copyright"
  holds $name -rw-r--r-- "usr/share/doc/$name/changelog.Debian.gz"
  ! grep -vE '^[-d][rwx-]{9} root/root ' "$scratch/contents" || fail "$name: not all is root's"
done
for library in libhwloc15 libmetis5; do [[ $(field huddle Depends) == *$library* ]] || fail "huddle does not depend on $library"; done
[[ $(field huddle Depends) != *mpi* ]] || fail "huddle depends on an MPI"
[[ $(field huddle-mpi-programs Depends) == *libopenmpi[0-9]* ]] || fail "huddle-mpi-programs does not depend on Open MPI"
tied='slurm-wlm-basic-plugins \(>= [0-9.]+\), slurm-wlm-basic-plugins \(<< [0-9.]+~\)'
[[ $(field huddle-slurm-plugin Depends) =~ $tied ]] ||
  fail "the plugin is not tied to its Slurm: $(field huddle-slurm-plugin Depends)"
[[ $(field huddle-slurm-plugin Depends) == "huddle (= "* ]] || fail "the plugin is not tied to its command"

case_begins "lintian finds no errors in them"
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error "${packages[@]}" >"$scratch/lintian" 2>&1 || fail "$(grep '^E:' "$scratch/lintian")"
else
  echo "  lintian is not installed: not tried"
fi

case_begins "they hold the right files"
holds huddle -rwxr-xr-x usr/bin/huddle
holds huddle -rw-r--r-- 'usr/lib/.*/huddle/libhuddle_recorder.so'
holds huddle -rw-r--r-- 'usr/lib/.*/huddle/mca_schizo_huddle.so'
holds huddle -rw-r--r-- 'usr/lib/.*/huddle/libhuddle_exec.so'
holds huddle -rw-r--r-- 'usr/lib/.*/huddle/libhuddle_launcher.so'
holds huddle -rwxr-xr-x 'usr/lib/.*/huddle/huddle_clocks'
holds huddle -rwxr-xr-x 'usr/lib/.*/huddle/huddle_courier'
holds huddle -rwxr-xr-x 'usr/lib/.*/huddle/huddle_chooser'
holds huddle -rwxr-xr-x usr/sbin/huddle-energyd
holds huddle -rw-r--r-- usr/lib/systemd/system/huddle-energyd.service
holds huddle -rw-r--r-- usr/lib/sysusers.d/huddle-energyd.conf
holds huddle -rw-r--r-- usr/share/man/man8/huddle-energyd.8.gz
holds huddle -rw-r--r-- usr/share/man/man1/huddle-doctor.1.gz
holds huddle -rw-r--r-- usr/share/man/man8/spank_huddle.8.gz
holds huddle -rw-r--r-- usr/share/doc/huddle/examples/huddle.toml
holds huddle-mpi-programs -rwxr-xr-x 'usr/lib/.*/huddle/huddle_training_kernels'
holds huddle-slurm-plugin -rw-r--r-- 'usr/lib/.*/slurm-wlm/spank_huddle.so'
holds huddle-slurm-plugin -rw-r--r-- etc/slurm/plugstack.conf.d/huddle.conf
holds huddle-slurm-plugin drwx------ var/lib/huddle/
! grep -q 'etc/slurm/huddle.toml' "$scratch/contents" || fail "a policy would be installed over the site's"
dpkg-deb --control "$(package huddle-slurm-plugin)" "$scratch/control"
[ "$(cat "$scratch/control/conffiles")" = /etc/slurm/plugstack.conf.d/huddle.conf ] || fail "plugstack.conf.d/huddle.conf is no conffile"

case_begins "they can be installed, used and purged"
unshare --mount --pid --fork --kill-child=KILL -- "$here/in_a_layer" "$scratch" "$build" "$here/try_packages" "${packages[@]}" ||
  fail "see above"

[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
echo "all as expected"
