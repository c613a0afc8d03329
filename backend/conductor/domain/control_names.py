"""Finds the names that are printed on the controls of a device, such as `Pad 6` for note 41.

The names come from the device's profile, which may be the user's own, or from the virtual controller.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.wire_rows import EventRow

if TYPE_CHECKING:  # the command line shows names of controls without importing these models
    from conductor.domain.device_profile import Group, Variant

VIRTUAL_DEVICE = "virtual"
"""The id of the virtual controller in events, in place of an alias."""
VIRTUAL_DEVICE_NAME = "Virtual controller"


class NamedControl(NamedTuple):
    """A control of a device, with the name that is printed on it."""

    control_class: str
    number: int | str
    channel: int | None
    """The MIDI channel of the control; None if it has the same name on every channel."""
    name: str
    role: str = ""
    """What the control is, such as `knob` or `encoder`; empty if it is not known."""
    is_own: bool = False
    """Whether the user gave the control this name, in place of a printed one."""


class ControlNames:
    """The names of the controls of all known devices. A `ControlNames` is immutable."""

    def __init__(
        self, devices: Mapping[str, Sequence[NamedControl]] | None = None, *, others: bool = False
    ) -> None:
        """Create an index of named controls by device.

        `others` is true if there are also devices without a profile.
        """
        self.devices = {name: tuple(controls) for name, controls in (devices or {}).items()}
        self._others = others
        self._found: dict[tuple[str, str, str], list[NamedControl]] = {}
        for device, controls in self.devices.items():
            for control in controls:
                key = (device, control.control_class, str(control.number))
                self._found.setdefault(key, []).append(control)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ControlNames):
            return NotImplemented
        return (self.devices, self._others) == (other.devices, other._others)

    __hash__ = None  # type: ignore[assignment]

    def find_control_name(
        self, device: str | None, control_class: str, number: int | str, channel: int | None = None
    ) -> str | None:
        """Return the name of a control, or None if no profile names it or devices have different names for it.

        `device` is None for a mapping that listens to all devices.
        """
        if device is not None:
            return self._find_device_control_name(device, control_class, number, channel)
        real = [name for name in self.devices if name != VIRTUAL_DEVICE]
        # A key of a keyboard without a profile must not get the name of a pad of the virtual controller.
        searched = real if real or self._others else [VIRTUAL_DEVICE]
        names = {
            self._find_device_control_name(name, control_class, number, channel)
            for name in searched
        } - {None}
        return names.pop() if len(names) == 1 else None

    def find_printed_name(
        self, device: str | None, control_class: str, number: int | str, channel: int | None = None
    ) -> str | None:
        """Return the name printed on a control that the user gave another name; None if there is none.

        `device` is None for a mapping that listens to all devices.
        """
        shown = self.find_control_name(device, control_class, number, channel)
        for name in self.devices if device is None else (device,):
            found = list(self._list_controls(name, control_class, number, channel))
            if found and found[0].is_own and found[0].name == shown:
                return next((one.name for one in found if not one.is_own), None)
        return None

    def find_control_role(
        self, device: str, control_class: str, number: int | str, channel: int | None
    ) -> str | None:
        """Return what a control of a device is, such as `knob`, or None if no profile describes it."""
        for control in self._list_controls(device, control_class, number, channel):
            if control.role:
                return control.role
        return None

    def find_event_control_name(self, event: InputEvent) -> str | None:
        """Return the name of the control that sent an event, or None if no profile names it."""
        control_class = CONTROL_CLASS.get(event.kind)
        if control_class is None:
            return None
        return self._find_device_control_name(
            event.device, control_class, event.number, event.channel or None
        )

    def is_unique(self, name: str, device: str | None = None) -> bool:
        """Return whether a name stands for one control, of a device or of all devices."""
        places = [device] if device is not None else list(self.devices)
        found = [one for place in places for one in self.devices.get(place, ()) if one.name == name]
        return len(found) == 1

    def add_name_to_event(self, event: EventRow) -> EventRow:
        """Return an event as JSON data, with the name of the control that sent it if the name is known."""
        control_class = CONTROL_CLASS.get(event["kind"])
        if control_class is None or "control" in event:
            return event
        name = self._find_device_control_name(
            event["device"], control_class, event["number"], event["channel"] or None
        )
        if name is None:
            return event
        named: EventRow = {**event, "control": name}
        printed = self.find_printed_name(
            event["device"], control_class, event["number"], event["channel"] or None
        )
        return named if printed is None else {**named, "printed": printed}

    def _find_device_control_name(
        self, device: str, control_class: str, number: int | str, channel: int | None
    ) -> str | None:
        found = next(self._list_controls(device, control_class, number, channel), None)
        return None if found is None else found.name

    def _list_controls(
        self, device: str, control_class: str, number: int | str, channel: int | None
    ) -> Iterator[NamedControl]:
        for control in self._found.get((device, control_class, str(number)), ()):
            if channel is None or control.channel is None or control.channel == channel:
                yield control


NO_CONTROL_NAMES = ControlNames()


def list_named_controls(variant: "Variant") -> tuple[NamedControl, ...]:
    """Return each control in a variant of a device profile, with its name."""
    return tuple(
        NamedControl(
            group.message,
            number,
            _find_channel(group, index),
            format_control_name(group, index),
            group.role,
        )
        for group in variant.groups
        for index, number in enumerate(group.numbers)
    )


def parse_own_name(setting: tuple[str, str]) -> NamedControl:
    """Return the control that the user gave a name, from its key and name in `settings.names`."""
    control, name = setting
    kind, number, *channel = control.split()
    return NamedControl(
        kind,
        int(number) if number.isdecimal() else number,
        int(channel[-1]) if channel else None,
        name,
        is_own=True,
    )


def format_control_name(group: "Group", index: int) -> str:
    """Return the name of the control at an index of a group; names are numbered as on the device."""
    row = index // group.columns
    if group.rows_from_bottom:
        row = (len(group.numbers) - 1) // group.columns - row
    return group.name.replace("{n}", str(row * group.columns + index % group.columns + 1))


def format_device_name(device: str) -> str:
    """Return the name of a device as the page shows it: its alias, or the name of its port without one."""
    return VIRTUAL_DEVICE_NAME if device == VIRTUAL_DEVICE else device.removeprefix("raw:")


def join_control_names(names: Iterable[str | None]) -> str | None:
    """Return the names of the controls of a chord as one text, or None if any of them has no name."""
    found = list(names)
    return None if None in found else " + ".join(str(name) for name in found)


def format_name_with_numbers(name: str | None, numbers: str) -> str:
    """Return the name and the number of a control, such as `Pad 6 (note 41)`, or only the
    number if it has no name.
    """
    return numbers if name is None else f"{name} ({numbers})"


def _find_channel(group: "Group", index: int) -> int | None:
    return group.channels[index] if group.channels else group.channel
