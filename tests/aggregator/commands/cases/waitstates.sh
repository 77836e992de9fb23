# Sourced by ../cli_test.sh, whose words it uses.

case_waitstates() {
  ln -s "$tests/fixtures/traces/score-p-ping-pong" ping-pong
  ln -s "$tests/fixtures/traces/eztrace-four-ranks" four-ranks
  prints waitstates/pattern.txt waitstates ping-pong
  prints waitstates/pattern.txt waitstates ping-pong --by pattern
  [ ! -s err ] || failed "waitstates says: $(cat err)"
  prints waitstates/callpath.txt waitstates four-ranks --by callpath --machine opteron-6168
  prints waitstates/rank.txt waitstates four-ranks --by rank --machine "$frequencies"
  prints waitstates/pattern.csv waitstates ping-pong --csv
  prints waitstates/callpath.csv waitstates ping-pong --csv --by callpath
  prints waitstates/rank.csv waitstates ping-pong --csv --by rank
  prints waitstates/report.json waitstates ping-pong --json --machine juropa
  prints waitstates/critical-path.txt waitstates ping-pong --critical-path --what-if '*@1600MHz' --what-if slack
  prints waitstates/delays.txt waitstates ping-pong --delays
  prints waitstates/efficiency.txt waitstates four-ranks --efficiency
  huddle waitstates four-ranks --json --efficiency
  python3 -c '
import json
run = json.load(open("out"))["efficiency"]
near = lambda one, other: abs(one - other) < 1e-9
assert near(run["communication_efficiency"], run["serialisation_efficiency"] * run["transfer_efficiency"]), "communication"
assert near(run["parallel_efficiency"], run["load_balance"] * run["communication_efficiency"]), "parallel efficiency"
assert near(run["transfer_efficiency"], run["ideal_run_time_s"] / run["run_time_s"]), "transfer"
' || failed "waitstates --json --efficiency: $(cat out)"
  huddle waitstates ping-pong --json --critical-path --what-if '*@x2'
  python3 -c '
import json, sys
report = json.load(open("out"))
assert report["critical_path"]["call_paths"] and report["slack"]["ranks"], "critical path and slack"
assert len(report["what_if"]) == 1 and report["what_if"][0]["changed"]["run_time_s"] > report["run_time_s"], "what-if"
waiting = sum(pattern["time_s"] for pattern in report["patterns"])
assert abs(waiting - report["waiting_s"]) < 1e-12 and len(report["patterns"]) == 16, "patterns"
assert report["waiting_s"] <= report["mpi_s"] <= report["time_s"], "waiting is a part of time in MPI"
' || failed "waitstates --json with critical path and what-if"

  # Two runs.
  prints waitstates/compare.txt waitstates ping-pong four-ranks
  huddle waitstates ping-pong four-ranks --json
  python3 -c '
import json
found = json.load(open("out"))
assert [found[side]["trace"] for side in ("before", "after")] == ["ping-pong", "four-ranks"], "traces"
assert abs(found["time_s"]["change"] - (found["time_s"]["after"] - found["time_s"]["before"])) < 1e-12, "change"
by_path = sum(path["waiting_s"]["after"] for path in found["call_paths"])
assert abs(by_path - found["waiting_s"]["after"]) < 1e-9, "waiting of all call paths"
' || failed "waitstates --json of two traces"
  refuses() { # WORD ARGUMENT...
    local word=$1
    shift
    huddle waitstates "$@"
    [ "$status" -eq 2 ] && grep -q -e "$word" err || failed "waitstates $*: status $status: $(cat err)"
  }
  refuses "more than two" ping-pong four-ranks ping-pong
  refuses --html ping-pong four-ranks --html page.html
  refuses --delays ping-pong four-ranks --delays

  # It is one process: what asks for several is answered with what to do instead, before anything is written.
  refuses --threads ping-pong --processes 2
  refuses --threads ping-pong --processes=1
  local launched
  for launched in OMPI_COMM_WORLD_SIZE=4 PMI_SIZE=4 "SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0"; do
    # shellcheck disable=SC2163,SC2086
    export $launched
    refuses --threads ping-pong --html several.html
    [ ! -s out ] && [ ! -e several.html ] || failed "one of several processes ($launched) has written something"
    unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS SLURM_PROCID
  done
  # Alone in a launch, or in the script of a job of several tasks, it works.
  for launched in OMPI_COMM_WORLD_SIZE=1 PMI_SIZE=1 "SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0" "SLURM_NTASKS=4 SLURM_PROCID=0"; do
    # shellcheck disable=SC2163,SC2086
    export $launched
    prints waitstates/pattern.txt waitstates ping-pong
    unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS SLURM_PROCID SLURM_NTASKS
  done

  # The page holds the same report, and nothing that a browser would fetch.
  huddle waitstates ping-pong --html page.html
  [ "$status" -eq 0 ] || failed "waitstates --html: $(cat err)"
  diff -u "$golden/waitstates/pattern.txt" out >&2 || failed "--html changes what is printed"
  python3 -c '
import json, re
page = open("page.html").read()
data = json.loads(re.search("<script type=\"application/json\" id=\"data\">(.*?)</script>", page, re.S).group(1))
assert data["timeline"]["bins"] == 2000, "bins"
assert "MPI_Send" in data["paths"]["regions"], "regions"
assert not re.search("(src|href)=|https?:|@import|url\\(", page.replace(json.dumps(data), "")), "the page fetches something"
' || failed "the page of waitstates --html"
}
