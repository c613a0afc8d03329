"""A trace as a chain of steps: what arrived, where it was judged, what each mapping said, what was done."""

import re
from collections.abc import Iterator
from typing import Any

from conductor.domain.explanation import Explanation
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
}


class Step(Value):
    """One link of the chain."""

    title: str
    text: str
    ok: bool | None
    """None: neither yes nor no, such as a press that still waits."""
    numbers: tuple[float, ...]
    """The numbers in the text, to be set off."""


def explanation_steps(trace: dict[str, Any], told: Explanation) -> tuple[Step, ...]:
    """Return the steps of a plain trace, with what was decided later in its gesture."""
    return tuple(_steps(trace, told))


def _steps(trace: dict[str, Any], told: Explanation) -> Iterator[Step]:
    event = event_from_plain(trace["event"])
    yield _step("Event", event_words(event), ok=True)
    yield _device(event.device)
    yield _step("Mode", f"judged in mode {trace['mode']}", ok=True)
    profile = trace["profile"]
    yield _step(
        "App",
        f"profile {profile} is active" if profile else "no profile is active",
        ok=bool(profile) or None,
    )
    if trace["note"]:
        stopped = not trace["candidates"] and not trace["effects"]
        yield _step("Note", trace["note"], ok=False if stopped else None)
    yield from _candidates(trace, told)
    for effect in trace["effects"]:
        yield _step(_DID[effect["kind"]].capitalize(), action_words(effect["action"]), ok=True)


def _device(name: str) -> Step:
    if not name:
        return _step("Device", "Conductor itself", ok=True)
    port = name.removeprefix("raw:")
    known = port == name
    return _step(
        "Device",
        f"{port}, by its alias" if known else f"{port}, which has no alias",
        ok=known or None,
    )


def _candidates(trace: dict[str, Any], told: Explanation) -> Iterator[Step]:
    """Return one step a mapping: its last word in the gesture, also where another event had it."""
    found = trace["candidates"]
    fired = {(one.scope, one.index): one for one in told.fired}
    reasons = {(one.scope, one.index): one for one in told.reasons}
    if found or not trace["note"]:
        many = f"{len(found)} listen" if len(found) != 1 else "1 listens"
        yield _step("Mappings", f"{many} to this control in this mode", ok=bool(found))
    for one in found:
        key = (one["scope"], one["index"])
        outcome, reason = one["outcome"], one["reason"]
        if outcome == "waiting" and key in fired:
            outcome, reason = "fired", fired[key].text
        elif key in reasons and outcome != "fired":
            outcome = "shadowed" if reasons[key].kind == "shadowed" else "no"
            reason = reasons[key].text
        yield _step(_title(one), f"{_WORDS[outcome]}: {reason}", ok=_OK[outcome])
    known = {(one["scope"], one["index"]) for one in found}
    for key, mapping in fired.items():
        if key not in known:
            yield _step(_title(mapping.model_dump()), f"{_WORDS['fired']}: {mapping.text}", ok=True)
    for key, why in reasons.items():
        if key not in known:
            yield _step(_title(why.model_dump()), f"{_WORDS['no']}: {why.text}", ok=False)
    if found or fired:
        yield _winner(told)


def _title(one: dict[str, Any]) -> str:
    return f"{one['mapping']} ({_row(one)})" if _has_name(one) else _row(one)


def _winner(told: Explanation) -> Step:
    fired = [
        one.mapping if _has_name(one.model_dump()) else _row(one.model_dump()) for one in told.fired
    ]
    if fired:
        return _step("Winner", ", ".join(fired), ok=True)
    waits = told.outcome == "undecided"
    return _step("Winner", "none yet" if waits else "none", ok=None if waits else False)


def _has_name(candidate: dict[str, Any]) -> bool:
    return candidate["mapping"] != f"{candidate['scope']} #{candidate['index']}"


def _row(candidate: dict[str, Any]) -> str:
    """Return where a mapping stands as the window's rows do, counting from 1."""
    _, _, name = candidate["scope"].partition(":")
    return f"{name or 'All modes'} \u00b7 {candidate['index'] + 1}"


def _step(title: str, text: str, *, ok: bool | None) -> Step:
    return Step(title=title, text=text, ok=ok, numbers=tuple(map(float, _NUMBER.findall(text))))
