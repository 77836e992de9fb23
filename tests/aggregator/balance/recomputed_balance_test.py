#!/usr/bin/env python3
"""The figures of huddle balance, computed a second time from the tables and the machine documents alone.

  recomputed_balance_test.py HUDDLE

Tables are made here, in the shape of public ones:
- nine objects of 0.5 to 2 on three of four ranks: synthetic-blocks of the LB analysis framework (github.com/DARMA-tasking/
  LB-analysis-framework, data/synthetic-blocks), whose fourth rank has none;
- sixteen zones of which the largest is twenty times the smallest: BT-MZ of the NAS Parallel Benchmarks (van der Wijngaart and Jin, NAS
  Parallel Benchmarks, Multi-Zone Versions, NAS-03-010);
- a rank that all others wait for, and that is another one after some iterations, as where particles move.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
FIRST, INTERVAL, BOUND = 4, 10, 0.05
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}", file=sys.stderr)


def near(found, expected, what):
    expect(found is not None and math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12), f"{what}: found {found}, expected {expected}")


class Machine:
    """A machine on file with power states: a core that waits draws as much as one that computes."""

    def __init__(self, name):
        self.name = name
        document = json.loads((ROOT / f"profiles/machines/{name}.json").read_text())
        states = document["power_states"]["states"]
        self.watts = {state["frequency_hz"]: state["active_w"] for state in states}
        self.top = states[0]["frequency_hz"]
        levels = dict(level.split(":") for level in document["node"]["topology"].split())
        self.cores_of_package = int(levels["core"]) * int(levels.get("die", levels.get("l3", 1)))

    def least_clock(self, load, deadline):
        return min(clock for clock in self.watts if load * self.top / clock <= deadline * (1 + 1e-9))


class Table:
    """loads[iteration][object], and the rank of each object at the beginning."""

    def __init__(self, loads, rank_of, ranks, has_objects):
        self.loads, self.rank_of, self.ranks, self.has_objects = loads, rank_of, ranks, has_objects

    def by_rank(self, iteration, rank_of=None):
        sums = [0.0] * self.ranks
        for load, rank in zip(self.loads[iteration], rank_of or self.rank_of):
            sums[rank] += load
        return sums

    def text(self):
        lines = ["iteration,rank,object,load" if self.has_objects else "iteration,rank,load"]
        for iteration, loads in enumerate(self.loads):
            for number, load in enumerate(loads):
                rank = self.rank_of[number]
                lines.append(f"{iteration},{rank},{number},{load!r}" if self.has_objects else f"{iteration},{rank},{load!r}")
        for rank in range(self.ranks):
            if rank not in self.rank_of:
                lines.append(f"0,{rank},,0")
        return "\n".join(lines) + "\n"


def constant(loads, rank_of, ranks, iterations=40):
    return Table([loads] * iterations, rank_of, ranks, True)


def of_ranks(iterations, ranks, load):
    return Table([[load(i, r) for r in range(ranks)] for i in range(iterations)], list(range(ranks)), ranks, False)


def is_look(ended):
    return ended >= FIRST and (ended - FIRST) % INTERVAL == 0


def longest_first(loads, ranks):
    """The sums of each rank if the longest object goes to the rank that has least, and so on; and the ranks."""
    sums, rank_of = [0.0] * ranks, [0] * len(loads)
    for number in sorted(range(len(loads)), key=lambda n: -loads[n]):
        rank = min(range(ranks), key=lambda r: sums[r])
        sums[rank] += loads[number]
        rank_of[number] = rank
    return rank_of


def energy_at(machine, clocks, length):
    return length * sum(machine.watts[clock] for clock in clocks)


def check_whole(document, table, machine):
    rows = [table.by_rank(i) for i in range(len(table.loads))]
    means = [sum(row[r] for row in rows) for r in range(table.ranks)]
    if min(means) > 0:
        near(document["imbalance"], max(means) / min(means), "imbalance")
    else:
        expect(document["imbalance"] is None, "an imbalance without measure")
    time = sum(max(row) for row in rows)
    near(document["efficiency"], sum(map(sum, rows)) / (table.ranks * time), "efficiency")
    expect(document["ranks"] == table.ranks, f"{document['ranks']} ranks of {table.ranks}")
    expected, clocks, late, behind, following, recent = None, None, 0, 0, 0.0, []
    for i, row in enumerate(rows):
        stretched = row if clocks is None else [load * machine.top / clock for load, clock in zip(row, clocks)]
        following += max(max(row), max(stretched))
        if expected:
            behind += 1
            late += expected[row.index(max(row))] < 0.75 * max(row)
        recent.append(row)
        if is_look(i + 1):
            expected = [sum(one[r] for one in recent) / len(recent) for r in range(table.ranks)]
            clocks = [machine.least_clock(load, max(expected)) for load in expected]
            recent = []
    near(document["unforeseen"], late / behind if behind else 0, "unforeseen")
    near(document["cost_of_following"], following / time - 1, "cost of following")
    return rows, time


def check_without_clocks(schemes, table, machine, rows, time):
    top = machine.watts[machine.top] * table.ranks
    near(schemes["none"]["time_s"], time, "time as it is")
    near(schemes["none"]["energy_j"], time * top, "energy as it is")
    if not table.has_objects:
        even = sum(sum(row) / table.ranks for row in rows)
        near(schemes["even"]["time_s"], even, "time of work divided evenly")
        near(schemes["even"]["saved"], 1 - even / time, "saved by work divided evenly")
        return
    if len(rows) <= FIRST:
        return
    rank_of, recent, moved = table.rank_of, [0.0] * len(table.loads[0]), 0.0
    for i, loads in enumerate(table.loads):
        moved += max(table.by_rank(i, rank_of))
        recent = [a + b for a, b in zip(recent, loads)]
        if is_look(i + 1):
            rank_of, recent = longest_first(recent, table.ranks), [0.0] * len(loads)
    near(schemes["greedy"]["time_s"], moved, "time of objects moved greedily")
    near(schemes["greedy"]["energy_j"], moved * top, "energy of objects moved greedily")
    least = FIRST * max(rows[0]) + (len(rows) - FIRST) * max(sum(rows[0]) / table.ranks, max(table.loads[0]))
    expect(least * (1 - 1e-9) <= schemes["refine"]["time_s"] <= time, "time of few objects moved")


def check_clocks_of_constant_loads(schemes, table, machine, row, iterations):
    """Four iterations at the top clock, and then the least clocks that suffice."""
    longest = max(row)
    single = [machine.least_clock(load, longest) for load in row]
    packages = [max(single[r // machine.cores_of_package * machine.cores_of_package:][:machine.cores_of_package]) for r in range(table.ranks)]
    top = [machine.top] * table.ranks
    for key, clocks in (("fg", single), ("cg", packages)):
        near(schemes[key]["time_s"], iterations * longest, f"time of {key}")
        near(schemes[key]["energy_j"], energy_at(machine, top, FIRST * longest) + energy_at(machine, clocks, (iterations - FIRST) * longest),
             f"energy of {key}")
    if not table.has_objects:
        return
    after = table.by_rank(0, longest_first(table.loads[0], table.ranks))
    if max(after) < 0.95 * longest:
        clocks = [machine.least_clock(load, max(after)) for load in after]
        near(schemes["greedy_fg"]["time_s"], FIRST * longest + (iterations - FIRST) * max(after), "time of greedy and clocks")
        near(schemes["greedy_fg"]["energy_j"],
             energy_at(machine, top, FIRST * (longest + max(after))) + energy_at(machine, clocks, (iterations - 2 * FIRST) * max(after)),
             "energy of greedy and clocks")


def check_clocks_of_moving_loads(schemes, machine, rows):
    """No balancer knows loads before they come, and none costs more than the bound."""
    best = sum(energy_at(machine, [machine.least_clock(load, max(row)) for load in row], max(row)) for row in rows)
    for key in ("fg", "cg"):
        expect(schemes[key]["energy_j"] >= best * (1 - 1e-9), f"{key} saves more than anybody can")
        expect(-1e-9 <= schemes[key]["slowdown"] <= BOUND, f"{key} is slower by {schemes[key]['slowdown']}")
    for key in ("cg", "cg_regrouped", "cg_replaced"):
        expect(key not in schemes or schemes["fg"]["saved"] >= schemes[key]["saved"], f"cores save less than {key}")


def main():
    huddle = sys.argv[1]
    nine = [1.0, 0.5, 0.5, 0.5, 0.5, 2.0, 1.0, 0.5, 1.5]
    zones = [round(20 ** (zone / 15), 4) for zone in range(16)]
    moving = lambda every: of_ranks(400, 16, lambda i, r: 1.0 if r == i // every * 5 % 16 else 0.6 + 0.01 * (r % 8))
    tables = {
        "blocks": (constant(nine, [0, 0, 0, 0, 1, 1, 1, 1, 2], 4), True),
        "zones": (constant(zones, [zone // 4 for zone in range(16)], 4), True),
        "ranks": (of_ranks(60, 24, lambda i, r: 0.4 + r * 0.025), True),
        "one phase": (of_ranks(1, 8, lambda i, r: 4226.0 if r == 3 else 1.0), None),
        "slow": (moving(40), False),
        "fast": (moving(3), False),
    }
    for machine in (Machine("xeon-x5560"), Machine("opteron-6168")):
        for name, (table, is_constant) in tables.items():
            with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
                file.write(table.text())
                file.flush()
                answer = subprocess.run([huddle, "balance", file.name, "-m", machine.name, "--json"], capture_output=True, text=True, check=True)
            document = json.loads(answer.stdout)
            schemes = {scheme["scheme"]: scheme for scheme in document["schemes"]}
            before = failures
            rows, time = check_whole(document, table, machine)
            check_without_clocks(schemes, table, machine, rows, time)
            if is_constant:
                check_clocks_of_constant_loads(schemes, table, machine, rows[0], len(rows))
            elif is_constant is None:
                expect(schemes["fg"]["saved"] is None and schemes["fg"]["state"] == "needs more than 4 iterations", "a table that is too short")
            else:
                check_clocks_of_moving_loads(schemes, machine, rows)
                expect(document["faster_than_looks"] == (name == "fast"), "loads that change faster than looks")
            if failures > before:
                print(f"table {name} on {machine.name}", file=sys.stderr)
    return failures > 0


sys.exit(main())
