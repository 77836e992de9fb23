# Sourced by ../cli_test.sh, whose words it uses.

case_show() {
  prints show/text.txt show "$profile"
  prints show/summary.json show "$profile" --json
  huddle show "$profile" --matrix bytes.csv && same bytes.csv show/bytes.csv
  huddle show "$profile" --matrix counts.csv --messages && same counts.csv show/counts.csv
  huddle show "$profile" --matrix picture.svg && same picture.svg show/bytes.svg
  prints show/all-kinds.txt show "$tests/fixtures/profiles/four-ranks-all-kinds.json"
  # Without messages of the ranks' own, the collectives are what is known of traffic.
  jq '.rank_records[].sent = {receiver: [], size_class: [], messages: [], bytes: []}' "$tests/fixtures/profiles/four-ranks-all-kinds.json" >collectives.json
  huddle show collectives.json
  grep -qE '^collectives   [0-9.]+ [KM]iB contributed in [0-9]+ calls of all ranks$' out || failed "show of collectives alone: $(cat out err)"
  prints show/all-kinds.json show "$tests/fixtures/profiles/four-ranks-all-kinds.json" --json
  refuses 2 "huddle show: --machine is gone: a trace tells what ranks wait for: huddle record --trace, then huddle waitstates; see huddle show --help" \
    show "$profile" --machine this
  prints show/hybrid.txt show "$tests/fixtures/profiles/two-hybrid-ranks.json"
  prints show/hybrid.json show "$tests/fixtures/profiles/two-hybrid-ranks.json" --json
  local kind
  for kind in one-sided neighbours all; do
    huddle show "$tests/fixtures/profiles/four-ranks-all-kinds.json" --matrix "$kind.csv" --traffic "$kind"
    same "$kind.csv" "show/$kind.csv"
  done
  refuses 2 "--traffic requires --matrix; see..." show "$profile" --traffic one-sided
  prints show/narrow.txt show "$tests/fixtures/profiles/four-ranks-all-kinds.json" --width 60
  cp out narrow
  COLUMNS=60 huddle show "$tests/fixtures/profiles/four-ranks-all-kinds.json"
  cmp -s out narrow || failed "show in COLUMNS=60 is another than with --width 60: $(cat out)"
  COLUMNS=200 huddle --width 60 show "$tests/fixtures/profiles/four-ranks-all-kinds.json"
  cmp -s out narrow || failed "--width before the command, beside COLUMNS: $(cat out)"
  refuses 2 "--width: Value 20 not in range 40 to 10000..." show "$profile" --width 20
  refuses 2 "huddle show: there is no option --widht: did you mean --width?; see huddle show --help" show "$profile" --widht 60
  huddle show "$profile" --check
  [ "$status:$(cat out)" = "0:$profile: a valid profile" ] || failed "show --check: $status: $(cat out)"
  sed 's/"complete": true/"complete": false, "cut_short_reason": "rank 1 was killed"/' "$profile" >cut.json
  huddle show cut.json
  grep -qx 'state         cut short: rank 1 was killed' out || failed "show does not say that a profile was cut short"
  sed 's/"label": "[^"]*"/"label": "a\\u001b[31mb"/' "$profile" >hostile.json
  huddle show hostile.json
  grep -qx 'label         a?\[31mb' out || failed "show hands control characters to the terminal: $(head -1 out)"
  sed -E 's/"ranks": [0-9]+/"ranks": 2000000000/; s/"complete": true/"complete": false, "cut_short_reason": "x"/' "$profile" >huge.json
  refuses 1 "a matrix of 2000000000 x 2000000000 is too large to write out, at most 131072 x 131072" show huge.json --matrix huge.csv
  [ ! -e huge.csv ] || failed "show leaves half a matrix"
  show_efficiency
  show_pages
  show_names
  show_sizes_side_by_side
  show_what_a_trace_told
  show_work_of_teams
  show_choices_of_a_run
  show_counters_of_regions
  show_traces
}

