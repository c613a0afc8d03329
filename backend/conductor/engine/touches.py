"""Where controls were touched: with the mode and profile that were active, which decide what hears them."""

from typing import NamedTuple

from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.renames import Renames
from conductor.engine.state import EngineState

RELEASES = frozenset(("note_off", "button_up"))
"""They belong to the mode in which the control was pressed, and the press has been counted there."""


class Touch(NamedTuple):
    """A control that was touched while the engine listened to it."""

    control: Control
    mode: str
    profile: str | None

    def renamed(self, renames: Renames) -> "Touch":
        """Return the touch with the names of another config."""
        device = renames.device(self.control.device)
        profile = None if self.profile is None else renames.profile(self.profile)
        return Touch(self.control._replace(device=device), renames.mode(self.mode), profile)


class Touches(NamedTuple):
    """All touches of a recording, as two configs hear them; in the names of the new one."""

    old: frozenset[Touch]
    new: frozenset[Touch]
    unclear: frozenset[Control]
    """Touched where the mode at that time is not known."""


def touch_of(event: InputEvent, state: EngineState) -> Touch | None:
    """Return what an event touches; None when no mapping can hear it."""
    if event.kind not in CONTROL_CLASS or event.kind in RELEASES:
        return None
    if state.paused or event.device in state.muted:
        return None
    return Touch(control_of(event), state.mode, state.profile)


def control_of(event: InputEvent) -> Control:
    """Return the control of an event that has one."""
    return Control(event.device, event.channel, CONTROL_CLASS[event.kind], event.number)
