"""Determines which controls the user has used, and in which mode and profile."""

from typing import NamedTuple

from conductor.domain.events import CONTROL_CLASS, RELEASE_EVENT_KINDS, Control, InputEvent
from conductor.domain.renames import Renames
from conductor.engine.state import EngineState


class ControlTouch(NamedTuple):
    """A use of a control (a press or a new value), with the mode and the profile in which it happened."""

    control: Control
    mode: str
    profile: str | None

    def apply_renames(self, renames: Renames) -> "ControlTouch":
        """Return this use of a control, with the new names of its device, mode and profile."""
        device = renames.get_new_device(self.control.device)
        profile = None if self.profile is None else renames.get_new_profile(self.profile)
        return ControlTouch(
            self.control._replace(device=device), renames.get_new_mode(self.mode), profile
        )


class PlayedTouches(NamedTuple):
    """The uses of controls in a recording under the old and the new config, with the names
    that the new config uses.
    """

    old: frozenset[ControlTouch]
    new: frozenset[ControlTouch]
    unclear: frozenset[Control]
    """The controls that were used while it is unknown which mode was active."""


def find_touch(event: InputEvent, state: EngineState) -> ControlTouch | None:
    """Return the use of a control that an event is, or None for another event or an ignored device."""
    # A release is not a use of its own: the press has already been counted, in the mode of the press.
    if event.kind not in CONTROL_CLASS or event.kind in RELEASE_EVENT_KINDS:
        return None
    if state.paused or event.device in state.muted:
        return None
    return ControlTouch(get_event_control(event), state.mode, state.profile)


def get_event_control(event: InputEvent) -> Control:
    """Return the control that an event belongs to."""
    return Control(event.device, event.channel, CONTROL_CLASS[event.kind], event.number)
