#!/usr/bin/env python3
"""Finds types and functions of headers that two files define under one name, in one namespace.

types_test.py ROOT: C++ demands that a type or an inline function is defined alike wherever it is (the one-definition rule),
and compilers don't see when it is not: the linker keeps the one it meets first. Fails with both places of each such pair.
What is in unnamed namespaces belongs to its file.
"""
import os
import re
import sys

FLOORS = ["profiles", "commgraph", "aggregator", "spank_plugin"]
TESTS = [os.path.join("tests", floor) for floor in FLOORS]
NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?(?:\[\[.*\]\] ?)?\{")
TYPE = re.compile(r"^(?:struct|class|enum(?: class)?|union) (?:\[\[.*?\]\] ?|alignas\(\S+\) )*([\w:]*\w)[^;()]*(?:\{|$)")
FUNCTION = re.compile(r"^(?:\[\[.*?\]\] )?(?:inline|constexpr) [^=;]*?(\w+)\(([^;{]*)\)[^;{()]*\{")


def parameters(text):
    """Types of a function's parameters, without their names and defaults."""
    return ",".join(re.sub(r"\s*=.*|\b\w+$", "", one.strip()).strip() for one in text.split(",")) if text.strip() else ""


def definitions_in(path):
    """Full name and line of each type at the top level of a named namespace, and of each inline function of a header. The
    tree is laid out by clang-format."""
    inside = []
    lines = open(path, encoding="utf-8").read().split("\n")
    for number, line in enumerate(lines, 1):
        if begin := NAMESPACE.match(line):
            if not line.rstrip().endswith("}"):
                inside.append(begin[1] or None)
        elif line.startswith("}  // namespace") and inside:
            inside.pop()
        elif (found := TYPE.match(line)) and None not in inside:
            yield "::".join(inside + [found[1]]), number
        elif path.endswith(".hpp") and None not in inside and line.startswith(("inline ", "constexpr ", "[[nodiscard]] ")):
            if found := FUNCTION.match(" ".join(part.strip() for part in lines[number - 1 : number + 7])):
                yield f"{'::'.join(inside + [found[1]])}({parameters(found[2])})", number


def main(root):
    places = {}
    for floor in FLOORS + TESTS:
        for folder, _, names in os.walk(os.path.join(root, floor)):
            for name in sorted(names):
                if name.endswith((".cpp", ".hpp")):
                    path = os.path.join(folder, name)
                    for found, line in definitions_in(path):
                        places.setdefault(found, []).append(f"{os.path.relpath(path, root)}:{line}")
    assert len(places) > 100, f"only {len(places)} types and functions were found"
    pairs = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(pairs.items()):
        print(f"{name} is defined in {' and in '.join(where)}: rename one")
    print(f"{len(places)} types and functions of headers, {len(pairs)} of them defined twice")
    return 1 if pairs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
