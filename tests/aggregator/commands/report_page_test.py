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
    measuring: texts("#measuring"), control: texts("#control-text"), bars: document.querySelectorAll("#hours-chart rect").length, notes: texts("#notes li"),
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


def draw_control_group(store):
    """Of 100 jobs of their own half are drawn to run on 8 nodes, and half are packed onto 2."""
    record = json.loads(next(store.glob("ann/halo/16/outcome-*-101.0-*")).read_text())
    record.update(label="drawn", reason="drawn for the control group", profile=None)
    folder = store / "ann/drawn/16"
    folder.mkdir(parents=True)
    for job in range(100):
        drawn = job % 2 == 0
        record["treatment"] = "left" if drawn else "packed"
        record["plan"] = None if drawn else "/plan.json"
        record["control"] = {"share": 0.5, "ticket": f"job {job}", "drawn": drawn, "nodes": 2, "slowdown": 0}
        record["run"].update(job=1000 + job, nodes=8 if drawn else 2, start=f"2026-11-09T{job // 60:02}:{job % 60:02}:00.000Z")
        record["end"] = {"elapsed_s": 90 + job % 7, "status": 0}
        (folder / f"outcome-20261109T{job:06}.000Z-{1000 + job}.0-pid1.json").write_text(json.dumps(record))


def check_control_group(seen, summary):
    group = summary["control_group"]
    assert (group["control"], group["packed"]) == (50, 50), group
    assert group["saved_low_node_h"] < group["saved_node_h"] < group["saved_high_node_h"], group
    # Each job takes 93 s on average, on 8 nodes or on 2.
    assert abs(group["saved_node_h"] / (100 * 6 * 93 / 3600) - 1) < 0.1, group
    assert seen["control"][0].startswith("50 of 100 jobs that would be packed were drawn to run as submitted. Packing all of them saves "), seen["control"]
    assert seen["hidden"] == [], seen["hidden"]


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
    assert seen["hidden"] == ["Against a control group"], seen["hidden"]
    (program,) = summary["programs"]
    assert seen["programs"][0][:4] == ["<b>halo", "1", "16", f"{program['node_h']:.4f}"], seen["programs"]
    assert seen["programs"][0][5:8] == [f"{100 * program[part]:.1f} %" for part in ("parallel_efficiency", "load_balance", "communication_efficiency")], seen


def report_of(store, folder):
    page = folder / "page.html"
    done = subprocess.run([sys.argv[1], "report", "--store", store, "--user", "ann", "--no-accounting", "--html", page, "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["summary"], page.read_text()


def main():
    if not shutil.which("chromium"):
        print("there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        store = store_in(folder)
        summary, text = report_of(store, folder)
        draw_control_group(store)
        drawn, drawn_text = report_of(store, folder)
    check_control_group(seen_in_browser(drawn_text, PROBE), drawn)
    check(seen_in_browser(text, PROBE), summary)
    for width in (1400, 800, 500):
        overflow = seen_in_browser(text, PROBE, width)["overflow"]
        assert overflow <= 0, f"{overflow} pixels are beyond a window of {width}"


main()
