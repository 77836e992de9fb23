#!/usr/bin/env python3
"""Compares the includes of the product's sources with the arrows between rooms that CMake was given.

rooms_test.py ROOT ROOMS: ROOMS holds lines "floor/folder: ROOM...", as huddle_write_rooms() leaves them. Fails, with file
and line, when a source includes a header of a room that its own room does not use, when a room is used but not needed,
when arrows go in a circle or up a floor, when the core (predict, recommend, planning) reaches forecasts or wait states, and
when a source's names are in another namespace than its room's.
"""
import os
import re
import sys

FLOORS = ["profiles", "commgraph", "aggregator", "spank_plugin"]
CORE = ("predict/", "recommend", "planning")
APART = ("forecast", "waitstates")
# Rooms whose names all floors use, and those whose namespace is not called as their folder.
SHARED = ("vocabulary", "formats")
NAMESPACES = {
    "commands": ["cli"],
    "hardware": ["hardware", "counters", "power"],
    "import": ["imports"],
    "operations": ["operations", "doctor"],
    "programs": ["calibration"],
    "traces": ["traces", "otf2"],
}


def read_rooms(path):
    """Folders by room, and the rooms that each one uses."""
    folders, uses = {}, {}
    for line in open(path):
        place, _, names = line.strip().partition(":")
        if not place:
            continue
        room = place.split("/", 1)[1]
        folders[room] = place
        uses[room] = names.split()
    return folders, uses


def room_of(path, rooms_by_folder):
    folder = os.path.dirname(path)
    while folder:
        if folder in rooms_by_folder:
            return rooms_by_folder[folder]
        folder = os.path.dirname(folder)
    return None


def namespaces_of(path):
    """First parts, below huddle, of the namespaces that a source of this place may open."""
    floor, *folders = path.split("/")[:2]
    if folders[0] in SHARED:
        return [""]
    return ["commgraph"] if floor == "commgraph" else NAMESPACES.get(folders[0], folders)


def reached(room, uses):
    found, todo = set(), [room]
    while todo:
        for other in uses.get(todo.pop(), []):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def main(root, rooms_file):
    folders, uses = read_rooms(rooms_file)
    rooms_by_folder = {folder: room for room, folder in folders.items()}
    faults = []
    needed = {room: set() for room in folders}
    sources = 0
    for floor in FLOORS:
        for folder, _, names in os.walk(os.path.join(root, floor)):
            for name in sorted(names):
                if not re.search(r"\.(c|h|cpp|hpp|def)$", name):
                    continue
                sources += 1
                path = os.path.relpath(os.path.join(folder, name), root)
                room = room_of(path, rooms_by_folder)
                if room is None and not path.endswith("commands/main.cpp") and "/programs/" not in path:
                    faults.append(f"{path}: belongs to no room")
                if room is None:
                    continue
                lines = open(os.path.join(root, path)).read().split("\n")
                for number, line in enumerate(lines, 1):
                    if opened := re.match(r"namespace huddle(?:::(\w+))?[\w:]* \{", line):
                        declares = re.match(r"(class|struct) \w+;", lines[number])  # of another room's
                        if not declares and (opened[1] or "") not in namespaces_of(path):
                            faults.append(f"{path}:{number}: opens {opened[0][:-2]}, and not that of its room")
                    include = re.match(r'\s*#include "([^"]+)"', line)
                    if not include:
                        continue
                    other = room_of(include[1], rooms_by_folder)
                    if other is None or other == room:
                        continue
                    needed[room].add(other)
                    if other not in uses[room]:
                        faults.append(f'{path}:{number}: includes "{include[1]}", but {room} does not use {other}')
    for room, others in uses.items():
        for other in others:
            if other not in folders:
                faults.append(f"{room}: uses {other}, which is no room")
            elif other not in needed[room]:
                faults.append(f"{room}: uses {other}, but includes nothing of it")
            elif FLOORS.index(folders[other].split("/")[0]) > FLOORS.index(folders[room].split("/")[0]):
                faults.append(f"{room}: uses {other}, which is above it")
        below = reached(room, uses)
        if room in below:
            faults.append(f"{room}: reaches itself")
        if room.startswith(CORE):
            faults += [f"{room}: reaches {other}" for other in sorted(below) if other.startswith(APART)]
    for fault in faults:
        print(fault)
    print(f"{len(folders)} rooms, {sum(map(len, uses.values()))} arrows, {sources} files, {len(faults)} faults")
    return 1 if faults or not sources else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
