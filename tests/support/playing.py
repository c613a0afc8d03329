"""A minute of playing, made of a profile: what its owner would do when asked to play each control once."""

from collections.abc import Iterator, Sequence
from typing import Any

from conductor.domain.device_profile import Group, ReleaseMessage, ValueEncoding, Variant
from conductor.domain.events import InputEvent
from conductor.profiles.device_text import sort_numbers_in_device_order

BETWEEN_S, PAUSE_S = 0.4, 2.5
STEPS: dict[ValueEncoding, tuple[int, int]] = {
    "twos_complement": (1, 127),
    "offset_64": (65, 63),
    "sign_magnitude": (1, 65),
    "sign_magnitude_reversed": (65, 1),
}
SWEEP = [0, 3, 9, 18, 30, 44, 60, 77, 93, 108, 120, 127, 119, 104, 88, 70, 52, 36, 21, 9, 2, 0]


class Hands:
    """A player of a device, with its own clock."""

    def __init__(self, device: str = "raw:Acme", start: float = 100.0) -> None:
        self.events: list[InputEvent] = []
        self.time = start
        self._device = device

    def say(
        self, kind: Any, channel: int, number: int | str, value: float, data: Any = None
    ) -> None:
        self.events.append(
            InputEvent(kind, self._device, channel, number, value, round(self.time, 6), data)
        )

    def rest(self, seconds: float = PAUSE_S) -> None:
        self.time += seconds

    def note(self, channel: int, note: int, velocity: int, release: ReleaseMessage | None) -> None:
        self.say("note_on", channel, note, velocity)
        self.rest(0.12)
        match release:
            case "note_off_64":
                self.say("note_off", channel, note, 64)
            case "note_on_0":
                self.say("note_off", channel, note, 0, "note_on_0")
            case "toggle":
                pass
            case _:
                self.say("note_off", channel, note, 0)
        self.rest(BETWEEN_S)

    def button(self, channel: int, number: int, release: ReleaseMessage | None) -> None:
        self.say("cc", channel, number, 127)
        self.rest(0.12)
        if release != "toggle":
            self.say("cc", channel, number, 0)
        self.rest(BETWEEN_S)

    def turn(self, kind: Any, channel: int, number: int | str, values: Sequence[float]) -> None:
        for value in values:
            self.say(kind, channel, number, value)
            self.rest(0.02)
        self.rest(BETWEEN_S)

    def group(self, group: Group) -> None:
        """Play a group in the order in which people are asked to, and the toggles of it once more."""
        for at, (channel, number) in enumerate(in_order(group)):
            self.control(group, channel, number, at)
        if group.release == "toggle":
            for channel, number in in_order(group):
                kind = "note_off" if group.message == "note" else "cc"
                self.say(kind, channel, number, 0)
                self.rest(BETWEEN_S)
        self.rest()

    def control(self, group: Group, channel: int, number: int | str, at: int) -> None:
        turns = group.role in ("knob", "encoder", "fader", "strip", "jog", "stick")
        match group.message:
            case "note":
                velocity = 40 + at * 7 % 80 if group.role in ("pad", "key") else 127
                self.note(channel, int(number), velocity, group.release)
            case "cc" | "nrpn" if turns:
                forth, back = STEPS.get(group.encoding or "absolute", (0, 0))
                values = [forth] * 10 + [back] * 10 if forth else SWEEP
                self.turn(group.message, channel, number, values)
            case "cc":
                self.button(channel, int(number), group.release)
            case "button":
                self.say("button_down", 0, number, 1)
                self.rest(0.1)
                self.say("button_up", 0, number, 0)
                self.rest(BETWEEN_S)
            case "axis" | "gamepad_trigger":
                self.turn(group.message, 0, number, [value / 127 for value in SWEEP])
            case "pitch_bend":
                self.turn("pitch_bend", channel, 0, [value * 129 for value in SWEEP])
            case "program_change":
                self.say("program_change", channel, number, int(number))
                self.rest(BETWEEN_S)
            case _:
                self.turn(group.message, channel, number, SWEEP)


def in_order(group: Group) -> list[tuple[int, int | str]]:
    """Return channel and number of each control: pads from the bottom row, the rest from the top one."""
    at = list(range(len(group.numbers)))
    if group.role == "pad" and not group.rows_from_bottom:
        starts = range(0, len(at), group.columns)
        at = [one for start in reversed(starts) for one in at[start : start + group.columns]]
    elif group.rows_from_bottom:
        at = [group.numbers.index(number) for number in sort_numbers_in_device_order(group)]
    plain = 0 if group.message in ("button", "axis", "gamepad_trigger") else group.channel or 1
    return [(group.channels[one] if group.channels else plain, group.numbers[one]) for one in at]


def once(variant: Variant) -> Iterator[Group]:
    """Return the groups whose controls no group before them has sent."""
    taken: set[tuple[str, int, int | str]] = set()
    for group in variant.groups:
        own = {(group.message, *one) for one in in_order(group)}
        if len(own) == len(group.numbers) and not own & taken:
            taken |= own
            yield group
