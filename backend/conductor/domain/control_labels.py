"""Collects the names of the controls in a gesture, with which the page describes an event script."""

from collections.abc import Iterable
from typing import NamedTuple

from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.value import Value


class ControlLabel(Value):
    """A control of an event script, and its name on the device."""

    control: str
    """The class and number of the control, such as `note 36`."""
    name: str
    """The name of the control, such as `Pad 1`."""


class LabelledControl(NamedTuple):
    """A control, as a mapping or an event refers to it."""

    device: str | None
    control_class: str
    number: int | str
    channel: int | None


def label_controls(
    controls: Iterable[LabelledControl], names: ControlNames
) -> tuple[ControlLabel, ...]:
    """Return the names of these controls. A control is left out if its name differs between devices."""
    if names is NO_CONTROL_NAMES:
        return ()
    found: dict[str, set[str | None]] = {}
    for control in controls:
        name = names.find_control_name(
            control.device, control.control_class, control.number, control.channel
        )
        found.setdefault(f"{control.control_class} {control.number}", set()).add(name)
    return tuple(
        ControlLabel(control=control, name=name)
        for control, each in found.items()
        if len(each) == 1 and (name := next(iter(each))) is not None
    )
