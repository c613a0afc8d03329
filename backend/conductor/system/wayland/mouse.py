"""Moves and clicks the mouse through a virtual pointer of the compositor (zwlr_virtual_pointer_v1)."""

from dataclasses import dataclass

from conductor.base.clock import now
from conductor.errors import ActionFailed
from conductor.system.evdev_keys import find_mouse_button_code
from conductor.system.wayland.connection import (
    EventHandler,
    EventReader,
    encode_fixed,
    encode_int,
)
from conductor.system.wayland.link import POINTER_MANAGER, VirtualDevices, WaylandLink

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
_WHEEL_SOURCE = 0
_NOTCH_DISTANCE = 15
"""The distance that a wheel notch scrolls, in the unit of libinput."""
_XDG_OUTPUT_MANAGER = "zxdg_output_manager_v1"
_GET_XDG_OUTPUT = 1
_LOGICAL_POSITION, _LOGICAL_SIZE = 0, 1


class WaylandMouse:
    """A mouse that clicks, moves and scrolls through a virtual pointer of the compositor. Thread-safe."""

    def __init__(self, link: WaylandLink) -> None:
        self._link = link
        self._layout: _ScreenLayout | None = None

    def click(self, button: str, count: int) -> None:
        """Click the `left`, `middle` or `right` button `count` times.

        Raises:
            ActionFailed: The button does not exist, or there is no virtual pointer.
        """
        code = find_mouse_button_code(button)

        def click_button(devices: VirtualDevices) -> None:
            for _ in range(count):
                for pressed in (1, 0):
                    _send_pointer_request(
                        devices,
                        _BUTTON,
                        _encode_current_time(),
                        encode_int(code),
                        encode_int(pressed),
                    )
                    _send_pointer_request(devices, _FRAME)

        self._link.call_with_devices(click_button)

    def move_to(self, x: int, y: int) -> None:
        """Move the pointer to a position, in pixels from the upper left corner of the area of all screens."""

        def move_pointer(devices: VirtualDevices) -> None:
            if self._layout is None or self._layout.devices is not devices:
                self._layout = _ScreenLayout(devices)
            screens = self._layout.read_screens()
            left, top = min(screen.x for screen in screens), min(screen.y for screen in screens)
            width = max(screen.x + screen.width for screen in screens) - left
            height = max(screen.y + screen.height for screen in screens) - top
            position = (min(max(x - left, 0), width - 1), min(max(y - top, 0), height - 1))
            numbers = [encode_int(number) for number in (*position, width, height)]
            _send_pointer_request(devices, _MOTION_ABSOLUTE, _encode_current_time(), *numbers)
            _send_pointer_request(devices, _FRAME)

        self._link.call_with_devices(move_pointer)

    def move_by(self, dx: int, dy: int) -> None:
        def move_pointer(devices: VirtualDevices) -> None:
            _send_pointer_request(
                devices, _MOTION, _encode_current_time(), encode_fixed(dx), encode_fixed(dy)
            )
            _send_pointer_request(devices, _FRAME)

        self._link.call_with_devices(move_pointer)

    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by a number of wheel notches; positive `dy` scrolls up, positive `dx` scrolls right."""

        def turn_wheel(devices: VirtualDevices) -> None:
            for axis, notches in ((_VERTICAL, -dy), (_HORIZONTAL, dx)):
                for _ in range(abs(notches)):
                    step = 1 if notches > 0 else -1
                    distance = encode_fixed(step * _NOTCH_DISTANCE)
                    _send_pointer_request(devices, _AXIS_SOURCE, encode_int(_WHEEL_SOURCE))
                    number = (encode_int(axis), distance, encode_int(step))
                    _send_pointer_request(devices, _AXIS_DISCRETE, _encode_current_time(), *number)
                    _send_pointer_request(devices, _FRAME)

        self._link.call_with_devices(turn_wheel)


def _send_pointer_request(devices: VirtualDevices, opcode: int, *args: bytes) -> None:
    if devices.pointer is None:
        raise ActionFailed(
            f"this compositor does not offer {POINTER_MANAGER}, so the mouse cannot be moved"
        )
    devices.connection.send_request(devices.pointer, opcode, *args)


def _encode_current_time() -> bytes:
    return encode_int(int(now() * 1000) & 0xFFFFFFFF)


@dataclass
class _Screen:
    """The position and size of a screen in the desktop layout, in logical pixels."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


class _ScreenLayout:
    """The screens of one connection, with positions and sizes that follow the events of the compositor."""

    def __init__(self, devices: VirtualDevices) -> None:
        self.devices = devices
        self._connection = devices.connection
        if self._connection.find_global(_XDG_OUTPUT_MANAGER) is None:
            raise ActionFailed(
                f"this compositor does not offer {_XDG_OUTPUT_MANAGER}: use relative moves"
            )
        self._manager = self._connection.bind_first_global(_XDG_OUTPUT_MANAGER, 2)
        self._screens: dict[int, _Screen] = {}

    def read_screens(self) -> list[_Screen]:
        """Return the positions and sizes of all connected screens.

        Raises:
            ActionFailed: There is no screen.
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
        xdg_output = self._connection.create_object(_build_geometry_handler(screen))
        ids = encode_int(xdg_output), encode_int(output)
        self._connection.send_request(self._manager, _GET_XDG_OUTPUT, *ids)
        self._connection.wait_until_done()


def _build_geometry_handler(screen: _Screen) -> EventHandler:
    def handle_event(opcode: int, event: EventReader) -> None:
        if opcode == _LOGICAL_POSITION:
            screen.x, screen.y = event.read_int(), event.read_int()
        elif opcode == _LOGICAL_SIZE:
            screen.width, screen.height = event.read_int(), event.read_int()

    return handle_event
