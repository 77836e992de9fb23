# Sourced by ../cli_test.sh, whose words it uses.

case_report() {
  local store=(--store "$tests/fixtures/outcomes" --user ann)
  # As sacct prints it; seconds in UTC. Job 103's meter overflowed, job 107's figure is not from a meter.
  mkdir bin
  cat >bin/sacct <<'SCRIPT'
#!/bin/sh
echo "$SLURM_TIME_FORMAT $*" >>"$ASKED"
cat <<ROWS
101|1793606400|120|8|176000
101.0|1793606400|120|8|176000
102.0|1793692800|122|2|50500
103.0|1793779200|121|2|18446744073709500416
104.0|1793865600|17|2|6000
107.1|1794038400|119|2|0
108.0|1794124800|119|8|180000
ROWS
SCRIPT
  chmod +x bin/sacct
  local PATH=$PWD/bin:$PATH
  export ASKED=$PWD/asked
  prints report/sums.txt report "${store[@]}"
  [ ! -s err ] || failed "report says: $(cat err)"
  [ "$(cat asked)" = "%s --parsable2 --noheader --jobs=101,102,103,104,105,107,108 --format=JobIDRaw,Start,ElapsedRaw,NNodes,ConsumedEnergyRaw --clusters=site" ] ||
    failed "report asks sacct: $(cat asked)"
  prints report/jobs.txt report "${store[@]}" --jobs
  prints report/jobs.csv report "${store[@]}" --csv
  prints report/report.json report "${store[@]}" --json
  # Without the days before: runs of those days are still used for comparison.
  prints report/since.txt report "${store[@]}" --jobs --since 2026-11-04 --until 2026-11-05 --label halo
  rm asked
  prints report/no-accounting.txt report "${store[@]}" --no-accounting --label halo
  [ ! -e asked ] || failed "report --no-accounting asks sacct"
  # A machine whose nodes draw less power than these figures suggest.
  huddle report "${store[@]}" --machine "$tests/fixtures/machines/package2-die2-core2.json"
  [ "$status" -eq 0 ] || failed "report --machine: $(cat err)"
  printf '#!/bin/sh\necho "Slurm accounting storage is disabled" >&2\nexit 1\n' >bin/sacct
  prints report/no-accounting.txt report "${store[@]}" --label halo
  [ "$(cat err)" = "huddle: no energy from Slurm's accounting: sacct ended with status 1: Slurm accounting storage is disabled" ] ||
    failed "report without accounting says: $(cat err)"
  # A record that is cut short is skipped.
  cp -r "$tests/fixtures/outcomes" broken
  find broken -name 'outcome-20261103*' -exec truncate -s 50 {} +
  huddle report --store broken --user ann --no-accounting
  grep -q '^huddle: 1 record(s) passed over, the first one: broken/ann/halo/16/outcome-20261103' err ||
    failed "report of a broken record says: $(cat err)"
  huddle report --store broken --user nobody-yet
  [ "$status:$(cat out)" = "0:No record of a job of nobody-yet in broken." ] || failed "report of nothing: $(cat out)"
}
