"""Prints rows of a table: what `huddle show --json` estimates of waiting beside what `huddle waitstates --json` finds.

  waiting_estimate.py NAME FOUND ESTIMATED
"""

import json
import sys
from collections import defaultdict

# What an estimate has.
PATTERNS = ("late_sender", "wait_at_barrier", "wait_at_nxn", "late_broadcast", "early_reduce", "early_scan")
LEAST_S = 1e-3  # of all ranks: less is nothing to compare


def by_rank(entries):
    times = defaultdict(float)
    for rank, pattern, seconds in entries:
        times[pattern, rank] += seconds
    return times


def percent(part, whole):
    return f"{100 * part / whole:+.0f} %" if whole >= LEAST_S else ""


def main():
    name, found_file, estimated_file = sys.argv[1:]
    with open(found_file) as file:
        report = json.load(file)
    with open(estimated_file) as file:
        estimate = json.load(file).get("waiting_estimate", {"ranks": []})
    found = by_rank((wait["rank"], wait["pattern"], wait["time_s"]) for wait in report["waits"])
    bounds = {entry["pattern"]: (entry["least_s"], entry["most_s"]) for entry in estimate.get("patterns", [])}
    estimated = by_rank(
        (of_rank["rank"], pattern, seconds)
        for of_rank in estimate["ranks"]
        for pattern, seconds in of_rank["waiting_s"].items()
    )
    for patterns, title in [((pattern,), pattern.replace("_", " ")) for pattern in PATTERNS] + [(PATTERNS, "all")]:
        keys = [key for key in set(found) | set(estimated) if key[0] in patterns]
        of_trace = sum(found[key] for key in keys)
        of_estimate = sum(estimated[key] for key in keys)
        if max(of_trace, of_estimate) < LEAST_S:
            continue
        least, most = (sum(bounds.get(pattern, (0, 0))[i] for pattern in patterns) for i in (0, 1))
        ranks = {rank for _, rank in keys}
        apart = sum(abs(sum(estimated[pattern, rank] - found[pattern, rank] for pattern in patterns)) for rank in ranks)
        print(
            f"| {name} | {title} | {of_trace:.4f} | {of_estimate:.4f} | {least:.4f} to {most:.4f} "
            f"| {percent(of_estimate - of_trace, of_trace)} | {percent(apart, of_trace).lstrip('+')} |"
        )


if __name__ == "__main__":
    main()
