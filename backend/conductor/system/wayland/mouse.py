"""Moves and clicks the mouse through a virtual pointer of the compositor (zwlr_virtual_pointer_v1)."""

from dataclasses import dataclass

from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.evdev_keys import BUTTONS
from conductor.system.wayland.connection import (
    EventReader,
    Handler,
    encode_fixed,
    encode_int,
)
from conductor.system.wayland.link import POINTERS, VirtualDevices, WaylandLink

_MOTION, _MOTION_ABSOLUTE, _BUTTON, _AXIS, _FRAME, _AXIS_SOURCE, _AXIS_DISCRETE = (
    0,
    1,
    2,
    3,
    4,
    5,
    7,
)
_VERTICAL, _HORIZONTAL = 0, 1
_WHEEL = 0
_NOTCH = 15
"""The length of a notch of the wheel, as libinput reports it."""
_XDG_OUTPUTS = "zxdg_output_manager_v1"
_GET_XDG_OUTPUT = 1
_LOGICAL_POSITION, _LOGICAL_SIZE = 0, 1


class WaylandMouse:
    """A mouse that clicks, moves and scrolls; safe to call from any thread."""

    def __init__(self, link: WaylandLink) -> None:
        self._link = link
        self._layout: _Layout | None = None

    def click(self, button: str, count: int) -> None:
        """Click `left`, `middle` or `right` `count` times.

        Raises:
            ActionFailed: no such button, or no virtual pointer.
        """
        code = BUTTONS.get(button)
        if code is None:
            raise ActionFailed(f"no mouse button `{button}`: use left, middle or right")

        def work(devices: VirtualDevices) -> None:
            for _ in range(count):
                for pressed in (1, 0):
                    _send(devices, _BUTTON, _time_ms(), encode_int(code), encode_int(pressed))
                    _send(devices, _FRAME)

        self._link.call(work)

    def move_to(self, x: int, y: int) -> None:
        """Move to a position in pixels from the left upper corner of all screens together."""

        def work(devices: VirtualDevices) -> None:
            if self._layout is None or self._layout.devices is not devices:
                self._layout = _Layout(devices)
            screens = self._layout.read_screens()
            left, top = min(each.x for each in screens), min(each.y for each in screens)
            width = max(each.x + each.width for each in screens) - left
            height = max(each.y + each.height for each in screens) - top
            position = (min(max(x - left, 0), width - 1), min(max(y - top, 0), height - 1))
            numbers = [encode_int(number) for number in (*position, width, height)]
            _send(devices, _MOTION_ABSOLUTE, _time_ms(), *numbers)
            _send(devices, _FRAME)

        self._link.call(work)

    def move_by(self, dx: int, dy: int) -> None:
        def work(devices: VirtualDevices) -> None:
            _send(devices, _MOTION, _time_ms(), encode_fixed(dx), encode_fixed(dy))
            _send(devices, _FRAME)

        self._link.call(work)

    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by notches: positive `dy` is up, positive `dx` is right."""

        def work(devices: VirtualDevices) -> None:
            for axis, notches in ((_VERTICAL, -dy), (_HORIZONTAL, dx)):
                for _ in range(abs(notches)):
                    step = 1 if notches > 0 else -1
                    distance = encode_fixed(step * _NOTCH)
                    _send(devices, _AXIS_SOURCE, encode_int(_WHEEL))
                    number = (encode_int(axis), distance, encode_int(step))
                    _send(devices, _AXIS_DISCRETE, _time_ms(), *number)
                    _send(devices, _FRAME)

        self._link.call(work)


def _send(devices: VirtualDevices, opcode: int, *args: bytes) -> None:
    if devices.pointer is None:
        raise ActionFailed(
            f"this compositor does not offer {POINTERS}, so the mouse cannot be moved"
        )
    devices.connection.send(devices.pointer, opcode, *args)


def _time_ms() -> bytes:
    return encode_int(int(now() * 1000) & 0xFFFFFFFF)


@dataclass
class _Screen:
    """The place of an output in the layout, in logical pixels."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


class _Layout:
    """The screens of one connection; the compositor reports their changes."""

    def __init__(self, devices: VirtualDevices) -> None:
        self.devices = devices
        self._connection = devices.connection
        if self._connection.find_global(_XDG_OUTPUTS) is None:
            raise ActionFailed(f"this compositor does not offer {_XDG_OUTPUTS}: use relative moves")
        self._manager = self._connection.bind(_XDG_OUTPUTS, 2)
        self._screens: dict[int, _Screen] = {}

    def read_screens(self) -> list[_Screen]:
        """Return the places of all screens.

        Raises:
            ActionFailed: there is no screen.
        """
        outputs = self._connection.list_globals("wl_output")
        for name in set(outputs) - set(self._screens):
            self._watch_output(name)
        screens = [self._screens[name] for name in outputs if self._screens[name].width]
        if not screens:
            raise ActionFailed("the compositor has no screen")
        return screens

    def _watch_output(self, name: int) -> None:
        screen = self._screens[name] = _Screen()
        output = self._connection.bind_global(name, 1)
        place = self._connection.create(_read_place(screen))
        self._connection.send(self._manager, _GET_XDG_OUTPUT, encode_int(place), encode_int(output))
        self._connection.wait_until_done()


def _read_place(screen: _Screen) -> Handler:
    def read(opcode: int, event: EventReader) -> None:
        if opcode == _LOGICAL_POSITION:
            screen.x, screen.y = event.read_int(), event.read_int()
        elif opcode == _LOGICAL_SIZE:
            screen.width, screen.height = event.read_int(), event.read_int()

    return read
