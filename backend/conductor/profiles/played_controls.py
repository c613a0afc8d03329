"""Analyses played events to find the message, encoding and kind of release of each control."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from conductor.domain.device_profile import ControlMessage, ReleaseMessage
from conductor.domain.events import InputEvent
from conductor.domain.triggers.encoder_coding import (
    EncoderCoding,
    decode_relative_steps,
    detect_coding,
)

MESSAGE_BY_EVENT_KIND: dict[str, ControlMessage] = {
    "note_on": "note",
    "note_off": "note",
    "cc": "cc",
    "nrpn": "nrpn",
    "program_change": "program_change",
    "pitch_bend": "pitch_bend",
    "channel_pressure": "channel_pressure",
    "button_down": "button",
    "button_up": "button",
    "axis": "axis",
    "gamepad_trigger": "gamepad_trigger",
}
NOTE_ON_WITH_VELOCITY_ZERO = "note_on_0"
"""The data of a note-off event that arrived as a note-on with velocity 0."""
PARAMETER_CC_NUMBERS = {6, 38, *range(96, 102)}
"""The controllers that transmit an NRPN; they are not controls of their own if they do."""
TOGGLE_CHORD_WINDOW_S = 0.15
"""Seconds within which pressed controls count as pressed together."""
NEVER_RELEASED_TIME = float("inf")
MAX_BUTTON_VALUES = 3
"""The maximum number of equal values, without a 0 between them, that are taken for a button's."""
FINE_PART_OFFSET = 32
"""The distance between the numbers of the two controllers that send a 14-bit value: the
fine part of n is n + 32."""
FINE_PART_DELAY_S = 0.02
"""The fine part follows the coarse part within this time. They are sent together, but one may be delayed."""
MIN_FINE_PARTS, MIN_PAIRED_SHARE = 4, 0.8
"""The smallest number and share of the values that must be pairs. Two knobs that are turned at once are not:
their values alternate only by chance."""
SEPARATE_TOUCHES_PAUSE_S = 1.5
"""Events of a control with a longer pause between them belong to different touches."""
MAX_STRAY_EVENTS, STRAY_FACTOR = 3, 4
"""A first touch of a knob is stray if it has at most this many events, and a later one so many times more. The
same controls may be played again in another bank, with about as many events."""


class ControlKey(NamedTuple):
    """Identifies a control by the message that it sends."""

    message: ControlMessage
    channel: int
    number: int | str


class ControlEvents(NamedTuple):
    """The events of a played control, and what they tell about the control."""

    key: ControlKey
    turns: bool
    relative: bool
    encoding: EncoderCoding | None
    release: ReleaseMessage | None
    strengths: frozenset[float]
    """The velocities of all presses or, for a button, the values that it sends."""
    events: tuple[InputEvent, ...]
    played_at: float
    """The time at which the control was played. If its first event was a stray touch, this time is later."""
    has_fine_part: bool = False
    """Whether a second controller sends the lower seven bits of its values."""

    @property
    def later_press_times(self) -> list[float]:
        """The times of the presses after the first one, for controls that are pressed."""
        if self.turns:
            return []
        presses = [event.time for event in self.events if not _is_release(event) and event.value]
        return presses[1:]


def collect_played_controls(events: Sequence[InputEvent]) -> list[ControlEvents]:
    """Return each played control with its events, in the order in which the controls were played."""
    ordered = sorted(events, key=lambda event: event.time)
    coarse_parts = find_coarse_parts(ordered)
    found: dict[ControlKey, list[InputEvent]] = {}
    for event in _drop_accompanying_events(ordered, coarse_parts):
        key = ControlKey(MESSAGE_BY_EVENT_KIND[event.kind], event.channel, event.number)
        if key in found or not _is_release(event):
            found.setdefault(key, []).append(event)
    controls = [_build_control(key, tuple(own)) for key, own in found.items()]
    controls = [
        control._replace(has_fine_part=True)
        if control.key.message == "cc" and (control.key.channel, control.key.number) in coarse_parts
        else control
        for control in controls
    ]
    return sorted(controls, key=lambda control: control.played_at)


def find_coarse_parts(events: Sequence[InputEvent]) -> set[tuple[int, int | str]]:
    """Return the channel and the number of each controller whose fine part another controller sends.

    The value of such a fader is sent as two messages: controller n and directly after it controller n + 32.
    """
    by_control: dict[tuple[int, int], list[float]] = {}
    for event in events:
        if event.kind == "cc" and isinstance(event.number, int):
            by_control.setdefault((event.channel, event.number), []).append(event.time)
    return {
        (channel, number)
        for (channel, number), times in by_control.items()
        if number < FINE_PART_OFFSET
        and _are_pairs(times, by_control.get((channel, number + FINE_PART_OFFSET), []))
    }


def _are_pairs(coarse: Sequence[float], fine: Sequence[float]) -> bool:
    """Return whether most values of one controller are directly followed by a value of the other controller."""
    if len(fine) < MIN_FINE_PARTS:
        return False
    merged = sorted([*((time, 0) for time in coarse), *((time, 1) for time in fine)])
    pairs = sum(
        first[1] == 0 and second[1] == 1 and second[0] - first[0] <= FINE_PART_DELAY_S
        for first, second in pairwise(merged)
    )
    return pairs >= MIN_PAIRED_SHARE * max(len(coarse), len(fine))


