# Sourced by ../cli_test.sh, whose words it uses.

# 144 rows at 4 sizes: a part of the work is serial, processes spend time on communication, high clocks cost energy.
write_hybrid_rows() {
  awk 'BEGIN {
    print "size,processes,threads,frequency [GHz],time [s],energy [J]"
    for (size = 1000; size <= 8000; size *= 2)
      for (p = 1; p <= 8; p *= 2)
        for (t = 1; t <= 4; t *= 2)
          for (f = 1.2; f < 2.5; f += 0.6) {
            time = 1e-6 * size ^ 1.5 * (0.01 + 0.99 / (p * t)) * (0.3 + 0.7 * 2.4 / f) + 2e-3 * sqrt(p)
            printf "%d,%d,%d,%.1f,%.9g,%.9g\n", size, p, t, f, time, time * (60 + p * t * (3 + 0.6 * f ^ 3))
          }
  }' >hybrid.csv
}

# chooses ARGUMENT...: the configurations of the answer, in a line: chosen, reference
chooses() {
  huddle forecast best "$@" --json
  [ "$status" -eq 0 ] || failed "forecast best $*: status $status: $(cat err)"
  python3 -c '
import json
answer = json.load(open("out"))
name = lambda it: "{processes:g}x{threads:g}@{frequency_ghz:g}".format(**it) if it else "none"
print(name(answer["chosen"]), "over", name(answer["reference"]))'
}

expect_choice() {
  local expected=$1 found
  shift
  found=$(chooses "$@")
  [ "$found" = "$expected" ] || failed "forecast best $*: $found, expected $expected"
}

case_forecast_best() {
  local arm=$tests/fixtures/energy-arm program
  write_hybrid_rows

  # Measured configurations: the figures of the table are those of the rows.
  huddle forecast best "$arm/data-bs.csv" --top 3
  [ "$status" -eq 0 ] || failed "forecast best: $(cat err)"
  grep -qE '^reference +47 +4\.115 .* \+0\.0 +802\.3 ' out || failed "the reference is not the fastest: $(cat out)"
  grep -qE '^chosen +44 +4\.174 .* \+1\.4 +658 .* measured$' out || failed "the chosen one: $(cat out)"
  sed -n '/^\.\.\./,$p' out >words
  same words forecast-best/words.txt
  chooses hybrid.csv --size 4000 >/dev/null
  grep -oE '^ *"[a-z_]+":' out | sort -u >keys
  same keys forecast-best/json-keys.txt
  python3 -c '
import json
answer = json.load(open("out"))
rows = [[float(part) for part in line.split(",")] for line in open("hybrid.csv").readlines()[1:]]
rows = [row[1:] for row in rows if row[0] == 4000]
fastest = min(rows, key=lambda row: row[3])
within = [row for row in rows if row[3] <= 1.05 * fastest[3]]
least = min(within, key=lambda row: row[4])
shown = answer["chosen"]
assert [shown["processes"], shown["threads"], shown["frequency_ghz"]] == least[:3], "the least energy within the bound"
assert abs(shown["energy_j"] / least[4] - 1) < 1e-6 and abs(shown["time_s"] / least[3] - 1) < 1e-6, "its numbers"
assert abs(shown["slowdown"] - (least[3] / fastest[3] - 1)) < 1e-6, "its slowdown"
assert answer["size"] == 4000 and answer["slowdown_bound"] == 0.05 and len(answer["candidates"]) == len(rows), "the rest"
' || failed "forecast best does not choose what the rows say"

  # Objectives, bounds, references.
  expect_choice "8x4@2.4 over 8x4@2.4" hybrid.csv --size 8000 --objective time
  expect_choice "8x4@1.2 over 1x1@2.4" hybrid.csv --size 8000 --reference 1x1
  expect_choice "2x4@1.8 over 4x4@2.4" hybrid.csv --size 1000 --slowdown none
  expect_choice "2x4@2.4 over 1x1@1.2" hybrid.csv --size 1000 --reference 1x1@1.2GHz --frequency 2.4GHz --objective edp

  # As many ranks on more or fewer nodes: which layout to take, from rows alone.
  awk 'BEGIN {
    print "size,processes,nodes,time [s],energy [J]"
    for (size = 1000; size <= 8000; size *= 2)
      for (nodes = 1; nodes <= 8; nodes *= 2) {
        time = size / 1000 * (20 / 16 + 4 / nodes) + 0.05 * nodes
        printf "%d,16,%d,%.9g,%.9g\n", size, nodes, time, time * (120 * nodes + 96)
      }
  }' >nodes.csv
  local words
  for words in "5% 8" "30% 4" "100% 2"; do
    huddle forecast best nodes.csv --size 3000 --reference 16x1 --slowdown "${words% *}"
    grep -qE "^chosen +16 +${words#* } " out || failed "best layout within ${words% *}: $(cat out err)"
  done
  huddle forecast nodes.csv --at size=3000,nodes=2 --json
  mv out by-nodes
  huddle forecast nodes.csv --at size=3000,ranks_per_node=8 --json
  cmp -s by-nodes out || failed "8 ranks a node are not 16 on 2 nodes: $(diff by-nodes out)"
  refuses 2 "--at size=3000,nodes=32: 16 processes on 32 nodes: expected a process on each node" \
    forecast nodes.csv --at size=3000,nodes=32

  # Half of the core counts were never run: the predicted best one is the best, within 2 %.
  for program in bs bt ep km lv pf sp; do
    sed -n '1p; 2~2p' "$arm/data-$program.csv" >odd.csv
    huddle forecast best odd.csv --threads 1-48 --slowdown none --json
    [ "$status" -eq 0 ] || failed "forecast best of $program: $(cat err)"
    python3 -c '
