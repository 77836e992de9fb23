#!/usr/bin/env python3
"""The page of huddle forecast in a browser: the numbers that it shows are those that --json prints.

  page_test.py MADE_UP_FORECASTS     ends with 77 if there is no chromium
"""

import html
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

failures = 0


def check(true, what):
    global failures
    if not true:
        failures += 1
        print("FAILED:", what, file=sys.stderr)


def same(shown, expected, what):
    check(shown == expected, f"{what}: the page has {shown}, the report {expected}")


def seen_in_browser(page, width=1400):
    """What page_probe.js saw of the page."""
    probe = pathlib.Path(__file__).with_name("page_probe.js").read_text()
    first = "<script>window.pageErrors = []; onerror = (what) => { pageErrors.push(String(what)); };</script>"
    text = page.replace("<style>", first + "<style>", 1).replace("</body>", f"<script>{probe}</script></body>", 1)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "page.html"
        file.write_text(text)
        done = subprocess.run(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}/user", f"--window-size={width},1000", "--virtual-time-budget=10000", "--dump-dom",
             file.as_uri()], capture_output=True, text=True, timeout=280)
    found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"FAILED: the page has no answer: {done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return json.loads(html.unescape(found.group(1)))


class Forecasts:
    def __init__(self, program):
        self.program = program

    def page(self, kind):
        return subprocess.run([self.program, "page", kind], capture_output=True, check=True).stdout.decode()

    def data_of(self, kind):
        """The report as --json prints it, and the rows of plots."""
        return json.loads(subprocess.run([self.program, "json", kind], capture_output=True, text=True, check=True).stdout)


def check_sound(seen, what):
    check(seen["errors"] == [], f"{what}: {seen['errors']}")
    check(seen["ready"] == "yes", f"{what}: the script did not come to its end")
    check(seen["foreign"] == 0, f"{what}: a name became an element, or the page loads something")
    check(seen["wider"] <= 0, f"{what}: the page is {seen['wider']} px wider than its window")
    for target, found in seen["targets"].items():
        for name in ("scatter", "bySize", "samplingPlot"):
            plot = found.get(name)
            plot = plot["shown"] if plot and name == "scatter" else plot
            if plot:
                check_ticks(plot["x"], f"{what}, {target}, {name}")


def check_ticks(ticks, what):
    """Labels of the horizontal axis do not overlap."""
    boxes = sorted((tick["box"] for tick in ticks if tick["box"]), key=lambda box: box["left"])
    for left, right in zip(boxes, boxes[1:]):
        check(left["right"] <= right["left"] or left["bottom"] <= right["top"], f"{what}: labels overlap")


def place(ticks, value):
    """Where the axis has `value`, by two of its ticks."""
    low, high = ticks[0], ticks[-1]
    share = math.log(value / low["value"]) / math.log(high["value"] / low["value"])
    return low["at"] + share * (high["at"] - low["at"])


def check_rows(plot, rows, what):
    """Each row that can be drawn is a mark at its place, and none else is."""
    drawn = sorted((row for row in rows if row["measured"] > 0 and row["value"] > 0), key=lambda row: row["measured"])
    same([mark["values"] for mark in plot["marks"]], drawn, what)
    for mark in plot["marks"]:
        check(abs(mark["x"] - place(plot["x"], mark["values"]["measured"])) < 0.1, f"{what}: {mark} is not where it was measured")
        check(abs(mark["y"] - place(plot["y"], mark["values"]["value"])) < 0.1, f"{what}: {mark} is not where it was predicted")


SAMPLING_COLUMNS = ("training_rows", "test_rows", "r2", "cross_validated_r2", "linear_r2", "seconds", "linear_seconds", "selection", "coverage")
RESULT_COLUMNS = ("rows", "median_error", "r2", "coverage")
SIZE_COLUMNS = ("size", "rows", "median_error")


def numbers(parts, columns):
    return [[part[column] for column in columns] for part in parts]


