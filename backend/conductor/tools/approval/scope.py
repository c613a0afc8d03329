"""The scope of a grant: which other arguments a lasting permission covers.

Only these values may differ, and all other values must be identical:

| argument                        | covers                                                                 |
|---------------------------------|------------------------------------------------------------------------|
| a number                        | any integer or any number, unless its name suggests an id or an amount |
| an http or ws address           | any address of the same scheme, host and port                          |
| the full path of a file         | any file directly in the same real folder, except hidden files         |
| a short plain text in a free-text field (`query`, `title`)  | any other short plain text                 |
| a list                          | 1 to as many items, each covered by the scope of one of the items      |
| an object                       | exactly the same names, with values that follow these rules            |

Booleans, nulls, enum values, long texts, texts with unusual characters, folders, system files and paths with
`..` are literal: they must be identical. A literal path must also resolve to the same file.
"""

import hashlib
import json
import math
from pathlib import PurePath
from typing import Any

from conductor.base.invisible_chars import has_hidden
from conductor.base.json_types import JsonObject
from conductor.base.redact import redact_secrets
from conductor.tools.approval.scope_texts import (
    IDENTIFYING_NUMBER_WORDS,
    SECRET_NAME_PATTERN,
    FileSystem,
    get_last_name_word,
    is_free_text_field,
    is_plain_text,
    parse_web_origin,
    resolve_file_folder,
)

MAX_LITERAL_LENGTH = 200
MAX_SCOPE_INTEGER = 2**53
MAX_SCHEMA_REFERENCES = 8
REAL_FILE_SYSTEM = FileSystem()


def build_scope(
    arguments: JsonObject, schema: JsonObject | None = None, disk: FileSystem = REAL_FILE_SYSTEM
) -> JsonObject:
    """Return the scope of a lasting permission, which covers this call and calls with similar arguments."""
    root = schema or {}
    return _ScopeBuilder(root, disk).build_field_scope("", arguments, root)


def is_covered_by_scope(
    pattern: JsonObject, item: Any, disk: FileSystem = REAL_FILE_SYSTEM
) -> bool:
    """Return whether a scope covers the arguments of a call.

    A scope of an unknown kind, which another version may have saved, covers no call.
    """
    match pattern:
        case {"keys": dict() as keys}:
            return (
                isinstance(item, dict)
                and item.keys() == keys.keys()  # pyright: ignore[reportUnknownMemberType]
                and all(is_covered_by_scope(keys[key], item[key], disk) for key in keys)
            )
        case {"items": list() as items, "most": int() as most}:
            values: list[Any] = item if isinstance(item, list) else []
            is_length_covered = isinstance(item, list) and bool(items) <= len(values) <= most
            return is_length_covered and all(
                any(is_covered_by_scope(allowed, value, disk) for allowed in items)
                for value in values
            )
        case {"any": "integer"}:
            return _is_integer(item)
        case {"any": "number"}:
            return _is_integer(item) or (isinstance(item, float) and math.isfinite(item))
        case {"any": "words"}:
            return isinstance(item, str) and is_plain_text(item)
        case {"origin": str() as origin}:
            return isinstance(item, str) and parse_web_origin(item) == origin
        case {"folder": str() as folder}:
            return isinstance(item, str) and resolve_file_folder(item, disk) == folder
        case {"is": literal}:
            is_same = type(item) is type(literal) and item == literal
            return is_same and ("real" not in pattern or disk.resolve_path(item) == pattern["real"])
        case {"same": str() as digest}:
            return _hash_value(item) == digest
        case _:
            return False


class _ScopeBuilder:
    """Builds the scope of a call from its arguments. The JSON schema shows which texts are enum values."""

    def __init__(self, root: JsonObject, disk: FileSystem) -> None:
        self._root = root
        self._disk = disk

    def build_field_scope(self, key: str, item: Any, schema: Any) -> JsonObject:
        """Return the scope for the value of one argument."""
        node = self._resolve_schema(schema)
        if isinstance(item, dict):
            fields: JsonObject = item
            known = _get_nested_object(node, "properties")
            return {
                "keys": {
                    str(k): self.build_field_scope(str(k), v, known.get(k))
                    for k, v in fields.items()
                }
            }
        if isinstance(item, list):
            items: list[Any] = item
            scopes = [self.build_field_scope(key, value, node.get("items")) for value in items]
            # compared as JSON, because False == 0 in Python would make one of the two disappear
            distinct = {json.dumps(scope, sort_keys=True): scope for scope in scopes}
            return {"items": list(distinct.values()), "most": len(items)}
        if self._is_enumeration(node):
            return _build_literal_scope(key, item)
        if isinstance(item, str):
            return self._build_text_scope(key, item)
        if _is_integer(item) and get_last_name_word(key) not in IDENTIFYING_NUMBER_WORDS:
            return {"any": "integer"}
        if (
            isinstance(item, float)
            and math.isfinite(item)
            and get_last_name_word(key) not in IDENTIFYING_NUMBER_WORDS
        ):
            return {"any": "number"}
        return _build_literal_scope(key, item)

    def _build_text_scope(self, key: str, text: str) -> JsonObject:
        origin = parse_web_origin(text)
        if origin is not None:
            return {"origin": origin}
        if not has_hidden(text, "") and PurePath(text).is_absolute():
            folder = resolve_file_folder(text, self._disk)
            if folder is not None:
                return {"folder": folder}
            return _build_literal_scope(key, text) | {"real": self._disk.resolve_path(text)}
        if is_free_text_field(key) and is_plain_text(text):
            return {"any": "words"}
        return _build_literal_scope(key, text)

    def _resolve_schema(self, schema: Any) -> JsonObject:
        """Follow references and optional types to the schema that describes the value."""
        for _ in range(MAX_SCHEMA_REFERENCES):
            if not isinstance(schema, dict):
                return {}
            node: JsonObject = schema
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith("#/"):
                schema = self._root
                for step in reference[2:].split("/"):
                    schema = _get_nested_object(schema, step)
                continue
            alternatives = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
            options: list[Any] = alternatives if isinstance(alternatives, list) else []
            not_null = [option for option in options if option != {"type": "null"}]
            if len(not_null) != 1:
                return node
            schema = not_null[0]
        return {}

    def _is_enumeration(self, node: JsonObject, depth: int = MAX_SCHEMA_REFERENCES) -> bool:
        """Return whether a schema lists all values that are allowed."""
        if "enum" in node or "const" in node:
            return True
        names = ("anyOf", "oneOf", "allOf")
        options = [option for name in names for option in node.get(name) or ()]
        return depth > 0 and any(
            self._is_enumeration(self._resolve_schema(option), depth - 1) for option in options
        )


def _get_nested_object(node: Any, name: str) -> JsonObject:
    inner: Any = node.get(name) if isinstance(node, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    return inner if isinstance(inner, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _is_integer(item: Any) -> bool:
    return type(item) is int and abs(item) <= MAX_SCOPE_INTEGER


def _build_literal_scope(key: str, item: Any) -> JsonObject:
    """Return a scope that covers only this value.

    Of a long text or a secret, only a hash is stored.
    """
    is_text = isinstance(item, str)
    secret = is_text and (
        SECRET_NAME_PATTERN.search(key) is not None or redact_secrets(item) != item
    )
    if is_text and (secret or len(item) > MAX_LITERAL_LENGTH):
        return {"same": _hash_value(item), "length": len(item)}
    return {"is": item}


def _hash_value(item: Any) -> str:
    text = json.dumps(item, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
