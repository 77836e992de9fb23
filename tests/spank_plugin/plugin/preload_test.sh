#!/usr/bin/env bash
# The recorder is in ranks alone: a batch script and its tools see no LD_PRELOAD of ours, and programs that a preloaded library
# would harm run as without the option. What mpirun starts is recorded, and follows the plan, by mpirun's own means.
# usage: preload_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_in_steps=true
start_site "preload-$$" "$1"
tools=$shared/tools
# The nodes' CPUs are pretended by a library that is preloaded into all that runs on them, and a sanitizer minds that one, too.
# So it is told not to; whether Huddle's libraries are there is seen otherwise.
fake=${shared%/shared}/lib/libfake_affinity.so
export ASAN_OPTIONS=verify_asan_link_order=0
install -d "$tools"

# maps: prints "seen" if a library of Huddle's is in the process, which is all that it does.
cat >"$tools/maps.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char line[4096];
  const char* preloaded = getenv("LD_PRELOAD");
  int seen = preloaded != NULL && strstr(preloaded, "libhuddle") != NULL;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, "libhuddle") != NULL || strstr(line, "mca_schizo_huddle") != NULL) seen = 1;
  puts(seen ? "seen" : "clean");
  return 0;
}
C
cc=(gcc -O1)
"${cc[@]}" -o "$tools/maps" "$tools/maps.c"
"${cc[@]}" -fsanitize=address -o "$tools/maps_asan" "$tools/maps.c"
"${cc[@]}" -static -o "$tools/maps_static" "$tools/maps.c"
install -m 4755 "$tools/maps" "$tools/maps_suid"
install -m 0755 "$tools/maps" "$tools/apptainer"
printf '#!/bin/sh\nexec "$@"\n' >"$tools/wrapper"
cat >"$tools/busy_wrapper" <<SCRIPT
#!/bin/bash
echo "in wrapper: \$($tools/maps_asan) \$($tools/maps_static) \$($tools/apptainer) \$(python3 -c 'import subprocess; print(subprocess.getoutput("$tools/maps_asan"))')"
exec "\$@"
SCRIPT
chmod 0755 "$tools"/*wrapper
install -d "$tools/traced"
printf '#!/bin/sh\necho "mpirun'"'"'s srun has '"'"'${LD_PRELOAD#%s}'"'"'" >%s/mpiruns-srun\nexec /usr/bin/srun "$@"\n' "$fake" "$home" >"$tools/traced/srun"
chmod 0755 "$tools/traced/srun"
header=$'#!/bin/bash\n#SBATCH --nodes=8 --ntasks=16 --job-name=halo'
halo="$shared/programs/halo_exchange --iterations 40"

# Prints a script that shows what it and its tools get in each kind of job.
script_of_tools() {
  cat <<SCRIPT
$header
echo "script has '\${LD_PRELOAD#$fake}'"
echo "script maps \$(grep -cE 'libhuddle|mca_schizo_huddle' /proc/\$\$/maps)"
echo "tool is \$($tools/maps)"
echo "python has '\$(python3 -c 'import os; print(os.environ.get("LD_PRELOAD", "").removeprefix("$fake"))')'"
echo "sed says \$(echo fine | sed s/fine/good/)"
echo "sanitized is \$($tools/maps_asan)"
echo "static is \$($tools/maps_static)"
echo "privileged is \$($tools/maps_suid)"
$*
SCRIPT
}
expect_clean_script() {
  expect_in_output "^script has ''$"
  expect_in_output '^script maps 0$'
  expect_in_output '^tool is clean$'
  expect_in_output "^python has ''$"
  expect_in_output '^sed says good$'
  expect_in_output '^sanitized is clean$'
  expect_in_output '^static is clean$'
  expect_in_output '^privileged is clean$'
  expect_not_in_output 'ERROR: ld.so|AddressSanitizer|ASan runtime'
}

case_begins "in a measured job only the ranks have the recorder"
submit --energy-aggregate < <(script_of_tools "srun $halo --placement $home/placement")
expect_success; expect_one_line 'measured'; expect_profiles 1; expect_clean_script

case_begins "in a packed job nobody has a library of ours, and mpirun follows the plan"
rm -f "$home/placement"
submit --energy-aggregate < <(script_of_tools "mpirun $halo --placement $home/placement && echo 'after mpirun: '\$($tools/maps)")
expect_success; expect_one_line 'packed onto 2 of 8'; expect_nodes 2; expect_placed_as_planned; expect_clean_script
expect_in_output '^after mpirun: clean$'

case_begins "mpirun's ranks are recorded, wherever the script finds mpirun and whatever other options it has"
forget_runs
submit --energy-aggregate=profile < <(script_of_tools "mpirun $halo")
expect_success; expect_profiles 1; expect_clean_script
submit --energy-aggregate=profile < <(script_of_tools "PATH=/usr/bin:/bin /usr/bin/mpirun -x HOME --mca orte_base_help_aggregate 0 --map-by node $halo")
expect_success; expect_profiles 2

case_begins "a script's script, and a program that starts mpirun, are recorded, too"
printf '#!/bin/sh\nenv -u LD_PRELOAD timeout 60 mpirun %s\n' "$halo" >"$tools/inner"
chmod 0755 "$tools/inner"
submit --energy-aggregate=profile < <(script_of_tools "python3 -c 'import subprocess; subprocess.check_call([\"$tools/inner\"])'")
expect_success; expect_profiles 3

case_begins "mpirun in an salloc, which has no component of ours, starts measured ranks by its daemons"
job_status=0
on_site salloc --nodes=8 --ntasks=16 --job-name=halo --energy-aggregate=profile mpirun $halo \
  >"$site_scratch/out" 2>"$site_scratch/err" || job_status=$?
job_output=$(cat "$site_scratch/out") job_errors=$(cat "$site_scratch/err")
expect_success; expect_profiles 4

case_begins "ranks that mpirun sets another LD_PRELOAD for are not measured, on no node"
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "mpirun -x LD_PRELOAD=$fake:/no/such.so $halo")
expect_success; expect_profiles 4; expect_in_output 'huddle: not measured: mpirun sets another LD_PRELOAD'

case_begins "mpirun itself, and what it starts besides ranks, has no library of ours"
submit --energy-aggregate=profile < <(script_of_tools "PATH=$tools/traced:\$PATH mpirun $halo; cat $home/mpiruns-srun")
expect_success; expect_profiles 5; expect_in_output "^mpirun's srun has ''$"

case_begins "the program behind a shell, a wrapper or a tool is recorded"
forget_runs
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "srun sh -c 'exec $halo'")
expect_success; expect_profiles 1; expect_not_in_output 'huddle:|ld.so'
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "srun $tools/wrapper $halo" "srun nice env A=b $halo")
expect_success; expect_profiles 3; expect_not_in_output 'huddle:|ld.so'
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "mpirun $tools/wrapper $halo")
expect_success; expect_profiles 4; expect_not_in_output 'huddle:|ld.so'

case_begins "ranks of a list of programs, one of which must not be recorded, are not, wherever the list is, and one line says why"
printf '0-7 %s\n8-15 %s\n' "$tools/maps" "$tools/maps_asan" >"$tools/programs"
for list in "$tools/programs" ./programs programs; do
  submit --energy-aggregate=profile < <(printf '%s\n' "$header" "cd $tools" "srun --multi-prog $list | sort | uniq -c")
  expect_success; expect_in_output '16 clean'; expect_not_in_output 'ld.so|ASan runtime|not found'
  [ "$(grep -c 'huddle: ' <<<"$job_output")" -eq 1 ] || fail "expected one line of huddle's"
  expect_in_output '^huddle: not measured: .*maps_asan has a sanitizer'
done
job_errors=$(on_site srun --nodes=8 --ntasks=16 --job-name=list --energy-aggregate --multi-prog "$tools/programs" 2>&1 >"$site_scratch/out") ||
  fail "an srun of its own failed"
[ "$(grep -cx clean "$site_scratch/out")" -eq 16 ] || fail "not all ranks are without our libraries"

case_begins "ranks of a list of programs that may all be recorded are, as one run"
printf '%s\n' '# two of them' "0-7 $halo" "* $tools/wrapper $halo" >"$tools/mpi-programs"
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "srun --multi-prog $tools/mpi-programs")
expect_success; expect_profiles 5; expect_not_in_output 'huddle:'

case_begins "a wrapper's tools that must not get the recorder do not get it from the wrapper"
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "srun $tools/busy_wrapper $halo")
expect_success; expect_profiles 6; expect_not_in_output 'huddle:|ld.so|AddressSanitizer|ASan runtime'
[ "$(grep -cx 'in wrapper: clean clean clean clean' <<<"$job_output")" -eq 16 ] || fail "not all tools of the wrappers are clean"

case_begins "tasks that the recorder would harm, or can't be in, run without it, and a line says why"
for kind in asan:'has a sanitizer' static:'is linked statically' suid:'is set-uid or set-gid'; do
  submit --energy-aggregate=profile < <(printf '%s\n' "$header" "srun --label $tools/maps_${kind%%:*} | sort | uniq -c | wc -l" "srun -n1 -N1 $tools/maps_${kind%%:*}")
  expect_success; expect_in_output '^16$'; expect_in_output '^clean$'; expect_not_in_output 'AddressSanitizer|ASan runtime|ld.so'
  [ "$(grep -c "huddle: not measured: .*maps_${kind%%:*} ${kind#*:}" <<<"$job_output")" -eq 1 ] || fail "the step of 16 ranks does not say once why"
  submit --energy-aggregate=profile < <(printf '%s\n' "$header" "mpirun $tools/maps_${kind%%:*} | sort | uniq -c")
  expect_success; expect_in_output '16 clean'; expect_not_in_output 'AddressSanitizer|ASan runtime|ld.so'
  [ "$(grep -c "huddle: not measured: .*maps_${kind%%:*} ${kind#*:}" <<<"$job_output")" -eq 1 ] || fail "mpirun's rank 0 does not say why"
done
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "srun $tools/apptainer | sort | uniq -c")
expect_success; expect_in_output '16 clean'; expect_in_output 'apptainer starts a container'

case_begins "nothing is said of a container whose user asks for the recorder in it: nobody here sees what its program gets"
for launcher in "srun --label" mpirun; do
  submit --energy-aggregate=profile < <(printf '%s\n' "$header" "$launcher $tools/apptainer exec --env=LD_PRELOAD=\$HUDDLE_RECORDER image $halo")
  expect_success; [ "$(grep -c clean <<<"$job_output")" -eq 16 ] || fail "not all launchers of containers are without our libraries"
  expect_not_in_output 'huddle:'
done

if command -v mpiexec.mpich >/dev/null && [ -x "$1/programs-mpich/halo_exchange" ]; then
  case_begins "ranks of MPICH's mpiexec are recorded, and harmed no more than others"
  forget_runs
  install -d "$shared/mpich"
  install -m 0755 "$1/programs-mpich/halo_exchange" "$shared/mpich"
  # On one node: on several, Debian's mpiexec.mpich often does not end when its ranks have, also without Huddle.
  few() { sed 's/--nodes=8 --ntasks=16/--nodes=1 --ntasks=4/'; }
  submit --energy-aggregate=profile < <(script_of_tools "mpiexec.mpich -n 4 $shared/mpich/halo_exchange --iterations 40" | few)
  expect_success; expect_profiles 1; expect_clean_script
  submit --energy-aggregate=profile < <(printf '%s\n' "$header" "mpiexec.mpich -n 4 $tools/maps_asan | sort | uniq -c" | few)
  expect_success; expect_in_output '4 clean'; expect_not_in_output 'ASan runtime'
  submit --energy-aggregate=profile < <(printf '%s\n' "$header" "mpiexec.mpich -n 4 $tools/busy_wrapper $shared/mpich/halo_exchange --iterations 40" | few)
  expect_success; expect_profiles 2
  [ "$(grep -cx 'in wrapper: clean clean clean clean' <<<"$job_output")" -eq 4 ] || fail "not all tools of the wrappers are clean"
fi

case_begins "huddle record in front of srun, which has no process of ours between, harms no rank, and no wrapper's tool"
record=("$shared/huddle/huddle" record --recorder "$shared/huddle/libhuddle_recorder.so" -o "$home/recorded.json" -- srun --nodes=2 --ntasks=4)
on_site "${record[@]}" "$tools/maps_asan" >"$site_scratch/out" 2>"$site_scratch/err" || fail "a sanitized program failed: $(cat "$site_scratch/err")"
[ "$(grep -cx clean "$site_scratch/out")" -eq 4 ] || fail "not all ranks are without our libraries"
grep -q 'huddle: no profile was written to .*maps_asan has a sanitizer' "$site_scratch/err" || fail "it said $(cat "$site_scratch/err")"
on_site "${record[@]}" $halo >"$site_scratch/out" 2>"$site_scratch/err" || fail "a program failed: $(cat "$site_scratch/err")"
[ -s "$home/recorded.json" ] || fail "no profile: $(cat "$site_scratch/err")"
rm "$home/recorded.json"
on_site "${record[@]}" "$tools/busy_wrapper" $halo >"$site_scratch/out" 2>"$site_scratch/err" || fail "a wrapper failed: $(cat "$site_scratch/err")"
[ "$(grep -cx 'in wrapper: clean clean clean clean' "$site_scratch/out")" -eq 4 ] || fail "not all tools of the wrappers are clean: $(cat "$site_scratch/out" "$site_scratch/err")"
[ -s "$home/recorded.json" ] || fail "no profile of what the wrapper starts: $(cat "$site_scratch/err")"

case_begins "a rank that preloads a sanitizer's runtime keeps it the first library"
submit --energy-aggregate=profile < <(printf '%s\n' "$header" "LD_PRELOAD=$(gcc -print-file-name=libasan.so) srun $tools/maps | sort | uniq -c")
expect_success; expect_in_output '16 clean'; expect_not_in_output 'ASan runtime'

finish
