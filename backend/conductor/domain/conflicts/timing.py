"""Finds mappings that fire late, because another mapping on the same control waits for a longer gesture."""

from collections.abc import Iterator
from itertools import islice

from conductor.domain.conflicts.actions import describe_missing_release, sends_midi
from conductor.domain.conflicts.regions import GestureTrigger
from conductor.domain.conflicts.rows import (
    MAX_COMPARED_MAPPINGS,
    MappingRow,
    RowBucket,
    build_overlap,
    can_be_active_together,
    can_match_together,
    can_share_input,
    format_descriptions,
    join_phrases,
    list_row_names,
)
from conductor.domain.conflicts.shadows import ShadowFinder
from conductor.domain.plan import Overlap, Severity, TapWait
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger

RowsByControl = dict[tuple[str, int | str], RowBucket]


def find_delays(
    rows: RowBucket, buckets: RowsByControl, shadows: ShadowFinder
) -> Iterator[Overlap]:
    """Yield a conflict for each mapping that makes another one fire late."""
    for row in rows:
        if row.order in shadows.dead:
            continue
        match row.trigger:
            case LongPressTrigger():
                yield from _find_long_press_delays(row, row.trigger, buckets, shadows)
            case DoubleTapTrigger():
                yield from _find_double_tap_delays(row, row.trigger, buckets, shadows)
            case NoteChordTrigger() | GamepadButtonChordTrigger():
                yield from _find_chord_delays(row, row.trigger, buckets, shadows)
            case _:
                continue
        yield from _find_order_delays(row, row.trigger, buckets, shadows)


def _find_neighbours(
    row: MappingRow, gesture: str, buckets: RowsByControl, shadows: ShadowFinder
) -> RowBucket:
    """Return the mappings of the given gesture that share a control with `row` and can be
    active at the same time.
    """
    found: dict[int, MappingRow] = {}
    for control in row.trigger.list_controls():
        near = (
            other
            for other in buckets[control]
            if other.trigger.gesture == gesture
            and other.order not in shadows.dead
            and other is not row
            and can_be_active_together(row.ref.scope, other.ref.scope)
            and can_share_input(row, other)
        )
        for other in islice(near, MAX_COMPARED_MAPPINGS):
            if _is_not_replaced(row, other, shadows) and can_match_together(row, other):
                found[other.order] = other
    return list(found.values())


def _is_not_replaced(first: MappingRow, second: MappingRow, shadows: ShadowFinder) -> bool:
    return not (
        (first.scope, second.order) in shadows.replaced
        or (second.scope, first.order) in shadows.replaced
    )


def _find_long_press_delays(
    row: MappingRow, trigger: LongPressTrigger, buckets: RowsByControl, shadows: ShadowFinder
) -> Iterator[Overlap]:
    taps = _find_neighbours(row, "tap", buckets, shadows)
    if taps:
        name = f"{list_row_names(row)[0]}, " if row.ref.mapping.description else ""
        message = (
            f"the long press of {row.describe_control()} ({name}{trigger.duration_ms} ms) delays its tap"
            f"{format_descriptions(*taps)} until it is released"
        )
        wait = _find_tap_wait(row, buckets, shadows)
        if wait is not None and wait.delay_ms:
            message += f"; it acts {wait.delay_ms} ms after the press at the earliest"
        lost = [
            words for tap in taps if (words := describe_missing_release(tap.ref.mapping.action))
        ]
        message += "".join(f"; {words}" for words in lost)
        if trigger.quick_tap_ms:
            message += f"; less than {trigger.quick_tap_ms} ms after a tap it is at once, and held"
        message += _format_busy_exception(trigger)
        severity: Severity = "warning" if lost else _choose_severity(taps)
        yield build_overlap("tap_delayed", severity, message, row, *taps, tap_wait=wait)
    longer = [
        other
        for other in _find_neighbours(row, "long_press", buckets, shadows)
        if _get_duration_ms(other) > trigger.duration_ms
    ]
    if longer:
        longest = max(longer, key=_get_duration_ms)
        name, other = list_row_names(row, longest)
        lost_hold = describe_missing_release(row.ref.mapping.action)
        message = (
            f"{name} ({trigger.duration_ms} ms) fires when {row.describe_control()} is released, because "
            f"{other} ({_get_duration_ms(longest)} ms) may follow"
        )
        if trigger.hold_on_other_press or trigger.permissive_hold:
            message += "; another control decides for it sooner"
        message += f"; {lost_hold}" if lost_hold else ""
        yield build_overlap(
            "hold_delayed", "warning" if lost_hold else "info", message, row, longest
        )


def _get_duration_ms(row: MappingRow) -> int:
    return row.trigger.duration_ms if isinstance(row.trigger, LongPressTrigger) else 0


