"""Check mappings of Conductor before they are proposed. Conductor need not run or be installed.

    python3 validate_mapping.py mapping.json      one mapping, a list of mappings, or a whole config
    python3 validate_mapping.py mapping.toml      the same in TOML (Python 3.11 or later)
    python3 validate_mapping.py - < mapping.json  from standard input

If the `conductor` command is found, it decides: it checks a temporary config with these mappings, with their
conflicts. Otherwise the schema in `assets/mapping.schema.json` decides, which knows only the spelling of each
value that Conductor itself writes. Nothing of the user's is read or changed. The exit code is 0 if everything
is valid, 1 if not, and 2 if there is nothing to check.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).resolve().parent.parent / "assets" / "mapping.schema.json"
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
ARTICLES = {"object": "an object", "array": "a list", "string": "a text", "integer": "a whole number",
            "number": "a number", "boolean": "true or false", "null": "null"}  # fmt: skip


class Unreadable(Exception):
    """Raised if the input contains no mapping. The message says what is wrong."""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Check mappings of Conductor.")
    parser.add_argument(
        "file", help="a JSON or TOML file, or - for JSON or TOML from standard input"
    )
    parser.add_argument("--no-conductor", action="store_true", help="use only the schema")
    given = parser.parse_args(words)
    try:
        mappings, config = find_mappings(parse(read(given.file)))
    except Unreadable as error:
        print(f"error: {error}")
        return 2
    program = None if given.no_conductor else shutil.which("conductor")
    report = ask_conductor(program, config or build_config(mappings)) if program else None
    if report is None:
        by, notes = "the schema", list[str]()
        errors = [line for where, mapping in mappings for line in check(mapping, where)]
    else:
        by, errors = "`conductor validate`", report["errors"]
        notes = [f"warning: {one}" for one in report["warnings"]]
        notes += [f"note: {one}" for one in report["notes"]]
    for line in (*(f"error: {one}" for one in errors), *notes):
        print(line)
    count = f"{len(mappings)} mapping{'' if len(mappings) == 1 else 's'}"
    print(f"{count}: {'not valid' if errors else 'valid'} by {by}")
    return 1 if errors else 0


def read(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{name} cannot be read: {error}") from None


def parse(text: str) -> Any:
    """Return the value of a JSON or TOML text."""
    try:
        return json.loads(text)
    except ValueError as error:
        json_problem = str(error)
    try:
        import tomllib
    except ImportError:
        raise Unreadable(f"the text is not JSON ({json_problem}); TOML needs Python 3.11") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = json_problem if text.lstrip().startswith(("{", "[{")) else str(error)
        raise Unreadable(f"the text is neither JSON nor TOML: {problem}") from None


def find_mappings(value: Any) -> tuple[list[tuple[str, Any]], dict[str, Any] | None]:
    """Return all mappings, each with its place, and the config if the value is one."""
    if isinstance(value, list):
        return [(f"#{index}", one) for index, one in enumerate(value)], None
    if not isinstance(value, dict):
        raise Unreadable("a mapping is an object with `trigger` and `action`")
    if "trigger" in value or "action" in value:
        return [("", value)], None
    if isinstance(value.get("mappings"), list):
        return find_mappings(value["mappings"])
    found = [
        (f"global_mappings #{index}", one)
        for index, one in enumerate(value.get("global_mappings", []))
    ]
    for scope in ("modes", "profiles"):
        for part in value.get(scope, []):
            name = part.get("name", "?") if isinstance(part, dict) else "?"
            rows = part.get("mappings", []) if isinstance(part, dict) else []
            found += [(f"{scope[:-1]} {name} #{index}", one) for index, one in enumerate(rows)]
    if not found:
        raise Unreadable(
            "there is no mapping: an object with `trigger` and `action`, or a list of them"
        )
    return found, value


def check(mapping: Any, where: str) -> Iterator[str]:
    """Yield what the schema says is wrong with a mapping."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for path, problem in validate(mapping, schema, schema["$defs"], ""):
        place = ": ".join(part for part in (where, path.lstrip(".")) if part)
        yield f"{place}: {problem}" if place else problem


def validate(
    value: Any, schema: dict[str, Any], defs: dict[str, Any], path: str
) -> list[tuple[str, str]]:
    """Return the violations of the part of JSON Schema that the schema of mappings uses."""
    if "$ref" in schema:
        return validate(value, defs[schema["$ref"].rpartition("/")[2]], defs, path)
    if "discriminator" in schema:
        return validate_tagged(value, schema, defs, path)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            tries = [validate(value, one, defs, path) for one in schema[keyword]]
            # of the alternatives, the one that fits up to the deepest place is what was meant
            return max(
                tries, key=lambda found: (not found, max((len(p) for p, _ in found), default=0))
            )
    problem = find_plain_problem(value, schema)
    if problem:
        return [(path, problem)]
    if isinstance(value, dict):
        return validate_object(value, schema, defs, path)
    if isinstance(value, list):
        found = check_limits(len(value), schema, "Items", "items", path)
        for index, item in enumerate(value):
            found += validate(item, schema.get("items", {}), defs, f"{path}[{index}]")
        return found
    return check_range(value, schema, path)


