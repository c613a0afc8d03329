"""Builds the OS boundary of this platform: X11 and PulseAudio on Linux, pynput on macOS and Windows."""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from conductor.domain.ports import Keyboard, Mouse, OscOut, Programs, Volume
from conductor.errors import ActionFailed
from conductor.system.osc_out import UdpOscOut
from conductor.system.programs import SystemPrograms

PYNPUT_PLATFORMS = ("darwin", "win32")
_CONNECT_LIMIT_S = 2.0


class System:
    """The keyboard, mouse, programs, volume and OSC of this computer; connected on first use.

    Keyboard and mouse share a connection, so that a held key and a click arrive in order.
    On macOS it must be created on the main thread (see `keyboard_pynput`).
    """

    def __init__(self, cmd_key: str = "ctrl", platform: str = sys.platform) -> None:
        self._closers: list[Callable[[], None]] = []
        self._connect: Callable[[], None] | None = None
        self._connecting: threading.Thread | None = None
        self.keyboard: Keyboard
        self.mouse: Mouse
        if platform in PYNPUT_PLATFORMS:
            self.keyboard, self.mouse = make_keyboard(cmd_key, platform), make_mouse(platform)
        else:
            self._share_x11(cmd_key)
        self.programs = make_programs(platform)
        self.volume = make_volume(platform)
        osc = UdpOscOut()
        self.osc: OscOut = osc
        self._closers.append(osc.close)

    def connect(self) -> None:
        """Start connecting in the background, so that the first key need not wait. Needs no display."""
        if self._connect is not None and self._connecting is None:
            self._connecting = threading.Thread(
                target=self._connect_quietly, name="x11 connect", daemon=True
            )
            self._connecting.start()

    def close(self) -> None:
        """Release held keys and disconnect; the next use connects again."""
        if self._connecting is not None:
            self._connecting.join(_CONNECT_LIMIT_S)
            self._connecting = None
        for close in self._closers:
            close()

    def _connect_quietly(self) -> None:
        with suppress(ActionFailed):  # the first key reports it
            if self._connect is not None:
                self._connect()

    def _share_x11(self, cmd_key: str) -> None:
        from conductor.system.keyboard_x11 import X11Keyboard
        from conductor.system.mouse_x11 import X11Mouse
        from conductor.system.x11_link import X11Link

        link = X11Link()
        keyboard = X11Keyboard(cmd_key, link)
        self.keyboard, self.mouse = keyboard, X11Mouse(link)
        self._connect = keyboard.connect
        self._closers += [keyboard.close, link.close]


def make_keyboard(cmd_key: str = "ctrl", platform: str = sys.platform) -> Keyboard:
    """Build a keyboard with its own connection; `cmd_key` is the key that `cmd` stands for."""
    if platform in PYNPUT_PLATFORMS:
        from conductor.system.keyboard_pynput import PynputKeyboard

        return PynputKeyboard(cmd_key, platform)
    from conductor.system.keyboard_x11 import X11Keyboard

    return X11Keyboard(cmd_key)


def make_mouse(platform: str = sys.platform) -> Mouse:
    if platform in PYNPUT_PLATFORMS:
        from conductor.system.mouse_pynput import PynputMouse

        return PynputMouse()
    from conductor.system.mouse_x11 import X11Mouse

    return X11Mouse()


def make_programs(platform: str = sys.platform) -> Programs:
    return SystemPrograms(platform)


def make_volume(platform: str = sys.platform) -> Volume:
    from conductor.system import volume

    if platform == "darwin":
        return volume.MacVolume()
    if platform == "win32":
        return volume.WindowsVolume()
    return volume.PulseVolume()
