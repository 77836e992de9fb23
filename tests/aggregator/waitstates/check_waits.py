"""Compares what `huddle waitstates --json` finds in the traces of the programs in tests/programs/waits with what
they waited for by their own clock (expected_waits.py).

  check_waits.py --runs RUN...    RUN is a folder with waits.json and the ranks' stamps

Each wait state must be found in its pattern, on its rank, in its call path, within 5 % or 200 microseconds a call,
and nothing must be found elsewhere. Between a stamp and the event beside it the system may take the core away from
a rank, on any machine and whatever is under test. So a place passes that is right in one of several runs of the
same program; what is wrong in all of them was no accident.
"""

import argparse
import json
import pathlib
import sys
from collections import defaultdict

import expected_waits

SHARE = 0.05
SECONDS_OF_A_CALL = 200e-6
# Where ranks set up what experiments need, and what only MPI itself waits in.
UNSTAMPED = ("set_up", "tear_down")


def function_of(region):
    """The name in the sources: modules of Fortran, parts that a compiler has split off and the like are left out."""
    return region.rpartition("::")[2].partition(".")[0].rstrip("_")


def place_of(path, experiments):
    """(experiment, function, MPI function) of a call path, the innermost region last."""
    *functions, name = (function_of(region) for region in path)
    experiment = next((function for function in functions if function in experiments), "outside")
    return (experiment, functions[-1] if functions else "", name)


def found_in(report, experiments):
    """Seconds by (place, rank, pattern)."""
    found = defaultdict(float)
    for wait in report["waits"]:
        path = report["call_paths"][wait["call_path"]]["path"]
        if any(function_of(region) in UNSTAMPED for region in path):
            continue
        # The order in which a late sender's message was received depends on what else was on its way.
        pattern = wait["pattern"].removesuffix("_wrong_order")
        found[(*place_of(path, experiments), wait["rank"], pattern)] += wait["time_s"]
    return found


def verdicts_of(run):
    """By (place, rank, pattern): whether it is right, and a line that says what was found."""
    report = json.loads((run / "waits.json").read_text())
    places = expected_waits.places_of(expected_waits.calls_of(run))
    found = found_in(report, {experiment for experiment, *_ in places})
    keys = set(found)
    keys |= {(*place, pattern) for place, calls in places.items() for pattern in calls.waiting}
    verdicts = {}
    for key in keys:
        *place, pattern = key
        calls = places.get(tuple(place), expected_waits.Place())
        expected = calls.waiting.get(pattern, 0.0)
        slack = max(SHARE * expected, SECONDS_OF_A_CALL * max(calls.calls, 1))
        experiment, function, name, rank = place
        verdicts[key] = (
            abs(found[key] - expected) <= slack,
            f"{pattern} on rank {rank} in {experiment}/{function}/{name}: "
            f"found {found[key]:.6f} s, expected {expected:.6f} s",
        )
    return verdicts, sanity(report)


def sanity(report):
    """What must hold in every run."""
    wrong = []
    for rank in report["ranks_detail"]:
        if rank["waiting_s"] > rank["mpi_s"] * (1 + 1e-9) + 1e-9:
            wrong.append(f"rank {rank['rank']} waits {rank['waiting_s']} s, but is in MPI for {rank['mpi_s']} s")
    for path in report["call_paths"]:
        if path["waiting_s"] > path["time_s"] * (1 + 1e-9) + 1e-9:
            wrong.append(f"{'/'.join(path['path'])}: {path['waiting_s']} s of waiting in {path['time_s']} s")
    for name in ("receives_without_send", "sends_without_receive", "requests_without_end",
                 "unfinished_collectives", "regions_without_end"):
        if report["anomalies"][name]:
            wrong.append(f"{report['anomalies'][name]} {name.replace('_', ' ')}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", nargs="+", type=pathlib.Path, required=True)
    runs = parser.parse_args().runs
    wrong_in_all = None
    lines = defaultdict(list)
    failed = []
    for run in runs:
        verdicts, wrong = verdicts_of(run)
        failed += [f"{run.name}: {line}" for line in wrong]
        for key, (_, line) in verdicts.items():
            lines[key].append(f"{run.name}: {line}")
        wrong_here = {key for key, (is_right, _) in verdicts.items() if not is_right}
        wrong_in_all = wrong_here if wrong_in_all is None else wrong_in_all & wrong_here
    for key in sorted(wrong_in_all, key=str):
        failed += lines[key]
    for line in failed:
        print(line)
    print(f"{len(lines)} wait states, {len(wrong_in_all)} of them not as expected in any of {len(runs)} run(s)")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
