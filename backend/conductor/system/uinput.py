"""Presses keys and moves the mouse through a virtual device of the kernel (/dev/uinput).

The events reach every program. The desktop's keyboard layout, which the kernel does not reveal, decides
which characters the keys type. The desktop also combines all keyboards: Shift and Caps Lock of the user's
keyboard apply to these keys too, and this device can neither see nor release them. When the device is closed
for any reason, the kernel releases its keys.
"""

import fcntl
import os
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from conductor.base.clock import now
from conductor.domain.keys import canonicalize_key
from conductor.errors import ActionFailed
from conductor.system.evdev_keys import (
    CODES_BY_KEY_NAME,
    MOUSE_BUTTON_CODES,
    SHIFT_CODE,
    STROKES_BY_CHARACTER,
    Stroke,
    find_mouse_button_code,
)

UINPUT_DEVICE = Path("/dev/uinput")

_UI_SET_EVBIT, _UI_SET_KEYBIT, _UI_SET_RELBIT = 0x40045564, 0x40045565, 0x40045566
_UI_DEV_SETUP, _UI_DEV_CREATE = 0x405C5503, 0x5501
_SETUP_STRUCT = struct.Struct("=HHHH80sI")
_EVENT_STRUCT = struct.Struct("@llHHi")
_BUS_VIRTUAL = 6
_EV_SYN, _EV_KEY, _EV_REL = 0, 1, 2
_REL_X, _REL_Y, _REL_HWHEEL, _REL_WHEEL = 0, 1, 6, 8
_LAST_KEY_CODE = 247
_TYPING_CHUNK_SIZE = 8
"""The number of characters that are typed at a time. The kernel buffers 128 events for a program
that reads this device (8 packets of 12 events, rounded up) and drops all of them when the buffer is
full. A chunk has at most 68."""
_TYPING_CHUNK_PAUSE_S = 0.01
"""Seconds to pause after each chunk of a text, so that the desktop can read the events."""
_DEVICE_READY_DELAY_S = 0.5
"""Seconds until a desktop listens to a new device; events that are sent earlier are lost."""

Ioctl = Callable[[int, int, int | bytes], object]


def _call_ioctl(fd: int, request: int, argument: int | bytes) -> object:
    assert sys.platform != "win32"
    return fcntl.ioctl(fd, request, argument)


class UinputDevice:
    """A virtual input device with a keyboard and a mouse, opened on first use. Thread-safe."""

    def __init__(self, path: Path = UINPUT_DEVICE, ioctl: Ioctl = _call_ioctl) -> None:
        self._path = path
        self._ioctl = ioctl
        self.lock = threading.RLock()
        """Held while events are sent. A keyboard also holds it while it reads and changes `held`."""
        self.held: dict[str, Stroke] = {}
        """The strokes that are held down, by the name of their key. Closing the device releases
        and removes all of them."""
        self._fd: int | None = None
        self._ready_at = 0.0
        self._pause = threading.Event()

    @property
    def is_open(self) -> bool:
        return self._fd is not None

    def get_unavailable_reason(self) -> str | None:
        if not self._path.exists():
            return f"{self._path} does not exist (the kernel module uinput is not loaded)"
        if not os.access(self._path, os.W_OK):
            return f"{self._path} is not writable for this user"
        return None

    def open(self) -> None:
        """Create the device, unless it is already open.

        Raises:
            ActionFailed: The kernel does not allow creating the device.
        """
        assert sys.platform != "win32"
        with self.lock:
            if self._fd is not None:
                return
            try:
                fd = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError as problem:
                raise ActionFailed(
                    f"{self._path} cannot be opened ({problem.strerror})"
                ) from problem
            try:
                self._create_device(fd)
            except OSError as problem:
                os.close(fd)
                raise ActionFailed(
                    f"{self._path} cannot create a keyboard ({problem.strerror})"
                ) from problem
            self._fd = fd
            self._ready_at = now() + _DEVICE_READY_DELAY_S

    def send_events(self, events: Sequence[tuple[int, int, int]]) -> None:
        """Send events, each a tuple of type, code and value; a synchronization event follows each.

        Raises:
            ActionFailed: The device cannot be opened or written.
        """
        with self.lock:
            self.open()
            while (wait_s := self._ready_at - now()) > 0:
                self._pause.wait(wait_s)
            assert self._fd is not None
            try:
                for kind, code, value in events:
                    os.write(self._fd, _EVENT_STRUCT.pack(0, 0, kind, code, value))
                    os.write(self._fd, _EVENT_STRUCT.pack(0, 0, _EV_SYN, 0, 0))
            except OSError as problem:
                self.close()
                raise ActionFailed(f"{self._path} was closed ({problem.strerror})") from problem

    def close(self) -> None:
        """Remove the device, after which the kernel releases its keys."""
        with self.lock:
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None
                self.held.clear()

    def _create_device(self, fd: int) -> None:
        for kind in (_EV_KEY, _EV_REL):
            self._ioctl(fd, _UI_SET_EVBIT, kind)
        for code in (*range(1, _LAST_KEY_CODE + 1), *MOUSE_BUTTON_CODES.values()):
            self._ioctl(fd, _UI_SET_KEYBIT, code)
        for code in (_REL_X, _REL_Y, _REL_HWHEEL, _REL_WHEEL):
            self._ioctl(fd, _UI_SET_RELBIT, code)
        setup = _SETUP_STRUCT.pack(_BUS_VIRTUAL, 0, 0, 1, b"Conductor", 0)
        self._ioctl(fd, _UI_DEV_SETUP, setup)
        self._ioctl(fd, _UI_DEV_CREATE, 0)