def check_tables(found, study, validation, what):
    same([row["values"] for row in found["samplings"]], numbers(study["samplings"], SAMPLING_COLUMNS), f"{what}, samplings")
    same([row["values"] for row in found["importance"]], numbers(study["variables"], ["importance"]), f"{what}, importance")
    same([row["name"].removesuffix(" (dropped)") for row in found["importance"]], [variable["variable"] for variable in study["variables"]],
         f"{what}, variables")
    same([row["values"] for row in found["validation"]], numbers(validation["results"], RESULT_COLUMNS), f"{what}, validation")
    same([row["name"].removesuffix(" (best)") for row in found["validation"]], [result["model"] for result in validation["results"]],
         f"{what}, models")
    same([row["values"] for row in found["sizes"]], numbers(validation["by_size"], SIZE_COLUMNS), f"{what}, sizes")
    same([row["texts"][1] for row in found["sizes"]], [size["model"] for size in validation["by_size"]], f"{what}, models of sizes")
    same([row["name"] for row in found["samplings"] if row["best"]],
         [study["elected"] + " (elected)", study["fewest"] + " (fewest)"], f"{what}, marks of samplings")
    check(f"learnt from {study['compared']}: {100 * study['all_variables_r2']:.2f} %; the kept ones: {100 * study['kept_variables_r2']:.2f} %"
          in found["samplingsTold"], f"{what}: {found['samplingsTold']}")


def check_plots(found, study, validation, sampling_rows, held_out_rows, what):
    check_rows(found["scatter"]["shown"], held_out_rows, f"{what}, rows of held-out sizes")
    check_rows(found["scatter"]["otherRows"], sampling_rows, f"{what}, rows of the sampling")
    known = sorted(size["median_error"] for size in validation["by_size"] if size["median_error"] is not None)
    same(sorted(mark["values"]["median_error"] for mark in found["bySize"]["marks"]), known, f"{what}, errors by size")
    expected = sorted(value for row in numbers(study["samplings"], SAMPLING_COLUMNS[2:8]) for value in row if value is not None)
    same(sorted(mark["values"]["value"] for mark in found["samplingPlot"]["marks"]), expected, f"{what}, plot of samplings")
    same([band["text"] for band in found["bands"]], ["elected", "fewest"], f"{what}, marks")


def check_usual(forecasts):
    seen, data = seen_in_browser(forecasts.page("usual")), forecasts.data_of("usual")
    report = data["report"]
    check_sound(seen, "usual")
    same(list(seen["targets"]), ["energy", "time"], "targets")
    for number, target in enumerate(seen["targets"]):
        found, study, validation = seen["targets"][target], report["studies"][number], report["validations"][number]
        check_tables(found, study, validation, target)
        check_plots(found, study, validation, data["sampling_rows"][number], data["held_out_rows"][number], target)
        rows = found["scatter"]["shown"]["marks"]
        check(found["scatter"]["hovered"] in [mark["text"] for mark in rows], "the mouse shows what the keys show")
        check(found["scatter"]["shown"]["closed"] and found["scatter"]["shown"]["last"] == rows[-1]["text"], "End and Escape")
        same(found["scatter"]["counts"], [300, 250, "false"], "marks before and after a size is hidden")
        same(found["scatter"]["legend"], ["1,000", "2,000", "4,000", "8,000", "16,000", "32,000"], "the legend")
    inside = sum(row["low"] <= row["measured"] <= row["high"] for row in data["held_out_rows"][0])
    check(f"{inside} of these 300 ({inside / 3:.1f} %) are inside" in seen["targets"]["energy"]["scatter"]["caption"],
          seen["targets"]["energy"]["scatter"]["caption"])
    same(seen["targets"]["energy"]["verdict"], "Sizes between those measured are predicted with a median error of 5.6 % (scaling law); "
         "sizes beyond the largest are predicted with a median error of 14.0 % (scaling law).", "the verdict")
    same(seen["summary"], "226,000 rows \u00b7 3 regions \u00b7 6 problem sizes \u00b7 12 configurations", "the summary")
    same(seen["remarks"], ["a remark on all of it"] + 2 * ['"Calls" is no variable: it never changes'], "the remarks")
    for part in ("226,044 of 226,050 rows kept.", "stream.csv, line 17, column 5 (Time[s])", 'the column "Node" is ignored: it is text'):
        check(part in seen["about"], f"{part} is not in {seen['about']}")


