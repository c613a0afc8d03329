"""Compares what the gesture of an example does now with what it did when the example was saved."""

from collections.abc import Sequence
from typing import Any, cast

from conductor.base.json_types import JsonObject
from conductor.domain.examples import ObservedEffect
from conductor.engine.examples.play import MAX_PINNED_EFFECTS

_CALL_VERBS = {
    "keyboard.press": "press",
    "keyboard.release": "release",
    "keyboard.text": "type",
    "mouse.click": "click",
    "mouse.move_to": "move the pointer to",
    "mouse.move_by": "move the pointer by",
    "mouse.scroll": "scroll",
    "programs.launch": "launch",
    "programs.run": "run",
    "volume.change": "volume",
    "midi.send": "send",
    "lights.show": "light",
    "osc.send": "send OSC to",
    "plugins.call": "call",
    "mode": "mode",
    "variable": "variable",
    "fails": "fail:",
}


def find_effect_difference(
    pinned: Sequence[ObservedEffect], now: Sequence[ObservedEffect], tolerance_ms: float
) -> str | None:
    """Return the first difference between saved and current effects as a sentence,
    or None if they are equal.
    """
    for before, after in zip(pinned, now, strict=False):
        if not _are_same_calls(before.calls, after.calls):
            return f"it should {_format_effect(before)}, but would {_format_effect(after)}"
        late = before.at_ms is not None and after.at_ms is not None
        if late and abs((after.at_ms or 0) - (before.at_ms or 0)) > tolerance_ms:
            return f"it should {_format_effect(before)} at {before.at_ms:g} ms, not at {after.at_ms:g} ms"
    if len(pinned) > len(now):
        return f"it should also {_format_effect(pinned[len(now)])}"
    if len(now) > len(pinned) and len(pinned) < MAX_PINNED_EFFECTS:
        return f"it would also {_format_effect(now[len(pinned)])}"
    return None


def _are_same_calls(before: Sequence[Any], after: Sequence[Any]) -> bool:
    return len(before) == len(after) and all(
        list(a) == list(b) or _is_same_message(a, b) for a, b in zip(before, after, strict=True)
    )


def _is_same_message(was: Sequence[Any], is_now: Sequence[Any]) -> bool:
    """Return whether two effects send the same bytes or light to an alias that still
    has one of its matchers.
    """
    is_sent = was[0] == is_now[0] and was[0] in ("midi.send", "lights.show")
    if not (is_sent and was[2:] == is_now[2:]) and not _is_light_pinned_as_bytes(was, is_now):
        return False
    before, after = was[1].get("matchers", ()), is_now[1].get("matchers", ())
    return was[1] == is_now[1] or any(matcher in after for matcher in before)


def _is_light_pinned_as_bytes(was: Sequence[Any], is_now: Sequence[Any]) -> bool:
    """Return whether a light was saved as the MIDI message that earlier versions of
    `Led` sent (docs/adr/0028).
    """
    if was[0] != "midi.send" or is_now[0] != "lights.show":
        return False
    message, number = is_now[2], is_now[3]
    status, pinned, *_ = bytes.fromhex(was[2])
    return (status & 0xF0, pinned) == (0x90 if message == "note" else 0xB0, number)


def _format_effect(effect: ObservedEffect) -> str:
    """Return an effect as a phrase with a verb, such as `press ctrl+c`."""
    calls = [_format_call(call) for call in effect.calls]
    if len(calls) == 2 and calls[1] == calls[0].replace("press", "release", 1):
        calls = calls[:1]
    return " and ".join(calls) or "do nothing"


def _format_call(call: Sequence[Any]) -> str:
    name, arguments = str(call[0]), call[1:]
    if name == "midi.send":
        target, message = arguments
        return f"send {message} to {_format_target(target)}"
    if name == "lights.show":
        target, message, number, _, color, *_ = arguments
        return f"light {message} {number} {color} on {_format_target(target)}"
    return " ".join(
        [_CALL_VERBS.get(name, name), *(_format_value(argument) for argument in arguments)]
    ).strip()


def _format_value(item: Any) -> str:
    if isinstance(item, list | tuple):
        return "+".join(str(value) for value in cast("list[Any]", item))
    return "" if item is None else str(item)


def _format_target(target: JsonObject) -> str:
    if "matchers" in target:
        patterns = (str(matcher.get("pattern", matcher["type"])) for matcher in target["matchers"])
        return " or ".join(patterns)
    return str(next(iter(target.values())))
