"""Input events, the only input of the engine: messages from controls in a common form, with timestamps.

`InputEvent` is a named tuple rather than a pydantic model: it is created for every incoming
message, which takes 0.2 us for a tuple.

| kind | number | value | range and data |
|---|---|---|---|
| note_on, note_off | note | velocity | 0 to 127; data: `note_on_0` when a note-on with velocity 0 ended it |
| cc | controller | value | 0 to 127 |
| nrpn, rpn | parameter, 0 to 16383 | 14-bit value | 0 to 16383 |
| poly_pressure | note | pressure | 0 to 127 |
| channel_pressure | 0 | pressure | 0 to 127 |
| pitch_bend | 0 | bend | 0 to 16383, centre 8192 |
| program_change | program | program | 0 to 127 |
| sysex | 0 | length | data: the bytes, F0 to F7 |
| button_down, button_up | button name | 1 or 0 | |
| axis | axis name | position | -1.0 to 1.0; up and right are positive |
| gamepad_trigger | `left` or `right` | pull | 0.0 to 1.0 |
| osc | address | first number, or 1 | data: all arguments |
| device_gone, device_back | 0 | 0 | |
| clock, transport | 0 | status byte | real-time messages |
| app | 0 | 0 | data: the app in front (executable, bundle id, title) |
| completed | run number | 1 done, 0 failed | data: the reason |
| timer | 0 | 0 | a deadline of the engine's own has come |
"""

from typing import Any, Literal, NamedTuple

EventKind = Literal[
    "note_on",
    "note_off",
    "cc",
    "nrpn",
    "rpn",
    "poly_pressure",
    "channel_pressure",
    "pitch_bend",
    "program_change",
    "sysex",
    "button_down",
    "button_up",
    "axis",
    "gamepad_trigger",
    "osc",
    "device_gone",
    "device_back",
    "clock",
    "transport",
    "app",
    "completed",
    "timer",
]
PRESS_EVENT_KINDS: tuple[EventKind, ...] = ("note_on", "button_down")
RELEASE_EVENT_KINDS: tuple[EventKind, ...] = ("note_off", "button_up")


class InputEvent(NamedTuple):
    """An event of a control on a device, with its value and its time."""

    kind: EventKind
    device: str
    """The alias from the config, or `raw:<port name>` for a device without an alias."""
    channel: int
    """The MIDI channel from 1 to 16; 0 for an event without a channel."""
    number: int | str
    value: int | float
    time: float
    """The time in seconds on the engine's monotonic clock (`base.clock`)."""
    data: Any = None


class CapturedEvents(NamedTuple):
    """The events that MIDI Learn recorded. All times are on the engine's clock."""

    events: list[InputEvent]
    started_at: float


ControlClass = Literal[
    "note",
    "cc",
    "nrpn",
    "rpn",
    "poly_pressure",
    "channel_pressure",
    "pitch_bend",
    "program_change",
    "sysex",
    "button",
    "axis",
    "gamepad_trigger",
    "osc",
]

CONTROL_CLASS: dict[str, ControlClass] = {
    "note_on": "note",
    "note_off": "note",
    "cc": "cc",
    "nrpn": "nrpn",
    "rpn": "rpn",
    "poly_pressure": "poly_pressure",
    "channel_pressure": "channel_pressure",
    "pitch_bend": "pitch_bend",
    "program_change": "program_change",
    "sysex": "sysex",
    "button_down": "button",
    "button_up": "button",
    "axis": "axis",
    "gamepad_trigger": "gamepad_trigger",
    "osc": "osc",
}
"""The class of control for each kind of event; kinds that are missing do not come from a control."""

CONTROL_CLASSES_WITH_CHANNEL: frozenset[ControlClass] = frozenset(
    (
        "note",
        "cc",
        "nrpn",
        "rpn",
        "poly_pressure",
        "channel_pressure",
        "pitch_bend",
        "program_change",
    )
)
"""The classes of controls that have a MIDI channel."""


class Control(NamedTuple):
    """A physical control, identified by device, class, channel and number; the
    engine keeps a state for each.
    """

    device: str
    channel: int
    control_class: ControlClass
    number: int | str


def is_press_or_turn(event: InputEvent) -> bool:
    """Return whether an event is a press or a turn, and not a release or a change of pressure."""
    after = ("note_off", "button_up", "poly_pressure", "channel_pressure")
    return event.kind in CONTROL_CLASS and event.kind not in after
