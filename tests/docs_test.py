#!/usr/bin/env python3
"""Checks the documentation against the tree.

docs_test.py ROOT prints every fault with file and line, and fails if there is one:
- relative links in *.md lead to a file, and their #anchor to a heading of it;
- paths in backticks, in docs/ and README.md, exist in the tree;
- each row of docs/papers.md names what does and what shows a claim, or says that nothing does;
- each folder of a subcommand has a man page and golden files, each man page is installed and listed in huddle(1);
- man pages and docs/*.md name no key of huddle.toml that is gone;
- each decision has a status, is listed with it in the README beside it, and links with its successors both ways;
- a number of an older decision, named by a record that it was united into, has no file and is in no other record.
"""
import glob
import os
import re
import sys

# Folders of aggregator/commands that are no subcommand: what the subcommands share.
NOT_A_SUBCOMMAND = {"common"}
# `huddle machine calibrate` is a subcommand of `huddle machine`: one man page for both, golden files named after both.
MAN_PAGE = {"calibrate": "huddle-machine.1"}
GOLDEN = {"calibrate": "machine-calibrate"}
# Text that is kept as somebody else wrote it.
FOREIGN = ("tests/fixtures/", "build/", ".git/", ".debian-root/")
STATUS = re.compile(r"^Status: (accepted|superseded by \[\d{4}\]|amended by \[\d{4}\])", re.M)


