#!/usr/bin/env bash
# The RPM packages hold what they should, ask for what they need, and can be installed, upgraded and erased, in a layer over this
# machine's files, which is discarded. There is no distribution of RPM here: what its packages are called is not tried.
# usage: rpm_packages_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
command -v rpmbuild >/dev/null || { echo "rpmbuild is missing (rpm)"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "needs root for a layer of file systems"; exit 77; }
grep -qx 'CMAKE_INSTALL_PREFIX:PATH=/usr' "$build/CMakeCache.txt" || { echo "$build is not for /usr: cmake --preset again"; exit 1; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/huddle-rpms-XXXXXX")
trap 'rm -rf "$scratch" "$build/rpms"' EXIT
failures=0
case_begins() { echo "- $1"; }
fail() { failures=$((failures + 1)); printf '  FAILED: %s\n' "$*"; }

case_begins "cpack makes three packages, without a warning"
rm -rf "$build/rpms"
# Packages that nobody keeps need not be small.
said=$(cd "$build" && cpack -G RPM -D CPACK_RPM_COMPRESSION_TYPE=gzip -B "$build/rpms" 2>&1) || { echo "$said"; exit 1; }
rm -rf "$build/rpms/_CPack_Packages"
! grep -i -A 2 warning <<<"$said" || fail "cpack warns"
packages=("$build"/rpms/*.rpm)
[ "${#packages[@]}" -eq 3 ] || fail "expected 3 packages, found: ${packages[*]}"

file() { echo "$build/rpms/$1"-[0-9]*.rpm; }
ask() { rpm --query --package "${@:2}" $(file "$1"); } # NAME OPTION...
field() { ask "$1" --queryformat "%{$2}"; }
requires() { ask "$1" --requires | grep -xF -- "$2" >/dev/null || fail "$1 does not require $2, but $(ask "$1" --requires | xargs)"; }
holds() { # NAME MODE PATTERN   a file or folder of that mode
  ask "$1" --list --verbose >"$scratch/contents"
  grep -qE "^$2 .* root +root .* $3\$" "$scratch/contents" || fail "$1 lacks $3 as $2"
}
libraries=/usr/$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' "$build/CMakeCache.txt")

case_begins "they say what they are, in the words of the Debian packages"
version=$(sed -nE 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
for name in huddle huddle-mpi-programs huddle-slurm-plugin; do
  [ "$(field $name NAME)" = $name ] || fail "$name is called $(field $name NAME)"
  [ "$(field $name VERSION)" = "$version" ] || fail "$name: version $(field $name VERSION)"
  [ "$(field $name LICENSE)" = Apache-2.0 ] || fail "$name: licence $(field $name LICENSE)"
  [[ $(field $name SUMMARY) =~ ^[A-Z].{20,70}[^.]$ ]] || fail "$name: summary $(field $name SUMMARY)"
  [ "$(field $name DESCRIPTION | wc -l)" -ge 2 ] || fail "$name: description $(field $name DESCRIPTION)"
  deb=("$build/packages/${name}"_*.deb)
  if [ -e "${deb[0]}" ]; then
    short=$(dpkg-deb --field "${deb[0]}" Description | sed -n 1p)
    [ "$(field $name SUMMARY)" = "${short^}" ] || fail "$name: $(field $name SUMMARY), and in Debian's package $short"
  fi
  ! ask $name --changelog | grep -i cpack || fail "$name has a changelog of CPack's"
  [[ $(ask $name --changelog | sed -n 1p) == *" - $version-1" ]] || fail "$name: changelog $(ask $name --changelog)"
  ask $name --licensefiles | grep "/$name/copyright\$" >/dev/null || fail "$name does not mark its licence"
  [ "$(field $name PREFIXES)" = "(none)" ] || fail "$name says that it can be put elsewhere"
done

case_begins "they require what they need"
release=$(field huddle VERSION)-$(field huddle RELEASE)
requires huddle /usr/bin/systemd-sysusers
for library in libhwloc.so.15 libmetis.so.5; do requires huddle "$library()(64bit)"; done
for name in huddle-mpi-programs huddle-slurm-plugin; do requires $name "huddle = $release"; done
slurm=$(slurmd -V | sed 's/.* //')
requires huddle-slurm-plugin "slurm >= ${slurm%.*}"
ask huddle-slurm-plugin --requires | grep -E '^slurm < [0-9]+\.[0-9]{2}$' >/dev/null || fail "the plugin is not tied to its Slurm"
ask huddle --suggests | grep -x "huddle-slurm-plugin = $release" >/dev/null || fail "huddle suggests $(ask huddle --suggests | xargs)"
for name in huddle huddle-mpi-programs huddle-slurm-plugin; do
  ! ask $name --requires | grep -E '^lib(mpi|mpich|open)' || fail "$name requires an MPI, which no package provides under that name"
  [ "$(ask $name --provides | grep -vc "^$name")" -eq 0 ] || fail "$name provides $(ask $name --provides | xargs)"
done

case_begins "they hold the right files"
holds huddle -rwxr-xr-x /usr/bin/huddle
for name in libhuddle_recorder libhuddle_exec libhuddle_launcher mca_schizo_huddle; do holds huddle -rw-r--r-- "$libraries/huddle/$name.so"; done
for name in huddle_clocks huddle_courier huddle_chooser; do holds huddle -rwxr-xr-x "$libraries/huddle/$name"; done
holds huddle -rwxr-xr-x /usr/sbin/huddle-energyd
holds huddle -rw-r--r-- /usr/lib/systemd/system/huddle-energyd.service
holds huddle -rw-r--r-- /usr/lib/sysusers.d/huddle-energyd.conf
holds huddle -rw-r--r-- /usr/share/man/man1/huddle-doctor.1.gz
holds huddle -rw-r--r-- /usr/share/doc/huddle/examples/huddle.toml
holds huddle -rw-r--r-- /usr/share/licenses/huddle/LICENSE
holds huddle-mpi-programs -rwxr-xr-x "$libraries/huddle/huddle_training_kernels"
holds huddle-slurm-plugin -rw-r--r-- '/usr/lib/.*/spank_huddle.so'
holds huddle-slurm-plugin drwx------ /var/lib/huddle
[ "$(ask huddle-slurm-plugin --configfiles)" = /etc/slurm/plugstack.conf.d/huddle.conf ] ||
  fail "configuration of the plugin: $(ask huddle-slurm-plugin --configfiles)"
# 16: what the site wrote is kept at an upgrade.
flags=$(ask huddle-slurm-plugin --queryformat '[%{FILEFLAGS} %{FILENAMES}\n]' | sed -n 's/ .*huddle\.conf$//p')
[ $((flags & 16)) -ne 0 ] || fail "an upgrade would replace plugstack.conf.d/huddle.conf"
for folder in /etc/slurm /usr/bin /usr/share/man/man1 /usr/lib/systemd/system "$libraries" /var/lib /usr/lib/.build-id; do
  for name in huddle huddle-mpi-programs huddle-slurm-plugin; do
    ! ask $name --list | grep -x "$folder" || fail "$name has $folder, which belongs to others"
  done
done

case_begins "their scriptlets are scripts of sh"
for name in huddle huddle-slurm-plugin; do
  for time in PREIN POSTIN PREUN POSTUN; do
    field $name $time >"$scratch/$name.$time"
    sh -n "$scratch/$name.$time" || fail "$name: $time"
  done
done

case_begins "they can be installed, upgraded, and erased"
unshare --mount --pid --fork --kill-child=KILL -- "$here/in_a_layer" "$scratch" "$build" "$here/try_rpms" "${packages[@]}" ||
  fail "see above"

[ "$failures" -eq 0 ] || { echo "$failures expectation(s) failed"; exit 1; }
echo "all as expected"
