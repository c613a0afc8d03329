"""Compares the tools that a server lists with those the user has accepted, and cleans their texts."""

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
from conductor.mcp.client.texts import LINE, NAME, TEXT, clean_text, one_line
from conductor.mcp.client.values import ToolState, ToolView

MAX_TOOLS = 512
MAX_TOOL_CHARACTERS = 256_000
MAX_DIFF_CHARACTERS = 20_000
_NAME = re.compile(rf"[A-Za-z0-9_./-]{{1,{NAME}}}")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that a server lists: its pin, its view, and the check of its arguments.

    The check is None if the tool is unusable.
    """

    pin: Pin
    view: ToolView
    check: Callable[[JsonObject], None] | None

    def drop_nulls(self, arguments: JsonObject) -> JsonObject:
        """Return the arguments to send to the server, without nulls in optional fields."""
        return schemas.drop_nulls(self.view.parameters, arguments)


def list_offered(
    server: str, listed: Iterable[JsonObject], accepted: dict[str, Pin]
) -> dict[str, OfferedTool]:
    """Return the tools that a server lists, by name.

    Of two tools with the same name, the first one is used.
    """
    offered: dict[str, OfferedTool] = {}
    for wire_object in listed:
        name = wire_object.get("name")
        if isinstance(name, str) and name not in offered and len(offered) < MAX_TOOLS:
            offered[name] = _build_offered(server, name, wire_object, accepted.get(name))
    return offered


def build_pins(listed: Iterable[JsonObject]) -> tuple[Pin, ...]:
    """Return the pins of the first list of a server's tools, all of which are accepted."""
    names = {wire["name"]: wire for wire in reversed(list(listed)) if _is_name(wire.get("name"))}
    return tuple(Pin.from_tool(name, wire) for name, wire in names.items())


def _build_offered(server: str, name: str, wire: JsonObject, accepted: Pin | None) -> OfferedTool:
    pin = Pin.from_tool(name, wire)
    parameters: JsonObject = {}
    check, problem = None, _find_problem(name, pin)
    if problem is None:
        try:
            parameters = schemas.bound_schema(wire.get("inputSchema"))
            check = schemas.build_checker(parameters)
        except schemas.BadSchema as error:
            problem = str(error)
    clean_name = one_line(name, NAME)
    page, visibility = _parse_app(wire)
    hints = wire.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    view = ToolView(
        name=clean_name,
        skill_id=f"mcp:{server}:{clean_name}",
        title=one_line(wire.get("title") or hints.get("title") or name, 120),
        description=clean_text(wire.get("description"), TEXT),
        state=_find_tool_state(pin, accepted),
        digest=pin.digest,
        problem=problem,
        parameters=parameters,
        hints={key: hints[key] for key in _HINTS if isinstance(hints.get(key), bool)},
        app_uri=page,
        for_model="model" in visibility,
        for_app="app" in visibility,
        changes=_diff_pins(accepted, pin),
    )
    return OfferedTool(pin, view, check)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _find_problem(name: str, pin: Pin) -> str | None:
    if not _is_name(name):
        return "its name is not a valid tool name"
    if len(pin.raw) > MAX_TOOL_CHARACTERS:
        return f"its definition is too large: {len(pin.raw) // 1000} kB"
    return None


def _find_tool_state(pin: Pin, accepted: Pin | None) -> ToolState:
    if accepted is None:
        return "new"
    return "ok" if accepted.digest == pin.digest else "changed"


def _parse_app(wire: JsonObject) -> tuple[str | None, list[Any]]:
    """Return the address of a tool's `ui://` page (MCP Apps), and who may call the tool.

    The callers are `model`, `app` or both.
    """
    meta = wire.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    ui = meta.get("ui")
    ui = ui if isinstance(ui, dict) else {}
    page = ui.get("resourceUri", meta.get("ui/resourceUri"))
    visibility = ui.get("visibility")
    is_page = isinstance(page, str) and page.startswith("ui://") and one_line(page, LINE) == page
    return page if is_page else None, (
        visibility if isinstance(visibility, list) and visibility else ["model", "app"]
    )


def _diff_pins(before: Pin | None, now: Pin) -> str | None:
    if before is None or before.digest == now.digest:
        return None
    lines = difflib.unified_diff(
        _format_pin(before), _format_pin(now), "accepted", "now", n=2, lineterm=""
    )
    text = reveal_hidden("\n".join(line[:TEXT] for line in lines), keep="\n")
    return (
        text if len(text) <= MAX_DIFF_CHARACTERS else text[:MAX_DIFF_CHARACTERS] + "\n… (truncated)"
    )


def _format_pin(pin: Pin) -> list[str]:
    text = json.dumps(json.loads(pin.raw), indent=2, sort_keys=True, ensure_ascii=False)
    return text[:MAX_TOOL_CHARACTERS].split("\n")


def index_shadowing(others: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Build the index of other owners' tools in which `find_shadowing` looks for similar names.

    `others` has the tools as (owner, tool) pairs.
    """
    warnings: dict[str, list[str]] = {}
    for owner, tool in others:
        warning = f"{owner} also has a tool named `{tool}`: check which one is called"
        warnings.setdefault(_normalize_name(tool), []).append(warning)
    return warnings


def find_shadowing(name: str, index: dict[str, list[str]]) -> tuple[str, ...]:
    """Return warnings about the first three tools of other owners that have a similar name."""
    return tuple(index.get(_normalize_name(name), ())[:3])


def _normalize_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("conductor")
