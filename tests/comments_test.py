#!/usr/bin/env python3
"""Finds comments of headers and sources that begin with What, Whether, Which, Of, By or How.

comments_test.py ROOT: a reader wants to see at once what a thing is, or what it does. A half sentence such as "What it covers"
or "By rank" says neither; "Regions that it covers" and "The places of ranks, by rank" do. Some read best as they are, so a
floor fails only where 3 % of its comments or more begin with one of these words; then all of them are listed.
"""
import pathlib
import re
import sys

FLOORS = ["profiles", "commgraph", "aggregator", "spank_plugin", "tests"]
COMMENT = re.compile(r"(?:^|\s)(?:///?<?|/\*\*?)\s+(\S.*)")
HALF_SENTENCE = re.compile(r"(?:What|Whether|Which|Of|By|How)\b")
MOST = 0.03


def comments_in(path):
    """Line and text of where each comment begins; lines of comments that follow each other are one."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        is_alone = line.lstrip().startswith("//")
        found = COMMENT.search(line)
        if found and not (is_alone and inside):
            yield number, found[1].strip()
        inside = is_alone


def main(root):
    failures = 0
    for floor in FLOORS:
        sources = [path for path in sorted((root / floor).rglob("*")) if path.suffix in (".c", ".cpp", ".h", ".hpp")]
        comments = [(path, *comment) for path in sources for comment in comments_in(path)]
        assert len(comments) > 100, f"only {len(comments)} comments were found in {floor}"
        bad = [comment for comment in comments if HALF_SENTENCE.match(comment[2])]
        print(f"{floor}: {len(bad)} of {len(comments)} comments begin with What, Whether, Which, Of, By or How")
        if len(bad) >= MOST * len(comments):
            failures += 1
            for path, number, text in bad:
                print(f"{path.relative_to(root)}:{number}: {text}")
            print(f"{floor}: expected less than {MOST:.0%} of them: let them begin with what the thing is or does")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
