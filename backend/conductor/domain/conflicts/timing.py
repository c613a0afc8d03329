"""Finds mappings that fire late because another mapping of the control waits for a gesture."""

from collections.abc import Iterator
from itertools import islice

from conductor.domain.conflicts.actions import is_played, until_release
from conductor.domain.conflicts.regions import GestureTrigger
from conductor.domain.conflicts.rows import (
    RIVALS,
    Bucket,
    Row,
    can_be_active_together,
    listed,
    meet,
    names,
    overlap,
    share_input,
)
from conductor.domain.conflicts.shadows import Shadows
from conductor.domain.plan import Overlap, Severity
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger

Buckets = dict[tuple[str, int | str], Bucket]


def timing(rows: Bucket, buckets: Buckets, shadows: Shadows) -> Iterator[Overlap]:
    """Yield a conflict for every mapping that delays another mapping."""
    for row in rows:
        if row.order in shadows.dead:
            continue
        match row.trigger:
            case LongPressTrigger():
                yield from _long_press(row, row.trigger, buckets, shadows)
            case DoubleTapTrigger():
                yield from _double_tap(row, row.trigger, buckets, shadows)
            case NoteChordTrigger() | GamepadButtonChordTrigger():
                yield from _chord(row, row.trigger, buckets, shadows)
            case _:
                continue
        yield from _order_kept(row, row.trigger, buckets, shadows)


def _beside(row: Row, gesture: str, buckets: Buckets, shadows: Shadows) -> Bucket:
    """Return the rows with this gesture that share a control with `row` and can be active with it."""
    found: dict[int, Row] = {}
    for control in row.trigger.controls():
        near = (
            other
            for other in buckets[control]
            if other.trigger.gesture == gesture
            and other.order not in shadows.dead
            and other is not row
            and can_be_active_together(row.ref.scope, other.ref.scope)
            and share_input(row, other)
        )
        for other in islice(near, RIVALS):
            if _not_replaced(row, other, shadows) and meet(row, other):
                found[other.order] = other
    return list(found.values())


def _not_replaced(first: Row, second: Row, shadows: Shadows) -> bool:
    return not (
        (first.scope, second.order) in shadows.replaced
        or (second.scope, first.order) in shadows.replaced
    )


def _long_press(
    row: Row, trigger: LongPressTrigger, buckets: Buckets, shadows: Shadows
) -> Iterator[Overlap]:
    taps = _beside(row, "tap", buckets, shadows)
    if taps:
        name, *tapped = names(row, *taps)
        fire = "fires" if len(taps) == 1 else "fire"
        message = (
            f"the long press of {row.control()} ({name}, {trigger.duration_ms} ms) delays its tap: "
            f"{listed(tapped)} {fire} when it is released instead of at once"
        )
        lost = [words for tap in taps if (words := until_release(tap.ref.mapping.action))]
        message += "".join(f"; {words}" for words in lost)
        if trigger.quick_tap_ms:
            message += f"; less than {trigger.quick_tap_ms} ms after a tap it is at once, and held"
        message += _unless_busy(trigger)
        severity: Severity = "warning" if lost else _severity(taps)
        yield overlap("tap_delayed", severity, message, row, *taps)
    longer = [
        other
        for other in _beside(row, "long_press", buckets, shadows)
        if _duration_ms(other) > trigger.duration_ms
    ]
    if longer:
        longest = max(longer, key=_duration_ms)
        name, other = names(row, longest)
        lost_hold = until_release(row.ref.mapping.action)
        message = (
            f"{name} ({trigger.duration_ms} ms) fires when {row.control()} is released, because "
            f"{other} ({_duration_ms(longest)} ms) may follow"
        )
        if trigger.hold_on_other_press or trigger.permissive_hold:
            message += "; another control decides for it sooner"
        message += f"; {lost_hold}" if lost_hold else ""
        yield overlap("hold_delayed", "warning" if lost_hold else "info", message, row, longest)


def _duration_ms(row: Row) -> int:
    return row.trigger.duration_ms if isinstance(row.trigger, LongPressTrigger) else 0


def _double_tap(
    row: Row, trigger: DoubleTapTrigger, buckets: Buckets, shadows: Shadows
) -> Iterator[Overlap]:
    taps = _beside(row, "tap", buckets, shadows)
    if taps:
        name, *tapped = names(row, *taps)
        message = (
            f"the double tap of {row.control()} ({name}) delays the single tap "
            f"({listed(tapped)}) by {trigger.timeout_ms} ms{_unless_busy(trigger)}"
        )
        yield overlap("tap_delayed", _severity(taps), message, row, *taps)


def _chord(
    row: Row,
    trigger: NoteChordTrigger | GamepadButtonChordTrigger,
    buckets: Buckets,
    shadows: Shadows,
) -> Iterator[Overlap]:
    taps = _beside(row, "tap", buckets, shadows)
    if taps:
        name, *tapped = names(row, *taps)
        controls = dict.fromkeys(" ".join(map(str, tap.trigger.controls()[0])) for tap in taps)
        message = (
            f"taps of {listed(controls)} ({listed(tapped)}) wait up to {trigger.timeout_ms} ms "
            f"for the chord {row.control()} ({name}){_unless_busy(trigger)}"
        )
        yield overlap("chord_delays_tap", _severity(taps), message, row, *taps)
    own = set(trigger.controls())
    for longer in _beside(row, "chord", buckets, shadows):
        other = longer.trigger
        assert isinstance(other, NoteChordTrigger | GamepadButtonChordTrigger)
        if own < set(other.controls()):
            name, long_name = names(row, longer)
            message = (
                f"the chord {longer.control()} ({long_name}) beats its part {row.control()} "
                f"({name}) when all {len(other.controls())} come within {other.timeout_ms} ms"
            )
            if trigger.fire_when_complete:
                message += f"; {name} waits up to {other.timeout_ms} ms for it"
            elif other.timeout_ms > trigger.timeout_ms:
                message += f"; {name} waits {other.timeout_ms} ms instead of {trigger.timeout_ms}"
            yield overlap("chord_subset", "info", message, longer, row)


def _order_kept(
    row: Row, trigger: GestureTrigger, buckets: Buckets, shadows: Shadows
) -> Iterator[Overlap]:
    """Yield a warning if a gesture delays mappings of other controls that send MIDI."""
    if not trigger.keep_order:
        return
    own = set(trigger.controls())
    near = (
        other
        for control, bucket in buckets.items()
        if control not in own
        for other in bucket
        if is_played(other.ref.mapping.action)
        and other.order not in shadows.dead
        and trigger.device in (None, other.trigger.device or trigger.device)
        and can_be_active_together(row.scope, other.scope)
    )
    late = list({other.order: other for other in islice(near, RIVALS)}.values())
    if late:
        name, *others = names(row, *late)
        message = (
            f"{name} keeps the order: while it is undecided, {listed(others)} of its device"
            f" {'waits' if len(late) == 1 else 'wait'} up to {trigger.time_limits_ms()[0]} ms"
        )
        yield overlap("tap_delayed", "warning", message, row, *late)


def _unless_busy(trigger: GestureTrigger) -> str:
    idle_ms = trigger.require_prior_idle_ms
    return f"; not within {idle_ms} ms after another control" if idle_ms else ""


def _severity(taps: Bucket) -> Severity:
    """Return the severity of a delay, which is a warning if the delayed mappings send MIDI."""
    return "warning" if any(is_played(tap.ref.mapping.action) for tap in taps) else "info"
