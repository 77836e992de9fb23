#!/usr/bin/env bash
# `cmake --install` puts files where Debian and Slurm look for them, and they work from there.
# usage: installed_test.sh BUILD
set -euo pipefail
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
DESTDIR=$stage cmake --install "$1" --prefix /usr >/dev/null
[ "$(ls "$stage")" = usr ] || { echo "installed outside of the prefix: $(ls "$stage")"; exit 1; }
DESTDIR=$stage cmake --install "$1" --component slurm-site >/dev/null
library=$(cd "$stage" && find usr -name spank_huddle.so -printf '%h\n' | sed 's#/slurm-wlm$##') # lib, or Debian's lib/<triplet>

status=0
for file in usr/bin/huddle "$library/slurm-wlm/spank_huddle.so" "$library/huddle/libhuddle_recorder.so" \
  "$library/huddle/libhuddle_recorder_mpich.so" "$library/huddle/mca_schizo_huddle.so" "$library/huddle/libhuddle_exec.so" "$library/huddle/libhuddle_launcher.so" \
  "$library/huddle/huddle_clocks" "$library/huddle/huddle_courier" "$library/huddle/huddle_chooser" "$library/huddle/huddle_calibration" \
  "$library/huddle/huddle_training_kernels" etc/slurm/plugstack.conf.d/huddle.conf usr/share/man/man1/huddle.1 usr/share/man/man1/huddle-import.1 usr/share/man/man5/huddle.toml.5; do
  [ -e "$stage/$file" ] || { echo "not installed: $file"; status=1; }
done
[ "$(stat -c %a "$stage/var/lib/huddle")" = 700 ] || { echo "the directory of journals is not its owner's alone"; status=1; }
[[ $("$stage/usr/bin/huddle" --version) =~ ^huddle\ [0-9.]+$ ]] || { echo "the installed huddle does not start"; status=1; }

# Under a prefix of anybody's: all of it is in there. A tarball of it can be unpacked anywhere, and runs from there without root.
cmake --install "$1" --prefix "$stage/prefix" >/dev/null
moved=$stage/anywhere
install -d "$moved"
tar -C "$stage/prefix" -c . | tar -C "$moved" -x
rm -rf "$stage/prefix"
chmod a+rx "$stage"
install -d -m 1777 "$stage/home"
anybody() { # COMMAND...
  (cd "$stage/home" && if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; else "$@"; fi)
}
anybody "$moved/bin/huddle" record --output profile.json -- true 2>"$stage/record.err" || true
! grep -q "can't read the recorder" "$stage/record.err" || { echo "huddle under another prefix: $(cat "$stage/record.err")"; status=1; }
anybody "$moved/bin/huddle" machine --topology "package:1 core:2 pu:1" --nodes 2 >"$stage/home/machine.json" 2>"$stage/machine.err" ||
  { echo "huddle under another prefix: $(cat "$stage/machine.err")"; status=1; }
