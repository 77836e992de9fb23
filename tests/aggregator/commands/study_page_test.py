#!/usr/bin/env python3
"""The page of huddle study in a browser: it shows the figures of --json, and fits wide and narrow windows.

  study_page_test.py HUDDLE     ends with 77 if there is no chromium
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
  const rows = (table) => [...table.querySelectorAll("tr")].slice(1).map((row) => [...row.children].map((cell) => cell.textContent));
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify({
    errors: pageErrors, ready: document.documentElement.dataset.ready, summary: texts("#summary"), figures: texts(".figure strong"),
    verdicts: rows(document.getElementById("verdicts")), parts: document.getElementById("shares").children.length,
    groups: [...document.querySelectorAll("#groups section")].map((part) => [part.querySelector("h2").textContent, rows(part)]),
    measure: rows(document.getElementById("measure-table")), notes: texts("#notes li"),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth});
  document.body.append(answer);
"""


def check_figures(seen, data):
    assert not seen["errors"] and seen["ready"] == "yes", seen["errors"]
    assert seen["summary"] == ["35 jobs took 924 node-hours. Packed jobs may take up to 5 % more time."], seen["summary"]
    assert seen["figures"][0] == f"{data['freed_node_h']['mean']:.1f} node-hours".replace(".0 ", " "), seen["figures"]
    there = [one for one in data["verdicts"] if one["jobs"] > 0]
    judged = [one for one in there if one["judged"]]
    assert len(seen["verdicts"]) == len(there) + 1, seen["verdicts"]
    assert seen["parts"] == len(judged) + 1
    assert [int(row[1]) for row in seen["verdicts"][:len(judged)]] == [one["jobs"] for one in judged]
    assert int(seen["verdicts"][len(judged)][1]) == sum(one["jobs"] for one in there if not one["judged"])
    names = {title: [row[0] for row in rows] for title, rows in seen["groups"]}
    for title, groups in (("By partition", "partitions"), ("By account", "accounts"), ("By program", "applications"), ("By nodes", "sizes")):
        assert names[title] == [one["name"] for one in data[groups] if one["could_use_fewer"]["jobs"] > 0], title
    assert [row[0] for row in seen["measure"]] == [one["application"] for one in data["measure_first"]]
    assert len(seen["notes"]) == len(data["nodes"]) + len(data["notes"])


def main():
    if not shutil.which("chromium"):
        print("there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        done = subprocess.run([sys.argv[1], "study", ROOT / "tests/fixtures/sacct/site.txt", "--html", page, "--json"],
                              capture_output=True, text=True, check=True)
        data, text = json.loads(done.stdout), page.read_text()
    check_figures(seen_in_browser(text, PROBE), data)
    for width in (1400, 800, 500):
        overflow = seen_in_browser(text, PROBE, width)["overflow"]
        assert overflow <= 0, f"{overflow} pixels are beyond a window of {width}"


main()
