#!/usr/bin/env python3
"""Makes JSON Schemas of the documents that Huddle stores, from the tables in docs/formats.

  make_schemas.py           writes <document>.schema.json beside this script
  make_schemas.py --check   writes nothing, and fails if one of them is another than it would write

The tables stay what people read and what the formats are; this script knows which table describes which member. A schema
holds members, types and bounds. What links two members (a column as long as another, a number below `ranks`) is checked by
`huddle show --check` and the other readers.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent

# The tables of each document: the one that describes its members, and those of its objects, by their place. "x[]" are the
# objects of the array x; a place that ends in "*" has columns: an array for each member of the table.
DOCUMENTS = {
    "profile": (0, {"rank_records[]": 1, "rank_records[].sent*": 2, "rank_records[].sent_to_neighbours*": 2,
                    "rank_records[].put*": 2, "rank_records[].fetched*": 2, "rank_records[].collectives[]": 3,
                    "rank_records[].calls*": 4, "rank_records[].phases*": 5,
                    "rank_records[].balancing": 6,
                    "rank_records[].node_energy[]": 7, "rank_records[].openmp_regions*": 8,
                    "rank_records[].packed_regions*": 9, "rank_records[].smaller_teams*": 10,
                    "rank_records[].periods[]": 11, "rank_records[].region_periods[]": 12,
                    "rank_records[].region_positions": 13, "rank_records[].region_positions.as_started*": 14,
                    "rank_records[].region_positions.packed*": 14,
                    "wait_states": 15, "wait_states.ranks*": 16, "communicators[]": 17, "phase_groups[]": 18, "openmp_regions[]": 19,
                    "modules[]": 20, "absent_events[]": 21}),
    "machine": (0, {"links[]": 1, "messages[]": 3, "collectives[]": 4, "memory_streams[]": 5, "power": 6, "frequencies": 7,
                    "frequencies.power[]": 8, "power_states": 9, "power_states.states[]": 10,
                    "unused_nodes": 11, "unused_nodes.groups[]": 12}),
    "model": (0, {"programs[]": 1, "fits[]": 2, "fits[].shared": 3, "fits[].shared.shapes[]": 5, "fits[].paper": 6,
                  "fits[].paper.fits[]": 7, "fits[].shared.left_out[]": 8, "fits[].paper.left_out[]": 8}),
    "plan": (0, {"chosen": 1, "reference": 1, "runners_up[]": 1, "teams[]": 2, "teams[].regions[]": 3}),
    "plan-request": (0, {}),
    "decision": (0, {}),
    "outcome": (0, {"run": 1, "end": 2, "prediction": 3, "control": 4}),
    "doctor": (0, {}),
    "study": (0, {"all": 1, "packable": 1, "freed_node_h": 2, "freed_charge_h": 2, "asleep_kwh": 2, "job_kwh": 2, "machine_kwh": 2, "verdicts[]": 3,
                  **{f"{kind}[]{place}": table for kind in ("partitions", "accounts", "applications", "sizes")
                     for place, table in (("", 4), (".all", 1), (".could_use_fewer", 1), (".freed_node_h", 2), (".freed_charge_h", 2))},
                  "measure_first[]": 5, "measure_first[].freed_node_h": 2, "nodes[]": 6}),
    "report": (0, {"all": 1, "months[]": 1, "partitions[]": 1, "measuring": 2, "control_group": 3, "left_reasons[]": 4, "worst_promise": 5, "programs[]": 6, "rates": 7}),
    "power-observations": (0, {"sums[]": 1}),
    "meters": (0, {"clocks[]": 1, "sensors[]": 2}),
}


def tables_of(text):
    """The tables of a page: each a list of rows, each row a dictionary by column."""
    tables, rows = [], None
    for line in text.split("\n"):
        if not line.startswith("|"):
            rows = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]
        if rows is None:
            rows, head = [], ["member", *cells[1:]]
            tables.append(rows)
        elif set(line) - set("|- "):
            rows.append(dict(zip(head, cells)))
    return tables


def number(text):
    text = text.replace(",", "")
    power = re.fullmatch(r"(\d+)\^(\d+)", text)
    value = int(power[1]) ** int(power[2]) if power else float(text)
    return int(value) if value == int(value) else value


NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+|\^\d+)?"


def bounds(text):
    found = {}
    if match := re.search(rf"above ({NUMBER})", text):
        found["exclusiveMinimum"] = number(match[1])
    if match := re.search(rf"({NUMBER}) or more|from ({NUMBER})", text):
        found["minimum"] = number(match[1] or match[2])
    if match := re.search(rf"({NUMBER}) at most|at most ({NUMBER})", text):
        found["maximum"] = number(match[1] or match[2])
    if match := re.search(rf"({NUMBER}) to (.*)", text):
        if "exclusiveMinimum" not in found:
            found["minimum"] = number(match[1])
        if most := re.match(NUMBER, match[2]):
            found["maximum"] = number(most[0])
    if match := re.search(rf"({NUMBER}) or ({NUMBER})(?!\w)(?! more)", text):
        found |= {"minimum": number(match[1]), "maximum": number(match[2])}
    return found


def array_schema(text):
    """Of "array of 1 to 64 objects" and the like."""
    match = re.match(rf"array of (?:({NUMBER}) to ({NUMBER}) |({NUMBER}) or ({NUMBER}) |up to ({NUMBER}) |({NUMBER}) )?(.*)", text)
    least, most = match[1] or match[3] or match[6], match[2] or match[4] or match[5] or match[6]
    rest = match[7]
    schema = {"type": "array"}
    if more := re.search(r"objects, (\d+) or more|patterns, (\d+) or more", rest):
        least = more[1] or more[2]
        rest = rest.replace(more[0], more[0].split(",")[0])
    if end := re.search(r", at most (\d+)$", rest):
        most = end[1]
        rest = rest[:end.start()]
    schema["items"] = type_schema(rest)
    if least:
        schema["minItems"] = int(number(least))
    if most:
        schema["maxItems"] = int(number(most))
    return schema


def type_schema(text):
    if match := re.match(r"(.*), or array(?: of such)?$", text):
        one = type_schema(match[1])
        return {"anyOf": [one, {"type": "array", "items": one}]}
    if text.endswith(", or `null`"):
        return {"anyOf": [type_schema(text.removesuffix(", or `null`")), {"type": "null"}]}
    if text.startswith("array of"):
        return array_schema(text)
    if text == "arrays":
        return {"type": "array"}
    if text.startswith("bytes"):  # a text, or numbers where it is none in UTF-8
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}]}
    if re.match(r"text|pattern", text):
        return {"type": "string", "minLength": 1} if re.search("not empty|1 byte to", text) else {"type": "string"}
    if text.startswith("boolean"):
        return {"type": "boolean"}
    if text.startswith("integer"):
        return {"type": "integer", **bounds(text), **({"minimum": 0, "maximum": 2**32 - 1} if "32 bits" in text else {})}
    if text.startswith("number"):
        return {"type": "number", **bounds(text)}
    if match := re.match(r"object of (numbers.*)", text):
        return {"type": "object", "additionalProperties": type_schema(match[1])}
    if re.match(r"object|forecast", text):
        return {"type": "object"}
    raise SystemExit(f"make_schemas.py: the type '{text}' is not understood")


def choices(row, schema):
    """The words that a text may be, where its meaning begins with them."""
    meaning = row["meaning"].split("; absent")[0]
    if row["member"] == "`format`":
        return {"const": re.search(r'"([^"]*)"', meaning)[1]}
    if row["member"] == "`version`":
        return {"const": int(re.search(r"`(\d+)`", meaning)[1])}
    words = re.findall(r'`"([^"`]*)"`', meaning)
    listed = re.match(r'`"[^"`]*"`(?:,| or| \(|:)', meaning) and "such as" not in meaning and "for any other" not in meaning
    return {**schema, "enum": words} if schema == {"type": "string"} and listed and len(words) > 1 else schema


def is_required(row):
    if "required" in row:
        return row["required"] == "yes"
    return not re.match(r"optional|required", row["meaning"]) and "; absent" not in row["meaning"]


def child(schema, name):
    """The schema of a member, made if it is missing; `name[]` is that of its array's objects."""
    member = schema.setdefault("properties", {}).setdefault(name.removesuffix("[]"), {})
    if not name.endswith("[]"):
        member.setdefault("type", "object")
        return member
    member.setdefault("type", "array")
    return member.setdefault("items", {"type": "object"})


