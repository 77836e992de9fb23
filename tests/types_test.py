#!/usr/bin/env python3
"""Finds types that two files define under one name, in one namespace.

types_test.py ROOT: C++ demands that a type is defined alike wherever it is (the one-definition rule), and compilers don't
see when it is not. Fails with both places of each such pair. Types of unnamed namespaces belong to their file.
"""
import os
import re
import sys

FLOORS = ["profiles", "commgraph", "aggregator", "spank_plugin"]
NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?(?:\[\[.*\]\] ?)?\{")
TYPE = re.compile(r"^(?:struct|class|enum(?: class)?|union) (?:\[\[.*?\]\] ?|alignas\(\S+\) )*([\w:]*\w)[^;()]*(?:\{|$)")


def types_in(path):
    """Full name and line of each type at the top level of a named namespace. The tree is laid out by clang-format."""
    inside = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if begin := NAMESPACE.match(line):
            if not line.rstrip().endswith("}"):
                inside.append(begin[1] or None)
        elif line.startswith("}  // namespace") and inside:
            inside.pop()
        elif (found := TYPE.match(line)) and None not in inside:
            yield "::".join(inside + [found[1]]), number


def main(root):
    places = {}
    for floor in FLOORS:
        for folder, _, names in os.walk(os.path.join(root, floor)):
            for name in sorted(names):
                if name.endswith((".cpp", ".hpp")):
                    path = os.path.join(folder, name)
                    for found, line in types_in(path):
                        places.setdefault(found, []).append(f"{os.path.relpath(path, root)}:{line}")
    assert len(places) > 100, f"only {len(places)} types were found"
    pairs = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(pairs.items()):
        print(f"{name} is defined in {' and in '.join(where)}: rename one")
    print(f"{len(places)} types, {len(pairs)} of them defined twice")
    return 1 if pairs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
