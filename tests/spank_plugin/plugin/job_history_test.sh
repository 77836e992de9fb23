#!/usr/bin/env bash
# The consequences of a job's history, at default settings: packed runs are compared whatever they end with, wherever the
# program was copied to, and after a new build; nobody waits for a job that is over; what shows nothing is not measured for
# ever; one job at a time is measured; and before each submission `huddle explain` says what it will be told.
# usage: job_history_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
site_explore=no site_withdraw=true site_by_script=true start_site "history-$$" "$1"
# The effect of ranks on each other is not to be seen before they are packed.

# The reason of the next answer, by huddle explain.
explained() { # LABEL
  on_site "$shared/huddle/huddle" explain "$1" --store "$profiles" --user nobody --json 2>"$site_scratch/explain.err" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["explanations"][0]["next"].get("decision", {}).get("reason", "not known"))'
}

# As submit, and the submission says what was explained before.
submit_as_explained() { # LABEL OPTION...
  local label=$1 reason
  shift
  reason=$(explained "$label")
  submit_until_planned "$@"
  grep -qF "$reason" <<<"$job_errors" || fail "explain said \"$reason\": $(cat "$site_scratch/explain.err")"
}

# Its program is copied to a folder of the job's, and always ends with status 7.
odd_job() {
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=8 --job-name=odd
rm -f $home/placement
mkdir -p $home/job.\$SLURM_JOB_ID && cp $shared/programs/crowded $home/job.\$SLURM_JOB_ID/
srun $home/job.\$SLURM_JOB_ID/crowded --steps 20 --slower 0 --status 7 --placement $home/placement
SCRIPT
}
odd() { submit_as_explained odd --energy-aggregate=slowdown=80% < <(odd_job); }
expect_packed() { expect_one_line "packed onto [12] of 8 nodes${1:-}"; [[ $(sort -u <(cut -d' ' -f2 "$home/placement") | wc -l) -le 2 ]] || fail "ranks are on more than 2 nodes"; }
expect_status_7() { [ "$job_status" -eq 7 ] || fail "the job ended with status $job_status, not 7"; }

case_begins "a program that always ends with 7, copied to a folder of each job, is packed, and compared"
submit --energy-aggregate=slowdown=80% < <(odd_job)
expect_status_7; expect_one_line 'this run is measured, 1 of at most 2'; expect_nodes 8
odd
expect_status_7; expect_one_line 'measured run 2 of 2'
odd
expect_status_7; expect_packed
odd
expect_status_7; expect_packed ' .*; 1 packed run took [+-][0-9.]+ % time'

case_begins "its next build is packed, too, and compared for itself"
python3 - "$shared/programs/crowded" <<'PYTHON'
import sys
name = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"  # the note of the build id
data = bytearray(open(sys.argv[1], "rb").read())
data[data.index(name) + len(name)] ^= 0xff
open(sys.argv[1], "wb").write(data)
PYTHON
odd
expect_status_7; expect_packed
odd
expect_status_7; expect_packed ' .*; 1 packed run took [+-][0-9.]+ % time'

case_begins "asked for other clocks, one run is packed, and one as submitted is compared with it, at the same clocks"
sed -i '1i [frequency]\ncontrol = true' "$policy" && sed -i '/^slowdown\|^explore\|^withdraw/d' "$policy" &&
  sed -i '1i slowdown = "5%"\nexplore = "no"\nwithdraw = true' "$policy"
ranged() { submit_until_planned --energy-aggregate=slowdown=80%,frequency=1GHz-2GHz < <(odd_job); }
ranged
expect_status_7; expect_packed
ranged
expect_status_7; expect_nodes 8
expect_one_line 'left as submitted: this run is compared with its plan: 1 packed run has no run as submitted .* \(1000000-2000000 kHz\)'
odd_explained=$(explained odd)
ranged
expect_status_7; expect_packed ' .*; 1 packed run took [+-][0-9.]+ % time'
grep -qF "$odd_explained" <<<"$job_errors" || fail "explain said \"$odd_explained\""

case_begins "a job whose ranks get fewer cores than it asks for is measured twice, and then left"
narrow_job() {
  cat <<SCRIPT
#!/bin/bash
#SBATCH --nodes=8 --ntasks=8 --cpus-per-task=2 --job-name=narrow
rm -f $home/placement
srun --cpus-per-task=1 $shared/programs/crowded --steps 5 --placement $home/placement
SCRIPT
}
submit --energy-aggregate < <(narrow_job)
expect_success; expect_one_line 'this run is measured'
submit_as_explained narrow --energy-aggregate < <(narrow_job)
expect_success; expect_one_line "this run is measured again: the last run had ranks on 1 core, and this job's have 2"
for run in 1 2; do
  submit_as_explained narrow --energy-aggregate < <(narrow_job)
  expect_success; expect_nodes 8
  expect_one_line "left as submitted: 2 measured runs showed nothing to plan from: .* on 1 core, and this job's have 2 .*; profile measures it again"
done

case_begins "another script of that name is measured all the same; of many at once, one is"
other_job() { narrow_job | sed 's/ --cpus-per-task=[12]//' && echo "until [ -e $home/all_are_submitted ]; do sleep 0.1; done"; }
other_job >"$shared/other.sh"
jobs=()
for run in 1 2 3 4; do
  jobs+=("$(on_site sbatch --parsable --energy-aggregate --output="$home/other.out" "$shared/other.sh" 2>>"$site_scratch/other.err")")
done
touch "$home/all_are_submitted"
[ "$(grep -c 'this run is measured' "$site_scratch/other.err")" -eq 1 ] || fail "not one was measured: $(cat "$site_scratch/other.err")"
[ "$(grep -c 'left as submitted: a job of its kind is being measured' "$site_scratch/other.err")" -eq 3 ] ||
  fail "the others were told: $(cat "$site_scratch/other.err")"
for job in "${jobs[@]}"; do wait_for_job "$job"; done
submit_as_explained narrow --energy-aggregate < <(other_job)
expect_success; expect_one_line 'measured run 2 of 2'

case_begins "a job that is cancelled before it begins lets another one be measured"
later() { on_site sbatch --parsable --begin=now+1hour --job-name=later --nodes=8 --ntasks=8 --energy-aggregate "$shared/other.sh" 2>"$site_scratch/later.err"; }
waiting=$(later)
grep -q 'this run is measured' "$site_scratch/later.err" || fail "the first one said $(cat "$site_scratch/later.err")"
second=$(later)
grep -q 'a job of its kind is being measured' "$site_scratch/later.err" || fail "the second one said $(cat "$site_scratch/later.err")"
on_site scancel "$waiting" "$second"
third=$(later)
grep -q 'this run is measured' "$site_scratch/later.err" || fail "the third one said $(cat "$site_scratch/later.err")"
on_site scancel "$third"

finish
