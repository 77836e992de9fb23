# Sourced by ../cli_test.sh, whose words it uses.

# Tables as TAU writes them with call paths: flat.csv has main alone, tau.csv all functions and paths, apart.csv regions of one level.
write_nested_rows() {
  python3 - <<'ROWS'
import random
random.seed(3)
head = "Name,size,threads,Inclusive usec,energy_j\n"
with open("flat.csv", "w") as flat, open("tau.csv", "w") as tau, open("apart.csv", "w") as apart:
    for file in (flat, tau, apart):
        file.write(head)
    for size in range(1000, 6000, 500):
        for threads in (1, 2, 4, 8):
            send = size * 12.5 * random.gauss(1, 0.02)
            solve = size ** 1.5 * (0.1 + 0.9 / threads) * random.gauss(1, 0.01)
            write = 3000 + size * 1.5 * random.gauss(1, 0.02)
            times = {
                "int main(int, char **) C": solve + send + 1.1 * write,
                "solve": solve + send,
                "MPI_Send()": send,
                "write": write,
                "int main(int, char **) C => solve": solve + send,
                "int main(int, char **) C => solve => MPI_Send()": send,
                "int main(int, char **) C => write": write,
            }
            for name, time in times.items():
                row = f'"{name}",{size},{threads},{time:.3f},{time * 1e-6 * (60 + 10 * threads):.6f}\n'
                tau.write(row)
                if name.endswith(" C"):
                    flat.write(row)
                if name in ("solve", "write"):
                    apart.write(row)
ROWS
}

case_forecast_regions() {
  write_nested_rows
  local at=(--at size=2500,threads=4 --at size=2750,threads=4 --at size=12000,threads=8)

  # Nested rows change nothing, and the skipped regions are reported.
  for file in flat tau; do
    huddle forecast "$file.csv" "${at[@]}" --json
    [ "$status" -eq 0 ] || failed "forecast $file.csv: $(cat err)"
    mv out "$file.json"
  done
  python3 -c '
import json
flat, tau = (json.load(open(name + ".json")) for name in ("flat", "tau"))
assert flat["forecasts"] == tau["forecasts"], "nested rows change the forecast"
assert flat["remarks"] == [] and len(tau["remarks"]) == 1, "one region contains none"
' || failed "forecast --at of nested rows"
  huddle forecast tau.csv "${at[@]}"
  grep 'inside of' out >remark
  same remark forecast/nested.txt

  # The published method keeps all rows.
  huddle forecast tau.csv --target time
  grep -q '^tau.csv: 280 of 280 rows serve: 7 regions' out || failed "the published method: $(cat out err)"

  # Requested regions: both as if there were no others.
  huddle forecast apart.csv "${at[@]}" --json && mv out apart.json
  huddle forecast tau.csv --region solve --region write "${at[@]}" --json
  [ "$status" -eq 0 ] || failed "forecast --region: $(cat err)"
  python3 -c '
import json
apart, asked = json.load(open("apart.json")), json.load(open("out"))
assert asked["forecasts"] == apart["forecasts"], "regions asked for are not those alone"
assert asked["regions"] == ["solve", "write"] and asked["screened"]["kept"] == 80, asked["regions"]
assert asked["screened"]["left_out"][0] == {"reason": "their region is not asked for", "rows": 200,
    "first": "row 1 (\"int main(int, char **) C\"), size 1000"}, asked["screened"]
' || failed "forecast --region"
  # However small.
  huddle forecast tau.csv --region solve --region write --least-share 50% --target time
  grep -q '^tau.csv: 80 of 280 rows serve: 2 regions' out || failed "a region asked for is left out: $(cat out err)"

  refuses 2 'region solv: no row is of this region; there are: "int main(int, char **) C", "solve", "MPI_Send()", "write", "int main(int, char **) C => solve", ...' \
    forecast tau.csv --region solve --region solv "${at[@]}"
  refuses 2 'region x: the rows have no regions: leave it out, or say which column holds them' \
    forecast "$tests/fixtures/energy-arm/data-bs.csv" --region x
}
