# Sourced by ../cli_test.sh, whose words it uses.

# 3,000 rows of two regions at 50 sizes: energy is time x power, and power grows with threads.
write_rows() {
  python3 - <<'ROWS'
import random
random.seed(5)
with open("rows.csv", "w") as rows:
    rows.write("region,size,processes,threads,time_s,energy_j,calls,wobble\n")
    for size in range(100, 5100, 100):
        for threads in (1, 2, 4, 8, 16):
            for region, share in (("solve", 1), ("exchange", 0.4)):
                for repeat in range(6):
                    time = share * size ** 1.5 * 1e-4 * (0.1 + 0.9 / threads) * random.gauss(1, 0.01)
                    energy = time * (50 + 10 * threads) * random.gauss(1, 0.01)
                    rows.write(f"{region},{size},4,{threads},{time:.6f},{energy:.5f},{size // 100},{random.random():.4f}\n")
ROWS
}

case_forecast() {
  write_rows
  huddle forecast rows.csv --json
  [ "$status" -eq 0 ] || failed "forecast: $(cat err)"
  [ ! -s err ] || failed "forecast says: $(cat err)"
  python3 -c '
import json
report = json.load(open("out"))
assert report["read"]["rows"] == report["read"]["kept"] == 3000, "rows"
assert report["regions"] == ["solve", "exchange"] and report["sizes"] == 50 and report["configurations"] == 5, "what there is"
assert [study["target"] for study in report["studies"]] == ["energy", "time"], "targets"
for study in report["studies"]:
    samplings = study["samplings"]
    assert [s["name"] for s in samplings] == ["1/2000", "1/1000", "1/100", "1/10", "1/4", "1/3"], "samplings"
    assert [s["training_rows"] for s in samplings] == [2, 3, 30, 300, 750, 1000], "rows learnt from"
    assert [s["possible"] for s in samplings] == [False, False, True, True, True, True], "possible"
    assert samplings[0]["r2"] is None and samplings[0]["selection"] is None, "nothing of an impossible sampling"
    assert samplings[5]["r2"] > 0.99 > samplings[5]["linear_r2"], "the forest is good, the line is not"
    possible = [s for s in samplings if s["possible"]]
    elected = max(possible, key=lambda s: s["selection"])
    assert study["elected"] == elected["name"], "elected"
    fewest = next(s for s in possible if s["cross_validated_r2"] >= 0.95)
    assert study["fewest"] == fewest["name"], "fewest"
    kept = {v["variable"] for v in study["variables"] if v["kept"]}
    assert len(kept) == 3 and "wobble" not in kept, kept
assert report["forecasts"] == report["next"] == []
' || failed "forecast --json"

  huddle forecast rows.csv --target energy --keep-variable time --keep-variable threads --r2 90%
  [ "$status" -eq 0 ] || failed "forecast: $(cat err)"
  local words
  for words in '^rows.csv: 3000 of 3000 rows serve: 2 regions, 50 problem sizes, 5 configurations' '^Energy, by the published method' \
    '^threads +[0-9.]+  kept$' '^time +[0-9.]+  kept$' '^wobble +-?[0-9.e-]+$' '^ *1/2000 +2 .*too few rows$' 'elected' \
    '^Selection = R\^2 in % over s: it depends on how fast this machine is' '^The fewest rows whose cross-validated R\^2 reaches 90 %, on any machine: '; do
    grep -qE "$words" out || failed "forecast does not print $words: $(cat out)"
  done
  grep -q '^Time' out && failed "forecast --target energy prints times"

  # Sizes that were not run, between and beyond: the law that made the rows lies in the interval, or near it.
  huddle forecast rows.csv --at size=2550,threads=8 --at size=10000,threads=16,processes=4 --json
  [ "$status" -eq 0 ] || failed "forecast --at: $(cat err)"
  python3 -c '
import json
report = json.load(open("out"))
assert report["studies"] == [], "--at only predicts"
assert len(report["forecasts"]) == 2, "forecasts"
for forecast in report["forecasts"]:
    size, threads = forecast["size"], forecast["threads"]
    time = 1.4 * size ** 1.5 * 1e-4 * (0.1 + 0.9 / threads)
    truth = {"time_s": time, "energy_j": time * (50 + 10 * threads)}
    for target, true in truth.items():
        predicted = forecast[target]
        assert predicted["low"] <= predicted["value"] <= predicted["high"], predicted
        assert abs(predicted["value"] / true - 1) < (0.05 if size < 5000 else 0.25), (predicted, true)
between, beyond = report["forecasts"]
assert between["beyond"] == [] and beyond["beyond"] == ["size"], (between["beyond"], beyond["beyond"])
assert [(run["size"], run["threads"]) for run in report["next"]] == [(7071, 16)], report["next"]
' || failed "forecast --at"
  huddle forecast rows.csv --at size=10000,threads=16
  grep -qF 'Warning: size 10000, 4 x 16 lies beyond what was measured (size)' out || failed "no warning: $(cat out)"
  grep -qE '^To know more, measure size 7071, 4 x 16 \(time s [0-9.]+ to [0-9.]+\)\.$' out || failed "where to measure next: $(cat out)"
  grep -qE '^Forecast: size 10000, 4 x 16: [0-9.]+ s within [0-9.]+ %, [0-9.e+]+ J within [0-9.]+ %, beyond what was measured' <(head -1 out) ||
    failed "forecast --at does not begin with a verdict: $(cat out)"
  grep -qxF '  Not used (not known before a run): "calls", "wobble".' out || failed "columns that --at does not use: $(cat out)"
  huddle forecast rows.csv --at size=1000,threads=2 --at size=1000,threads=16
  head -1 out | grep -qE '^Fastest of the 2: size 1000, 4 x 16: ' || failed "the best of two: $(cat out)"
  huddle forecast rows.csv --at size=10000,threads=16
  grep -q GHz out && failed "forecast --at prints a frequency that no row has: $(cat out)"
  refuses 2 '--at size=10: threads is missing, and the rows have 5 of them: 1, 2, 4, 8, 16' forecast rows.csv --at size=10
  refuses 2 '--at size=10,threads=2,frequency=2GHz: the rows have no frequency: ...' forecast rows.csv --at size=10,threads=2,frequency=2GHz
  for words in size size= size=x size=-1 size=1,size=2 threads=1.5 colour=1 frequency=2.7 ''; do
    refuses 2 "--at $words: expected size=N,processes=P,threads=T,frequency=F,nodes=M,packages=K, each once at most: ..." forecast rows.csv --at "$words"
  done

  # A hundred regions of half a percent each are half of the program.
  python3 -c '
print("region,size,processes,time_s,energy_j")
for size in 1000, 2000, 4000, 8000:
    for processes in 1, 2, 4, 8:
        for region in ["loop"] + [f"r{i}" for i in range(100)]:
            part = 1 if region == "loop" else 0.01
            print(f"{region},{size},{processes},{part * size * 5e-3 / processes:.7f},{part * size / 2:.6f}")
' >small-regions.csv
  huddle forecast small-regions.csv --at size=8000,processes=8 --at size=16000,processes=4 --json
  [ "$status" -eq 0 ] || failed "forecast of small regions: $(cat err)"
  python3 -c '
import json
for forecast, time, energy in zip(json.load(open("out"))["forecasts"], (10, 40), (8000, 16000)):
    assert abs(forecast["time_s"]["value"] / time - 1) < 0.02, forecast
    assert abs(forecast["energy_j"]["value"] / energy - 1) < 0.02, forecast
' || failed "forecast --at does not predict all regions together"
  huddle forecast small-regions.csv --at size=8000,processes=8 --least-share 1%
  grep -qF 'left out: 1600 rows, their region (100 of 101) has less than 1 % of the energy' out ||
    failed "forecast --at --least-share: $(cat out err)"

  # A product is a size, as it is for huddle record.
  huddle forecast rows.csv --at size=50x51,threads=8 --json
  [ "$status" -eq 0 ] && grep -q '"size": 2550.0' out || failed "a product as a size: $(cat out err)"
  awk -F, 'BEGIN { OFS = "," } NR > 1 { $3 = 0 } { print }' rows.csv >idle.csv
  refuses 1 'idle.csv: no row is left of 3000: 3000 since their processes are not above 0' forecast idle.csv

  # Values that no column tells.
  cut -d, -f1,2,5,6 rows.csv >given.csv
  huddle forecast given.csv --set threads=8 --set processes=4 --at size=550
  [ "$status" -eq 0 ] && grep -qE "^ *550 +4 +8 +time" out || failed "forecast --set: $(cat out err)"
  refuses 2 "--set threads=many: expected a whole number of at least 1" forecast rows.csv --set threads=many
  refuses 2 "--set time: expected one of size, ..." forecast rows.csv --set time=1
  refuses 2 "--set threads=2: threads is given already, as 1" forecast rows.csv --set threads=1 --set threads=2
  refuses 1 'rows.csv: line 1: found a column of the threads, "threads", expected none, as --set threads=1 says it for all rows: ...' \
    forecast rows.csv --set threads=1

  refuses 1 "$profile: line 1: found JSON, expected rows: huddle forecast collect FILE... -o rows.csv makes them of profiles" \
    forecast "$profile"

  # With hundreds of columns the most important ones are shown, and those that are kept.
  awk -F, 'BEGIN { srand(1) } NR <= 121 { line = $0; for (i = 0; i < 40; i++) line = line "," (NR == 1 ? "c" i : rand()); print line }' rows.csv >wide.csv
  huddle forecast wide.csv --target time --keep-variable c39
  [ "$status" -eq 0 ] && grep -qE '^c39 +.* kept$' out && grep -qE '^\.\.\. and 2[0-9] variables of less importance \(--json has all\)$' out ||
    failed "forecast of 45 columns: $(cat out err)"

  # A program with few rows.
  huddle forecast "$tests/fixtures/energy-arm/data-bs.csv" --target time
  [ "$status" -eq 0 ] || failed "forecast of 48 rows: $(cat err)"
  head -1 out | grep -qE '^Time: (well told|told in part|hardly told) by these rows: .*, learnt from [0-9]+ rows, explains [0-9.]+ % ' || failed "no verdict: $(cat out)"
  grep -qE '^ +1/3 +16 ' out || failed "forecast of 48 rows: $(cat out)"

  head -12 rows.csv >few.csv
  huddle forecast few.csv
  [ "$status" -eq 0 ] || failed "forecast of 11 rows: $(cat err)"
  head -1 out | grep -qxF 'Nothing could be learnt from these rows; see below why.' || failed "no verdict on 11 rows: $(cat out)"
  grep -qF 'energy: 11 rows are too few for the published method: it needs 28' out || failed "11 rows: $(cat out)"

  # Units stand in names, and what stands nowhere is said first.
  printf '%s\n' n,solve_time_ms,node_energy 100,1001,2000 200,2004,4010 400,4002,8010 >units.csv
  huddle forecast units.csv --column time=solve_time_ms --column energy=node_energy --at size=400
  [ "$status" -eq 0 ] && grep -qE '^ 400 .* time s +4\.00[0-9] ' out &&
    sed -n 3p out | grep -qF 'Warning: "node_energy" has no unit: taken for J; --column energy="node_energy":UNIT says otherwise.' ||
    failed "units in names: $(cat out err)"
  huddle forecast units.csv --column time=solve_time_ms --column energy=node_energy --at size=400 --json
  python3 -c 'import json; assert len(json.load(open("out"))["read"]["warnings"]) == 1' || failed "warnings as JSON: $(cat out)"

  # Cores of the whole run; a column that has no role leaves it to an option.
  printf '%s\n' nodes,ranks,cores,n,time_s 1,16,16,1000,100.1 2,32,32,1000,51 4,64,64,1000,26.3 8,128,128,1000,14 >cores.csv
  huddle forecast cores.csv --at processes=32,nodes=2
  [ "$status" -eq 0 ] && grep -qE '^1000 +32 +1 ' out || failed "cores of the whole run: $(cat out err)"
  huddle forecast cores.csv --column -=cores --set threads=2 --at processes=32,nodes=2
  [ "$status" -eq 0 ] && grep -qE '^1000 +32 +2 ' out || failed "a column without a role: $(cat out err)"

  refuses 2 'ROWS is missing: expected at least one file of measured rows' forecast
  refuses 2 '1 columns for "colour": expected one, ...' forecast rows.csv --column colour=red
  refuses 2 '--column size: expected ROLE=NAME[:UNIT] with region, ...' forecast rows.csv --column size
  refuses 2 '2 columns for "time": expected one, ...' forecast rows.csv --column time=time_s --column time=calls
  huddle forecast rows.csv --column time=calls:ms --at size=1000,threads=8
  [ "$status" -eq 0 ] && grep -qF 'time from "calls"' out || failed "forecast --column with a unit: $(cat out err)"
  sed '1s/calls/clock/' rows.csv >clock.csv
  refuses 1 'clock.csv: line 1, column 7 (clock): found a frequency without a unit, expected GHz, MHz, kHz or Hz: --column "frequency=clock:UNIT" says which' \
    forecast clock.csv
  refuses 2 'huddle forecast: --html is gone: ...' forecast rows.csv --html page.html
  refuses 2 'huddle forecast best is gone: ...' forecast best rows.csv
  refuses 2 '--r2 200%: expected a share from 0 to 1 such as 5% or 0.05' forecast rows.csv --r2 200%
  refuses 2 'colour is none of the variables, which are size, threads, time, calls, wobble, region' forecast rows.csv --keep-variable colour
  refuses 2 '--target: colour not in {...' forecast rows.csv --target colour
  refuses 1 "can't read missing.csv: No such file or directory" forecast missing.csv
  cut -d, -f1-5 rows.csv >no-energy.csv
  refuses 1 'no-energy.csv: no column holds energy: say which does (--column energy=NAME)' forecast no-energy.csv --target energy
  cut -d, -f1-4 rows.csv >nothing.csv
  refuses 1 'nothing.csv: neither energy nor time was found among the columns: ...' forecast nothing.csv
}