# Rank 3 of four computes twice as long as the others, on two nodes, and half of its sends were timed by sample.
show_efficiency() {
  python3 - "$profile" >uneven.json <<'UNEVEN'
import json, sys
profile = json.load(open(sys.argv[1]))
profile["ranks"], profile["rank_records"] = 4, profile["rank_records"][:4]
for rank, record in enumerate(profile["rank_records"]):
    record.update(node="ab"[rank // 2], run_time_s=10, mpi_time_s=1 if rank == 3 else 5.5)
    record["sent"] = {"receiver": [rank ^ 1], "size_class": [11], "messages": [10], "bytes": [10240 * (1 + rank // 2)]}
    record["calls"] = {"operation": ["isend"], "calls": [128000], "timed": [1000], "time_s": [0.5]}
    record["collectives"] = []
    record["phases"] = {"group": [1, 2], "count": [1, 1], "mean_s": [1, 8 if rank == 3 else 3.5], "variance_s2": [0, 0],
        "shortest_s": [1, 8 if rank == 3 else 3.5], "longest_s": [1, 8 if rank == 3 else 3.5], "mpi_time_s": [0, 0], "delimiter_time_s": [1, 0 if rank == 3 else 4.5]}
profile["phase_groups"] = [{"id": 1, "begin": "init", "end": "bcast at pairs+0x10"}, {"id": 2, "begin": "bcast at pairs+0x10", "end": "finalize"}]
profile["communicators"] = []
json.dump(profile, sys.stdout)
UNEVEN
  prints show/efficiency.txt show uneven.json
  prints show/efficiency.json show uneven.json --json
  python3 - out <<'FIGURES' || failed "show --json of efficiency: $(cat out)"
import json, sys
run = json.load(open(sys.argv[1]))["efficiency"]
def near(found, expected): assert abs(found - expected) < 1e-9, (found, expected)
near(run["mpi"]["load_balance"], 5.625 / 9)
near(run["mpi"]["communication_efficiency"], 0.9)
near(run["parallel_efficiency"], 0.5625)
near(run["load_balance_across_nodes"], 5.625 / 6.75)
near(run["load_balance_within_nodes"], 6.75 / 9)
near(run["by_phase"][0]["lost_share"], 13.5 / 40)
near(run["by_rank"][3]["outside_mpi_share"], 0.9)
assert run["by_phase"][0]["id"] == 2 and run["by_phase"][0]["slowest_rank"] == 3
assert run["busiest_pair"] == {"ranks": [2, 3], "bytes": 40960, "bytes_of_all_pairs": 61440, "pairs_as_busy": 1}
assert 0 < run["standard_errors"]["parallel_efficiency"] < 0.01 and 0 < run["estimated_mpi_share"] < 1
assert run["openmp"] is None and run["ipc"] is None
FIGURES
}

# The page holds the figures of --json, and what is printed is printed without it, too.
show_pages() {
  huddle show uneven.json --json
  cp out plain
  huddle show uneven.json --json --html page.html
  [ "$status" -eq 0 ] && cmp -s out plain || failed "show --html changes what is printed: $(cat err)"
  sized 2 100 98 null >p2.json
  sized 4 55 50 null >p4.json
  huddle show p2.json p4.json --html sizes.html --json
  [ "$status" -eq 0 ] || failed "show --html of two: $(cat err)"
  python3 -c '
import json
def data(page): return json.loads(open(page).read().split("id=\"data\">")[1].split("</script>")[0])
assert data("page.html")["efficiency"] == json.load(open("plain"))["efficiency"]
assert data("page.html")["program"] == "pairs" and data("page.html")["places"][0]["end"] == "finalize", data("page.html")["places"]
assert data("sizes.html")["scaling"] == json.load(open("out"))' || failed "the pages of show --html"
  refuses 2 "--matrix excludes --html..." show "$profile" --html page.html --matrix m.csv
  refuses 2 "--html uneven.json: this file is read, and would be gone: expected another name" show uneven.json --html uneven.json
  jq '.rank_records[] |= (.run_time_s = 0 | .mpi_time_s = 0 | .phases = null | .calls = null | .collectives = [] | .periods = null)' "$profile" >timeless.json
  refuses 1 "timeless.json: it has no times of ranks, so it says nothing of efficiency" show timeless.json --html page.html
}

# Names are shown as their users wrote them, and columns stand below each other all the same.
show_names() {
  jq '.label = "Größe mit Leer" | .program.arguments = ["mein Gitter", "ü"] | .rank_records[].node = "knöten"' "$profile" >names.json
  huddle show names.json
  grep -qx 'label         Größe mit Leer' out && grep -qx 'program       /opt/pairs mein Gitter ü' out || failed "show of names: $(cat out)"
  grep -qE '^rank  node    PUs  in MPI' out && grep -qE '^   0  knöten  0  ' out || failed "columns beside umlauts: $(cat out)"
}

# sized RANKS SECONDS USEFUL SIZE: a run of the same program with so many ranks, which compute for USEFUL seconds each.
sized() {
  jq --argjson ranks "$1" --argjson time "$2" --argjson useful "$3" --argjson size "$4" '.ranks = $ranks
    | .problem_size = $size | .communicators = [] | .phase_groups = []
    | .rank_records = [range($ranks) as $rank | .rank_records[0] + {rank: $rank, node: "n\($rank / 4 | floor)", run_time_s: $time, mpi_time_s: ($time - $useful),
        sent: {receiver: [], size_class: [], messages: [], bytes: []}, collectives: [], phases: null, periods: null, calls: null}]' "$profile"
}

show_sizes_side_by_side() {
  sized 2 100 98 null >p2.json
  sized 4 55 50 null >p4.json
  sized 8 32 26 null >p8.json
  prints show/sizes.txt show p8.json p2.json p4.json
  prints show/sizes.json show p8.json p2.json p4.json --json
  huddle show p2.json p4.json --check
  [ "$status:$(cat out)" = "0:p2.json: a valid profile
p4.json: a valid profile" ] || failed "show --check of two: $status: $(cat out err)"
  # More ranks than help, and as much work for each rank.
  sized 8 60 26 null >p8.json
  huddle show p2.json p4.json p8.json
  grep -q '^It stops scaling at 4 ranks, of the sizes that were run: 8 ranks get no more done in a second; what falls most is communication.$' out ||
    failed "show of runs that stop scaling: $(cat out)"
  huddle show p2.json p4.json p8.json --weak
  grep -q '^Weak scaling$' out && grep -qE '^speedup +1\.00 +3\.64 +6\.67$' out || failed "show --weak: $(cat out)"
  sized 4 110 98 2000 >w4.json
  sized 2 100 98 1000 >w2.json
  huddle show w2.json w4.json
  grep -q '^Weak scaling$' out || failed "show of a problem that grows with the ranks: $(cat out)"
  sized 4 110 98 1500 >w4.json
  refuses 1 "w2.json solves a problem of size 1000 with 2 threads, w4.json one of 1500 with 4: expected is one size, or one that grows with the threads" \
    show w2.json w4.json
  refuses 1 "w2.json is of the program \"pairs\", $tests/fixtures/profiles/two-hybrid-ranks.json of \"hybrid\": expected are runs of one program in several sizes" \
    show w2.json "$tests/fixtures/profiles/two-hybrid-ranks.json"
  refuses 2 "--matrix is for one profile, not for a comparison of several" show p2.json p4.json --matrix m.csv
  refuses 2 "--weak is for a comparison: expected are several profiles with it" show p2.json --weak
  refuses 2 "$tests/fixtures/traces/score-p-ping-pong is a trace: expected are profiles, of which several are compared" show p2.json "$tests/fixtures/traces/score-p-ping-pong"
}

# Two of one rank's three entries have it: (24 ms * 100 + 12 ms * 40) of (40 ms * 140) are 51 %.
show_work_of_teams() {
  python3 - "$tests/fixtures/profiles/two-hybrid-ranks.json" >teams.json <<'WORK'
import json, sys
profile = json.load(open(sys.argv[1]))
for record in profile["rank_records"]:
    record["region_periods"] = [{"first": 0, "passes": 140, "regions": [11, 11, 12]}]
profile["rank_records"][0]["openmp_regions"].update(observed_passes=[10, 0, 4], busy_s=[0.024, 0, 0.012], busiest_s=[0.036, 0, 0.03])
json.dump(profile, sys.stdout)
WORK
  huddle show teams.json
  grep -qE '^hybrid\+0x2000 .* 0\.1040 +51 +86$' out || failed "show of the work of teams: $(cat out)"
  grep -qE '^hybrid\+0x2400 .* 0\.0500$' out || failed "show of a region whose work is not known: $(cat out)"
  grep -qx 'regions come again after 3 passes, of 2 regions, on 2 of 2 ranks' out || failed "show of periods of regions: $(cat out)"
  huddle show teams.json --json
  python3 -c '
import json, sys
shown = json.load(open(sys.argv[1]))
regions = {region["id"]: region for region in shown["openmp_regions"]}
assert regions[11]["observed_passes"] == 14 and abs(regions[11]["busy_share"] - 2.88 / 5.6) < 1e-9
assert abs(regions[11]["busiest_share"] - 4.8 / 5.6) < 1e-9 and regions[12]["busy_share"] is None
assert shown["region_periods"] == [{"length": 3, "ranks": 2, "passes": 140, "regions": [11, 11, 12]}]' out ||
    failed "show --json of the work of teams: $(cat out)"
}

# (100 * 42 ms + 300 * 38 ms) of 400 passes that two ranks acted on; what was tried is a table of its own, as ever.
show_choices_of_a_run() {
  huddle show "$tests/fixtures/profiles/two-hybrid-ranks.json"
  if grep -q 'chosen in this run' out; then failed "show says that a run chose that did not: $(cat out)"; fi
  python3 - "$tests/fixtures/profiles/two-hybrid-ranks.json" >chosen.json <<'CHOSEN'
import copy, json, sys
profile = json.load(open(sys.argv[1]))
records = profile["rank_records"]
records[1]["packed_regions"] = copy.deepcopy(records[0]["packed_regions"])
records[0]["packed_regions"].update(acted_passes=[0, 100, 0], acted_mean_s=[0, 0.042, 0])
records[1]["packed_regions"].update(acted_passes=[0, 300, 0], acted_mean_s=[0, 0.038, 0])
json.dump(profile, sys.stdout)
CHOSEN
  prints show/chosen.txt show chosen.json
  huddle show chosen.json --json
  python3 -c '
import json, sys
packed = json.load(open(sys.argv[1]))["packed_regions"]
(chosen,) = [one for one in packed if (one["id"], one["cores"]) == (11, 2)]
assert chosen["acting_ranks"] == 2 and chosen["acted_passes"] == 400 and abs(chosen["acted_mean_s"] - 0.039) < 1e-9
assert chosen["ranks"] == 2 and chosen["passes"] == 8
assert [one["acting_ranks"] for one in packed if one is not chosen] == [0, 0]' out || failed "show --json of what a run chose: $(cat out)"
}

# Two of one rank's three entries are counted: their passes are 100 and 40, of which one in two and one in four were read or
# stood for.
show_counters_of_regions() {
  python3 - "$tests/fixtures/profiles/two-hybrid-ranks.json" >counted.json <<'COUNTED'
import json, sys
profile = json.load(open(sys.argv[1]))
profile["rank_records"][0].update(events=["instructions", "cycles", "cache-misses"], event_totals=[None, None, None])
for columns in ("counted", "counted_time_s", "counts"):
    del profile["rank_records"][0]["phases"][columns]
profile["rank_records"][0]["openmp_regions"].update(counted_passes=[25, 0, 10], counted_for=[50, 0, 10], counted_time_s=[2.0, 0, 0.4],
    counts=[[5e9, None, 1e9], [5e9, None, 4e9], [3e6, None, None]])
json.dump(profile, sys.stdout)
COUNTED
  huddle show counted.json
  # (5e9 + 1e9) / (5e9 + 4e9), and 3e6 in 2 s.
  grep -qE '^hybrid\+0x2000 .* 0\.1040 +0\.67 +1\.5$' out || failed "show of the counters of regions: $(cat out)"
  grep -qE '^hybrid\+0x2400 .* 0\.0500$' out || failed "show of a region that was not counted: $(cat out)"
  huddle show counted.json --json
  python3 -c '
import json, sys
regions = {region["id"]: region for region in json.load(open(sys.argv[1]))["openmp_regions"]}
assert regions[11]["counted_passes"] == 35 and abs(regions[11]["ipc"] - 6 / 9) < 1e-9
assert abs(regions[11]["cache_misses_per_s"] - 1.5e6) < 1
assert regions[12]["counted_passes"] == 0 and regions[12]["ipc"] is None and regions[12]["cache_misses_per_s"] is None' out ||
    failed "show --json of the counters of regions: $(cat out)"
  # Counts of two passes out of many are not shown.
  sed 's/"counted_passes": \[25, 0, 10\], "counted_for": \[50, 0, 10\]/"counted_passes": [1, 0, 1], "counted_for": [1, 0, 1]/' counted.json >seldom.json
  cmp -s counted.json seldom.json && failed "the test's own change of counted.json"
  huddle show seldom.json --json
  python3 -c '
import json, sys
region = [one for one in json.load(open(sys.argv[1]))["openmp_regions"] if one["id"] == 11][0]
assert region["counted_passes"] == 2 and region["ipc"] is None and region["cache_misses_per_s"] is None' out ||
    failed "show --json of two passes that were read: $(cat out)"
}

show_what_a_trace_told() {
  python3 - "$tests/fixtures/profiles/four-ranks-all-kinds.json" >traced.json <<'TOLD'
import json, sys
profile = json.load(open(sys.argv[1]))
waits = {"origin": "trace", "run_time_s": 10, "stretched_run_time_s": 10.5,
        "ranks": {"run_time_s": [10] * 4, "computation_s": [9, 7, 8, 9], "slack_s": [0, 1.5, 0.5, 0]},
        "patterns": [{"pattern": "late_sender", "waited_s": [0.5, 1, 1.5, 0]}, {"pattern": "new_kind", "waited_s": [0, 0, 0, 2]}]}
json.dump({"format": profile["format"], "version": profile["version"], "wait_states": waits, **profile}, sys.stdout)
TOLD
  huddle show traced.json
  grep -qE '^Late Sender +0\.7500 +7\.5 +1\.5000 +2$' out || failed "show of waiting by a trace: $(cat out)"
  grep -qE '^new_kind +0\.5000 +5\.0 +2\.0000 +3$' out || failed "show of an unknown pattern: $(cat out)"
  grep -qE '^slack of computation +0\.5000 +5\.0 +1\.5000 +1$' out || failed "show of slack: $(cat out)"
  grep -q 'the run takes 10.5000 s instead of 10.0000 s' out || failed "show of slack used: $(cat out)"
  if grep -q 'waiting, estimated' out; then failed "show estimates what a trace measured: $(cat out)"; fi
  huddle show traced.json --json
  python3 -c 'import json, sys; waits = json.load(open(sys.argv[1]))["wait_states"]; assert waits["measured"] and waits["patterns"][0]["time"]' out ||
    failed "show --json of waiting by a trace: $(cat out)"
}

show_traces() {
  cp -r "$tests/fixtures/traces/score-p-ping-pong" ping-pong
  prints show/trace.txt show ping-pong
  prints show/trace.json show ping-pong/traces.otf2 --json
  huddle show ping-pong --check
  [ "$status:$(cat out)" = "0:ping-pong: a valid trace" ] || failed "show --check of a trace: $status: $(cat out)"
  huddle show "$tests/fixtures/traces/eztrace-four-ranks"
  grep -q 'rank 1, P#1T#0: 2 nonblocking receives have no end' out || failed "show is silent about what a trace lacks: $(cat out)"
  refuses 2 "ping-pong is a trace: of the options only --json and --check are for traces" show ping-pong --matrix m.csv
  head -c 300 "$tests/fixtures/traces/score-p-ping-pong/traces/0.evt" >ping-pong/traces/0.evt
  refuses 1 "ping-pong/traces/0.evt: byte 298: found the end of the file, expected a whole time stamp" show ping-pong --check
  huddle show ping-pong
  [ "$status" = 0 ] && grep -q 'odd, missing or damaged' out || failed "show of a cut trace: $status: $(cat out)"
  mkdir empty
  refuses 1 "empty: the folder: found no file that ends in .otf2..." show empty
}
