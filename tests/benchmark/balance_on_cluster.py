"""What pairs of steps show: see balance_on_cluster."""

import math
import re
import statistics
import sys

kind, iterations, milliseconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
runs = {"top": [], "balanced": []}
for line in open(sys.argv[4]):
    found = re.match(r"(top|balanced) time ([0-9.]+) energy ([0-9.]+) settled ([0-9]+)$", line.strip())
    if not found:
        sys.exit(f"{sys.argv[4]}: found {line.strip()!r}, expected the result of a step")
    runs[found[1]].append((float(found[2]), float(found[3]), int(found[4])))
seen, least = open(sys.argv[5]).read().split()

RANKS = 24
STEPS = [1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4]
loads = [1 - 0.45 * rank / (RANKS - 1) if kind == "uneven" else 1 for rank in range(RANKS)]


def power(load):
    clock = next(step for step in STEPS if step >= 2.4 * load - 1e-9)
    return 20 + 6 * (clock / 2.4) ** 3


def interval(values):
    """Of the median, by order statistics: 95 % at least where there are 6 values or more."""
    ordered, count = sorted(values), len(values)
    below = 0
    chance = 0.0
    while below < count // 2:
        chance += math.comb(count, below) / 2**count
        if chance > 0.025:
            break
        below += 1
    below = max(0, below - 1)
    return ordered[below], ordered[count - 1 - below]


changes = [balanced[0] / top[0] - 1 for top, balanced in zip(runs["top"], runs["balanced"])]
saved = [1 - balanced[1] / top[1] for top, balanced in zip(runs["top"], runs["balanced"])]
low, high = interval(changes)
median = {name: [statistics.median(run[i] for run in of) for i in (0, 1)] for name, of in runs.items()}
# Four periods to the first balance point and four to the second, each heard of a period later.
settled = 10 / iterations
model = 1 - (settled * 26 * RANKS + (1 - settled) * sum(power(load) for load in loads)) / (26 * RANKS)
print(f"{kind}: {iterations} iterations of {milliseconds:g} ms")
for name in ("top", "balanced"):
    print(f"  {name:9} {median[name][0]:8.4f} s {median[name][1]:9.2f} J  (medians of {len(runs[name])})")
print(f"  time {100 * statistics.median(changes):+.2f} % (median; 95 % interval {100 * low:+.2f} to {100 * high:+.2f} %)")
print(f"  energy saved {100 * statistics.median(saved):.2f} % (median); model {100 * model:.2f} %")
print(f"  {seen} changes of limits seen; the least was {int(least) / 1e6:g} GHz; the last one in iteration "
      f"{statistics.median(run[2] for run in runs['balanced']):g} (median)")
