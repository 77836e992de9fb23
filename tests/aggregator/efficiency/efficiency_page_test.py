#!/usr/bin/env python3
"""The pages of huddle show in a browser: they show the figures of --json, names as text, and fit wide and narrow windows.

  efficiency_page_test.py HUDDLE     ends with 77 if there is no chromium
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/aggregator/render"))
from browser import seen_in_browser

PROBE = """
  const texts = (which) => [...document.querySelectorAll(which)].map((part) => part.textContent);
  const rows = (table) => [...document.getElementById(table).querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify({
    errors: pageErrors, ready: document.documentElement.dataset.ready, title: texts("h1"), summary: texts("#summary"), figures: texts(".figure strong"),
    factors: rows("factors-table"), phases: rows("phases-table"), nodes: rows("nodes-table"), ranks: rows("ranks-table"),
    bars: document.querySelectorAll("#ranks-chart rect.found").length, points: document.querySelectorAll("#speedup-chart circle").length,
    rest: texts("#ranks-rest"), notes: texts("#notes li"), shown: texts("section:not([hidden]) h2"), bold: document.querySelectorAll("b").length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth});
  document.body.append(answer);
"""


def profile_in(folder, ranks):
    """Runs of a program with markup in its names, whose last rank computes longest, and which waits more with more ranks."""
    profile = json.loads((ROOT / "tests/fixtures/profiles/eight-ranks-in-pairs.json").read_text())
    first = profile["rank_records"][0]
    first["sent"] = {"receiver": [], "size_class": [], "messages": [], "bytes": []}
    profile["program"]["executable"] = "/opt/<b>pairs"
    work = 80 if ranks <= 16 else 10 * ranks
    time = work / ranks + ranks / 4
    profile.update(ranks=ranks, communicators=[], phase_groups=[
        {"id": 1, "begin": "init", "end": "bcast at <b>pairs+0x10"}, {"id": 2, "begin": "bcast at <b>pairs+0x10", "end": "finalize"}])
    profile["rank_records"] = []
    for rank in range(ranks):
        outside = work / ranks * (1 if rank == ranks - 1 else .75)
        phases = {"group": [1, 2], "count": [1, 1], "mean_s": [1, outside - 1], "variance_s2": [0, 0], "shortest_s": [1, outside - 1], "longest_s": [1, outside - 1],
                  "mpi_time_s": [0, 0], "delimiter_time_s": [0, time - outside]}
        profile["rank_records"].append({**first, "rank": rank, "node": f"<b>n{rank // 4}", "run_time_s": time, "mpi_time_s": time - outside,
                                        "collectives": [], "periods": None, "calls": None, "phases": phases})
    file = folder / f"p{ranks}.json"
    file.write_text(json.dumps(profile))
    return file


def page_of(huddle, files, folder):
    page = folder / "page.html"
    done = subprocess.run([huddle, "show", *files, "--html", page, "--json"], capture_output=True, text=True, check=True)
    return page.read_text(), json.loads(done.stdout)


def percent(share):
    return f"{100 * share:.1f} %"


def check_run(seen, run, ranks):
    assert not seen["errors"] and seen["ready"] == "yes", seen["errors"]
    assert seen["title"] == ["Efficiency of <b>pairs"] and seen["bold"] == 0, seen["title"]
    assert seen["summary"][0].startswith(f"{ranks} ranks on {ranks // 4} nodes, "), seen["summary"]
    assert seen["figures"][:3] == [percent(run["parallel_efficiency"]), percent(run["mpi"]["load_balance"]), percent(run["mpi"]["communication_efficiency"])], seen["figures"]
    assert [row[:2] for row in seen["factors"][1:4]] == [
        ["parallel efficiency", percent(run["parallel_efficiency"])], ["load balance", percent(run["mpi"]["load_balance"])],
        ["across nodes", percent(run["load_balance_across_nodes"])]], seen["factors"]
    assert seen["phases"][1][-1] == "bcast at <b>pairs+0x10 \u2192 finalize" and len(seen["phases"]) == 3, seen["phases"]
    assert [row[0] for row in seen["nodes"][1:]] == [node["node"] for node in run["by_node"]], seen["nodes"]
    assert seen["ranks"][1][0] == str(ranks - 1) and len(seen["ranks"]) == 11, seen["ranks"]
    assert seen["bars"] == ranks, seen["bars"]
    assert seen["rest"] == [f"and {ranks - 10} ranks more, which huddle show --json lists"], seen["rest"]
    assert seen["shown"] == ["Where efficiency goes", "Phases that lose most", "Nodes", "Ranks", "How to read this"], seen["shown"]


def check_sizes(seen, scaling):
    assert not seen["errors"] and seen["ready"] == "yes", seen["errors"]
    assert scaling["outlook"]["sentence"] in seen["summary"][0], seen["summary"]
    assert seen["points"] == 3 and seen["bold"] == 0
    table = {row[0]: row[1:] for row in seen["factors"]}
    assert table["ranks"] == ["4", "8", "16"], table
    assert table["global efficiency"] == [percent(run["global_efficiency"]) for run in scaling["runs"]], table
    assert seen["shown"] == ["Speedup", "Where efficiency goes", "How to read this"], seen["shown"]


def main():
    if not shutil.which("chromium"):
        print("there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run_page, run = page_of(sys.argv[1], [profile_in(folder, 16)], folder)
        sizes_page, sizes = page_of(sys.argv[1], [profile_in(folder, ranks) for ranks in (4, 8, 16)], folder)
        large_page, large_run = page_of(sys.argv[1], [profile_in(folder, 1000)], folder)
    check_run(seen_in_browser(run_page, PROBE), run["efficiency"], 16)
    check_sizes(seen_in_browser(sizes_page, PROBE), sizes)
    large = seen_in_browser(large_page, PROBE)
    assert not large["errors"] and large["bars"] == 250, large["bars"]
    worst = sorted(large_run["efficiency"]["by_node"], key=lambda node: node["parallel_efficiency"])
    assert len(large["nodes"]) == 33 and large["nodes"][1][2] == percent(worst[0]["parallel_efficiency"]), large["nodes"]
    for width in (1400, 800, 500):
        for page in (run_page, sizes_page):
            overflow = seen_in_browser(page, PROBE, width)["overflow"]
            assert overflow <= 0, f"{overflow} pixels are beyond a window of {width}"


main()
