"""Finds the MIDI messages that make a control of a device show a colour, from the device's profile.

Every device model has its own messages: red is velocity 3 on one grid, 5 on another, 15 in a SysEx message
on a third, and some lights have other numbers than their buttons. A light is therefore looked up in the
profile of the device. The error for an unsupported colour lists the supported colours.
"""

from collections.abc import Iterator
from typing import NamedTuple

from conductor.domain.device_profile import DeviceProfile, LightMessage, Lights, list_lit_groups
from conductor.domain.devices import Matcher, PortInfo
from conductor.domain.value import Value
from conductor.errors import ActionFailed

RGB_VALUES_BY_COLOR = {
    "off": 0x000000,
    "white": 0xFFFFFF,
    "red": 0xFF0000,
    "orange": 0xFF8000,
    "amber": 0xFFBF00,
    "yellow": 0xFFFF00,
    "green": 0x00FF00,
    "cyan": 0x00FFFF,
    "azure": 0x0080FF,
    "blue": 0x0000FF,
    "purple": 0x8000FF,
    "magenta": 0xFF00FF,
    "pink": 0xFF80C0,
}
"""The red, green and blue values of each colour, for lights that mix colours."""
LIGHT_STATES = ("on", "low", "blinking", "pulsing")
"""The states of a light with one colour. After a colour, a state says how the colour
is shown: `red blinking`."""


class Light(NamedTuple):
    """A control of a device, with the colour that it should show."""

    message: str
    """The kind of message that the control sends: `note` or `cc`."""
    number: int
    channel: int | None
    """The channel on which the control sends; None if any channel is meant."""
    color: str | int
    set_up: bool = False
    """Whether to send first the messages that prepare the device."""

    @property
    def control(self) -> str:
        return f"{self.message} {self.number}"


class LitControl(NamedTuple):
    """A control that has a light, with the number of this light."""

    message: str
    number: int
    channel: int | None
    light: int


class LitControls(Value):
    """Controls of a device whose lights are set in the same way."""

    name: str
    controls: tuple[LitControl, ...]
    message: LightMessage | None
    channel: int | None
    sysex: str | None
    colors: dict[str, int]
    is_palette: bool
    """Whether each number from 0 to 127 stands for a colour."""
    how: str
    setup: tuple[str, ...]

    def list_colors(self) -> tuple[str, ...]:
        """Return the names of the colours and states that these lights can show."""
        if self.message is None:
            return ()
        return tuple(self.colors) if self.colors else tuple(RGB_VALUES_BY_COLOR)

    def find_value(self, color: str | int) -> int | None:
        """Return the value to send for a colour, or None if these lights cannot show it."""
        if isinstance(color, int):
            return color if self.is_palette or color in self.colors.values() else None
        return self.colors.get(color) if self.colors else RGB_VALUES_BY_COLOR.get(color)


class LightTable(Value):
    """All lights of a device model, by the control that they belong to."""

    model: str
    matchers: tuple[Matcher, ...]
    rows: tuple[LitControls, ...]

    def get_match_specificity(self, port: str) -> int:
        """Return the specificity of the best matcher for a port name, or 0 if no matcher fits it."""
        info = PortInfo(name=port)
        return max(
            (each.specificity for each in self.matchers if each.matches_port(info)), default=0
        )

    def build_messages(self, light: Light) -> list[bytes]:
        """Return the MIDI messages that make a control show a colour.

        Raises:
            ActionFailed: the device cannot show this colour. The message lists the supported colours.
        """
        fitting = list(self._find_controls(light))
        if not fitting:
            raise ActionFailed(self._explain_missing_light(light))
        able = [(row, control) for row, control in fitting if row.message is not None]
        if not able:
            row = fitting[0][0]
            raise ActionFailed(
                f"a Led action cannot light {light.control} of the {self.model}: {row.how}"
            )
        first = able[0][0]
        channels = sorted(
            {control.channel for row, control in able if row is first and control.channel}
        )
        if light.channel is None and len(channels) > 1:
            raise ActionFailed(
                f"{light.control} of the {self.model} exists on the channels "
                f"{', '.join(map(str, channels))}; give its channel"
            )
        for row, control in able:
            value = row.find_value(light.color)
            if value is not None:
                setup = row.setup if light.set_up else ()
                return [*map(bytes.fromhex, setup), _build_message(row, control, light, value)]
        raise ActionFailed(self._explain_missing_color(light, [row for row, _ in able]))

    def _find_controls(self, light: Light) -> Iterator[tuple[LitControls, LitControl]]:
        for row in self.rows:
            for control in row.controls:
                is_same = (control.message, control.number) == (light.message, light.number)
                if is_same and (light.channel is None or control.channel in (None, light.channel)):
                    yield row, control

    def _explain_missing_light(self, light: Light) -> str:
        where = f" on channel {light.channel}" if light.channel else ""
        able = [f"{row.name} ({_format_control_numbers(row)})" for row in self.rows if row.message]
        told = f"it can light {'; '.join(able)}" if able else "no light of it can be set"
        return f"the {self.model} has no known light for {light.control}{where}; {told}"

    def _explain_missing_color(self, light: Light, rows: list[LitControls]) -> str:
        names = dict.fromkeys(name for row in rows for name in row.list_colors())
        numbers = " or a number from 0 to 127" if any(row.is_palette for row in rows) else ""
        return (
            f"{light.control} of the {self.model} cannot show `{light.color}`; "
            f"it shows {', '.join(names)}{numbers}"
        )


