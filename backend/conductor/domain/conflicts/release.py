"""Finds actions that need a held control, but whose control sends no release or sends it at once."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from conductor.domain.conflicts.actions import describe_missing_release, ends_note, list_notes
from conductor.domain.conflicts.rows import MappingRow, RowBucket, build_overlap
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.plan import Overlap
from conductor.domain.triggers.aftertouch import AftertouchTrigger
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.encoder_turn import EncoderTurnTrigger
from conductor.domain.triggers.gamepad_analog_stick import GamepadAnalogStickTrigger
from conductor.domain.triggers.gamepad_trigger import GamepadTriggerTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.pitch_bend import PitchBendTrigger
from conductor.domain.triggers.value_range import RangeTrigger

MAX_INSTANT_RELEASE_MS = 5
MIN_PRESSES_TO_JUDGE = 3
_CC_BUTTON_VALUES = (0, 127)
_CONTINUOUS_TRIGGERS = (
    RangeTrigger,
    PitchBendTrigger,
    AftertouchTrigger,
    EncoderTurnTrigger,
    GamepadTriggerTrigger,
    GamepadAnalogStickTrigger,
)


class PressStatistics(NamedTuple):
    """How a control was pressed and released in the recorded input."""

    total: int
    longest_ms: float
    """The longest time in milliseconds between a press and its release."""
    unreleased: int
    """The number of presses that were followed by another press without a release between them."""


def find_unreleased_actions(rows: RowBucket) -> Iterator[Overlap]:
    """Yield a conflict for each action that needs a release, if its trigger cannot notice the release."""
    for row in rows:
        words = describe_missing_release(row.ref.mapping.action)
        if words is not None and not row.trigger.can_be_held():
            message = (
                f"`{row.describe_mapping()}`: {row.ref.mapping.trigger.type} of {row.describe_control()}"
                f" is never released, so {words}"
            )
            yield build_overlap("never_released", "warning", message, row)


def find_endless_notes(rows: RowBucket) -> Iterator[Overlap]:
    """Yield a conflict for each knob, fader or other continuous control that starts notes which no mapping
    ends on the same output and channel.
    """
    notes = [(row, note) for row in rows for note in list_notes(row.ref.mapping.action)]
    ended = {(note.port, note.channel) for _, note in notes if ends_note(note)}
    endless = (
        row
        for row, note in notes
        if _fires_on_every_value(row.trigger) and (note.port, note.channel) not in ended
    )
    for row in {row.order: row for row in endless}.values():
        message = (
            f"`{row.describe_mapping()}`: each value of {row.describe_control()} starts a note, and"
            " nothing ends it; send a control change instead, or add a note off"
        )
        yield build_overlap("notes_keep_sounding", "warning", message, row)


def _fires_on_every_value(trigger: TriggerBase) -> bool:
    return isinstance(trigger, _CONTINUOUS_TRIGGERS) and not trigger.can_be_held()


def find_impossible_holds(rows: RowBucket, events: Iterable[InputEvent]) -> Iterator[Overlap]:
    """Yield a conflict for each mapping that needs a held control, if its control cannot be held.

    A control cannot be held if it sent no release, or sent the release together with the press.
    """
    played = compute_press_statistics(events)
    if not played:
        return
    for row in rows:
        wants = isinstance(row.trigger, LongPressTrigger) or describe_missing_release(
            row.ref.mapping.action
        )
        if not wants or row.gesture not in ("tap", "long_press", "change"):
            continue
        seen = [found for control, found in played.items() if _listens_to_control(row, control)]
        if seen and all(_measure_longest_press(found) <= MAX_INSTANT_RELEASE_MS for found in seen):
            yield _build_instant_release_overlap(
                row, sum(found.total for found in seen), max(map(_measure_longest_press, seen))
            )
        elif seen and all(_has_no_release(found) for found in seen):
            yield _build_missing_release_overlap(row, sum(found.total for found in seen))


def compute_press_statistics(events: Iterable[InputEvent]) -> dict[Control, PressStatistics]:
    """Return statistics for each note, button and CC button that was pressed often enough to be judged."""
    moves: dict[Control, list[tuple[bool, float]]] = {}
    knobs: set[Control] = set()
    for event in events:
        down = _is_press(event)
        if down is None:
            continue
        control = Control(event.device, event.channel, CONTROL_CLASS[event.kind], event.number)
        moves.setdefault(control, []).append((down, event.time))
        if event.kind == "cc" and event.value not in _CC_BUTTON_VALUES:
            knobs.add(control)
    measured = (
        (control, _compute_statistics(each))
        for control, each in moves.items()
        if control not in knobs
    )
    return {control: found for control, found in measured if found.total >= MIN_PRESSES_TO_JUDGE}


def _is_press(event: InputEvent) -> bool | None:
    if event.kind == "cc":
        return event.value >= 64
    return {"note_on": True, "button_down": True, "note_off": False, "button_up": False}.get(
        event.kind
    )


def _compute_statistics(moves: list[tuple[bool, float]]) -> PressStatistics:
    """Return the statistics of one control; a press that may still be held is not counted."""
    count, longest, unreleased = 0, 0.0, 0
    since: float | None = None
    for down, time in moves:
        if since is not None:
            count += 1
            if down:
                unreleased += 1
            else:
                longest = max(longest, (time - since) * 1000)
        since = time if down else None
    return PressStatistics(count, longest, unreleased)


def _measure_longest_press(found: PressStatistics) -> float:
    return float("inf") if found.unreleased else found.longest_ms


def _has_no_release(found: PressStatistics) -> bool:
    return found.unreleased == found.total


def _listens_to_control(row: MappingRow, control: Control) -> bool:
    trigger = row.trigger
    return (
        (control.control_class, control.number) in trigger.list_controls()
        and trigger.device in (None, control.device)
        and trigger.channel in (None, control.channel)
    )


def _build_instant_release_overlap(row: MappingRow, count: int, longest_ms: float) -> Overlap:
    trigger, name = row.trigger, row.describe_mapping()
    if isinstance(trigger, LongPressTrigger):
        end = f"the long press `{name}` cannot reach its {trigger.duration_ms} ms"
    else:
        end = f"what `{name}` holds ends at once"
    message = (
        f"{row.describe_control()} sends its release at most {longest_ms:.0f} ms after each press "
        f"({count} recent presses): {end}"
    )
    return build_overlap("toggle_cannot_hold", "warning", message, row)


def _build_missing_release_overlap(row: MappingRow, count: int) -> Overlap:
    trigger, name = row.trigger, row.describe_mapping()
    if isinstance(trigger, LongPressTrigger):
        end = f"every press becomes the long press `{name}` after {trigger.duration_ms} ms"
    else:
        end = f"what `{name}` holds is never released"
    message = f"{row.describe_control()} sends no release ({count} recent presses): {end}"
    return build_overlap("toggle_cannot_hold", "warning", message, row)
