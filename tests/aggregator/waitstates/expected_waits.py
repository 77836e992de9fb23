"""What the programs in tests/programs/waits waited for, from the stamps that their ranks wrote.

A call that needs tags waits from its begin until the last call that gives them has begun; if it ended
before that, it did not wait. So the machine's own delays are part of what is expected.
As a command: expected_waits.py DIRECTORY prints a line for each wait state:
  expect PATTERN RANK EXPERIMENT/FUNCTION/CALL SECONDS
"""

import pathlib
import sys
from collections import defaultdict
from dataclasses import dataclass, field

NANOSECONDS = 1e-9
# As aggregator/waitstates/replay/wait_report.hpp has them.
ORDER = [
    "late_sender",
    "late_receiver",
    "wait_at_barrier",
    "wait_at_nxn",
    "late_broadcast",
    "early_reduce",
    "early_scan",
    "late_post",
    "late_complete",
    "wait_at_fence",
    "late_sender_while_polling",
    "lock_contention",
    "wait_at_file_access",
]


@dataclass
class Call:
    experiment: str
    function: str
    name: str
    rank: int
    begin: int  # ns
    end: int
    gives: list = field(default_factory=list)  # tags
    needs: list = field(default_factory=list)  # (pattern, tag)


@dataclass
class Place:
    """All calls of one MPI function by one function of an experiment on one rank."""

    calls: int = 0
    waiting: dict = field(default_factory=lambda: defaultdict(float))  # s, by pattern


def calls_of(directory):
    calls = []
    for file in sorted(pathlib.Path(directory).glob("*.stamps")):
        for line in file.read_text().splitlines():
            experiment, function, name, begin, end, *tags = line.split()
            call = Call(experiment, function, name, int(file.stem), int(begin), int(end))
            for tag in tags:
                kind, _, text = tag.partition(":")
                if kind == "gives":
                    call.gives.append((experiment, text))
                else:
                    pattern, _, text = text.partition(":")
                    call.needs.append((pattern, (experiment, text)))
            calls.append(call)
    return calls


def waits_of(call, begun):
    """What the call waited for: seconds by pattern. `begun`: when the calls that give a tag began, by tag.

    Where a call waits for several things at once, the time counts for the first pattern of ORDER; for the
    others what is beyond it.
    """
    until = {}
    for pattern, tag in call.needs:
        last = max(begun[tag], default=call.begin)
        # A loop of polls is stamped in parts where it was interrupted: each waits, the last one for what it finds.
        if pattern == "late_sender_while_polling":
            last = min(last, call.end)
        if call.begin < last <= call.end:
            until[pattern] = max(until.get(pattern, last), last)
    waits = {}
    counted = call.begin
    for pattern in sorted(until, key=ORDER.index):
        if until[pattern] > counted:
            waits[pattern] = (until[pattern] - counted) * NANOSECONDS
            counted = until[pattern]
    return waits


def places_of(calls):
    """By (experiment, function, MPI function, rank)."""
    begun = defaultdict(list)
    for call in calls:
        for tag in call.gives:
            begun[tag].append(call.begin)
    places = defaultdict(Place)
    for call in calls:
        place = places[call.experiment, call.function, call.name, call.rank]
        place.calls += 1
        for pattern, seconds in waits_of(call, begun).items():
            place.waiting[pattern] += seconds
    return places


def main():
    for (experiment, function, name, rank), place in sorted(places_of(calls_of(sys.argv[1])).items()):
        for pattern, seconds in sorted(place.waiting.items()):
            print(f"expect {pattern} {rank} {experiment}/{function}/{name} {seconds:.6f}")


if __name__ == "__main__":
    main()
