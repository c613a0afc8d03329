"""The built-in virtual controller: pads, knobs, faders and transport buttons without hardware."""

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from conductor.base import clock
from conductor.domain.control_names import VIRTUAL_DEVICE_NAME
from conductor.domain.devices import DeviceStatus
from conductor.domain.events import ControlClass, InputEvent
from conductor.errors import ActionFailed, UnknownDevice

VIRTUAL_DEVICE_ID = "virtual"

ScriptStep = tuple[float, Literal["press", "release", "turn"], tuple[str | int, ...]]
"""A step of a script: its time in seconds, the method of `VirtualController` to call, and the arguments."""


@dataclass(frozen=True, slots=True)
class VirtualControl:
    """A control of the virtual controller: the message that it sends, and its place in the drawing."""

    name: str
    label: str
    kind: Literal["pad", "knob", "fader", "button"]
    control_class: ControlClass
    number: int
    channel: int
    row: int
    """The row within the group of the control; 0 is the top row."""
    col: int


def _build_pad(index: int) -> VirtualControl:
    name, row = str(index + 1), 3 - index // 4
    return VirtualControl(
        f"pad{name}", f"Pad {name}", "pad", "note", 36 + index, 10, row, index % 4
    )


def _build_cc_control(kind: Literal["knob", "fader"], first_cc: int, index: int) -> VirtualControl:
    name = str(index + 1)
    return VirtualControl(
        f"{kind}{name}", f"{kind.title()} {name}", kind, "cc", first_cc + index, 1, 0, index
    )


_TRANSPORT_BUTTONS = ("play", "stop", "record", "loop", "rewind", "forward")

VIRTUAL_CONTROLS: tuple[VirtualControl, ...] = (
    *(_build_pad(index) for index in range(16)),
    *(_build_cc_control("knob", 20, index) for index in range(8)),
    *(_build_cc_control("fader", 40, index) for index in range(8)),
    *(
        VirtualControl(name, name.title(), "button", "cc", 102 + index, 1, 0, index)
        for index, name in enumerate(_TRANSPORT_BUTTONS)
    ),
)

_CONTROLS_BY_NAME = {control.name: control for control in VIRTUAL_CONTROLS}


def find_virtual_control(name: str) -> VirtualControl:
    """Return the control with a name; spelling variants such as `pad1`, `Pad 1` and `pad_1` are equal.

    Raises:
        UnknownDevice: no control has this name; the message suggests the closest one.
    """
    key = "".join(letter for letter in name.casefold() if letter.isalnum())
    if key in _CONTROLS_BY_NAME:
        return _CONTROLS_BY_NAME[key]
    near = difflib.get_close_matches(key, _CONTROLS_BY_NAME, n=1)
    known = f"it has pad1-16, knob1-8, fader1-8, {', '.join(_TRANSPORT_BUTTONS)}"
    hint = f"did you mean `{near[0]}`?" if near else known
    raise UnknownDevice(f"the virtual controller has no `{name}` - {hint}")


class VirtualController:
    """Simulates a MIDI controller: each method posts the event that real hardware would send."""

    def __init__(
        self, post: Callable[[InputEvent], None], clock: Callable[[], float] = clock.now
    ) -> None:
        self._post = post
        self._clock = clock

    def press(self, name: str, velocity: int = 100) -> None:
        """Press a pad with a velocity from 1 to 127; a transport button always sends 127."""
        control = self._find_pressable(name)
        if control.kind == "button":
            return self._post_event(control, "cc", 127)
        if not 1 <= velocity <= 127:
            raise ActionFailed(f"the velocity of a pad must be 1-127, not {velocity}")
        return self._post_event(control, "note_on", velocity)

    def release(self, name: str) -> None:
        """Release a pad or button that was pressed with `press`."""
        control = self._find_pressable(name)
        self._post_event(control, "cc" if control.kind == "button" else "note_off", 0)

    def turn(self, name: str, value: int) -> None:
        """Move a knob or fader to a value from 0 to 127."""
        control = find_virtual_control(name)
        if control.kind not in ("knob", "fader"):
            raise ActionFailed(f"`{control.name}` is pressed, not turned: use press and release")
        if not 0 <= value <= 127:
            raise ActionFailed(f"`{control.name}` goes from 0 to 127, not to {value}")
        self._post_event(control, "cc", value)

    def status(self) -> list[DeviceStatus]:
        """Return the virtual controller as an entry of the list of devices."""
        return [
            DeviceStatus(
                device_id=VIRTUAL_DEVICE_ID,
                port_name=VIRTUAL_DEVICE_NAME,
                kind="virtual",
                is_configured=True,
            )
        ]

    def _find_pressable(self, name: str) -> VirtualControl:
        control = find_virtual_control(name)
        if control.kind in ("knob", "fader"):
            raise ActionFailed(f"`{control.name}` is turned, not pressed: use turn")
        return control

    def _post_event(
        self, control: VirtualControl, kind: Literal["note_on", "note_off", "cc"], value: int
    ) -> None:
        event = (VIRTUAL_DEVICE_ID, control.channel, control.number, value, self._clock())
        self._post(InputEvent(kind, *event))


def build_demo_script() -> list[ScriptStep]:
    """Return a 12-second script that plays the mappings of `config/demo.toml`."""
    steps: list[ScriptStep] = [
        *_build_tap_steps(0.3, "pad1"),
        *_build_tap_steps(1.2, "pad1", hold_s=0.9),
        *_build_tap_steps(2.6, "pad2"),
        *_build_tap_steps(2.78, "pad2"),
        *_build_tap_steps(3.6, "pad5", 84, hold_s=0.40),
        *_build_tap_steps(3.61, "pad6", 92, hold_s=0.39),
        *_build_tap_steps(3.62, "pad7", 100, hold_s=0.38),
        *_build_sweep_steps(4.4, 1.4, "knob1", lambda x: 0.5 - 0.5 * math.cos(2 * math.pi * x)),
        *_build_sweep_steps(6.0, 0.2, "knob2", lambda x: 0.3 * x),
        *_build_sweep_steps(6.4, 1.0, "fader1", lambda x: 0.5 - 0.2 * math.sin(math.pi * x)),
        *_build_tap_steps(7.5, "pad8", 124),
        *_build_tap_steps(7.9, "pad4"),
        *(
            tap
            for index, pad in enumerate((1, 6, 11, 16, 15, 10, 5, 1))
            for tap in _build_tap_steps(
                8.5 + 0.22 * index, f"pad{pad}", 64 + 8 * index, hold_s=0.18
            )
        ),
        *_build_tap_steps(10.6, "play"),
        *_build_tap_steps(11.2, "pad4"),
        *_build_tap_steps(11.8, "pad1"),
    ]
    return sorted(steps, key=lambda step: step[0])


def _build_tap_steps(
    at_s: float, name: str, velocity: int = 100, hold_s: float = 0.1
) -> list[ScriptStep]:
    return [(at_s, "press", (name, velocity)), (round(at_s + hold_s, 3), "release", (name,))]


def _build_sweep_steps(
    at_s: float, length_s: float, name: str, shape: Callable[[float], float]
) -> list[ScriptStep]:
    steps = round(length_s / 0.04)
    return [
        (round(at_s + length_s * step / steps, 3), "turn", (name, round(127 * shape(step / steps))))
        for step in range(steps + 1)
    ]