def files_below(root, suffix):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not (os.path.relpath(os.path.join(folder, f), root) + "/").startswith(FOREIGN)]
        for name in sorted(names):
            if name.endswith(suffix):
                yield os.path.relpath(os.path.join(folder, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def prose_lines(text):
    """Numbered lines outside of fenced and indented code."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def anchors(text):
    """The anchors that GitHub gives the headings of a page."""
    found = set()
    for _, line in prose_lines(text):
        if re.match(r"#+ ", line):
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip()).lower()
            found.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return found


def link_faults(root):
    for path in files_below(root, ".md"):
        for number, line in prose_lines(read(root, path)):
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                page = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
                if not os.path.exists(os.path.join(root, page)):
                    yield f"{path}:{number}: links to {target}, which does not exist"
                elif anchor and page.endswith(".md") and anchor not in anchors(read(root, page)):
                    yield f"{path}:{number}: links to {target}, but {page} has no such heading"


def exists_in_tree(root, path):
    # A program of the tests is named as it is called: it is built from a source of its name.
    return any(glob.glob(os.path.join(root, path + end)) for end in ("", ".cpp", ".c"))


def path_faults(root):
    tops = {entry for entry in os.listdir(root) if os.path.isdir(os.path.join(root, entry))} - {"build", ".git"}
    pages = ["README.md"] + [os.path.join("docs", page) for page in files_below(os.path.join(root, "docs"), ".md")]
    for page in pages:
        for number, line in prose_lines(read(root, page)):
            for quoted in re.findall(r"`([^`]+)`", line):
                for word in re.findall(r"(?:^|(?<=\s))(?:\./)?([\w.-]+/[\w./*-]*)", quoted):
                    if word.split("/")[0] in tops and not exists_in_tree(root, word.rstrip("./")):
                        yield f"{page}:{number}: names {word}, which does not exist"


def subcommand_faults(root):
    commands = os.path.join(root, "aggregator/commands")
    names = sorted(d for d in os.listdir(commands) if os.path.isdir(os.path.join(commands, d)))
    for name in [n for n in names if n not in NOT_A_SUBCOMMAND]:
        page = "docs/man/" + MAN_PAGE.get(name, f"huddle-{name}.1")
        golden = "tests/golden/" + GOLDEN.get(name, name)
        for wanted in (page, golden):
            if not os.path.exists(os.path.join(root, wanted)):
                yield f"aggregator/commands/{name}:1: has no {wanted}"


def man_page_faults(root):
    overview = read(root, "docs/man/huddle.1").replace("\\-", "-")
    installed = read(root, "docs/CMakeLists.txt")
    for page in sorted(os.listdir(os.path.join(root, "docs/man"))):
        name, section = page.rsplit(".", 1)
        if not re.search(rf"\.TH \S+ {section} ", read(root, f"docs/man/{page}")):
            yield f"docs/man/{page}:1: its .TH does not name section {section}"
        if page != "huddle.1" and f".BR {name} ({section})" not in overview:
            yield f"docs/man/{page}:1: huddle.1 does not mention it"
        if f"man/{page}" not in installed:
            yield f"docs/man/{page}:1: docs/CMakeLists.txt does not install it"
    for page in sorted(os.listdir(os.path.join(root, "docs"))):
        if page.endswith(".md") and not re.search(rf"(^|\s){re.escape(page)}\s", installed):
            yield f"docs/{page}:1: docs/CMakeLists.txt does not install it"


def decision_faults(root):
    folder = "docs/decisions"
    index = read(root, f"{folder}/README.md")
    texts = {name[:4]: (name, read(root, f"{folder}/{name}"))
             for name in sorted(os.listdir(os.path.join(root, folder))) if re.match(r"\d{4}-.*\.md$", name)}
    for number, (name, text) in texts.items():
        status = STATUS.search(text)
        title = re.match(rf"# {number}: (.+)", text)
        if not title:
            yield f'{folder}/{name}:1: does not begin with "# {number}: TITLE"'
        if not status:
            yield f"{folder}/{name}:3: has no line Status: accepted, superseded by [...] or amended by [...]"
        if not title or not status:
            continue
        line = re.search(r"^Status: (.*)$", text, re.M)[1]
        row = f"| [{number}]({name}) | {title[1]} | {line} |"
        if row not in index:
            yield f"{folder}/README.md:1: lacks the line {row}"
        successors = set(re.findall(r"\[(\d{4})\]", line))
        claimed = {other for other, (_, body) in texts.items()
                   if re.search(rf"^(Amends|Supersedes): .*\[{number}\]", body, re.M)}
        for other in sorted(successors - claimed):
            yield f"{folder}/{name}:3: names {other}, which has no line Amends or Supersedes for {number}"
        for other in sorted(claimed - successors):
            yield f"{folder}/{name}:3: {other} amends or supersedes it, which its status does not say"


def united_faults(root):
    folder = "docs/decisions"
    names = sorted(name for name in os.listdir(os.path.join(root, folder)) if re.match(r"\d{4}-.*\.md$", name))
    owner = {}
    for name in names:
        line = re.search(r"^United from: (.*)$", read(root, f"{folder}/{name}"), re.M)
        for number in re.findall(r"\d{4}", line[1]) if line else []:
            if number in owner:
                yield f"{folder}/{name}:5: names {number}, and so does {owner[number]}"
            owner[number] = name
            if number != name[:4] and any(other.startswith(number) for other in names):
                yield f"{folder}/{name}:5: names {number}, which has a file of its own"


def paper_faults(root):
    for number, line in prose_lines(read(root, "docs/papers.md")):
        if not line.startswith("| ") or line.startswith("| in the paper |"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) != 3 or not all(cells):
            yield f"docs/papers.md:{number}: is no row of a claim, what does it, and what shows it"
        elif not re.search(r"`|\]\(|\bnothing\b|\btests?\b|\bevaluation\b|as above", cells[2]):
            yield f"docs/papers.md:{number}: names no test and no evaluation, and does not say that nothing shows it"


def removed_key_faults(root):
    table = read(root, "profiles/formats/policy/removed_keys.hpp").split("kRemovedKeys = ", 1)[1].split("});", 1)[0]
    keys = re.findall(r'^    {"([a-z]+[._][a-z_.]+)",', table, re.M)
    gone = re.compile("|".join(rf"(?<![\w.]){re.escape(key)}(?!\w)" for key in keys))
    pages = glob.glob(os.path.join(root, "docs/*.md")) + glob.glob(os.path.join(root, "docs/man/*"))
    for path in sorted(os.path.relpath(page, root) for page in pages):
        for number, line in enumerate(read(root, path).split("\n"), 1):
            if found := gone.search(line):
                yield f"{path}:{number}: names {found[0]}, a key that is gone"


def main(root):
    faults = [fault for check in (link_faults, path_faults, paper_faults, subcommand_faults, man_page_faults, decision_faults,
                                  united_faults, removed_key_faults)
              for fault in check(root)]
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults in the documentation")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
