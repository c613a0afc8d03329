"""The shape of arguments: which other calls an answer covers that is given for longer than once.

What is not named here has to be the very same value. What may differ:

| argument                        | what is covered                                                        |
|---------------------------------|------------------------------------------------------------------------|
| a number                        | any number of its kind; not where its name says which one, or how much |
| an http or ws address           | any address of the same scheme, host and port                          |
| the whole path of a file        | any file directly in the folder that it really is in, hidden ones not  |
| a short plain text, in a field for words (`query`, `title`) | any other such text                        |
| a list                          | as many items or fewer but not none, each like one of them             |
| an object                       | exactly the same names, each as above                                  |

Booleans, nulls, enum values, long texts, texts with anything unusual in them, folders, system files and
paths with `..` stay literal. A literal path must also still lead to where it led.
"""

import hashlib
import json
import math
from pathlib import PurePath
from typing import Any

from conductor.base.invisible_chars import has_hidden
from conductor.base.redact import redact
from conductor.tools.approval.scope_texts import (
    NOT_A_COUNT,
    SECRET,
    Disk,
    file_folder,
    is_for_words,
    is_plain,
    last_word,
    origin_of,
)

Pattern = dict[str, Any]
LITERAL_AT_MOST = 200
INTEGER_AT_MOST = 2**53
REFS_AT_MOST = 8


DISK = Disk()


def scope_of(
    arguments: dict[str, Any], schema: dict[str, Any] | None = None, disk: Disk = DISK
) -> Pattern:
    """Return the shape of a call's arguments, as JSON-ready data."""
    root = schema or {}
    return _ScopeBuilder(root, disk).of("", arguments, root)


def is_covered(pattern: Pattern, item: Any, disk: Disk = DISK) -> bool:
    """Return whether arguments are of a shape; an unknown kind of shape covers nothing."""
    match pattern:
        case {"keys": dict() as keys}:
            return (
                isinstance(item, dict)
                and item.keys() == keys.keys()  # pyright: ignore[reportUnknownMemberType]
                and all(is_covered(keys[key], item[key], disk) for key in keys)
            )
        case {"items": list() as items, "most": int() as most}:
            given: list[Any] = item if isinstance(item, list) else []
            is_so_many = isinstance(item, list) and bool(items) <= len(given) <= most
            return is_so_many and all(
                any(is_covered(one, each, disk) for one in items) for each in given
            )
        case {"any": "integer"}:
            return _is_integer(item)
        case {"any": "number"}:
            return _is_integer(item) or (isinstance(item, float) and math.isfinite(item))
        case {"any": "words"}:
            return isinstance(item, str) and is_plain(item)
        case {"origin": str() as origin}:
            return isinstance(item, str) and origin_of(item) == origin
        case {"folder": str() as folder}:
            return isinstance(item, str) and file_folder(item, disk) == folder
        case {"is": literal}:
            is_same = type(item) is type(literal) and item == literal
            return is_same and ("real" not in pattern or disk.real(item) == pattern["real"])
        case {"same": str() as digest}:
            return _digest(item) == digest
        case _:
            return False


class _ScopeBuilder:
    """Makes a shape, with the schema beside it to know enums from free texts."""

    def __init__(self, root: dict[str, Any], disk: Disk) -> None:
        self._root = root
        self._disk = disk

    def of(self, key: str, item: Any, schema: Any) -> Pattern:
        """Return the shape of the value of a key."""
        node = self._resolved(schema)
        if isinstance(item, dict):
            fields: dict[str, Any] = item
            known = _part(node, "properties")
            return {"keys": {str(k): self.of(str(k), v, known.get(k)) for k, v in fields.items()}}
        if isinstance(item, list):
            items: list[Any] = item
            each = [self.of(key, one, node.get("items")) for one in items]
            # by their text: False and 0 are equal, and only one of them would be allowed later
            distinct = {json.dumps(one, sort_keys=True): one for one in each}
            return {"items": list(distinct.values()), "most": len(items)}
        if self._is_chosen(node):
            return _literal(key, item)
        if isinstance(item, str):
            return self._text(key, item)
        if _is_integer(item) and last_word(key) not in NOT_A_COUNT:
            return {"any": "integer"}
        if isinstance(item, float) and math.isfinite(item) and last_word(key) not in NOT_A_COUNT:
            return {"any": "number"}
        return _literal(key, item)

    def _text(self, key: str, text: str) -> Pattern:
        origin = origin_of(text)
        if origin is not None:
            return {"origin": origin}
        if not has_hidden(text, "") and PurePath(text).is_absolute():
            folder = file_folder(text, self._disk)
            if folder is not None:
                return {"folder": folder}
            return _literal(key, text) | {"real": self._disk.real(text)}
        if is_for_words(key) and is_plain(text):
            return {"any": "words"}
        return _literal(key, text)

    def _resolved(self, schema: Any) -> dict[str, Any]:
        """Return the schema that a reference leads to, and of several that may hold, what is not null."""
        for _ in range(REFS_AT_MOST):
            if not isinstance(schema, dict):
                return {}
            node: dict[str, Any] = schema
            way = node.get("$ref")
            if isinstance(way, str) and way.startswith("#/"):
                schema = self._root
                for step in way[2:].split("/"):
                    schema = _part(schema, step)
                continue
            ways = node.get("anyOf") or node.get("oneOf") or node.get("allOf")
            options: list[Any] = ways if isinstance(ways, list) else []
            real = [one for one in options if one != {"type": "null"}]
            if len(real) != 1:
                return node
            schema = real[0]
        return {}

    def _is_chosen(self, node: dict[str, Any], deep: int = REFS_AT_MOST) -> bool:
        """Return whether a value is one of a few that are listed."""
        if "enum" in node or "const" in node:
            return True
        options = [one for name in ("anyOf", "oneOf", "allOf") for one in node.get(name) or ()]
        return deep > 0 and any(self._is_chosen(self._resolved(one), deep - 1) for one in options)


def _part(node: Any, name: str) -> dict[str, Any]:
    inner: Any = node.get(name) if isinstance(node, dict) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
    return inner if isinstance(inner, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _is_integer(item: Any) -> bool:
    return type(item) is int and abs(item) <= INTEGER_AT_MOST


def _literal(key: str, item: Any) -> Pattern:
    """Return the shape of just this value; of what is long or secret only its hash is kept."""
    is_text = isinstance(item, str)
    secret = is_text and (SECRET.search(key) is not None or redact(item) != item)
    if is_text and (secret or len(item) > LITERAL_AT_MOST):
        return {"same": _digest(item), "length": len(item)}
    return {"is": item}


def _digest(item: Any) -> str:
    text = json.dumps(item, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
