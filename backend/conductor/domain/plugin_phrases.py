"""Describes the tool calls of `Plugin` actions as phrases, such as `set scene Scene 2 via obs`."""

from typing import Any, cast

from conductor.base.invisible_chars import EMOJI_SELECTOR, reveal_hidden
from conductor.base.json_types import JsonObject

_MAX_VALUE_LENGTH = 30
_MAX_PHRASE_LENGTH = 80


def describe_plugin_call(action: JsonObject) -> str:
    """Return a tool call as a phrase with its tool, its arguments and its server."""
    args: JsonObject = action.get("args") or {}
    said = [_format_value(item) for item in args.values()]
    if len(said) > 1:
        said = [f"{name} {value}" for name, value in zip(args, said, strict=True)]
    what = " ".join([_split_tool_words(action["tool"]), ", ".join(said)]).strip()
    return reveal_hidden(
        f"{_truncate_phrase(what, _MAX_PHRASE_LENGTH)} via {action['server']}", keep=EMOJI_SELECTOR
    )


def describe_allowed_call(action: JsonObject) -> str:
    """Return what a control may call if the user allows it: the server, the tool and
    the names of its arguments.
    """
    args: JsonObject = action.get("args") or {}
    names = (
        ", ".join(_format_named_value(name, item) for name, item in args.items()) or "no arguments"
    )
    tool, server = reveal_hidden(action["tool"]), reveal_hidden(action["server"])
    return f"the tool `{tool}` of the MCP server `{server}` with {names}"


def _split_tool_words(tool: str) -> str:
    return " ".join(tool.replace("_", " ").replace("-", " ").split()) or tool


def _format_named_value(name: str, item: Any) -> str:
    name = reveal_hidden(_truncate_phrase(name, _MAX_VALUE_LENGTH))
    return f"`{name}` (from the control)" if _is_from_control(item) else f"`{name}`"


def _format_value(item: Any) -> str:
    if _is_from_control(item):
        return "from the control"
    if isinstance(item, dict):
        return "several values"
    if isinstance(item, list):
        return "a list" if item else "an empty list"
    if isinstance(item, bool):
        return "on" if item else "off"
    return _truncate_phrase(str(item), _MAX_VALUE_LENGTH)


def _is_from_control(item: Any) -> bool:
    table = cast(JsonObject, item) if isinstance(item, dict) else {}
    return table.get("from") in ("value", "steps")


def _truncate_phrase(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
