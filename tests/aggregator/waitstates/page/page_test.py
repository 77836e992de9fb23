#!/usr/bin/env python3
"""The page of huddle waitstates in a browser: the numbers that it shows are those of the report.

  page_test.py MADE_UP_WAITS     ends with 77 if there is no chromium
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
from collections import defaultdict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "render"))
from browser import seen_in_browser

failures = 0


def check(true, what):
    global failures
    if not true:
        failures += 1
        print("FAILED:", what, file=sys.stderr)


def near(a, b):
    return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


def check_value(shown, expected, what):
    check(near(shown, expected), f"{what}: the page has {shown}, the report {expected}")


# For a page too large to be used as a whole: a click in each pane.
SHORT_PROBE = """
  const lines = (tree) => [...document.querySelectorAll(`#${tree}-tree .item`)];
  lines("metric").find((line) => line.dataset.id === "energy").querySelector(".name").click();
  lines("call")[1].querySelector(".toggle").click();
  lines("system")[1].querySelector(".toggle").click();
  const view = {...document.getElementById("canvas").dataset};
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify({
    errors: pageErrors, ready: document.documentElement.dataset.ready, summary: document.getElementById("summary").textContent,
    energy: Number(lines("metric").find((line) => line.dataset.id === "energy").dataset.value),
    all: Number(lines("call")[0].dataset.value), ranks: Number(lines("system")[0].dataset.value), lines: lines("system").length,
    view});
  document.body.append(answer);
"""


# Finds by how much the metrics are wider than their pane.
WIDTH_PROBE = """
  for (let closed; (closed = [...document.querySelectorAll('#metric-tree .item')].find((item) => item.getAttribute("aria-expanded") === "false"));)
    closed.querySelector(".toggle").click();
  const tree = document.getElementById("metric-tree");
  const right = tree.getBoundingClientRect().right;
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify({
    width: document.documentElement.clientWidth, names: [...tree.querySelectorAll(".name")].map((name) => name.textContent),
    cut: [...tree.querySelectorAll(".name")].filter((name) => name.getBoundingClientRect().right > right || name.scrollWidth > name.clientWidth + 1).map((name) => name.textContent)});
  document.body.append(answer);
"""


def by_id(lines):
    return {line["id"]: line for line in lines}


def rows_of(report):
    """The page's rows: by rank, thread."""
    return sorted(range(len(report["ranks_detail"])),
                  key=lambda i: (report["ranks_detail"][i]["rank"], report["ranks_detail"][i]["thread"]))


def check_waits(seen, report):
    """Each metric of each pattern, in each call path, on each rank."""
    places = {(at["rank"], at["thread"]): row
              for row, at in enumerate(report["ranks_detail"][i] for i in rows_of(report))}
    metrics = {"waiting": "time_s", "outside": "time_s", "count": "count", "energy": "energy_j", "esp": "esp_j",
               "esp_bw": "esp_bw_j"}
    sums = defaultdict(float)
    for waits in report["waits"]:
        openmp = waits["pattern"] == "wait_at_openmp_barrier"
        row = places[waits["rank"], waits["thread"]]
        for metric, member in metrics.items():
            if metric == ("waiting" if openmp else "outside"):
                continue
            leaf = f"{metric}/{waits['pattern']}"
            for key in ((leaf,), (leaf, waits["call_path"]), (leaf, waits["call_path"], row)):
                sums[key] += waits[member]
    leaves = {key[0] for key in sums if sums[key] > 0}
    check(len(leaves) >= 12, f"only {leaves} are there to be shown")
    shown_metrics = by_id(seen["metrics"])
    for leaf in leaves:
        check(leaf in seen["leaves"], f"{leaf} is not on the page")
        check_value(shown_metrics[leaf]["value"], sums[leaf,], leaf)
        for path, line in by_id(seen["leaves"][leaf]["call"]).items():
            if path == "paths":
                check_value(line["value"], sums[leaf,], f"{leaf}, all call paths")
                continue
            number = int(path.removeprefix("path"))
            check_value(line["value"], sums[leaf, number], f"{leaf} in {path}")
            for row, item in by_id(seen["leaves"][leaf]["system"].get(path, [])).items():
                if row.startswith("row"):
                    check_value(item["value"], sums[leaf, number, int(row.removeprefix("row"))],
                                f"{leaf} in {path} on {row}")