def build_light_table(profile: DeviceProfile) -> LightTable:
    """Return the light table of a device model, which is built from its profile."""
    rows = [row for lights in profile.lights for row in _build_lit_controls(profile, lights)]
    return LightTable(
        model=f"{profile.maker} {profile.model}", matchers=profile.list_matchers(), rows=tuple(rows)
    )


def build_missing_profile_error(device: str, light: Light) -> ActionFailed:
    """Return the error for a colour name on a device whose lights are not known."""
    return ActionFailed(
        f"no profile says how `{device}` shows `{light.color}`: give the number that its manual names "
        "(0 to 127), or learn its profile with `conductor learn --profile`"
    )


def build_plain_message(light: Light) -> bytes:
    """Return the message for a device without a profile: the note or CC of the
    control, with a number as value.
    """
    status = (0x90 if light.message == "note" else 0xB0) | ((light.channel or 1) - 1)
    return bytes((status, light.number, int(light.color)))


def _build_lit_controls(profile: DeviceProfile, lights: Lights) -> Iterator[LitControls]:
    for variant in profile.variants:
        groups = list_lit_groups(lights, variant)
        if not groups:
            continue
        numbers = iter(lights.lights)
        controls: list[LitControl] = []
        for group in groups:
            for at, number in enumerate(group.numbers):
                light = int(next(numbers, number)) if isinstance(number, int) else 0
                channel = group.channels[at] if group.channels else group.channel
                if isinstance(number, int) and group.message in ("note", "cc"):
                    controls.append(LitControl(group.message, number, channel, light))
        names = (" ".join(group.name.replace("{n}", "").split()) for group in groups)
        yield LitControls(
            name=", ".join(names),
            controls=tuple(controls),
            message=lights.message,
            channel=lights.channel,
            sysex=lights.sysex,
            colors=lights.colors,
            is_palette=lights.protocol in ("velocity_palette", "velocity_bits"),
            how=lights.how,
            setup=(*variant.setup, *lights.setup),
        )


def _build_message(row: LitControls, control: LitControl, light: Light, value: int) -> bytes:
    if row.sysex is not None:
        return _fill_sysex(row.sysex, control.light, value)
    channel = row.channel or light.channel or control.channel or 1
    status = (0x90 if row.message == "note" else 0xB0) | (channel - 1)
    return bytes((status, control.light, value))


def _fill_sysex(pattern: str, light: int, value: int) -> bytes:
    red, green, blue = value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF
    found: dict[str, bytes] = {
        "{light}": bytes((light,)),
        "{color}": bytes((value & 0x7F,)),
        **{
            f"{{{name}}}": bytes((part >> 1,)) for name, part in _list_color_parts(red, green, blue)
        },
        **{
            f"{{{name}5}}": bytes((part >> 3,))
            for name, part in _list_color_parts(red, green, blue)
        },
        **{
            f"{{{name}8}}": bytes((part >> 7, part & 0x7F))
            for name, part in _list_color_parts(red, green, blue)
        },
    }
    return b"".join(found.get(part) or bytes.fromhex(part) for part in pattern.split())


def _list_color_parts(red: int, green: int, blue: int) -> tuple[tuple[str, int], ...]:
    return ("red", red), ("green", green), ("blue", blue)


def _format_control_numbers(row: LitControls) -> str:
    first, last = row.controls[0], row.controls[-1]
    if len(row.controls) == 1:
        return f"{first.message} {first.number}"
    return f"{first.message} {first.number} to {last.number}"
