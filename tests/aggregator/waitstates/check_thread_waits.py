"""Compares what `huddle waitstates --json` finds in a trace of thread_waits with what the program printed.

  check_thread_waits.py WAITS.JSON PRINTED

Which thread of the trace is which of the program is not known: their waiting is compared in order of length.
"""

import json
import sys
from collections import defaultdict

SHARE = 0.05
SECONDS = 200e-6


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    expected = defaultdict(list)
    with open(sys.argv[2]) as file:
        for line in file:
            if line.startswith("expect "):
                _, barrier, seconds = line.split()
                expected[barrier].append(float(seconds))
    found = defaultdict(list)
    for wait in report["waits"]:
        region = report["call_paths"][wait["call_path"]]["path"][-1]
        barrier = "implicit" if "implicit" in region else "explicit"
        found[barrier if wait["pattern"] == "wait_at_openmp_barrier" else wait["pattern"]].append(wait["time_s"])
    wrong = not expected
    for barrier in sorted(set(expected) | set(found)):
        wanted = sorted(expected[barrier])
        seen = sorted(found[barrier])
        seen = [0.0] * (len(wanted) - len(seen)) + seen  # the last one to come has no wait state
        right = len(seen) == len(wanted) and all(
            abs(a - b) <= max(SHARE * b, SECONDS) for a, b in zip(seen, wanted)
        )
        wrong = wrong or not right
        print(f"{barrier}: found {seen}, expected {wanted}{'' if right else ': wrong'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
