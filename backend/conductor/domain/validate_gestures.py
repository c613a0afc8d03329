"""Finds gesture options without effect, because of other options or other mappings on the control."""

from collections.abc import Iterable, Iterator

from conductor.domain.config import Mapping
from conductor.domain.events import ControlClass
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.long_press import LongPressTrigger

ControlKey = tuple[ControlClass, int | str]


def find_ineffective_options(placed: Iterable[tuple[str, Mapping]]) -> Iterator[tuple[str, str]]:
    """Yield the path of each option that has no effect, with the reason for the user."""
    rows = [(path, mapping) for path, mapping in placed if mapping.enabled]
    tapped = set(_list_gesture_mappings(rows, "tap"))
    double_ms: dict[ControlKey, int] = {}
    for _, mapping in rows:
        trigger = mapping.trigger
        if isinstance(trigger, DoubleTapTrigger) and not trigger.when:
            part = trigger.list_controls()[0]
            double_ms[part] = max(trigger.timeout_ms, double_ms.get(part, 0))
    for path, mapping in rows:
        if isinstance(mapping.trigger, LongPressTrigger):
            yield from _check_long_press(path, mapping.trigger, tapped, double_ms)


def _list_gesture_mappings(
    rows: Iterable[tuple[str, Mapping]], gesture: str
) -> Iterator[ControlKey]:
    for _, mapping in rows:
        if mapping.trigger.gesture == gesture:
            yield from mapping.trigger.list_controls()


def _check_long_press(
    path: str, trigger: LongPressTrigger, tapped: set[ControlKey], double_ms: dict[ControlKey, int]
) -> Iterator[tuple[str, str]]:
    part = trigger.list_controls()[0]
    words = f"{part[0]} {part[1]}"
    if trigger.hold_on_other_press and trigger.permissive_hold:
        yield (
            f"{path}.trigger.permissive_hold",
            "`permissive_hold` has no effect beside `hold_on_other_press`, which decides at the press already",
        )
    if not trigger.quick_tap_ms:
        return
    place = f"{path}.trigger.quick_tap_ms"
    if part not in tapped:
        yield place, f"`quick_tap_ms` repeats the tap of {words}, and no mapping is a tap of it"
    elif trigger.quick_tap_ms <= double_ms.get(part, 0):
        within = f"within {double_ms[part]} ms a second press of {words}"
        yield place, f"`quick_tap_ms` has no effect: {within} is a double tap"