def _find_double_tap_delays(
    row: MappingRow, trigger: DoubleTapTrigger, buckets: RowsByControl, shadows: ShadowFinder
) -> Iterator[Overlap]:
    taps = _find_neighbours(row, "tap", buckets, shadows)
    if taps:
        message = (
            f"the double tap of {row.describe_control()}{format_descriptions(row)} delays its tap"
            f"{format_descriptions(*taps)} by {trigger.timeout_ms} ms{_format_busy_exception(trigger)}"
        )
        wait = _find_tap_wait(row, buckets, shadows)
        yield build_overlap(
            "tap_delayed", _choose_severity(taps), message, row, *taps, tap_wait=wait
        )


def _find_tap_wait(
    row: MappingRow, buckets: RowsByControl, shadows: ShadowFinder
) -> TapWait | None:
    """Return when a tap acts on whose control the long press or double tap `row` waits.

    A hold is ruled out by the release, a double tap by the end of its time after the press; the later of the
    two decides. None: chords, conditions or other options make it act at other times too.
    """
    rows = [
        row,
        *(
            other
            for gesture in ("long_press", "double_tap", "chord")
            for other in _find_neighbours(row, gesture, buckets, shadows)
        ),
    ]
    triggers = [one.trigger for one in rows]
    if any(
        not isinstance(trigger, LongPressTrigger | DoubleTapTrigger)
        or trigger.when
        or trigger.require_prior_idle_ms
        or (isinstance(trigger, LongPressTrigger) and trigger.quick_tap_ms)
        for trigger in triggers
    ):
        return None
    times = {trigger.timeout_ms for trigger in triggers if isinstance(trigger, DoubleTapTrigger)}
    if len(times) > 1:
        return None
    return TapWait(
        until_release=any(isinstance(trigger, LongPressTrigger) for trigger in triggers),
        delay_ms=max(times, default=0),
    )


def _find_chord_delays(
    row: MappingRow,
    trigger: NoteChordTrigger | GamepadButtonChordTrigger,
    buckets: RowsByControl,
    shadows: ShadowFinder,
) -> Iterator[Overlap]:
    taps = _find_neighbours(row, "tap", buckets, shadows)
    if taps:
        controls = dict.fromkeys(
            tap.describe_one_control(*tap.trigger.list_controls()[0]) for tap in taps
        )
        message = (
            f"taps of {join_phrases(controls)}{format_descriptions(*taps)} wait up to {trigger.timeout_ms} ms "
            f"for the chord {row.describe_control()}{format_descriptions(row)}"
            f"{_format_busy_exception(trigger)}"
        )
        yield build_overlap("chord_delays_tap", _choose_severity(taps), message, row, *taps)
    own = set(trigger.list_controls())
    for longer in _find_neighbours(row, "chord", buckets, shadows):
        other = longer.trigger
        assert isinstance(other, NoteChordTrigger | GamepadButtonChordTrigger)
        if own < set(other.list_controls()):
            name, long_name = list_row_names(row, longer)
            message = (
                f"the chord {longer.describe_control()} ({long_name}) beats its part {row.describe_control()} "
                f"({name}) when all {len(other.list_controls())} come within {other.timeout_ms} ms"
            )
            if trigger.fire_when_complete:
                message += f"; {name} waits up to {other.timeout_ms} ms for it"
            elif other.timeout_ms > trigger.timeout_ms:
                message += f"; {name} waits {other.timeout_ms} ms instead of {trigger.timeout_ms}"
            yield build_overlap("chord_subset", "info", message, longer, row)


def _find_order_delays(
    row: MappingRow, trigger: GestureTrigger, buckets: RowsByControl, shadows: ShadowFinder
) -> Iterator[Overlap]:
    """Yield a warning if a gesture makes mappings on other controls wait that send MIDI."""
    if not trigger.keep_order:
        return
    own = set(trigger.list_controls())
    near = (
        other
        for control, bucket in buckets.items()
        if control not in own
        for other in bucket
        if sends_midi(other.ref.mapping.action)
        and other.order not in shadows.dead
        and trigger.device in (None, other.trigger.device or trigger.device)
        and can_be_active_together(row.scope, other.scope)
    )
    late = list({other.order: other for other in islice(near, MAX_COMPARED_MAPPINGS)}.values())
    if late:
        name, *others = list_row_names(row, *late)
        message = (
            f"{name} keeps the order: while it is undecided, {join_phrases(others)} of its device"
            f" {'waits' if len(late) == 1 else 'wait'} up to {trigger.list_time_limits_ms()[0]} ms"
        )
        yield build_overlap("tap_delayed", "warning", message, row, *late)


def _format_busy_exception(trigger: GestureTrigger) -> str:
    idle_ms = trigger.require_prior_idle_ms
    return f"; not within {idle_ms} ms after another control" if idle_ms else ""


def _choose_severity(taps: RowBucket) -> Severity:
    """Return how severe a delay of taps is: a warning if any of them sends MIDI or
    keys, otherwise only a note.
    """
    return "warning" if any(sends_midi(tap.ref.mapping.action) for tap in taps) else "info"
