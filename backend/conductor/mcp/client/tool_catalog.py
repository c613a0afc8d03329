"""Compares the tools that a server lists with those that the user has accepted, and cleans their texts."""

import difflib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from conductor.base.invisible_chars import reveal_hidden
from conductor.base.json_types import JsonObject
from conductor.domain.pins import Pin
from conductor.mcp.client import schemas
from conductor.mcp.client.texts import (
    MAX_CLEAN_LINE_LENGTH,
    MAX_CLEAN_NAME_LENGTH,
    MAX_CLEAN_TEXT_LENGTH,
    clean_line,
    clean_text,
)
from conductor.mcp.client.values import ToolState, ToolView

MAX_LISTED_TOOLS = 512
MAX_TOOL_DEFINITION_CHARACTERS = 256_000
MAX_TOOL_DIFF_CHARACTERS = 20_000
_TOOL_NAME_PATTERN = re.compile(rf"[A-Za-z0-9_./-]{{1,{MAX_CLEAN_NAME_LENGTH}}}")
_ANNOTATION_HINT_NAMES = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that a server lists, with its pin, its view and the check of its arguments.

    `check` is None if the tool cannot be used.
    """

    pin: Pin
    view: ToolView
    check: Callable[[JsonObject], None] | None

    def drop_optional_nulls(self, arguments: JsonObject) -> JsonObject:
        """Return the arguments to send to the server, without nulls in optional fields."""
        return schemas.drop_optional_nulls(self.view.parameters, arguments)


def list_offered_tools(
    server: str, raw_tools: Iterable[JsonObject], accepted: dict[str, Pin]
) -> dict[str, OfferedTool]:
    """Return the tools that a server lists, by name.

    If two tools have the same name, the first one is used.
    """
    offered: dict[str, OfferedTool] = {}
    for raw_tool in raw_tools:
        name = raw_tool.get("name")
        if isinstance(name, str) and name not in offered and len(offered) < MAX_LISTED_TOOLS:
            offered[name] = _build_offered_tool(server, name, raw_tool, accepted.get(name))
    return offered


def build_pins(raw_tools: Iterable[JsonObject]) -> tuple[Pin, ...]:
    """Return the pins with which all tools in the first list of a server are accepted."""
    names = {
        raw_tool["name"]: raw_tool
        for raw_tool in reversed(list(raw_tools))
        if _is_valid_tool_name(raw_tool.get("name"))
    }
    return tuple(Pin.from_tool(name, raw_tool) for name, raw_tool in names.items())


def _build_offered_tool(
    server: str, name: str, raw_tool: JsonObject, accepted: Pin | None
) -> OfferedTool:
    pin = Pin.from_tool(name, raw_tool)
    parameters: JsonObject = {}
    check, problem = None, _find_tool_problem(name, pin)
    if problem is None:
        try:
            parameters = schemas.sanitize_schema(raw_tool.get("inputSchema"))
            check = schemas.build_argument_check(parameters)
        except schemas.InvalidToolSchema as error:
            problem = str(error)
    clean_name = clean_line(name, MAX_CLEAN_NAME_LENGTH)
    page, visibility = _parse_app_metadata(raw_tool)
    hints = raw_tool.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    view = ToolView(
        name=clean_name,
        skill_id=f"mcp:{server}:{clean_name}",
        title=clean_line(raw_tool.get("title") or hints.get("title") or name, 120),
        description=clean_text(raw_tool.get("description"), MAX_CLEAN_TEXT_LENGTH),
        state=_find_tool_state(pin, accepted),
        digest=pin.digest,
        problem=problem,
        parameters=parameters,
        hints={
            key: hints[key] for key in _ANNOTATION_HINT_NAMES if isinstance(hints.get(key), bool)
        },
        app_uri=page,
        for_model="model" in visibility,
        for_app="app" in visibility,
        changes=_diff_pins(accepted, pin),
    )
    return OfferedTool(pin, view, check)


def _is_valid_tool_name(name: object) -> bool:
    return isinstance(name, str) and _TOOL_NAME_PATTERN.fullmatch(name) is not None


def _find_tool_problem(name: str, pin: Pin) -> str | None:
    if not _is_valid_tool_name(name):
        return "its name is not a valid tool name"
    if len(pin.raw) > MAX_TOOL_DEFINITION_CHARACTERS:
        return f"its definition is too large: {len(pin.raw) // 1000} kB"
    return None


def _find_tool_state(pin: Pin, accepted: Pin | None) -> ToolState:
    if accepted is None:
        return "new"
    return "ok" if accepted.digest == pin.digest else "changed"


def _parse_app_metadata(raw_tool: JsonObject) -> tuple[str | None, list[Any]]:
    """Return the address of a tool's `ui://` page (MCP Apps), and who may call the tool.

    The callers are `model`, `app` or both.
    """
    meta = raw_tool.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    ui = meta.get("ui")
    ui = ui if isinstance(ui, dict) else {}
    page = ui.get("resourceUri", meta.get("ui/resourceUri"))
    visibility = ui.get("visibility")
    is_page = (
        isinstance(page, str)
        and page.startswith("ui://")
        and clean_line(page, MAX_CLEAN_LINE_LENGTH) == page
    )
    return page if is_page else None, (
        visibility if isinstance(visibility, list) and visibility else ["model", "app"]
    )


def _diff_pins(before: Pin | None, now: Pin) -> str | None:
    if before is None or before.digest == now.digest:
        return None
    lines = difflib.unified_diff(
        _format_pin(before), _format_pin(now), "accepted", "now", n=2, lineterm=""
    )
    text = reveal_hidden("\n".join(line[:MAX_CLEAN_TEXT_LENGTH] for line in lines), keep="\n")
    return (
        text
        if len(text) <= MAX_TOOL_DIFF_CHARACTERS
        else text[:MAX_TOOL_DIFF_CHARACTERS] + "\n… (truncated)"
    )


def _format_pin(pin: Pin) -> list[str]:
    text = json.dumps(json.loads(pin.raw), indent=2, sort_keys=True, ensure_ascii=False)
    return text[:MAX_TOOL_DEFINITION_CHARACTERS].split("\n")


def index_similar_names(other_tools: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return an index of the tools of others, in which `find_shadowing_warnings` looks up similar names.

    `other_tools` contains pairs of owner and tool.
    """
    warnings: dict[str, list[str]] = {}
    for owner, tool in other_tools:
        warning = f"{owner} also has a tool named `{tool}`: check which one is called"
        warnings.setdefault(_normalize_name(tool), []).append(warning)
    return warnings


def find_shadowing_warnings(name: str, index: dict[str, list[str]]) -> tuple[str, ...]:
    """Return warnings about at most three tools of others with a similar name, which a model could confuse
    with this one.
    """
    return tuple(index.get(_normalize_name(name), ())[:3])


def _normalize_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("conductor")
