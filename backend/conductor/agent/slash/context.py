"""Resolves the names in a slash command, using the config and the controls that were recently used."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from conductor.agent.slash.lexer import SlashSyntaxError, parse_int
from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.devices.virtual.controller import VIRTUAL_CONTROLS, VIRTUAL_DEVICE_ID
from conductor.domain.config import Config, Mapping
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames, parse_own_name
from conductor.domain.events import CONTROL_CLASS, Control, ControlClass, InputEvent
from conductor.domain.gesture_phrases import describe_trigger
from conductor.domain.patterns import suggest_triggers
from conductor.domain.row_phrases import format_mapping_phrase, get_trigger_control_name
from conductor.domain.triggers import Trigger
from conductor.domain.validate import format_unknown_mode

_NOTE_PATTERN = re.compile(r"([a-g])([#♯b♭]?)(-?[0-9])", re.IGNORECASE)
_SEMITONE_BY_LETTER = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
_ACCIDENTALS = {"": 0, "#": 1, "♯": 1, "b": -1, "♭": -1}
_PRINTED_WORDS = {
    "pad": ("pad",),
    "knob": ("knob", "encoder", "dial", "rotary"),
    "fader": ("fader", "slider"),
}
"""The words with which profiles name the controls of a kind, such as `Encoder 3`."""
TOUCH_FIRST_HINT = "touch the control first, then write `that`"


class NamedControl(NamedTuple):
    """A control that a slash command names, with its device and channel if they are known."""

    control_class: ControlClass
    number: int | str
    device: str | None = None
    channel: int | None = None
    is_encoder: bool = False
    is_button: bool = False
    """Whether the control is a button that sends CC value 127 when it is pressed and 0 when it is released.
    """

    def build_location(self) -> JsonObject:
        """Return the trigger fields for the device and the channel, as far as they are known."""
        known = {"device": self.device, "channel": self.channel}
        return {name: item for name, item in known.items() if item}


class CommandContext:
    """Resolves the names of devices, modes, profiles and controls in a slash command.

    `events` are the recent input events, oldest first; `names` are the names that are printed on the
    controls; `device` is the device that the command names; `mode` is the active mode.
    """

    def __init__(
        self,
        config: Config,
        events: Sequence[InputEvent],
        names: ControlNames = NO_CONTROL_NAMES,
        device: str | None = None,
        mode: str = "",
    ) -> None:
        self.config = config
        self.mode = mode
        self._names = names
        self._device = device
        self._events = [event for event in events if event.kind in CONTROL_CLASS]

    def with_device(self, device: str | None) -> "CommandContext":
        """Return the context of a command that names this device."""
        return CommandContext(self.config, self._events, self._names, device, self.mode)

    def describe_trigger(self, trigger: Trigger) -> str:
        """Return a trigger as a short phrase, with the name of its control if it is known, such as
        `Pad 6 (Note 41 on pads)`.
        """
        name = get_trigger_control_name(trigger, self._names)
        phrase = describe_trigger(trigger)
        return phrase if name is None else f"{name} ({phrase})"

    def find_last_control(self) -> NamedControl:
        """Return the control that was used last, for words such as `that`.

        Raises:
            SlashSyntaxError: No control was used recently.
        """
        if not self._events:
            raise SlashSyntaxError(
                "no control was used recently: touch one, then send the command again"
            )
        last = self._events[-1]
        return NamedControl(CONTROL_CLASS[last.kind], last.number, last.device, last.channel)

    def suggest_trigger(self, named: NamedControl) -> JsonObject | None:
        """Return the trigger that best fits the recent events of a control, or None if there are no such
        events.
        """
        control = Control(named.device or "", named.channel or 0, named.control_class, named.number)
        played = [event for event in self._events if _build_named_control(event) == control]
        found = suggest_triggers(played, self.config.settings.learn, self._names)
        return found[0].trigger if found else None

    def find_last_device(self) -> str | None:
        """Return the alias of the device that was used last, or None if no device was used recently."""
        return self._events[-1].device if self._events else None

    def parse_note(self, text: str) -> int | None:
        """Parse a note number, or a note name such as C3, in the octave numbering that the window shows.

        Return None if the text is neither.

        Raises:
            SlashSyntaxError: The note is outside 0 to 127.
        """
        number = parse_int(text)
        match = _NOTE_PATTERN.fullmatch(text)
        if match is not None:
            lowest = -2 if self.config.settings.ui.note_names == "C3" else -1
            octave = int(match[3]) - lowest
            number = (
                octave * 12 + _SEMITONE_BY_LETTER[match[1].lower()] + _ACCIDENTALS[match[2].lower()]
            )
        if number is None:
            return None
        if not 0 <= number <= 127:
            raise SlashSyntaxError(f"`{text}` is not a note (0 to 127)")
        return number

    def find_printed_control(self, kind: str, number: int) -> NamedControl | None:
        """Return the control with a printed name such as `Pad 6`, or None if no device or more than one
        device has it.

        The device is the one that the command names, else the one that was used last, else any.
        """
        meant = self._device or self.find_last_device()
        for device in (meant,) if self._device or meant == VIRTUAL_DEVICE_ID else (meant, None):
            found = self._find_printed_controls(kind, number, device)
            if len(found) == 1:
                return found[0]
        return self.find_virtual_control(kind, number)

    def describe_mapping(self, mapping: Mapping) -> str:
        """Return a mapping as in the window, such as `Pad 1 → Ctrl+C — Copy (off)`."""
        return format_mapping_phrase(mapping, self._names)

    def find_own_named_control(self, name: str) -> NamedControl | None:
        """Return the control that the user has given a name, or None if no device or more than one has it.

        The device is the one that the command names, else the one that was used last, else any.
        """
        for device in (self._device,) if self._device else (self.find_last_device(), None):
            found = list(self._list_own_named_controls(name.casefold(), device))
            if len(found) == 1:
                return found[0]
        return None

    def _list_own_named_controls(self, name: str, device: str | None) -> Iterator[NamedControl]:
        known = (*(identity.alias for identity in self.config.devices), VIRTUAL_DEVICE_ID)
        for owner, names in self.config.settings.names.items():
            if device not in (owner, None):
                continue
            for control in map(parse_own_name, names.items()):
                if control.name.casefold() == name:
                    place = (control.control_class, control.number)
                    role = self._names.find_control_role(owner, *place, control.channel)
                    yield NamedControl(
                        cast("ControlClass", control.control_class),
                        control.number,
                        owner if owner in known else None,
                        control.channel,
                        is_encoder=role == "encoder",
                        is_button=role in ("button", "pad", "transport")
                        and control.control_class == "cc",
                    )

    def _find_printed_controls(
        self, kind: str, number: int, device: str | None
    ) -> list[NamedControl]:
        wanted = {f"{word} {number}" for word in _PRINTED_WORDS[kind]}
        aliases = {identity.alias for identity in self.config.devices}
        return [
            NamedControl(
                cast("ControlClass", control.control_class),
                control.number,
                owner if owner in aliases else None,
                control.channel,
                is_button=kind == "pad" and control.control_class == "cc",
            )
            for owner, controls in self._names.devices.items()
            if owner != VIRTUAL_DEVICE_ID and device in (owner, None)
            for control in controls
            if control.name.casefold() in wanted
        ]

    def find_virtual_control(self, kind: str, number: int | str) -> NamedControl | None:
        """Return a control of the virtual controller, or None if the user seems to use another device."""
        if not self._uses_virtual_controller():
            return None
        name = f"{kind}{number}" if isinstance(number, int) else number
        found = next(
            (item for item in VIRTUAL_CONTROLS if item.name == name and item.kind == kind), None
        )
        if found is None:
            return None
        # the number is printed on this device only, so another device must not fire the mapping
        return NamedControl(
            found.control_class,
            found.number,
            VIRTUAL_DEVICE_ID,
            found.channel,
            is_button=kind == "button",
        )

    def _uses_virtual_controller(self) -> bool:
        setting = self.config.settings.engine.virtual_controller
        if setting != "auto":
            return setting == "on"
        if self._events:
            return self._events[-1].device == VIRTUAL_DEVICE_ID
        devices = {mapping.trigger.device for _, _, mapping in self.config.list_all_mappings()}
        return not self.config.devices and devices <= {None, VIRTUAL_DEVICE_ID}

    def require_device(self, name: str) -> str:
        """Return the alias of a device that the user wrote in any capitalisation.

        Raises:
            SlashSyntaxError: No device has this alias.
        """
        found = self.find_device(name)
        if found is None:
            hint = format_suggestion(name, self._list_devices())
            raise SlashSyntaxError(f"no device is called `{name[:64]}`{hint}")
        return found

    def find_device(self, name: str) -> str | None:
        """Return the alias of a device that the user wrote in any capitalisation, or None if there is no
        such device.
        """
        return _find_exact_name(name, self._list_devices())

    def _list_devices(self) -> list[str]:
        aliases = [device.alias for device in self.config.devices]
        recent = {event.device for event in self._events if event.device}
        return [*aliases, *sorted(recent - set(aliases)), VIRTUAL_DEVICE_ID, "osc"]

    def require_mode(self, name: str) -> str:
        """Return the name of a mode that the user wrote in any capitalisation.

        Raises:
            SlashSyntaxError: No mode has this name. The message shows the command that creates the mode.
        """
        found = self.find_mode(name)
        if found is None:
            raise SlashSyntaxError(self.describe_unknown_mode(name))
        return found

    def require_mode_to_change(self, name: str) -> str:
        """Return the name of a mode whose mappings the command changes, written in any capitalisation.

        Raises:
            SlashSyntaxError: No mode has this name. The message does not suggest creating it, because a new
                mode would have no mappings.
        """
        found = self.find_mode(name)
        if found is None:
            raise SlashSyntaxError(format_unknown_mode(self.config, name))
        return found

    def describe_unknown_mode(self, name: str) -> str:
        """Return the error message for an unknown mode, with the command that creates it."""
        return f"{format_unknown_mode(self.config, name)}. To create it: `/mode new {name[:64]}`"

    def find_mode(self, name: str) -> str | None:
        """Return the name of a mode that the user wrote in any capitalisation, or None if there is no such
        mode.
        """
        return _find_exact_name(name, [mode.name for mode in self.config.modes])

    def find_profile(self, name: str) -> str | None:
        """Return the name of a profile that the user wrote in any capitalisation, or None if there is no
        such profile.
        """
        return _find_exact_name(name, [profile.name for profile in self.config.profiles])


def _build_named_control(event: InputEvent) -> Control:
    return Control(event.device, event.channel, CONTROL_CLASS[event.kind], event.number)


def _find_exact_name(name: str, candidates: Iterable[str]) -> str | None:
    names = list(candidates)
    if name in names:
        return name
    return next((known for known in names if known.casefold() == name.casefold()), None)
