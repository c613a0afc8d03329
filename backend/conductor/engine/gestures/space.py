"""Generates all short gestures that can make a difference to a set of mappings, by their
events, times and contexts.

Two configs, or a config with and without a mapping, are compared by playing these gestures on both. The
comparison is exhaustive up to its depth: it covers both sides of every time limit, both sides of every
threshold (`gestures/values.py`) and every combination of conditions (`gestures/contexts.py`).

    space = build_gesture_space([old, new], [("mode:Live", mapping)])
    for context in space.contexts:
        for gesture in gestures(space, depth=3):
            state = build_engine_state(table, context)
            ...                      # feed the events, compare the effects
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from conductor.domain.config import Config, Mapping
from conductor.domain.events import (
    CONTROL_CLASSES_WITH_CHANNEL,
    PRESS_EVENT_KINDS,
    RELEASE_EVENT_KINDS,
    ControlClass,
    EventKind,
    InputEvent,
)
from conductor.domain.triggers.base import TriggerBase
from conductor.engine.gestures.contexts import (
    GESTURE_START_S,
    GestureContext,
    build_contexts,
    build_engine_state,
    list_conditions,
)
from conductor.engine.gestures.values import (
    DEFAULT_VELOCITY,
    build_sysex_messages,
    list_change_values,
    list_note_velocities,
)

__all__ = [
    "GestureContext",
    "GestureSpace",
    "build_engine_state",
    "build_gesture_space",
    "count_gestures",
    "generate_gestures",
]

DEFAULT_GAP_MS = 20.0
"""Milliseconds between two events, if no time limit is near; less if the shortest limit is below 80 ms."""
TIME_LIMIT_MARGIN_MS = 1.0
ANY_NUMBER = "*"
WILDCARD_NOTE = 61
DEFAULT_DEVICE, DEFAULT_CHANNEL = "virtual", 1
"""The device and the channel that stand for all devices and channels that no mapping names."""
CROSS_CONTROL_OPTIONS = (
    *("hold_on_other_press", "permissive_hold", "require_prior_idle_ms", "keep_order"),
)
"""Trigger options with which a gesture depends on other controls of the device."""
MAX_UNMAPPED_NOTE = 99
_EVENT_KINDS: dict[ControlClass, EventKind] = {
    "cc": "cc",
    "nrpn": "nrpn",
    "rpn": "rpn",
    "poly_pressure": "poly_pressure",
    "channel_pressure": "channel_pressure",
    "pitch_bend": "pitch_bend",
    "axis": "axis",
    "gamepad_trigger": "gamepad_trigger",
    "osc": "osc",
}

ControlKey = tuple[ControlClass, int | str]
DeviceChannel = tuple[str, int]
"""A device and a channel; the channel is 0 for controls without channels."""
GestureState = tuple[tuple[float, ...], frozenset[int]]
"""The ages in ms of presses that may still matter, and which controls are down."""


@dataclass(frozen=True)
class GestureSpace:
    """The events, time limits and contexts from which gestures are generated."""

    touches: tuple[InputEvent, ...]
    """All events that can occur in a gesture, each with time 0."""
    limits_ms: tuple[float, ...]
    """The times of long presses, double taps and chord windows, shortest first."""
    contexts: tuple[GestureContext, ...]
    """The contexts in which gestures are played, the default context first."""
    missing: tuple[str, ...] = ()
    """Descriptions of what the gestures do not cover, for the report."""

    @property
    def default_gap_ms(self) -> float:
        shortest = self.limits_ms[0] if self.limits_ms else DEFAULT_GAP_MS * 4
        return min(DEFAULT_GAP_MS, shortest / 4)

    @cached_property
    def control_numbers(self) -> tuple[int, ...]:
        """Numbers that identify the control of each event in `touches`."""
        first: dict[tuple[object, ...], int] = {}
        identities = (
            (touch.kind.partition("_")[0], touch.device, touch.channel, touch.number)
            for touch in self.touches
        )
        return tuple(first.setdefault(identity, index) for index, identity in enumerate(identities))


def build_gesture_space(
    configs: Sequence[Config], mappings: Iterable[tuple[str, Mapping]]
) -> GestureSpace:
    """Return the space of gestures for these mappings, which may come from several configs."""
    rows = list(mappings)
    triggers: list[TriggerBase] = [mapping.trigger for _, mapping in rows]
    touches = tuple(generate_touches(triggers))
    contexts, missing = build_contexts(
        configs,
        (scope for scope, _ in rows),
        list_conditions(mapping for _, mapping in rows),
        (place for trigger in triggers for place in trigger.list_controls()),
    )
    return GestureSpace(touches, list_time_limits_ms(triggers), contexts, missing)


def list_time_limits_ms(triggers: Iterable[TriggerBase]) -> tuple[float, ...]:
    """Return the time limits of triggers in milliseconds, shortest first."""
    limits = {float(limit) for trigger in triggers for limit in trigger.list_time_limits_ms()}
    return tuple(sorted(limits))


def generate_touches(triggers: Sequence[TriggerBase]) -> Iterator[InputEvent]:
    """Yield the events that can make a difference to these triggers."""
    for place, listeners in _group_listeners(triggers).items():
        for device, channel in _list_devices_and_channels(place[0], listeners):
            yield from _generate_control_touches(place, device, channel, listeners)
    yield from _generate_other_presses(triggers)


def _generate_other_presses(triggers: Sequence[TriggerBase]) -> Iterator[InputEvent]:
    """Yield presses of a note without a mapping, if any trigger depends on other controls of the device."""
    curious = [
        trigger
        for trigger in triggers
        if any(getattr(trigger, option, False) for option in CROSS_CONTROL_OPTIONS)
    ]
    if not curious:
        return
    notes = {number for trigger in triggers for _, number in trigger.list_controls()}
    free = next(note for note in range(MAX_UNMAPPED_NOTE, 0, -1) if note not in notes)
    for device in dict.fromkeys(trigger.device or DEFAULT_DEVICE for trigger in curious):
        channel = next(t.channel or DEFAULT_CHANNEL for t in curious if t.device in (None, device))
        yield InputEvent("note_on", device, channel, free, DEFAULT_VELOCITY, 0.0)
        yield InputEvent("note_off", device, channel, free, 0, 0.0)


def _group_listeners(triggers: Sequence[TriggerBase]) -> dict[ControlKey, list[TriggerBase]]:
    """Return the triggers on each control; a trigger for any number is added to every number in use."""
    found: dict[ControlKey, list[TriggerBase]] = {}
    for trigger in triggers:
        for place in trigger.list_controls():
            found.setdefault(place, []).append(trigger)
    for control_class, number in list(found):
        if number == ANY_NUMBER:
            everywhere = found.pop((control_class, number))
            found.setdefault((control_class, WILDCARD_NOTE), [])
            for place, listeners in found.items():
                if place[0] == control_class:
                    listeners.extend(everywhere)
    return found


def _list_devices_and_channels(
    control_class: ControlClass, listeners: Sequence[TriggerBase]
) -> list[DeviceChannel]:
    """Return the devices and channels to try for a control: those that mappings name, and one other."""
    devices = dict.fromkeys(t.device for t in listeners if t.device is not None)
    if any(trigger.device is None for trigger in listeners):
        devices["osc" if control_class == "osc" else DEFAULT_DEVICE] = None
    if control_class not in CONTROL_CLASSES_WITH_CHANNEL:
        return [(device, 0) for device in devices]
    channels = dict.fromkeys(t.channel for t in listeners if t.channel is not None)
    if any(trigger.channel is None for trigger in listeners):
        free = (channel for channel in range(DEFAULT_CHANNEL, 17) if channel not in channels)
        channels[next(free, DEFAULT_CHANNEL)] = None
    return [
        (device, channel)
        for device in devices
        for channel in channels
        if any(t.device in (None, device) and t.channel in (None, channel) for t in listeners)
    ]


def _generate_control_touches(
    place: ControlKey, device: str, channel: int, listeners: Sequence[TriggerBase]
) -> Iterator[InputEvent]:
    control_class, number = place
    match control_class:
        case "note":
            for velocity in list_note_velocities(listeners):
                yield InputEvent("note_on", device, channel, number, velocity, 0.0)
            yield InputEvent("note_off", device, channel, number, 0, 0.0)
        case "button":
            yield InputEvent("button_down", device, 0, number, 1, 0.0)
            yield InputEvent("button_up", device, 0, number, 0, 0.0)
        case "program_change":
            yield InputEvent("program_change", device, channel, number, int(number), 0.0)
        case "sysex":
            for message in build_sysex_messages(listeners):
                yield InputEvent("sysex", device, 0, 0, len(message), 0.0, message)
        case _:
            kind = _EVENT_KINDS[control_class]
            for value in list_change_values(control_class, listeners):
                data = (value,) if control_class == "osc" else None
                yield InputEvent(kind, device, channel, number, value, 0.0, data)


def generate_gestures(
    space: GestureSpace, depth: int, start_s: float = GESTURE_START_S
) -> Iterator[tuple[InputEvent, ...]]:
    """Yield every gesture with at most `depth` events, shortest first, always in the same order.

    Only controls that are down are released, and only controls that are up are pressed. The gap between two
    events has the default length, or ends 1 ms before, at, or 1 ms after a time limit of an earlier press.
    """
    for length in range(1, depth + 1):
        yield from _extend_gesture(space, (), ((), frozenset()), length, start_s)


def count_gestures(space: GestureSpace, depth: int) -> int:
    """Return the number of gestures with at most `depth` events, without generating them."""

    @cache
    def count_following(moment: GestureState, length: int) -> int:
        if length == 0:
            return 1
        return sum(
            count_following(_compute_next_moment(space, moment, index, gap_ms), length - 1)
            for gap_ms in _list_possible_gaps(space, moment)
            for index in _list_possible_touches(space, moment)
        )

    return sum(count_following(((), frozenset()), length) for length in range(1, depth + 1))


def _extend_gesture(
    space: GestureSpace,
    prefix: tuple[InputEvent, ...],
    moment: GestureState,
    length: int,
    start_s: float,
) -> Iterator[tuple[InputEvent, ...]]:
    if length == 0:
        yield prefix
        return
    now = prefix[-1].time if prefix else start_s
    for gap_ms in _list_possible_gaps(space, moment) if prefix else (0.0,):
        time = now + gap_ms / 1000
        for index in _list_possible_touches(space, moment):
            event = space.touches[index]._replace(time=time)
            later = _compute_next_moment(space, moment, index, gap_ms if prefix else 0.0)
            yield from _extend_gesture(space, (*prefix, event), later, length - 1, start_s)


def _list_possible_gaps(space: GestureSpace, moment: GestureState) -> tuple[float, ...]:
    """Return the possible gaps in ms before the next event; the first is the default gap."""
    waits = {
        round(limit + beside - age, 3)
        for age in moment[0]
        for limit in space.limits_ms
        for beside in (-TIME_LIMIT_MARGIN_MS, 0.0, TIME_LIMIT_MARGIN_MS)
    }
    ordinary = space.default_gap_ms
    return (ordinary, *sorted(wait for wait in waits if wait > 0 and wait != ordinary))


def _list_possible_touches(space: GestureSpace, moment: GestureState) -> Iterator[int]:
    """Yield the indices of the events in `touches` that are possible next."""
    down = moment[1]
    for index, touch in enumerate(space.touches):
        if touch.kind in PRESS_EVENT_KINDS or touch.kind in RELEASE_EVENT_KINDS:
            is_down = space.control_numbers[index] in down
            if is_down != (touch.kind in RELEASE_EVENT_KINDS):
                continue
        yield index


def _compute_next_moment(
    space: GestureSpace, moment: GestureState, index: int, gap_ms: float
) -> GestureState:
    """Return the state after an event; presses that are older than every time limit are dropped from it."""
    oldest = space.limits_ms[-1] + TIME_LIMIT_MARGIN_MS if space.limits_ms else 0.0
    ages = [round(age + gap_ms, 3) for age in moment[0]]
    ages = [age for age in ages if age < oldest]
    down, kind = moment[1], space.touches[index].kind
    if kind in PRESS_EVENT_KINDS:
        return (*ages, 0.0), down | {space.control_numbers[index]}
    if kind in RELEASE_EVENT_KINDS:
        return tuple(ages), down - {space.control_numbers[index]}
    return tuple(ages), down
