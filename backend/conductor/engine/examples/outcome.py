"""Compares what is done now with what was done when an example was kept, call by call."""

from collections.abc import Sequence
from typing import Any, cast

from conductor.domain.examples import DoneEffect
from conductor.engine.examples.play import DONE_KEPT

_VERBS = {
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
    "osc.send": "send OSC to",
    "plugins.call": "call",
    "mode": "mode",
    "variable": "variable",
    "fails": "fail:",
}


def done_otherwise(
    pinned: Sequence[DoneEffect], now: Sequence[DoneEffect], tolerance_ms: float
) -> str | None:
    """Return how what is done differs from what was done, or None."""
    for was, is_now in zip(pinned, now, strict=False):
        if not _same_calls(was.calls, is_now.calls):
            return f"it should {_words(was)}, but would {_words(is_now)}"
        late = was.at_ms is not None and is_now.at_ms is not None
        if late and abs((is_now.at_ms or 0) - (was.at_ms or 0)) > tolerance_ms:
            return f"it should {_words(was)} at {was.at_ms:g} ms, not at {is_now.at_ms:g} ms"
    if len(pinned) > len(now):
        return f"it should also {_words(pinned[len(now)])}"
    if len(now) > len(pinned) and len(pinned) < DONE_KEPT:
        return f"it would also {_words(now[len(pinned)])}"
    return None


def _same_calls(was: Sequence[Any], is_now: Sequence[Any]) -> bool:
    return len(was) == len(is_now) and all(
        list(a) == list(b) or _same_message(a, b) for a, b in zip(was, is_now, strict=True)
    )


def _same_message(was: Sequence[Any], is_now: Sequence[Any]) -> bool:
    """Check that the same bytes go to an alias that still has one of its matchers."""
    if not (was[0] == is_now[0] == "midi.send" and was[2] == is_now[2]):
        return False
    before, after = was[1].get("matchers", ()), is_now[1].get("matchers", ())
    return any(one in after for one in before)


def _words(effect: DoneEffect) -> str:
    """Return what is done as a phrase, such as `press ctrl+c`."""
    said = [_call_words(call) for call in effect.calls]
    if len(said) == 2 and said[1] == said[0].replace("press", "release", 1):
        said = said[:1]
    return " and ".join(said) or "do nothing"


def _call_words(call: Sequence[Any]) -> str:
    name, arguments = str(call[0]), call[1:]
    if name == "midi.send":
        target, message = arguments
        return f"send {message} to {_target(target)}"
    return " ".join([_VERBS.get(name, name), *(_plain(one) for one in arguments)]).strip()


def _plain(item: Any) -> str:
    if isinstance(item, list | tuple):
        return "+".join(str(one) for one in cast("list[Any]", item))
    return "" if item is None else str(item)


def _target(target: dict[str, Any]) -> str:
    if "matchers" in target:
        patterns = (str(one.get("pattern", one["type"])) for one in target["matchers"])
        return " or ".join(patterns)
    return str(next(iter(target.values())))
