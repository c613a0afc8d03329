"""What a server offers: each tool compared with what the user accepted, and shown with clean words."""

import difflib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from conductor.base.invisible_chars import reveal_hidden
from conductor.domain.pins import Pin
from conductor.mcp.client import schemas
from conductor.mcp.client.texts import LINE, NAME, TEXT, clean_text, one_line
from conductor.mcp.client.values import ToolState, ToolView

MOST_TOOLS = 512
LARGEST_TOOL = 256_000
LONGEST_DIFF = 20_000
_NAME = re.compile(rf"[A-Za-z0-9_./-]{{1,{NAME}}}")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as it came, as it is shown, and what checks its arguments."""

    pin: Pin
    view: ToolView
    check: Callable[[dict[str, Any]], None] | None

    def fitting(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments as the server is sent them."""
        return schemas.without_nulls(self.view.parameters, arguments)


def list_offered(
    server: str, listed: Iterable[dict[str, Any]], accepted: dict[str, Pin]
) -> dict[str, OfferedTool]:
    """Look at what a server lists; of two tools with one name the first counts."""
    found: dict[str, OfferedTool] = {}
    for wire_object in listed:
        name = wire_object.get("name")
        if isinstance(name, str) and name not in found and len(found) < MOST_TOOLS:
            found[name] = _offer(server, name, wire_object, accepted.get(name))
    return found


def pin_tools(listed: Iterable[dict[str, Any]]) -> tuple[Pin, ...]:
    """Return the pins of what a server lists the first time."""
    names = {wire["name"]: wire for wire in reversed(list(listed)) if _is_name(wire.get("name"))}
    return tuple(Pin.of(name, wire) for name, wire in names.items())


def _offer(server: str, name: str, wire: dict[str, Any], accepted: Pin | None) -> OfferedTool:
    pin = Pin.of(name, wire)
    parameters: dict[str, Any] = {}
    check, problem = None, _unusable(name, pin)
    if problem is None:
        try:
            parameters = schemas.bounded(wire.get("inputSchema"))
            check = schemas.checker(parameters)
        except schemas.BadSchema as error:
            problem = str(error)
    shown = one_line(name, NAME)
    page, visibility = _app(wire)
    hints = wire.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    view = ToolView(
        name=shown,
        skill_id=f"mcp:{server}:{shown}",
        title=one_line(wire.get("title") or hints.get("title") or name, 120),
        description=clean_text(wire.get("description"), TEXT),
        state=_state(pin, accepted),
        digest=pin.digest,
        problem=problem,
        parameters=parameters,
        hints={key: hints[key] for key in _HINTS if isinstance(hints.get(key), bool)},
        app_uri=page,
        for_model="model" in visibility,
        for_app="app" in visibility,
        changes=_difference(accepted, pin),
    )
    return OfferedTool(pin, view, check)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _unusable(name: str, pin: Pin) -> str | None:
    if not _is_name(name):
        return "its name has characters that a tool's name must not have"
    if len(pin.raw) > LARGEST_TOOL:
        return f"its definition is too large: {len(pin.raw) // 1000} kB"
    return None


def _state(pin: Pin, accepted: Pin | None) -> ToolState:
    if accepted is None:
        return "new"
    return "ok" if accepted.digest == pin.digest else "changed"


def _app(wire: dict[str, Any]) -> tuple[str | None, list[Any]]:
    """Return the page of a tool, and who may call it."""
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


def _difference(before: Pin | None, now: Pin) -> str | None:
    if before is None or before.digest == now.digest:
        return None
    lines = difflib.unified_diff(_lines(before), _lines(now), "accepted", "now", n=2, lineterm="")
    text = reveal_hidden("\n".join(line[:TEXT] for line in lines), keep="\n")
    return text if len(text) <= LONGEST_DIFF else text[:LONGEST_DIFF] + "\n… and more"


def _lines(pin: Pin) -> list[str]:
    text = json.dumps(json.loads(pin.raw), indent=2, sort_keys=True, ensure_ascii=False)
    return text[:LARGEST_TOOL].split("\n")


def by_name(others: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Put the tools of others, rows of whose and what, where `shadowing` finds them."""
    found: dict[str, list[str]] = {}
    for whose, other in others:
        words = f"{whose} has a tool of this name too, `{other}`: look twice at which one is called"
        found.setdefault(_alike(other), []).append(words)
    return found


def shadowing(name: str, others: dict[str, list[str]]) -> tuple[str, ...]:
    """Return which tools of others are called the same."""
    return tuple(others.get(_alike(name), ())[:3])


def _alike(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("conductor")
