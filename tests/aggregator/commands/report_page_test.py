#!/usr/bin/env python3
"""The page of huddle report in a browser: it shows the figures of --json, names as text, and fits wide and narrow windows.

  report_page_test.py HUDDLE     ends with 77 if there is no chromium
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
  const rows = (table) => [...document.getElementById(table).querySelectorAll("tr")].slice(1).map((row) => [...row.children].map((cell) => cell.textContent));
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify({
    errors: pageErrors, ready: document.documentElement.dataset.ready, summary: texts("#summary"), figures: texts(".figure strong"),
    months: rows("months-table"), partitions: rows("partitions-table"), left: rows("left-table"), programs: rows("programs-table"), promises: texts("#promises"),
    measuring: texts("#measuring"), bars: document.querySelectorAll("#hours-chart rect").length, notes: texts("#notes li"),
    hidden: texts("section[hidden] h2"), bold: document.querySelectorAll("b").length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth});
  document.body.append(answer);
"""


def store_in(folder):
    """Runs of ann, one of which broke its bound, one of which has markup in its name, and one of which left a profile of a
    program with markup in its name."""
    store = folder / "store"
    shutil.copytree(ROOT / "tests/fixtures/outcomes", store)
    broken = next(store.glob("ann/halo/16/outcome-*-102.0-*"))
    record = json.loads(broken.read_text())
    record["end"]["elapsed_s"] = 150.0
    record["prediction"]["slowdown_bound"] = 0.05
    record["label"] = "<b>halo</b>"
    broken.write_text(json.dumps(record))
    reference = next(store.glob("ann/halo/16/outcome-*-101.0-*"))
    record = json.loads(reference.read_text())
    record["label"] = "<b>halo</b>"
    reference.write_text(json.dumps(record))
    profile = json.loads((ROOT / "tests/fixtures/profiles/eight-ranks-in-pairs.json").read_text())
    profile["program"]["executable"] = "/opt/<b>halo"
    kept = store / "ann/halo/16/profile-1.json"
    kept.write_text(json.dumps(profile))
    record = json.loads(reference.read_text())
    record["profile"] = str(kept)
    reference.write_text(json.dumps(record))
    return store


def check(seen, summary):
    every = summary["all"]
    assert not seen["errors"] and seen["ready"] == "yes", seen["errors"]
    assert seen["summary"] == ["8 runs of 1 user from 2026-11-02 to 2026-11-09: 1 measured, 6 packed, 1 left as submitted."], seen["summary"]
    assert seen["figures"][1] == f"{every['packed']} of {every['runs']} runs", seen["figures"]
    assert f"{every['bounds_kept']} kept" in seen["figures"], seen["figures"]
    assert [row[0] for row in seen["months"]] == [month["name"] for month in summary["months"]]
    assert seen["bars"] == 2 * len(summary["months"])
    assert [row[0] for row in seen["partitions"]] == ["not known"], seen["partitions"]
    assert [row[0] for row in seen["left"]] == [reason["reason"] for reason in summary["left_reasons"]]
    worst = summary["worst_promise"]
    assert worst["label"] == "<b>halo</b>" and f"The worst: job {worst['job']} of ann (<b>halo</b>)" in seen["promises"][0], seen["promises"]
    assert seen["bold"] == 0, "a name became markup"
    assert seen["measuring"][0].startswith("1 measured run took "), seen["measuring"]
    assert seen["hidden"] == [], seen["hidden"]
    (program,) = summary["programs"]
    assert seen["programs"][0][:4] == ["<b>halo", "1", "16", f"{program['node_h']:.4f}"], seen["programs"]
    assert seen["programs"][0][5:8] == [f"{100 * program[part]:.1f} %" for part in ("parallel_efficiency", "load_balance", "communication_efficiency")], seen


def main():
    if not shutil.which("chromium"):
        print("there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        page = folder / "page.html"
        done = subprocess.run([sys.argv[1], "report", "--store", store_in(folder), "--user", "ann", "--no-accounting", "--html", page, "--json"],
                              capture_output=True, text=True, check=True)
        summary, text = json.loads(done.stdout)["summary"], page.read_text()
    check(seen_in_browser(text, PROBE), summary)
    for width in (1400, 800, 500):
        overflow = seen_in_browser(text, PROBE, width)["overflow"]
        assert overflow <= 0, f"{overflow} pixels are beyond a window of {width}"


main()
