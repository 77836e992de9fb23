#!/usr/bin/env bash
# The outcome of each step is recorded, however it ended, and huddle report prints it, with the energy from Slurm's accounting.
# usage: outcome_records_test.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "needs root for the test cluster"; exit 77; }
. "$here/../site.sh"
. "$here/expectations.sh"
with=() without_accounting=yes
if command -v slurmdbd mariadbd >/dev/null; then with=(--accounting) without_accounting=''; fi
start_site "outcome-records-$$" "$1" "${with[@]}"

records() { find "$profiles" -name 'outcome-*' -printf '%f %p\n' | sort | cut -d' ' -f2; }
expect_records() {
  local found
  found=$(records | wc -l)
  [ "$found" -eq "$1" ] || fail "expected $1 record(s), found $found"
}
# The newest record has all these words.
expect_record() {
  local newest word
  newest=$(cat "$(records | tail -n 1)")
  for word in "$@"; do grep -qF -- "$word" <<<"$newest" || fail "expected $word in $newest"; done
}
# A job whose 16 ranks do what the arguments say.
job_of() { printf '#!/bin/bash\n#SBATCH --nodes=8 --ntasks=16 --job-name=halo\n%s\n' "$*"; }
halo="$shared/programs/halo_exchange --iterations 40"

case_begins "a job without the option leaves no record"
submit < <(job_of "srun $halo")
expect_success; expect_records 0

case_begins "a measured run leaves one, which names its profile"
# Long enough for meters, and for Slurm, which counts whole seconds.
submit --energy-aggregate < <(job_of "srun bash -c '$halo && sleep 4'")
expect_success; expect_records 1
expect_record '"treatment":"measured"' "\"profile\":\"$(profile_files)\"" '"nodes":8' '"step":0' '"status":0'

case_begins "a packed one leaves a record with the prediction"
submit --energy-aggregate < <(job_of "srun bash -c '$halo && sleep 4'")
expect_success; expect_records 2
expect_record '"treatment":"packed"' '"nodes":2' '"plan":"' '"pattern":"2:2:2"' '"status":0' '"reference":{"nodes":8'

case_begins "each step leaves one, with its own status"
submit --energy-aggregate < <(job_of "srun -n2 true; srun bash -c 'exit 3'; srun bash -c 'kill -SEGV \$\$'; true")
expect_success; expect_records 5
expect_record '"step":2' '"status":139'
grep -q '"step":1,.*"status":3' "$(records | tail -n 2 | head -n 1)" || fail "no record of the status 3"

case_begins "a plan whose job failed, where the measured one did not, is withdrawn"
submit --energy-aggregate < <(job_of "srun $halo")
expect_success; expect_records 6; expect_record '"treatment":"left"' 'its plan is withdrawn'
expect_one_line 'left as submitted: its plan is withdrawn: packed, job [0-9]+ launched 2 tasks of true'
forget_plan() { rm -f "$profiles"/nobody/halo/16/plan-*; }
forget_plan

case_begins "a job that is cancelled leaves one with an end"
job_of "srun sleep 100" >"$shared/job.sh"
job=$(on_site sbatch --parsable --energy-aggregate --output=/dev/null "$shared/job.sh" 2>/dev/null)
for ((tries = 0; tries < 200; ++tries)); do [ "$(records | wc -l)" -eq 7 ] && break; sleep 0.1; done
on_site scancel "$job"
wait_for_job "$job"
expect_records 7; expect_record '"end":{' "\"job\":$job"

case_begins "mpirun leaves one, too, and an array's tasks one each"
submit --energy-aggregate < <(job_of "mpirun bash -c '$halo'") # the program that the plan was made for
expect_success; expect_records 8; expect_record '"treatment":"packed"' '"status":0' '"run":{"cluster"'
submit --energy-aggregate --array=7 < <(job_of "srun $halo")
expect_success; expect_records 9; expect_record '"array_task":7'

case_begins "a job that is left alone at the user's request leaves its reason; off leaves nothing"
submit --energy-aggregate --distribution=cyclic < <(job_of "srun $halo")
expect_success; expect_records 10; expect_record '"treatment":"left"' '(--distribution)'
submit --energy-aggregate=off < <(job_of "srun $halo")
expect_success; expect_records 10