import json, sys
true = {int(row.split(";")[1]): float(row.split(";")[5]) for row in open(sys.argv[1]).readlines()[1:]}
chosen = true[json.load(open("out"))["chosen"]["threads"]]
assert chosen <= 1.02 * min(true.values()), f"{chosen} J is more than {min(true.values())} J"
' "$arm/data-$program.csv" || failed "forecast best of $program from every second core count"
  done

  # Beyond the measured range: only on request, with a warning.
  huddle forecast best odd.csv --threads 40-56:4 --slowdown none
  grep -qF "huddle: some of this is beyond what was measured (threads)" err || failed "no warning: $(cat err)"
  grep -qF "predicted, beyond" out || failed "beyond is not marked: $(cat out)"

  refuses 2 "--size: the rows have 4 problem sizes, 1000, 2000, 4000, 8000: name one of them, or one between or beyond" \
    forecast best hybrid.csv
  refuses 2 "--size 64: the rows have no sizes: leave it out, or say which column holds them (--column size=NAME)" \
    forecast best "$arm/data-bs.csv" --size 64
  grep -E '^(size|1000),' hybrid.csv >one-size.csv
  refuses 2 "--size: all rows have size 1000, so nothing is known of 64: measure some" forecast best one-size.csv --size 64
  refuses 2 "--size nan: expected a number above 0..." forecast best hybrid.csv --size nan
  refuses 2 "--threads : expected whole numbers..." forecast best hybrid.csv --size 1000 --threads ""
  refuses 2 "--processes: all rows have processes 1, so nothing is known of 4: measure some" \
    forecast best "$arm/data-bs.csv" --processes 4
  refuses 2 "--threads 8-4: expected whole numbers of at least 1, such as 1,2,4 or 1-48 or 1-48:4 (each fourth)" \
    forecast best hybrid.csv --threads 8-4
  refuses 2 "--frequency 1-2GHz: expected frequencies such as 1.2GHz,2.4GHz or 1.2GHz-2.4GHz:200MHz (with a step)" \
    forecast best hybrid.csv --frequency 1-2GHz
  refuses 2 "--reference 48: expected processes x threads such as 16x4, maybe with a frequency: 16x4@2.4GHz" \
    forecast best hybrid.csv --reference 48
  refuses 2 "--slowdown much: expected a share..." forecast best hybrid.csv --slowdown much
  cut -d, -f 1-5 hybrid.csv >timed.csv
  refuses 2 "--objective: no energy was measured, so that only the least time can be asked for" \
    forecast best timed.csv --size 1000
  expect_choice "8x4@2.4 over 8x4@2.4" timed.csv --size 8000 --objective time
  cut -d, -f 1-4,6 hybrid.csv >energies.csv
  refuses 2 "--slowdown: no time was measured, so that no slowdown can be bounded; without a bound (none) the choice is by energy alone" \
    forecast best energies.csv --size 1000
  expect_choice "2x4@1.8 over none" energies.csv --size 1000 --slowdown none

  # A machine bounds what is possible, and says how many packages threads need.
  sed 's/"nodes": *[0-9]*,//; s/"name": "dual-64"/"name": "pair", "nodes": 1/; s/l3:8 core:8/core:16/; s/"origin": "assumed"}$/"origin": "given"}/' \
    "$tests/../profiles/machines/dual-64.json" >pair.json
  huddle forecast best hybrid.csv --size 4000 --processes 1-16:1 --threads 1,2,4 --frequency 2.4GHz --machine pair.json --slowdown none --json
  [ "$status" -eq 0 ] || failed "forecast best --machine: $(cat err)"
  python3 -c '
import json
some = json.load(open("out"))["candidates"]
assert max(it["processes"] * it["threads"] for it in some) == 32, "more than the machine has"
wrong = [it for it in some if it["packages"] != (1 if it["processes"] * it["threads"] <= 16 else 2)]
assert not wrong, f"packages: {wrong[0]}"' || failed "forecast best --machine: $(head -c 600 out)"
  refuses 2 "--processes, --threads, --frequency, --nodes, --packages: 64 processes x 1 threads on 1 node: a node of pair has 32 hardware threads" \
    forecast best hybrid.csv --size 4000 --processes 64 --threads 1 --machine pair.json
  refuses 2 "--at processes=16,threads=4,size=4000,frequency=2.4GHz: 16 processes x 4 threads on 1 node: a node of pair has 32 hardware threads" \
    forecast hybrid.csv --at processes=16,threads=4,size=4000,frequency=2.4GHz --machine pair.json
  huddle forecast hybrid.csv --at processes=6,threads=4,size=4000,frequency=2.4GHz --machine pair.json --json
  python3 -c 'import json; assert json.load(open("out"))["forecasts"][0]["packages"] == 2' || failed "--at --machine: $(cat err)"
}
