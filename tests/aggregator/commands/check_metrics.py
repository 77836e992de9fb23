#!/usr/bin/env python3
"""check_metrics.py FILE: whether the file is what node_exporter's textfile collector takes. Prints the first fault."""
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(\{{{LABEL}(?:,{LABEL})*\}})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)")


def fault(text):
    if not text.endswith("# EOF\n"):
        return "the file does not end in # EOF and a newline"
    families, samples = [], set()
    lines = text[: -len("# EOF\n")].split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        if match := re.fullmatch(rf"# HELP ({NAME}) \S.*\.", line):
            if match[1] in families:
                return f"{number}: the samples of {match[1]} are not together"
            families.append(match[1])
        elif match := re.fullmatch(rf"# TYPE ({NAME}) gauge", line):
            if families[-1:] != [match[1]] or not lines[number - 2].startswith("# HELP "):
                return f"{number}: TYPE does not follow the HELP of {match[1]}"
        elif match := SAMPLE.fullmatch(line):  # and no timestamp
            name = match[1]
            if families[-1:] != [name]:
                return f"{number}: {name} is not with its HELP and TYPE"
            if not name.startswith("huddle_") or name.endswith(("_total", "_count", "_sum", "_bucket", "_info")):
                return f"{number}: {name} is no name of a gauge of ours"
            if (name, match[2]) in samples:
                return f"{number}: {name}{match[2]} is there twice"
            samples.add((name, match[2]))
        else:
            return f"{number}: not understood: {line}"
    return "" if samples else "there is no sample"


found = fault(open(sys.argv[1], encoding="utf-8", newline="").read())
if found:
    sys.exit(f"{sys.argv[1]}: {found}")
