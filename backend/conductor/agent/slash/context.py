"""What a slash command may know: the config, and which controls were touched lately."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from conductor.agent.slash.lexer import Unclear, whole
from conductor.devices.virtual.controller import DEVICE_ID, LAYOUT
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, Control, ControlClass, InputEvent
from conductor.domain.patterns import suggest
from conductor.domain.validate import did_you_mean, invalid_mode

_NOTE = re.compile(r"([a-g])([#♯b♭]?)(-?[0-9])", re.IGNORECASE)
_STEPS = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
_SHARP = {"": 0, "#": 1, "♯": 1, "b": -1, "♭": -1}
TOUCH = "touch the control first, then write `that`"


class Named(NamedTuple):
    """A control as a command names it, and what else is known of where it is."""

    control_class: ControlClass
    number: int | str
    device: str | None = None
    channel: int | None = None
    is_encoder: bool = False
    is_button: bool = False
    """A CC that sends 127 when it is pressed and 0 when it is let go."""

    def place(self) -> dict[str, Any]:
        """Return its device and channel, as far as they are known."""
        known = {"device": self.device, "channel": self.channel}
        return {name: item for name, item in known.items() if item}


class Facts:
    """Answers what a command's words mean here. `lately` is what was played, the oldest first."""

    def __init__(self, config: Config, lately: Sequence[InputEvent]) -> None:
        self.config = config
        self._lately = [event for event in lately if event.kind in CONTROL_CLASS]

    def touched(self) -> Named:
        """Return the control that was touched last.

        Raises:
            Unclear: none was.
        """
        if not self._lately:
            raise Unclear("no control was touched lately: touch one, and write the command again")
        last = self._lately[-1]
        return Named(CONTROL_CLASS[last.kind], last.number, last.device, last.channel)

    def learned(self, named: Named) -> dict[str, Any] | None:
        """Return the trigger that fits best what a control said lately."""
        control = Control(named.device or "", named.channel or 0, named.control_class, named.number)
        played = [event for event in self._lately if _control(event) == control]
        found = suggest(played, self.config.settings.learn)
        return found[0].trigger if found else None

    def last_device(self) -> str | None:
        """Return the device that was touched last."""
        return self._lately[-1].device if self._lately else None

    def note(self, text: str) -> int | None:
        """Read a note's number, or its name as the window writes it."""
        number = whole(text)
        match = _NOTE.fullmatch(text)
        if match is not None:
            lowest = -2 if self.config.settings.ui.note_names == "C3" else -1
            octave = int(match[3]) - lowest
            number = octave * 12 + _STEPS[match[1].lower()] + _SHARP[match[2].lower()]
        if number is None:
            return None
        if not 0 <= number <= 127:
            raise Unclear(f"`{text}` is not a note (0 to 127)")
        return number

    def virtual(self, kind: str, number: int | str) -> Named | None:
        """Return a control of the built-in controller, when that is what the user plays."""
        if not self._plays_virtual():
            return None
        name = f"{kind}{number}" if isinstance(number, int) else number
        found = next((one for one in LAYOUT if one.name == name and one.kind == kind), None)
        if found is None:
            return None
        return Named(found.control_class, found.number, is_button=kind == "button")

    def _plays_virtual(self) -> bool:
        setting = self.config.settings.engine.virtual_controller
        if setting != "auto":
            return setting == "on"
        if self._lately:
            return self._lately[-1].device == DEVICE_ID
        devices = {mapping.trigger.device for _, _, mapping in self.config.all_mappings()}
        return not self.config.devices and devices <= {None, DEVICE_ID}

    def device(self, name: str) -> str:
        """Return a device's name as it is spelled.

        Raises:
            Unclear: there is none.
        """
        found = self.maybe_device(name)
        if found is None:
            hint = did_you_mean(name, self._devices())
            raise Unclear(f"no device is called `{name[:64]}`{hint}")
        return found

    def maybe_device(self, name: str) -> str | None:
        """Return a device's name as it is spelled, if there is one."""
        return _spelled(name, self._devices())

    def _devices(self) -> list[str]:
        aliases = [device.alias for device in self.config.devices]
        heard = {event.device for event in self._lately if event.device}
        return [*aliases, *sorted(heard - set(aliases)), DEVICE_ID, "osc"]

    def mode(self, name: str) -> str:
        """Return a mode's name as it is spelled.

        Raises:
            Unclear: there is none; says how to make it.
        """
        found = self.maybe_mode(name)
        if found is None:
            raise Unclear(self.no_mode(name))
        return found

    def mode_to_change(self, name: str) -> str:
        """Return a mode's name as it is spelled; where there is none, none is to be made."""
        found = self.maybe_mode(name)
        if found is None:
            raise Unclear(invalid_mode(self.config, name))
        return found

    def no_mode(self, name: str) -> str:
        """Say that there is no such mode, and how to make it."""
        return f"{invalid_mode(self.config, name)}. To make it: `/mode new {name[:64]}`"

    def maybe_mode(self, name: str) -> str | None:
        """Return a mode's name as it is spelled, if there is one."""
        return _spelled(name, [mode.name for mode in self.config.modes])

    def maybe_profile(self, name: str) -> str | None:
        """Return a profile's name as it is spelled, if there is one."""
        return _spelled(name, [profile.name for profile in self.config.profiles])


def _control(event: InputEvent) -> Control:
    return Control(event.device, event.channel, CONTROL_CLASS[event.kind], event.number)


def _spelled(name: str, known: Iterable[str]) -> str | None:
    names = list(known)
    if name in names:
        return name
    return next((one for one in names if one.casefold() == name.casefold()), None)