case_begins "a store that can't be written harms no job"
chmod a-w "$profiles/nobody/halo/16"
submit --energy-aggregate=profile < <(job_of "srun $halo")
expect_success; expect_records 10
chmod u+w "$profiles/nobody/halo/16"

case_begins "a step that is killed with its node leaves one without an end"
job_of "srun bash -c 'sleep 100'" >"$shared/job.sh"
job=$(on_site sbatch --parsable --no-requeue --energy-aggregate --output=/dev/null "$shared/job.sh" 2>/dev/null)
for ((tries = 0; tries < 200; ++tries)); do [ "$(records | wc -l)" -eq 11 ] && break; sleep 0.1; done
node=$(on_site squeue --noheader --jobs "$job" --format %B)
kill -KILL "$(cat "$shared/../nodes/$node.pid")"
expect_records 11
! grep -q '"end"' "$(records | tail -n 1)" || fail "the record has an end"

case_begins "the report counts them"
on_site "$shared/huddle/huddle" report --store "$profiles" --jobs >"$site_scratch/report" 2>"$site_scratch/err" || fail "no report: $(cat "$site_scratch/err")"
grep -qE "^20.* $job\.0 .* packed .* no record of its end\$" "$site_scratch/report" || fail "not told: $(cat "$site_scratch/report")"
grep -qE '^20.* packed .* failed with status 139$' "$site_scratch/report" || fail "not told: $(cat "$site_scratch/report")"
on_site "$shared/huddle/huddle" report --jobs >"$site_scratch/found" 2>"$site_scratch/err" || fail "no report: $(cat "$site_scratch/err")"
cmp -s "$site_scratch/report" "$site_scratch/found" || fail "without --store it looks elsewhere: $(cat "$site_scratch/found")"

if [ -z "$without_accounting" ]; then
  case_begins "the report shows the energy from Slurm's accounting, the savings and the charges"
  job_of_record() { records | sed -n "$1p" | xargs grep -o '"job":[0-9]*' | cut -d: -f2; }
  first=$(job_of_record 1) second=$(job_of_record 2)
  # slurmctld passes steps on to slurmdbd only now and then.
  for ((tries = 0; tries < 100; ++tries)); do
    accounted=$(on_site sacct --parsable2 --noheader --jobs="$first,$second" --format=JobIDRaw,ConsumedEnergyRaw | grep -E "^($first|$second)\.0\|[1-9]" || true)
    [ "$(wc -l <<<"$accounted")" -eq 2 ] && break
    sleep 0.1
  done
  measured=$(sed -n "s/^$first\.0|//p" <<<"$accounted") packed=$(sed -n "s/^$second\.0|//p" <<<"$accounted")
  on_site "$shared/huddle/huddle" report --store "$profiles" --json >"$site_scratch/report.json"
  billing=$(on_site sacct --parsable2 --noheader --jobs="$first,$second" --format=JobIDRaw,AllocTRES | sed -nE 's/^([0-9]+)\|(.*,)?billing=([0-9]+).*/\1 \3/p')
  python3 - "$site_scratch/report.json" "$first" "$measured" "$second" "$packed" "$billing" <<'SCRIPT' || fail "$(cat "$site_scratch/report")"
import json, sys
runs = {run["run"]["job"]: run for run in json.load(open(sys.argv[1]))["runs"] if run["run"].get("step") == 0}
first, measured, second, packed = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
assert runs[first]["energy_j"] == measured > 0, runs[first]
assert runs[second]["energy_j"] == packed > 0, runs[second]
assert runs[second]["energy_source"] == "accounting"
assert runs[first]["partition"] == runs[second]["partition"] in ("all", "whole"), runs[first]
compared = runs[second]["compared_with"]
assert compared["job"] == first and compared["saved_energy_j"] == measured - packed > 0, compared
billing = {int(job): float(of) for job, of in (line.split() for line in sys.argv[6].splitlines())}
for run, shown in ((runs[first], compared), (runs[second], runs[second])):
    charge = billing[run["run"]["job"]] * run["end"]["elapsed_s"] / 3600
    assert abs(shown["charged_billing_h"] - charge) < 1e-9 * charge, (shown, billing)
SCRIPT
fi

finish