def check_time(seen, report):
    shown = by_id(seen["metrics"])
    waiting = sum(w["time_s"] for w in report["waits"] if w["pattern"] != "wait_at_openmp_barrier")
    threads = sum(w["time_s"] for w in report["waits"]) - waiting
    everything = sum(path["time_s"] for path in report["call_paths"])
    check_value(shown["mpi"]["value"], report["mpi_s"] - waiting, "MPI without waiting")
    check_value(shown["computation"]["value"], everything - report["mpi_s"] - threads, "computation")
    check_value(shown["visits"]["value"], sum(path["visits"] for path in report["call_paths"]), "visits")
    check_value(shown["measure0"]["value"], 2.0, "the critical path")
    for number, path in enumerate(report["call_paths"]):
        check_value(by_id(seen["leaves"]["visits"]["call"])[f"path{number}"]["value"], path["visits"],
                    f"visits of path {number}")


def check_delays(seen):
    """A measure with parts: the parts' numbers, by call path and rank."""
    shown = by_id(seen["metrics"])
    check_value(shown["measure1"]["value"], 0.0, "costs of delays, expanded: all is in its parts")
    for part, name, total, in_solve in (("0", "Direct", 1.2, 0.9), ("1", "Propagated", 0.24, 0.24)):
        line = shown[f"measure1/{part}"]
        check(line["name"].startswith(name) and line["level"] == 2, f"{name} is below the costs of delays: {line}")
        check_value(line["value"], total, name)
        leaf = seen["leaves"][f"measure1/{part}"]
        check_value(by_id(leaf["call"])["path2"]["value"], in_solve, f"{name} in solve")
    ranks = by_id(seen["leaves"]["measure1/1"]["system"]["path2"])
    shown_by_rank = {title["name"]: title["value"] for title in ranks.values()}
    check_value(shown_by_rank["rank 3"], 0.04, "propagated from rank 3")
    check_value(seen["delays"], 1.44, "costs of delays, collapsed")


def check_collapsed(seen, report):
    """A collapsed line stands for all below it, in numbers and in percent."""
    waiting = sum(w["time_s"] for w in report["waits"] if w["pattern"] != "wait_at_openmp_barrier")
    everything = sum(path["time_s"] for path in report["call_paths"])
    for view in ("collapsed", "percent"):
        check_value(by_id(seen[view]["metric"])["waiting"]["value"], waiting, "waiting, collapsed")
        check_value(by_id(seen[view]["call"])["path0"]["value"], waiting, "main, collapsed")
        check_value(by_id(seen[view]["system"])["system"]["value"], waiting, "all ranks")
    check(by_id(seen["collapsed"]["call"])["path0"]["text"] == f"{waiting:.3f}", "waiting has three decimals")
    percent = f"{100 * waiting / everything:.2f}"
    check(by_id(seen["percent"]["metric"])["waiting"]["text"] == percent, "percent of the metric")
    check(by_id(seen["percent"]["call"])["path0"]["text"] == percent, "percent of the call path")


def check_begin(seen):
    metric = next(line for line in seen["begin"]["metric"] if line["selected"])
    check(metric["id"] == "waiting", "waiting is selected first")
    check(any(line["name"] == "MPI_Recv" for line in seen["begin"]["call"]), "the heavy call paths are open")
    check(any(line["name"] == "rank 3" for line in seen["begin"]["system"]), "few ranks are shown at once")


def check_timeline(seen):
    def distance(pixel, colour):
        return max(abs(part - int(colour[at:at + 2], 16)) for part, at in zip(pixel, (1, 3, 5)))
    for name, pixel in seen["pixels"].items():
        check(distance(pixel, seen["colours"][name]) <= 3, f"{name} is drawn as {pixel}, not {seen['colours'][name]}")
    check(distance(seen["patternPixel"], "#c8283c") <= 3, f"Late Sender is drawn as {seen['patternPixel']}")
    check(seen["tip"] == "rank 2 on n1\n300 ms to 320 ms\ncomputation 0 %\nMPI 100 %\n"
          "waiting 100 %, mostly Late Sender", f"the tip says {seen['tip']!r}")
    whole, zoomed, fewer_rows, moved, again = seen["view"]
    check(whole == {"left": 0, "right": 100, "top": 0, "bottom": 5}, f"all is shown first, not {whole}")
    check(zoomed["right"] - zoomed["left"] < 90 and zoomed["bottom"] == 5, f"the wheel zooms in time: {zoomed}")
    check(fewer_rows["bottom"] - fewer_rows["top"] < 5, f"with Shift in rows: {fewer_rows}")
    check(moved["left"] > fewer_rows["left"], "an arrow key moves")
    check(again == whole, "0 shows all again")
    check(seen["legend"] == ["computation", "MPI", "Late Sender", "Wait at Barrier"], f"the legend is {seen['legend']}")


