#!/usr/bin/env python3
"""A file of huddle waitstates --cubex, read by nothing of Huddle's: it holds what --json says.

  check_cubex.py FILE.cubex REPORT.json
"""

import json
import struct
import sys
import tarfile
from collections import defaultdict
from xml.etree import ElementTree

failures = 0


def check(true, what):
    global failures
    if not true:
        failures += 1
        print("FAILED:", what, file=sys.stderr)


def check_near(found, expected, what):
    check(abs(found - expected) <= 1e-9 * max(1.0, abs(expected)), f"{what}: {found} instead of {expected}")


def shown(name):
    """A name as XML can hold it."""
    return "".join("\ufffd" if (c < " " and c not in "\t\n\r") or c in "\ufffe\uffff" else " " if c in "\t\n\r" else c
                   for c in name)


class Cubex:
    def __init__(self, path):
        self.tar = tarfile.open(path, "r:")
        self.names = self.tar.getnames()
        root = ElementTree.fromstring(self.read("anchor.xml"))
        check(root.tag == "cube" and root.get("version", "").startswith("4."), "the anchor is of Cube 4")
        program = root.find("program")
        regions = {region.get("id"): (region.findtext("name"), region.findtext("paradigm") == "mpi")
                   for region in program.findall("region")}
        check(len(program.findall("cnode")) == 1, "the call tree has one root")
        self.paths = {}  # by number: names from below the root on, whether MPI
        self.walk_calls(program.find("cnode"), regions)
        self.locations = []  # in order: node, rank, thread, name
        self.walk_system(root.find("system"))
        self.metrics = {}  # by name: (unit, parent's name, cells)
        self.walk_metrics(root.find("metrics"), None)

    def read(self, name):
        return self.tar.extractfile(name).read()

    def walk_calls(self, root, regions):
        stack = [(root, None)]
        while stack:
            node, above = stack.pop()
            number = int(node.get("id"))
            check(number == len(self.paths), f"call path {number} is numbered as it is met")
            name, mpi = regions[node.get("calleeId")]
            self.paths[number] = ((), False) if above is None else (above + (name,), mpi)
            stack.extend((child, self.paths[number][0]) for child in reversed(node.findall("cnode")))

    def walk_system(self, system):
        check([machine.findtext("class") for machine in system] == ["machine"], "the system is one machine")
        for node in system.find("systemtreenode").findall("systemtreenode"):
            check(node.findtext("class") == "node", "below the machine there are nodes")
            for process in node.findall("locationgroup"):
                for location in process.findall("location"):
                    check(int(location.get("Id")) == len(self.locations), "locations are numbered as they are met")
                    self.locations.append((node.findtext("name"), int(process.findtext("rank")),
                                           int(location.findtext("rank")), location.findtext("name")))

    def walk_metrics(self, above, parent):
        for metric in above.findall("metric"):
            name = metric.findtext("uniq_name")
            check(name not in self.metrics, f"there is one metric {name}")
            check(metric.get("type") == "EXCLUSIVE", f"{name} is without the paths below")
            self.metrics[name] = (metric.findtext("uom"), parent, self.cells(metric))
            self.walk_metrics(metric, name)

    def cells(self, metric):
        number = metric.get("id")
        index = self.read(f"{number}.index")
        marker, one, version, kind, count = struct.unpack_from("<11siHBi", index)
        check((marker, one, version, kind) == (b"CUBEX.INDEX", 1, 0, 1), f"index {number} has its header")
        paths = struct.unpack_from(f"<{count}i", index, 22)
        check(len(index) == 22 + 4 * count, f"index {number} ends behind its call paths")
        check(list(paths) == sorted(set(paths)) and count > 0, f"index {number} is sorted")
        data = self.read(f"{number}.data")
        check(data[:10] == b"CUBEX.DATA" and len(data) == 10 + 8 * count * len(self.locations),
              f"data {number} has a value for each call path and location")
        letter = {"DOUBLE": "d", "UINT64": "Q"}[metric.findtext("dtype")]
        values = struct.unpack_from(f"<{count * len(self.locations)}{letter}", data, 10)
        return {(path, place): values[i * len(self.locations) + place] for i, path in enumerate(paths)
                for place in range(len(self.locations)) if values[i * len(self.locations) + place] != 0}


def sums_by(cells, part):
    sums = defaultdict(float)
    for key, value in cells.items():
        sums[part(key)] += value
    return sums


def check_cells(cubex, name, expected):
    """Every cell, those that are 0 included: `expected` by call path of the file and place."""
    found = cubex.metrics[name][2]
    for key in sorted(found.keys() | expected.keys()):
        check_near(found.get(key, 0), expected.get(key, 0), f"{name} of {cubex.paths[key[0]][0]} at {cubex.locations[key[1]]}")