def find_plain_problem(value: Any, schema: dict[str, Any]) -> str | None:
    """Return what is wrong with the type or the text of a value, or None."""
    if "const" in schema and value != schema["const"]:
        return f"must be {json.dumps(schema['const'])}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(map(json.dumps, schema['enum']))}"
    kind = schema.get("type")
    if kind is not None and not has_type(value, kind):
        return f"must be {ARTICLES[kind]}"
    if isinstance(value, str):
        for _, problem in check_limits(len(value), schema, "Length", "characters", ""):
            return problem
        if "pattern" in schema and not re.search(schema["pattern"], value):
            return f"must match {schema['pattern']}"
    return None


def has_type(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, TYPES[kind])


def validate_tagged(
    value: Any, schema: dict[str, Any], defs: dict[str, Any], path: str
) -> list[tuple[str, str]]:
    known = schema["discriminator"]["mapping"]
    tag = schema["discriminator"]["propertyName"]
    if not isinstance(value, dict) or tag not in value:
        return [(path, f"must be an object with `{tag}`: one of {', '.join(sorted(known))}")]
    if value[tag] not in known:
        close = [name for name in known if name.lower() == str(value[tag]).lower()]
        hint = (
            f"; did you mean {close[0]}?" if close else f"; it is one of {', '.join(sorted(known))}"
        )
        return [(f"{path}.{tag}", f"{json.dumps(value[tag])} does not exist{hint}")]
    return validate(value, {"$ref": known[value[tag]]}, defs, path)


def validate_object(
    value: dict[str, Any], schema: dict[str, Any], defs: dict[str, Any], path: str
) -> list[tuple[str, str]]:
    fields = schema.get("properties", {})
    found = [
        (f"{path}.{name}", "is missing") for name in schema.get("required", []) if name not in value
    ]
    for name, item in value.items():
        if name in fields:
            found += validate(item, fields[name], defs, f"{path}.{name}")
        elif isinstance(schema.get("additionalProperties"), dict):
            found += validate(item, schema["additionalProperties"], defs, f"{path}.{name}")
        elif schema.get("additionalProperties") is False:
            found.append(
                (f"{path}.{name}", f"is unknown; the fields are {', '.join(sorted(fields))}")
            )
    return found


def check_limits(
    size: int, schema: dict[str, Any], suffix: str, unit: str, path: str
) -> list[tuple[str, str]]:
    if size < schema.get(f"min{suffix}", 0):
        return [(path, f"must have at least {schema[f'min{suffix}']} {unit}")]
    if size > schema.get(f"max{suffix}", size):
        return [(path, f"must have at most {schema[f'max{suffix}']} {unit}")]
    return []


def check_range(value: Any, schema: dict[str, Any], path: str) -> list[tuple[str, str]]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return []
    limits = (
        ("minimum", value < schema.get("minimum", value), "at least"),
        ("maximum", value > schema.get("maximum", value), "at most"),
        (
            "exclusiveMinimum",
            "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"],
            "more than",
        ),
        (
            "exclusiveMaximum",
            "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"],
            "less than",
        ),
    )
    return [
        (path, f"must be {words} {schema[name]}") for name, is_broken, words in limits if is_broken
    ]


def build_config(mappings: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a config with one mode that contains the mappings."""
    rows = [mapping for _, mapping in mappings]
    modes = [{"name": name} for name in sorted({*find_texts(rows, "mode")} - {"Default"})]
    devices = [
        {"alias": alias, "matchers": [{"type": "NameContains", "pattern": alias}]}
        for alias in sorted({*find_texts(rows, "device")})
    ]
    return {"modes": [{"name": "Default", "mappings": rows}, *modes], "devices": devices}


def find_texts(value: Any, field: str) -> Iterator[str]:
    """Yield the texts in all fields of a name: the modes and devices of the user's config."""
    if isinstance(value, list):
        for item in value:
            yield from find_texts(item, field)
    elif isinstance(value, dict):
        if isinstance(value.get(field), str):
            yield value[field]
        for item in value.values():
            yield from find_texts(item, field)


def ask_conductor(program: str, config: dict[str, Any]) -> dict[str, list[str]] | None:
    """Return the errors, warnings and notes that `conductor validate` has for a config.

    Return None if it gives no answer.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.toml"
        path.write_text(to_toml(config), encoding="utf-8")
        command = [program, "validate", "--json", str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            report = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None
    return {name: report.get(name, []) for name in ("errors", "warnings", "notes")}


def to_toml(config: dict[str, Any]) -> str:
    return "".join(
        f"{json.dumps(key)} = {to_toml_value(item)}\n"
        for key, item in config.items()
        if item is not None
    )


def to_toml_value(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (
            f"{json.dumps(key)} = {to_toml_value(item)}"
            for key, item in value.items()
            if item is not None
        )
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(to_toml_value, value))}]"
    # a JSON text, number or boolean is the same in TOML, except for the character DEL
    return (
        json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
        if not isinstance(value, float)
        else repr(value)
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