def check_safety(seen, report):
    check(seen["errors"] == [], f"errors: {seen['errors']}")
    check(seen["ready"] == "yes", "the page's script came to its end")
    check(seen["foreign"] == 0, "a name became an element, or the page loads something")
    program = report["program"].split("/")[-1]
    check(seen["heading"] == program and seen["title"] == f"Where ranks wait: {program}", "the program's name")
    check(seen["program"] == f"{report['program']}, trace {report['trace']}", "the program's file, and the trace")
    places = {line["id"]: line["place"] for line in seen["leaves"]["visits"]["call"] if "place" in line}
    check(places == {"path2": "<b>solve.c:12"}, f"the source's lines: {places}")
    names = {line["name"] for line in seen["leaves"]["visits"]["call"]}
    check({path["path"][-1] for path in report["call_paths"]} <= names, "regions' names as they are")
    check(any("</script>" in text for text in seen["remarks"]) and len(seen["remarks"]) == 2, "the remarks")


def check_notes(seen):
    """A pane without anything says why, and only then."""
    notes = seen["notes"]
    check(notes["metric"].startswith("Waiting is expanded") and notes["closedMetric"] == "", f"of a metric: {notes}")
    check(notes["path"].startswith("main is expanded") and notes["closedPath"] == "", f"of a call path: {notes}")


def check_narrow(page):
    seen = seen_in_browser(page, WIDTH_PROBE, 1024)
    check(seen["width"] <= 1024 and "On the critical path (s)" in seen["names"], f"a narrow page: {seen}")
    check(seen["cut"] == [], f"names that are cut at 1024 pixels: {seen['cut']}")


def check_keyboard(seen):
    check(seen["keyDown"] == "path0", "the arrow key goes down")
    check(seen["keyRight"] == "true", "the arrow key opens")
    check(seen["keyEnd"] and seen["keyHome"] == "paths", "End and Home")
    check(seen["focused"] == "paths", "the focus follows")


def check_large(made_up):
    """1,024 ranks and 500 call paths: bounded, and quick enough to be used."""
    page = subprocess.run([made_up, "large-page"], capture_output=True, text=True, check=True).stdout
    check(len(page) < 20e6, f"the page has {len(page)} bytes")
    seen = seen_in_browser(page, SHORT_PROBE)
    check(seen["errors"] == [] and seen["ready"] == "yes", f"the large page's script: {seen['errors']}")
    check(seen["summary"].startswith("1024 ranks on 64 nodes"), seen["summary"])
    check(seen["energy"] > 0, "the large page has energies")
    check_value(seen["all"], seen["energy"], "all call paths of the large page")
    check_value(seen["ranks"], seen["energy"], "all ranks of the large page")
    check(seen["lines"] == 1 + 64 + 16, f"{seen['lines']} lines of nodes and ranks")
    check(seen["view"]["bottom"] == "1024", "the timeline has all ranks")


def main():
    if not shutil.which("chromium"):
        print("there is no chromium")
        sys.exit(77)
    made_up = sys.argv[1]
    page = subprocess.run([made_up, "page"], capture_output=True, text=True, check=True).stdout
    report = json.loads(subprocess.run([made_up, "page-json"], capture_output=True, text=True, check=True).stdout)
    seen = seen_in_browser(page, pathlib.Path(__file__).with_name("page_probe.js").read_text())
    check_begin(seen)
    check_waits(seen, report)
    check_time(seen, report)
    check_delays(seen)
    check_collapsed(seen, report)
    check_keyboard(seen)
    check_timeline(seen)
    check_notes(seen)
    colours = re.search(r"PALETTE = \[(.*?)\]", page).group(1).count("#")
    check(colours >= len(report["patterns"]), f"{colours} colours for {len(report['patterns'])} patterns")
    check_narrow(page)
    check_safety(seen, report)
    check_large(made_up)
    sys.exit(failures > 0)


main()
