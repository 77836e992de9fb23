# Sourced by ../cli_test.sh, whose words it uses.

case_forecast_collect() {
  local size
  for size in 100 200 400; do
    "$tests/aggregator/commands/sized_profile.py" "$profile" $size run-$size.json
  done
  prints forecast-collect/summary.txt forecast collect run-100.json run-200.json run-400.json
  same rows.csv forecast-collect/rows.csv
  # Unusable profiles are reported, and the rest is collected.
  "$tests/aggregator/commands/sized_profile.py" "$profile" 800 other.json /opt/other
  head -c 500 run-100.json >broken.json
  huddle forecast collect run-100.json "$profile" other.json broken.json -o some.csv
  [ "$status" -eq 0 ] || failed "collect with useless profiles: $(cat err)"
  grep -qx 'some.csv: 1 row, 1 region, 1 run, 1 size' out || failed "collect says: $(cat out)"
  local words
  for words in "skipped: $profile has no problem size: name the argument that holds it" \
    'skipped: other.json is of another program than run-100.json' 'skipped: broken.json: byte 501: found'; do
    grep -qF "$words" err || failed "collect does not say: $words: $(cat err)"
  done
  # Runs of another layout are no repetitions: a size that was not run is predicted for the one that is asked.
  python3 -c '
import json
for size in (100, 200, 400):
    profile = json.load(open(f"run-{size}.json"))
    for record in profile["rank_records"]:
        rank = record["rank"]
        record["node"] = f"node{rank // 4:02d}"
        record["pus"] = str(2 * (rank % 4))
        record["run_time_s"] = record["mpi_time_s"] + 1.8 * (record["run_time_s"] - record["mpi_time_s"])
    json.dump(profile, open(f"packed-{size}.json", "w"))'
  huddle forecast collect run-???.json packed-???.json -m system-g -o layouts.csv
  grep -q '^the program,200,8,1,8,1,1,19,' layouts.csv && grep -q '^the program,200,8,1,2,4,2,32.6,' layouts.csv ||
    failed "layouts of runs: $(cat layouts.csv out err)"
  huddle forecast layouts.csv --at size=800,nodes=8,packages=1 --at size=800,nodes=2,packages=2 --json
  python3 -c '
import json
for forecast, truth in zip(json.load(open("out"))["forecasts"], (70, 124.4)):
    time = forecast["time_s"]
    assert time["low"] <= truth <= time["high"], (truth, time)
    assert abs(time["value"] / truth - 1) < 0.1, (truth, time)
' || failed "forecast of layouts: $(cat out err)"
  # A size from the command line of the program; energy by power figures.
  sed 's/"problem_size": 100.0/"problem_size": null/' run-100.json >unsized.json
  huddle forecast collect unsized.json run-200.json --size-argument --cells -m system-g -o sized.csv
  [ "$status" -eq 0 ] || failed "collect by the command line: $(cat err)"
  grep -q ',100,8,1,' sized.csv && grep -q ',200,8,1,' sized.csv || failed "sizes of command lines: $(cat sized.csv)"
  grep -q '^# Energy was not measured: it is computed from the power figures of ' sized.csv ||
    failed "computed energy passes for measured: $(cat sized.csv)"
  huddle forecast collect other.json --size-argument 7
  [ "$status" -eq 1 ] && grep -qx 'huddle: skipped: other.json has 2 arguments, and no number 7' err &&
    grep -qx 'huddle: no profile is left to make rows of' err || failed "collect of nothing: $(cat err)"
  refuses 2 "--output run-200.json: this file is read, and would be gone: expected another name" \
    forecast collect run-100.json run-200.json -o run-200.json
  refuses 2 "PROFILE is required..." forecast collect
  refuses 2 "huddle forecast collect: --label is gone: name the profiles: they are in folders of the store, ..." \
    forecast collect --label pairs
  refuses 2 "--size-argument 0: expected the number of an argument..." forecast collect run-100.json --size-argument 0
}