class UinputKeyboard:
    """A keyboard for the key names of `domain.keys` and the characters of a US
    keyboard, through /dev/uinput.
    """

    def __init__(self, device: UinputDevice) -> None:
        self._device = device
        self._text_lock = threading.Lock()
        """Held while a text is typed, so that the characters of two texts are not mixed."""
        self._pause = threading.Event()

    def press_keys(self, keys: Sequence[str]) -> None:
        strokes = {key: self._find_stroke(key) for key in keys}
        with self._device.lock:
            events = [each for stroke in strokes.values() for each in _build_press_events(stroke)]
            self._device.send_events(events)
            self._device.held |= strokes

    def release_keys(self, keys: Sequence[str]) -> None:
        strokes = {key: self._find_stroke(key) for key in reversed(keys)}
        events: list[tuple[int, int, int]] = []
        with self._device.lock:
            for key, stroke in strokes.items():
                self._device.held.pop(key, None)
                events.append((_EV_KEY, stroke.code, 0))
                if stroke.shift and not self._is_shift_held():
                    events.append((_EV_KEY, SHIFT_CODE, 0))
            self._device.send_events(events)

    def type_text(self, text: str) -> None:
        """Type a text that consists of the characters of a US keyboard. Other threads may press keys between
        its chunks.

        Raises:
            ActionFailed: The text contains another character. Nothing was typed.
        """
        strokes = [_find_character_stroke(char) for char in text.replace("\r\n", "\n")]
        with self._text_lock:
            for start in range(0, len(strokes), _TYPING_CHUNK_SIZE):
                if start:
                    self._pause.wait(_TYPING_CHUNK_PAUSE_S)
                self._type_chunk(strokes[start : start + _TYPING_CHUNK_SIZE])

    def _type_chunk(self, strokes: Sequence[Stroke]) -> None:
        """Type the characters of one chunk. If a mapping holds Shift, it is released meanwhile."""
        events: list[tuple[int, int, int]] = []
        for stroke in strokes:
            events += _build_press_events(stroke)
            events.append((_EV_KEY, stroke.code, 0))
            if stroke.shift:
                events.append((_EV_KEY, SHIFT_CODE, 0))
        with self._device.lock:
            if self._is_shift_held():
                events = [(_EV_KEY, SHIFT_CODE, 0), *events, (_EV_KEY, SHIFT_CODE, 1)]
            self._device.send_events(events)

    def _is_shift_held(self) -> bool:
        return any(
            stroke.shift or stroke.code == SHIFT_CODE for stroke in self._device.held.values()
        )

    def _find_stroke(self, key: str) -> Stroke:
        if len(key) == 1 and key.isprintable():
            return _find_character_stroke(key)
        try:
            name = canonicalize_key(key)
        except ValueError as problem:
            raise ActionFailed(str(problem)) from problem
        name = {"plus": "+", "minus": "-"}.get(name, name)
        if name in CODES_BY_KEY_NAME:
            return Stroke(CODES_BY_KEY_NAME[name], shift=False)
        return _find_character_stroke(name)


class UinputMouse:
    """A mouse that clicks, scrolls and moves by a distance. The kernel cannot move it to a position."""

    def __init__(self, device: UinputDevice) -> None:
        self._device = device

    def click(self, button: str, count: int) -> None:
        code = find_mouse_button_code(button)
        self._device.send_events([(_EV_KEY, code, 1), (_EV_KEY, code, 0)] * count)

    def move_to(self, x: int, y: int) -> None:
        raise ActionFailed(
            "the mouse cannot be moved to a position through /dev/uinput, which does not know the screens: "
            "use a relative move"
        )

    def move_by(self, dx: int, dy: int) -> None:
        moves = [(_EV_REL, _REL_X, dx), (_EV_REL, _REL_Y, dy)]
        self._device.send_events([move for move in moves if move[2]])

    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by a number of wheel notches; positive `dy` scrolls up, positive `dx` scrolls right."""
        turns = [(_EV_REL, _REL_WHEEL, dy), (_EV_REL, _REL_HWHEEL, dx)]
        self._device.send_events([turn for turn in turns if turn[2]])


class UinputRoute:
    """The input route through a virtual device of the kernel, for Wayland sessions without a better route."""

    name = "uinput"
    reach_description = (
        "every program; characters by their position on a US keyboard, to which Shift and Caps Lock of your "
        "keyboard apply; the mouse only by distances"
    )
    reaches_all = True
    keys_outlive_process = False
    needs_consent = False

    def __init__(self, device: UinputDevice) -> None:
        self._device = device
        self.keyboard = UinputKeyboard(device)
        self.mouse = UinputMouse(device)

    @property
    def is_lost(self) -> bool:
        return not self._device.is_open

    def get_unavailable_reason(self) -> str | None:
        return self._device.get_unavailable_reason()

    def connect(self) -> None:
        self._device.open()

    def close(self) -> None:
        self._device.close()


def _build_press_events(stroke: Stroke) -> list[tuple[int, int, int]]:
    shift = [(_EV_KEY, SHIFT_CODE, 1)] if stroke.shift else []
    return [*shift, (_EV_KEY, stroke.code, 1)]


def _find_character_stroke(char: str) -> Stroke:
    stroke = STROKES_BY_CHARACTER.get(char)
    if stroke is None:
        raise ActionFailed(
            f"`{char}` is not on a US keyboard and cannot be pressed through /dev/uinput: "
            "run `conductor doctor` for other input routes"
        )
    return stroke
