"""Checks what `huddle waitstates --json --delays` says of a run of the experiment late_sender_passed_on of
tests/programs/waits: rank 1 is late; rank 2 waits for it, and rank 0 for rank 2.

  check_delays.py DELAYS.json

What rank 1 did in run_experiments, but for agreeing on the start, must cost directly what rank 2 waited, and passed on
what rank 0 waited less what rank 2 added itself, within 5 % or 500 microseconds. All costs must add up to the waiting.
"""

import json
import sys

SHARE = 0.05
SECONDS = 500e-6


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    paths = [path["path"] for path in report["call_paths"]]

    def in_experiment(index):
        return index is not None and "run_experiments" in paths[index] and "agree_on_start" not in paths[index]

    waited = [0.0] * report["ranks"]
    for wait in report["waits"]:
        if in_experiment(wait["call_path"]):
            waited[wait["rank"]] += wait["time_s"]
    direct = [0.0] * report["ranks"]
    passed_on = [0.0] * report["ranks"]
    for share in report["delays"]["shares"]:
        if in_experiment(share["call_path"]):
            direct[share["rank"]] += share["short_term_s"]
            passed_on[share["rank"]] += share["long_term_s"]
    whole = sum(share["short_term_s"] + share["long_term_s"] for share in report["delays"]["shares"])
    wrong = 0
    for what, found, expected in (
        ("direct costs of rank 1", direct[1], waited[2]),
        ("costs of rank 1 that were passed on", passed_on[1], waited[0] - direct[2]),
        ("all costs", whole, report["delays"]["waiting_s"]),
        ("waiting that is explained", report["delays"]["waiting_s"], report["waiting_s"]),
    ):
        print(f"{what}: found {found:.6f} s, expected {expected:.6f} s")
        wrong += abs(found - expected) > max(SHARE * expected, SECONDS)
    if min(waited[0], waited[2]) < 0.01:
        print(f"ranks 0 and 2 waited {waited[0]:.6f} s and {waited[2]:.6f} s: expected are some 20 ms")
        wrong += 1
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