def _drop_accompanying_events(
    events: Sequence[InputEvent], coarse_parts: Collection[tuple[int, int | str]]
) -> Iterable[InputEvent]:
    """Yield the events of real controls, without pressure that accompanies notes and without
    the controllers that are part of an NRPN or of a 14-bit value.
    """
    fine_parts = {
        (channel, number + FINE_PART_OFFSET)
        for channel, number in coarse_parts
        if isinstance(number, int)
    }
    with_notes = {event.channel for event in events if event.kind == "note_on"}
    with_nrpn = {event.channel for event in events if event.kind == "nrpn"}
    for event in events:
        is_pressure = event.kind == "channel_pressure" and event.channel in with_notes
        is_part = event.kind == "cc" and event.channel in with_nrpn
        is_part = is_part and event.number in PARAMETER_CC_NUMBERS
        is_part |= event.kind == "cc" and (event.channel, event.number) in fine_parts
        if event.kind in MESSAGE_BY_EVENT_KIND and not is_pressure and not is_part:
            yield event


def _is_release(event: InputEvent) -> bool:
    return event.kind in ("note_off", "button_up")


def _build_control(key: ControlKey, events: tuple[InputEvent, ...]) -> ControlEvents:
    values = [event.value for event in events if not _is_release(event)]
    release: ReleaseMessage | None = None
    if key.message == "note":
        release = _detect_note_release(events)
    elif key.message == "cc" and _are_button_values(values):
        release = "value_0" if 0 in values else None
        values = [value for value in values if value]
    elif key.message not in ("program_change", "button"):
        encoding = _detect_encoding(key, values)
        relative = encoding not in (None, "absolute")
        played_at = _find_play_time(events)
        return ControlEvents(key, True, relative, encoding, None, frozenset(), events, played_at)
    played_at = events[0].time
    return ControlEvents(key, False, False, None, release, frozenset(values), events, played_at)


def _find_play_time(events: Sequence[InputEvent]) -> float:
    """Return the time at which a control was played, ignoring a first touch by accident."""
    touches = [[events[0]]]
    for before, event in pairwise(events):
        if event.time - before.time > SEPARATE_TOUCHES_PAUSE_S:
            touches.append([])
        touches[-1].append(event)
    longest = max(touches, key=len)
    stray_count = min(len(touches[0]), MAX_STRAY_EVENTS)
    is_stray = len(touches[0]) == stray_count and len(longest) >= STRAY_FACTOR * stray_count
    return (longest if is_stray else touches[0])[0].time


def _detect_note_release(events: Sequence[InputEvent]) -> ReleaseMessage | None:
    ends = [event for event in events if event.kind == "note_off"]
    styles: Counter[ReleaseMessage] = Counter(
        "note_on_0"
        if end.data == NOTE_ON_WITH_VELOCITY_ZERO
        else "note_off_64"
        if end.value == 64
        else "note_off"
        for end in ends
    )
    return styles.most_common(1)[0][0] if styles else None


def _are_button_values(values: Sequence[float]) -> bool:
    """Return whether values come from a button: presses alternate with 0, or a few values are all 127."""
    if 0 not in values:
        return len(values) <= MAX_BUTTON_VALUES and set(values) == {127}
    return values[0] != 0 and all((one == 0) != (after == 0) for one, after in pairwise(values))


def _detect_encoding(key: ControlKey, values: Sequence[float]) -> EncoderCoding | None:
    """Return how an endless encoder encodes its turns, or None if the control is no endless encoder.

    The result is certain only if the encoder was turned in both directions.
    """
    if key.message != "cc":
        return "absolute" if key.message in ("nrpn", "pitch_bend") else None
    return detect_coding([int(value) for value in values])


def find_common_encoding(controls: Sequence[ControlEvents]) -> EncoderCoding | None:
    """Return the encoding that most controls in a group use, or None if it is uncertain."""
    counts = Counter[EncoderCoding](
        control.encoding for control in controls if control.encoding is not None
    )
    coding = counts.most_common(1)[0][0] if counts else None
    if coding is None or any(_is_coding_certain(control, coding) for control in controls):
        return coding
    return None


def _is_coding_certain(control: ControlEvents, coding: EncoderCoding) -> bool:
    values = [int(event.value) for event in control.events]
    if coding == "absolute":
        return len(set(values)) >= MAX_BUTTON_VALUES
    steps = [decode_relative_steps(coding, value) for value in values]
    return min(steps) < 0 < max(steps)


def find_common_release(controls: Sequence[ControlEvents]) -> ReleaseMessage | None:
    """Return the kind of release that most controls in a group have, or None if it is unknown."""
    if _are_toggles(controls):
        return "toggle"
    counts = Counter[ReleaseMessage](
        control.release for control in controls if control.release is not None
    )
    return counts.most_common(1)[0][0] if counts else None


def _are_toggles(controls: Sequence[ControlEvents]) -> bool:
    """Return whether the controls are toggles, which stay on while others are pressed."""
    spans = [list(_find_press_spans(control)) for control in controls]
    presses = [begin for own in spans for begin, _ in own]
    needed = min(len(controls), 3) - 1
    first = [own[0] for own in spans if own][: len(controls) - needed]
    if needed < 1 or not first or all(end == NEVER_RELEASED_TIME for _, end in first):
        return False
    stay = [
        sum(begin + TOGGLE_CHORD_WINDOW_S < one < end for one in presses) >= needed
        for begin, end in first
    ]
    return sum(stay) * 3 >= 2 * len(first)


def _find_press_spans(control: ControlEvents) -> Iterator[tuple[float, float]]:
    """Yield the start and end time of each press of a control."""
    begin: float | None = None
    for event in control.events:
        is_on = not _is_release(event) and (control.key.message != "cc" or event.value > 0)
        if is_on and begin is None:
            begin = event.time
        elif not is_on and begin is not None:
            yield begin, event.time
            begin = None
    if begin is not None:
        yield begin, NEVER_RELEASED_TIME