tree=$(cd "$(dirname "$0")/../.." && pwd)
cp "$tree"/tests/fixtures/machines/package2-die2-core2.json "$tree"/tests/fixtures/profiles/eight-ranks-in-pairs.json "$stage/home"
chmod a+r "$stage"/home/*.json
anybody "$moved/bin/huddle" recommend --machine package2-die2-core2.json eight-ranks-in-pairs.json >"$stage/recommend.out" 2>&1 ||
  { echo "huddle recommend under another prefix: $(cat "$stage/recommend.out")"; status=1; }
[ -n "$(anybody "$moved/bin/srun-aggregate" --help)" ] || { echo "srun-aggregate under another prefix says nothing"; status=1; }

exported() { nm --dynamic --defined-only "$stage/$1" | awk '{print $3}' | sort; }
unexpected=$(exported "$library/slurm-wlm/spank_huddle.so" | grep -vxE 'plugin_(name|type|version)|spank_plugin_version|slurm_spank_[a-z_]+' || true)
[ -z "$unexpected" ] || { echo "the plugin shows Slurm more than its hooks: $unexpected"; status=1; }
recorders=(libhuddle_recorder.so libhuddle_recorder_mpich.so)
[ ! -e "$stage/$library/huddle/libhuddle_recorder_abi.so" ] || recorders+=(libhuddle_recorder_abi.so)
# Those by which programs see where their threads may run, and make others.
affinity='(sched|pthread)_[gs]etaffinity(_np)?|pthread_getattr_np|pthread_create|thrd_create|get_nprocs|sysconf|syscall|posix_spawnp?|vfork|popen|system'
for recorder in "${recorders[@]}"; do
  unexpected=$(exported "$library/huddle/$recorder" | grep -vE '^(P?MPI_|mpi_(init|init_thread|finalize)_$|huddle_behind_recorder$|GOMP_(parallel|teams_reg|(barrier|loop_end|sections_end)$)|__kmpc_(fork_(call|call_if|teams)|(end_)?(serialized_parallel|reduce)|(cancel_)?barrier|reduce_nowait|copyprivate|push_num_threads)$|ompt_start_tool$)' |
    grep -vxE "$affinity" || true)
  [ -z "$unexpected" ] || { echo "$recorder shows programs more than MPI, OpenMP's regions and masks of threads: $unexpected"; status=1; }
done
# A program may ask whether its MPI has a function: the recorder must not answer for a library that has none.
for pair in libhuddle_recorder.so=libmpi.so.40 libhuddle_recorder_mpich.so=libmpich.so.12 libhuddle_recorder_abi.so=libmpi_abi.so.1; do
  [ -e "$stage/$library/huddle/${pair%=*}" ] || continue
  mpi=$(ldconfig -p | awk -v name="${pair#*=}" '$1 == name && !found { print $NF; found = 1 }')
  [ -n "$mpi" ] || { echo "no ${pair#*=} is installed: not compared"; continue; }
  openmp=$(ldconfig -p | awk '$1 == "libgomp.so.1" && !found { print $NF; found = 1 }')
  llvm=$(ldconfig -p | awk '$1 == "libomp.so.5" && !found { print $NF; found = 1 }')
  llvm_is_missing=
  [ -n "$llvm" ] || llvm_is_missing='|__kmpc_.*'
  # ompt_start_tool is a tool's to have, not a runtime's; __kmpc_fork_call_if came with LLVM 16. Compilers call what begins with
  # "__kmpc_", and Fortran's mpi_..._: no program asks whether it is there. The recorders ask each other what is behind them.
  missing=$(comm -23 <(exported "$library/huddle/${pair%=*}" | grep -vxE "ompt_start_tool|__kmpc_fork_call_if|huddle_behind_recorder|mpi_[a-z_]+_|$affinity${llvm_is_missing}") \
    <(nm --dynamic --defined-only "$mpi" ${openmp:+"$openmp"} ${llvm:+"$llvm"} | awk 'NF > 2 { sub(/@.*/, "", $3); print $3 }' | sort -u))
  [ -z "$missing" ] || { echo "${pair%=*} has functions that $mpi lacks: $missing"; status=1; }
done

[ "$(exported "$library/huddle/mca_schizo_huddle.so")" = mca_schizo_huddle_component ] || { echo "Open MPI's component shows more than itself"; status=1; }

needed() { readelf --dynamic "$stage/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
for module in slurm-wlm/spank_huddle.so "${recorders[@]/#/huddle/}" huddle/mca_schizo_huddle.so huddle/libhuddle_exec.so huddle/libhuddle_launcher.so huddle/huddle_clocks huddle/huddle_courier; do
  unexpected=$(needed "$library/$module" | grep -vxE '(libc|libm)\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux-(x86-64|aarch64)\.so\.[12]' || true)
  [ -z "$unexpected" ] || { echo "$module brings libraries into others' processes: $unexpected"; status=1; }
done
# Linking a module leaves what it lacks to its host: a process of Slurm's would end when it first calls one of our functions that
# no library brought.
for module in "$stage/$library"/slurm-wlm/spank_huddle.so "$stage/$library"/huddle/*.so; do
  lacking=$(nm --dynamic --undefined-only --demangle "$module" | grep 'huddle::' || true)
  [ -z "$lacking" ] || { echo "$(basename "$module") lacks functions of ours: $lacking"; status=1; }
done
# A process of its own, which knows machines as huddle does.
unexpected=$(comm -23 <(needed "$library/huddle/huddle_chooser" | sort) <(needed usr/bin/huddle | sort))
[ -z "$unexpected" ] || { echo "huddle_chooser needs libraries that huddle does not: $unexpected"; status=1; }

# A process whose glibc lacks one of these versions ends when the loader comes upon the library. 2.17 is the oldest that is
# supported; profiles/older_glibc/older_glibc.c keeps to it.
for module in "${recorders[@]}" libhuddle_exec.so libhuddle_launcher.so mca_schizo_huddle.so; do
  newer=$(readelf --version-info --wide "$stage/$library/huddle/$module" | grep -oE 'Name: [A-Z]+_[A-Za-z0-9_.]+' | sed 's/Name: //' | sort -uV |
    awk -F'[_.]' '$1 != "GLIBC" || $2 != 2 || $3 > 17')
  [ -z "$newer" ] || { echo "$module needs a newer glibc than 2.17: $newer; add to older_glibc.c: $(readelf --dyn-syms --wide "$stage/$library/huddle/$module" |
    grep -F "$newer" | awk '{print $8}')"; status=1; }
done
exit $status