def add_member(root, path, schema, required):
    *parents, name = path.split(".")
    for parent in parents:
        bare = parent.removesuffix("[]")
        if required and bare not in root.get("properties", {}):
            root.setdefault("required", []).append(bare)
        root = child(root, parent)
    known = root.setdefault("properties", {}).get(name, {})
    root["properties"][name] = {**schema, **known}
    if required:
        root.setdefault("required", []).append(name)


def add_table(root, rows, columns):
    folder, kind = "", ""
    for row in rows:
        text = next(value for key, value in row.items() if key.startswith("type"))
        kind = kind if text == "likewise" else text
        for name in re.findall(r"`([^`]+)`", row["member"]):
            if name.startswith("…"):
                name = folder + name[1:].lstrip(".")
            schema = choices(row, type_schema(kind))
            if "array of" in kind and "[]" in name:
                folder = name + "[]."
            if columns and schema.get("type") != "array":
                schema = {"type": "array", "items": schema}
            if not is_required(row) or "`null`" in row["meaning"]:
                schema = nullable(schema)
            add_member(root, name, schema, is_required(row))


def nullable(schema):
    if "type" not in schema or "enum" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def schema_of(document):
    root_table, places = DOCUMENTS[document]
    tables = tables_of((HERE.parent / f"{document}.md").read_text())
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"huddle/{document}",
              "description": f"Made from the tables of {document}.md. Members that are not listed are allowed, and ignored.",
              "type": "object"}
    add_table(schema, tables[root_table], False)
    for place, table in places.items():
        here = schema
        for name in place.removesuffix("*").split("."):
            here = child(here, name)
        add_table(here, tables[table], place.endswith("*"))
    return json.dumps(schema, indent=1) + "\n"


def main():
    stale = []
    for document in DOCUMENTS:
        file = HERE / f"{document}.schema.json"
        text = schema_of(document)
        if sys.argv[1:] != ["--check"]:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(file.name)
    if stale:
        sys.exit(f"not as the tables say: {', '.join(stale)}; run docs/formats/schemas/make_schemas.py")


main()