def check_tip(forecasts):
    """A tip in full."""
    seen = seen_in_browser(forecasts.page("no-energy"))
    check_sound(seen, "no energy")
    same(list(seen["targets"]), ["time"], "targets without energy")
    mark = seen["targets"]["time"]["scatter"]["shown"]["marks"][0]
    row = mark["values"]
    check(re.fullmatch(r"size [\d,]+, \d process(es)? x \d threads? at 2\.4 GHz\nmeasured [\d.]+ s\n"
                       r"predicted [\d.]+ s \([+\u2212][\d.]+ %\)\n90 % interval [\d.]+ m?s to [\d.]+ s(: missed)?", mark["text"]),
          f"the tip says {mark['text']!r}")
    check(f"measured {row['measured']:.4g} s" in mark["text"], f"the tip says {mark['text']!r} of {row}")


def check_odd(forecasts):
    """Names that are no text to a browser, numbers that are absent, a window of 400 px."""
    seen, data = seen_in_browser(forecasts.page("odd"), 500), forecasts.data_of("odd")
    report = data["report"]
    check_sound(seen, "odd names")
    same(seen["heading"], f"Forecast from {report['files'][0]} and 1 more", "the heading")
    same(seen["title"], f"Forecast: {report['files'][0]} and 1 more", "the title")
    found = seen["targets"]["energy"]
    check_tables(found, report["studies"][0], report["validations"][0], "odd")
    check_plots(found, report["studies"][0], report["validations"][0], data["sampling_rows"][0], data["held_out_rows"][0], "odd")
    table = {row["texts"][0]: row["values"] for row in seen["leftOut"]}
    for part in ("read", "screened"):
        for rows in report[part]["left_out"]:
            same(table.get(rows["reason"]), [rows["rows"]], f"odd, {part}")
    check("2 rows can't be shown: measured or predicted is not above 0." in found["scatter"]["caption"], found["scatter"]["caption"])
    check("not known" in found["samplings"][0]["texts"], "what is absent is called not known")
    check(any(report["regions"][0] in mark["text"] for mark in found["scatter"]["shown"]["marks"]), "regions' names as they are")
    check(any("no interval" in mark["text"] for mark in found["scatter"]["shown"]["marks"]), "a row without an interval")


def check_one_size(forecasts):
    seen = seen_in_browser(forecasts.page("one-size"))
    check_sound(seen, "one size")
    found = seen["targets"]["energy"]
    same(found["nothing"], ["No size was held out.", "all rows have size 1000: sizes can't be held out"], "why there is no plot")
    same(found["verdict"], None, "a verdict without sizes")
    same(len(found["scatter"]["controls"]), 0, "choices where there is nothing to choose")


def check_factor(forecasts):
    """Rows of one size have numbers of threads held out instead, and nothing is called a size."""
    seen, data = seen_in_browser(forecasts.page("threads")), forecasts.data_of("threads")
    check_sound(seen, "threads")
    found = seen["targets"]["energy"]
    check_tables(found, data["report"]["studies"][0], data["report"]["validations"][0], "threads")
    same(found["bySizeTitle"], "Error by number of threads", "the plot's title")
    check(found["verdict"].startswith("Numbers of threads between those measured are predicted"), found["verdict"])
    check("problem size" not in found["validationText"], found["validationText"])
    check(all("\nnumber of threads " in mark["text"] for mark in found["bySize"]["marks"]), found["bySize"]["marks"][0]["text"])


def check_large(forecasts):
    """20,000 rows in each of four plots: bounded, and quick enough to be used."""
    page = forecasts.page("large")
    check(len(page) < 4e6, f"the page has {len(page)} bytes")
    begin = time.monotonic()
    seen = seen_in_browser(page)
    check(time.monotonic() - begin < 120, f"the large page took {time.monotonic() - begin:.0f} s")
    check_sound(seen, "large")
    check("5,000 of 20,000 rows, evenly chosen." in seen["targets"]["time"]["scatter"]["caption"], "the caption counts rows that are not shown")


def main():
    if not shutil.which("chromium"):
        print("there is no chromium")
        sys.exit(77)
    forecasts = Forecasts(sys.argv[1])
    check_usual(forecasts)
    check_tip(forecasts)
    check_odd(forecasts)
    check_one_size(forecasts)
    check_factor(forecasts)
    for kind in ("decades", "narrow", "long-names"):
        check_sound(seen_in_browser(forecasts.page(kind), 700), kind)
    check_large(forecasts)
    sys.exit(failures > 0)


main()
