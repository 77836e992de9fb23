#!/usr/bin/env python3
"""The JSON Schemas of the documents: as the tables say, right for every document that is there or that huddle makes, and
wrong for documents with something missing or of another type.

  schemas_test.py HUDDLE     ends with 77 if Python's jsonschema is missing
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import check_documents
except ImportError as missing:
    print(missing)
    sys.exit(77)

ROOT = pathlib.Path(__file__).parent.parent
FIXTURES = ROOT / "tests/fixtures"
wrong = []


def check(true, what):
    if not true:
        wrong.append(what)


def make_documents(huddle, folder):
    """A document of each kind that the command writes by itself."""
    def run(*words, to=None):
        done = subprocess.run([huddle, *map(str, words)], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0 or words[0] == "doctor", f"huddle {words}: {done.stderr}")
        if to:
            (folder / to).write_text(done.stdout)

    run("machine", "--topology", "package:2 die:2 core:2 pu:1", "--nodes", "8", "--name", "m", "-o", "machine.json")
    profile = FIXTURES / "profiles/eight-ranks-in-pairs.json"
    run("recommend", profile, "-m", "machine.json", "--plan", "plan.json")
    (folder / "bytes.csv").write_text("0,8\n8,0\n")
    (folder / "counts.csv").write_text("0,1\n1,0\n")
    run("import", "csv", "bytes.csv", "counts.csv", "-o", "profile.json")
    (folder / "store").mkdir()
    (folder / "request.json").write_text(json.dumps({
        "format": "huddle/plan-request", "version": 1, "user": "u", "label": "l", "ranks": 8, "store": "store",
        "profiles": [str(profile)], "machine": "machine.json"}))
    run("plan", "--request", "request.json", "--json", to="decision.json")
    run("doctor", "--json", to="doctor.json")


def refuses_what_is_wrong(document, schema, name):
    for member in schema.schema["required"]:
        without = copy.deepcopy(document)
        del without[member]
        check(not schema.is_valid(without), f"{name} is valid without {member}")
    for member, value in document.items():
        other = copy.deepcopy(document)
        other[member] = 1.5 if isinstance(value, dict) else {}
        if member in schema.schema["properties"]:
            check(not schema.is_valid(other), f"{name} is valid with {member} of another type")


def main():
    made = subprocess.run([sys.executable, ROOT / "docs/formats/schemas/make_schemas.py", "--check"], capture_output=True, text=True)
    check(made.returncode == 0, made.stderr)
    with tempfile.TemporaryDirectory() as folder:
        make_documents(sys.argv[1], pathlib.Path(folder))
        found, faults = check_documents.check(
            [FIXTURES, ROOT / "tests/golden", ROOT / "tests/fuzz/corpus", ROOT / "profiles/machines", ROOT / "docs/formats", folder])
    for fault in faults:
        check(False, fault)
    schemas = check_documents.validators()
    for name in schemas:
        check(found.get(name, 0) > 0, f"there is no document of {name}")
    for file in ROOT.glob("docs/formats/*.md"):
        for document in check_documents.documents_in(file.read_text()):
            name = document.get("format") if isinstance(document, dict) else None
            if name in schemas:
                refuses_what_is_wrong(document, schemas[name], f"{name} of {file.name}")
    print(found)
    sys.exit("\n".join(wrong) or 0)


main()
