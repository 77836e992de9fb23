#!/usr/bin/env python3
"""Checks documents against the JSON Schemas in docs/formats/schemas.

  check_documents.py FILE|FOLDER...   files that are documents of Huddle's in JSON, and the examples in pages (.md); all
                                      other files are passed over. Fails if one is not what its schema says.
"""

import json
import pathlib
import re
import sys

import jsonschema

SCHEMAS = pathlib.Path(__file__).parent.parent / "docs/formats/schemas"


def validators():
    found = {}
    for file in SCHEMAS.glob("*.schema.json"):
        schema = json.loads(file.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        found[schema["title"]] = jsonschema.Draft202012Validator(schema)
    return found


def documents_in(text):
    """What of a file's text is JSON: all of it, or the blocks of a page, or each line."""
    blocks = re.findall(r"```json\n(.*?)```", text, re.S) if "```" in text else [text]
    for block in blocks:
        for part in [block, *block.split("\n")]:
            try:
                yield json.loads(part)
            except ValueError:
                continue
            if part is block:
                break


def files_of(paths):
    for path in map(pathlib.Path, paths):
        yield from (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def check(paths):
    """How many documents there were of each format, and what is wrong with them."""
    found, faults = {}, []
    by_format = validators()
    for file in files_of(paths):
        try:
            text = file.read_text()
        except (UnicodeDecodeError, OSError):
            continue  # CBOR, or gone meanwhile
        for document in documents_in(text):
            validator = by_format.get(document.get("format")) if isinstance(document, dict) else None
            if validator is None:
                continue
            found[document["format"]] = found.get(document["format"], 0) + 1
            faults += [f"{file}: {document['format']}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
                       for error in validator.iter_errors(document)]
    return found, faults


if __name__ == "__main__":
    documents, wrong = check(sys.argv[1:])
    for fault in wrong:
        print(fault, file=sys.stderr)
    print(", ".join(f"{count} {name}" for name, count in sorted(documents.items())) or "no documents")
    sys.exit(1 if wrong or not documents else 0)
