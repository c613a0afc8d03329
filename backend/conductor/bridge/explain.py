"""Converts a trace to steps that explain it: the event, its context, the verdict on each mapping, and the
effects.
"""

import re
from collections.abc import Iterator

from conductor.domain.control_names import VIRTUAL_DEVICE
from conductor.domain.explanation import Explanation
from conductor.domain.mapping_names import format_row_name
from conductor.domain.phrases import describe_action, describe_event_row
from conductor.domain.value import Value
from conductor.domain.wire_rows import CandidateRow, TraceRow

_NUMBER_PATTERN = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_VERDICT_TEXTS = {"fired": "fired", "waiting": "waiting", "shadowed": "lost", "no": "did not fire"}
_STEP_OK_BY_VERDICT = {"fired": True, "waiting": None, "shadowed": False, "no": False}
_INACTIVE_KINDS = ("muted", "paused", "disabled", "channel", "device", "mode", "profile")
"""The kinds of reasons for which a mapping is not judged at all."""
_EFFECT_TITLES = {
    "do": "done",
    "press": "pressed",
    "release": "released",
    "mode": "mode changed",
    "variable": "variable set",
}


class Step(Value):
    """One step in the explanation of a trace, such as the event, the active mode, or the verdict on a
    mapping.
    """

    title: str
    text: str
    ok: bool | None
    """Whether the step succeeded. None if it is neither, such as a press whose gesture is still undecided."""
    numbers: tuple[float, ...]
    """The numbers in the text, which the page highlights."""


def build_explanation_steps(trace: TraceRow, explanation: Explanation) -> tuple[Step, ...]:
    """Return the steps that explain a trace, including what later events decided about its gesture."""
    return tuple(_build_steps(trace, explanation))


def _build_steps(trace: TraceRow, explanation: Explanation) -> Iterator[Step]:
    event = trace["event"]
    yield _build_step("Event", describe_event_row(event), ok=True)
    yield _build_device_step(event["device"])
    yield _build_step("Mode", f"mode {trace['mode']} was active", ok=True)
    profile = trace["profile"]
    yield _build_step(
        "App",
        f"profile {profile} was active" if profile else "no profile was active",
        ok=bool(profile) or None,
    )
    if trace["note"]:
        stopped = not trace["candidates"] and not trace["effects"]
        yield _build_step("Note", trace["note"], ok=False if stopped else None)
    yield from _build_candidate_steps(trace, explanation)
    failed = [failure["action"] for failure in trace.get("failures", ())]
    for effect in trace["effects"]:
        if effect["action"] in failed:
            continue
        yield _build_step(
            _EFFECT_TITLES[effect["kind"]].capitalize(), describe_action(effect["action"]), ok=True
        )


def _build_device_step(name: str) -> Step:
    if not name:
        return _build_step("Device", "Conductor itself", ok=True)
    if name == VIRTUAL_DEVICE:
        return _build_step("Device", "the virtual controller", ok=True)
    port = name.removeprefix("raw:")
    known = port == name
    return _build_step(
        "Device",
        f"{port}, by its alias" if known else f"{port}, which has no alias",
        ok=known or None,
    )


def _build_candidate_steps(trace: TraceRow, explanation: Explanation) -> Iterator[Step]:
    """Yield one step for each mapping with the final verdict on it.

    A later event of the gesture may have changed the verdict in the trace.
    """
    candidates = trace["candidates"]
    fired = {(mapping.scope, mapping.index): mapping for mapping in explanation.fired}
    reasons = {(mapping.scope, mapping.index): mapping for mapping in explanation.reasons}
    # Another event of the gesture may have decided about mappings that this event did not.
    active = {(candidate["scope"], candidate["index"]) for candidate in candidates}.union(
        fired, (key for key, why in reasons.items() if why.kind not in _INACTIVE_KINDS)
    )
    if active or not trace["note"]:
        count = "1 mapping" if len(active) == 1 else f"{len(active)} mappings"
        yield _build_step("Mappings", f"{count} for this control in this mode", ok=bool(active))
    for candidate in candidates:
        key = (candidate["scope"], candidate["index"])
        outcome, reason = candidate["outcome"], candidate["reason"]
        if outcome == "waiting" and key in fired:
            yield _build_fired_step(format_row_name(candidate), fired[key].text)
            continue
        if key in reasons and outcome != "fired":
            outcome = "shadowed" if reasons[key].kind == "shadowed" else "no"
            reason = reasons[key].text
        yield _build_step(
            format_row_name(candidate),
            f"{_VERDICT_TEXTS[outcome]}: {reason}",
            ok=_STEP_OK_BY_VERDICT[outcome],
        )
    known = {(candidate["scope"], candidate["index"]) for candidate in candidates}
    for key, mapping in fired.items():
        if key not in known:
            yield _build_fired_step(format_row_name(mapping.model_dump()), mapping.text)
    for key, why in reasons.items():
        if key not in known:
            yield _build_step(why.name, f"{_VERDICT_TEXTS['no']}: {why.text}", ok=False)
    if candidates or fired:
        yield _build_winner_step(candidates, explanation)


def _build_fired_step(name: str, text: str) -> Step:
    """Return the step of a mapping that fired. `text` begins with its name, which is the title."""
    return _build_step(name, text.partition("` ")[2] or text, ok=True)


def _build_winner_step(candidates: list[CandidateRow], explanation: Explanation) -> Step:
    names = {(row["scope"], row["index"]): format_row_name(row) for row in candidates}
    fired = [
        names.get((mapping.scope, mapping.index)) or format_row_name(mapping.model_dump())
        for mapping in explanation.fired
    ]
    if fired:
        return _build_step("Winner", "; ".join(fired), ok=True)
    is_undecided = explanation.outcome == "undecided"
    return _build_step(
        "Winner", "none yet" if is_undecided else "none", ok=None if is_undecided else False
    )


def _build_step(title: str, text: str, *, ok: bool | None) -> Step:
    return Step(
        title=title, text=text, ok=ok, numbers=tuple(map(float, _NUMBER_PATTERN.findall(text)))
    )