def check_waits(cubex, report, number_of, place_of):
    parts = [("waiting", "", "time_s"), ("waiting_energy", "_energy", "energy_j")]
    for whole, suffix, member in parts:
        every = defaultdict(float)
        by_pattern = {pattern["pattern"]: defaultdict(float) for pattern in report["patterns"]}
        for waits in report["waits"]:
            cell = (number_of[waits["call_path"]], place_of[waits["rank"], waits["thread"]])
            every[cell] += waits[member]
            by_pattern[waits["pattern"]][cell] += waits[member]
        check_cells(cubex, whole, every)
        for pattern, cells in by_pattern.items():
            check_cells(cubex, pattern + suffix, cells)
            check(cubex.metrics[pattern + suffix][1] == whole, f"{pattern}{suffix} is below {whole}")
    for name, member in [("wait_states", "count"), ("esp", "esp_j"), ("esp_bw", "esp_bw_j")]:
        cells = defaultdict(float)
        for waits in report["waits"]:
            cells[number_of[waits["call_path"]], place_of[waits["rank"], waits["thread"]]] += waits[member]
        check_cells(cubex, name, cells)


def check_times(cubex, report, number_of, place_of):
    check(cubex.metrics["mpi"][1] == "time", "MPI is a part of the time")
    times = sums_by(cubex.metrics["time"][2], lambda key: key[0])
    visits = sums_by(cubex.metrics["visits"][2], lambda key: key[0])
    for i, path in enumerate(report["call_paths"]):
        check_near(times[number_of[i]], path["time_s"], f"time of {path['path']}")
        check(visits[number_of[i]] == path["visits"], f"visits of {path['path']}")
    check(visits.keys() <= set(number_of), "nothing else is visited")
    for name, member in [("time", "time_s"), ("mpi", "mpi_s")]:
        sums = sums_by(cubex.metrics[name][2], lambda key: key[1])
        for location in report["ranks_detail"]:
            check_near(sums[place_of[location["rank"], location["thread"]]], location[member],
                       f"{name} of rank {location['rank']} thread {location['thread']}")


def check_study(cubex, report, number_of, place_of):
    def number(path):
        return 0 if path is None else number_of[path]

    if "critical_path" in report:
        cells = defaultdict(float)
        for share in report["critical_path"]["shares"]:
            cells[number(share["call_path"]), place_of[share["rank"], 0]] += share["on_path_s"]
        check_cells(cubex, "critical_path", cells)
        imbalance = sums_by(cubex.metrics["critical_path_imbalance"][2], lambda key: key[0])
        for path in report["critical_path"]["call_paths"]:
            check_near(imbalance[number(path["call_path"])], path["imbalance_s"], "imbalance")
    check(("critical_path" in cubex.metrics) == ("critical_path" in report), "the critical path is there if it was asked for")
    if "measured_energy" in report:
        cells = defaultdict(float)
        for entry in report["measured_energy"]["call_paths"]:
            cells[number(entry["call_path"]), place_of[entry["rank"], 0]] += entry["energy_j"]
        check_cells(cubex, "measured_energy", cells)
        check_near(sum(cells.values()), report["measured_energy"]["energy_j"], "all measured energy")
    check(("measured_energy" in cubex.metrics) == ("measured_energy" in report), "measured energy is there if there is any")
    if "slack" in report:
        cells = defaultdict(float)
        for entry in report["slack"]["call_paths"]:
            cells[number(entry["call_path"]), place_of[entry["rank"], 0]] += entry["apportioned_s"]
        check_cells(cubex, "slack", cells)
    if "delays" in report:
        for metric, kinds in (("delay_costs", ("short_term_s", "long_term_s")), ("delay_costs_direct", ("short_term_s",)),
                              ("delay_costs_propagated", ("long_term_s",))):
            cells = defaultdict(float)
            for share in report["delays"]["shares"]:
                place = place_of[share["rank"], share.get("thread", 0)]
                cells[number(share["call_path"]), place] += sum(share[kind] for kind in kinds)
            check_cells(cubex, metric, cells)
    check(("delay_costs" in cubex.metrics) == ("delays" in report), "costs of delays are there if they were asked for")


def main():
    cubex = Cubex(sys.argv[1])
    with open(sys.argv[2]) as file:
        report = json.load(file)
    check(sorted(cubex.names) == sorted(["anchor.xml"] + [f"{i}.{kind}" for i in range(len(cubex.metrics))
                                                          for kind in ("index", "data")]), "the archive's files")
    numbers = defaultdict(list)
    for number, path in cubex.paths.items():
        numbers[path].append(number)
    number_of = []
    for path in report["call_paths"]:
        key = (tuple(shown(name) for name in path["path"]), path["mpi"])
        if not numbers[key]:
            sys.exit(f"FAILED: no call path {key}")
        number_of.append(numbers[key].pop(0))
    check(len(cubex.paths) == 1 + len(number_of), "no other call path but the root")
    place_of = {(rank, thread): place for place, (_, rank, thread, _) in enumerate(cubex.locations)}
    nodes = {(rank, thread): node for node, rank, thread, _ in cubex.locations}
    for location in report["ranks_detail"]:
        if location["thread"] == 0:
            check(nodes[location["rank"], 0] == (shown(location["node"]) or "(node unknown)"),
                  f"node of rank {location['rank']}")
    check(len(place_of) == len(report["ranks_detail"]), "locations")
    check_waits(cubex, report, number_of, place_of)
    check_times(cubex, report, number_of, place_of)
    check_study(cubex, report, number_of, place_of)
    sys.exit(1 if failures else 0)


main()
