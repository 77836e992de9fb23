# Sourced by ../cli_test.sh, whose words it uses.

case_machine_calibrate() {
  cat >results <<'LINES'
{"format":"huddle/calibration","version":1,"layout":"1:1:2","nodes":2,"ranks":4}
{"planned":6}
{"kind":"message","distance":"die","pairs":1,"bytes":8,"time_s":2e-07}
{"kind":"message","distance":"die","pairs":1,"bytes":8192,"time_s":2.2e-06}
{"kind":"stream","within":"die","ranks":2,"bandwidth_bytes_per_s":7e9}
{"kind":"message","distance":"network","pairs":2,"bytes":8,"time_s":2e-06}
{"kind":"collective","operation":"allreduce","pattern":"1:1:2","ranks":4,"bytes":8,"time_s":5e-06}
{"left_out_for_want_of_time":1}
LINES
  prints machine-calibrate/from-results.json machine calibrate --from results
  [ "$(cat err)" = "huddle: 5 figures of nodes of 1:1:2 (2 of them, 4 ranks)
huddle: 1 measurements were left out for want of time: give a larger --budget" ] || failed "machine calibrate says: $(cat err)"
}
