"""Describes tool calls as phrases, such as `set scene Scene 2 via obs`."""

from typing import Any, cast

from conductor.base.invisible_chars import EMOJI, reveal_hidden
from conductor.base.json_types import JsonObject

_SHOWN = 30
_SHOWN_IN_ALL = 80


def plugin_words(action: JsonObject) -> str:
    """Describe a tool call by its tool, arguments and server."""
    args: JsonObject = action.get("args") or {}
    said = [_value(item) for item in args.values()]
    if len(said) > 1:
        said = [f"{name} {value}" for name, value in zip(args, said, strict=True)]
    what = " ".join([_spaced(action["tool"]), ", ".join(said)]).strip()
    return reveal_hidden(f"{_cut(what, _SHOWN_IN_ALL)} via {action['server']}", keep=EMOJI)


def call_words(action: JsonObject) -> str:
    """Return the server, tool and argument names that the user allows a control to call."""
    args: JsonObject = action.get("args") or {}
    names = ", ".join(_named(name, item) for name, item in args.items()) or "no arguments"
    tool, server = reveal_hidden(action["tool"]), reveal_hidden(action["server"])
    return f"the tool `{tool}` of the MCP server `{server}` with {names}"


def _spaced(tool: str) -> str:
    return " ".join(tool.replace("_", " ").replace("-", " ").split()) or tool


def _named(name: str, item: Any) -> str:
    name = reveal_hidden(_cut(name, _SHOWN))
    return f"`{name}` (from the control)" if _from_control(item) else f"`{name}`"


def _value(item: Any) -> str:
    if _from_control(item):
        return "from the control"
    if isinstance(item, dict):
        return "{…}"
    if isinstance(item, list):
        return "[…]"
    if isinstance(item, bool):
        return "on" if item else "off"
    return _cut(str(item), _SHOWN)


def _from_control(item: Any) -> bool:
    table = cast(JsonObject, item) if isinstance(item, dict) else {}
    return table.get("from") in ("value", "steps")


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
