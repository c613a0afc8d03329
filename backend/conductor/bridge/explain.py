"""A trace as a chain of steps: what arrived, where it was judged, what each mapping said, what was done."""

import re
from collections.abc import Iterator
from typing import Any

from conductor.domain.phrases import action_words, event_words
from conductor.domain.trace import event_from_plain
from conductor.domain.value import Value

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_WORDS = {"fired": "fired", "waiting": "waits", "shadowed": "lost", "no": "did not fire"}
_OK = {"fired": True, "waiting": None, "shadowed": False, "no": False}
_DID = {
    "do": "done",
    "press": "pressed",
    "release": "let go",
    "mode": "mode changed",
    "variable": "variable set",
    "cancel": "stopped",
}


class Step(Value):
    """One link of the chain."""

    title: str
    text: str
    ok: bool | None
    """None: neither yes nor no, such as a press that still waits."""
    numbers: tuple[float, ...]
    """The numbers in the text, to be set off."""


def steps(trace: dict[str, Any]) -> tuple[Step, ...]:
    """Take a plain trace apart."""
    return tuple(_steps(trace))


def _steps(trace: dict[str, Any]) -> Iterator[Step]:
    event = event_from_plain(trace["event"])
    yield _step("Event", f"{event_words(event)} from {event.device or 'Conductor'}", ok=True)
    profile = f", profile {trace['profile']}" if trace["profile"] else ""
    yield _step("Mode", f"judged in mode {trace['mode']}{profile}", ok=True)
    if trace["note"]:
        stopped = not trace["candidates"] and not trace["effects"]
        yield _step("Note", trace["note"], ok=False if stopped else None)
    if not trace["candidates"] and not trace["note"]:
        yield _step("Mappings", "no mapping listens to this control in this mode", ok=False)
    for one in trace["candidates"]:
        place = f"{one['mapping']} ({one['scope']} #{one['index']})"
        text = f"{_WORDS[one['outcome']]}: {one['reason']}"
        yield _step(place, text, ok=_OK[one["outcome"]])
    for effect in trace["effects"]:
        yield _step(_DID[effect["kind"]].capitalize(), action_words(effect["action"]), ok=True)


def _step(title: str, text: str, *, ok: bool | None) -> Step:
    return Step(title=title, text=text, ok=ok, numbers=tuple(map(float, _NUMBER.findall(text))))
