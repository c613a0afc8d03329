"""Builds the keyboard, mouse and other outputs for the current platform: input routes on
Linux, pynput elsewhere.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from conductor.domain.engine_replies import InputConsent
from conductor.domain.ports import Keyboard, Mouse, OscOut, Programs, Volume
from conductor.errors import ActionFailed
from conductor.system.input_route import InputRoute
from conductor.system.input_routes import InputRouter
from conductor.system.osc_out import UdpOscOut
from conductor.system.programs import SystemPrograms

PLATFORMS_WITHOUT_ROUTES = ("darwin", "win32")
"""Platforms with one way to press keys."""
INPUT_ROUTE_NAMES = {"darwin": "CGEvent", "win32": "SendInput"}
_CONNECT_TIMEOUT_S = 2.0


class SystemOutputs:
    """Provides actions with the keyboard, mouse, programs, volume and OSC output of this computer.

    Each output is connected on first use.

    Keyboard and mouse share a connection, so that a held key and a click arrive in order. On macOS a
    `SystemOutputs` must be created on the main thread (see `keyboard_pynput`).
    """

    def __init__(self, portal_token: Path, platform: str = sys.platform) -> None:
        self._platform = platform
        self._closers: list[Callable[[], None]] = []
        self._router: InputRouter | None = None
        self._connecting: threading.Thread | None = None
        self.keyboard: Keyboard
        self.mouse: Mouse
        if platform in PLATFORMS_WITHOUT_ROUTES:
            self.keyboard, self.mouse = make_keyboard(platform), make_mouse(platform)
        else:
            self._router = InputRouter(make_input_routes(portal_token))
            self.keyboard, self.mouse = self._router.keyboard, self._router.mouse
            self._closers.append(self._router.close)
        self.programs = make_programs(platform)
        self.volume = make_volume(platform)
        osc = UdpOscOut()
        self.osc: OscOut = osc
        self._closers.append(osc.close)

    @property
    def input_route(self) -> str | None:
        """The name of the input route that sends keys, or None if no route has been chosen yet."""
        return (
            INPUT_ROUTE_NAMES.get(self._platform)
            if self._router is None
            else self._router.route_name
        )

    @property
    def input_problem(self) -> str | None:
        """The reason why a better input route of the session cannot be used, or None
        if the best one is in use.
        """
        return None if self._router is None else self._router.route_problem

    @property
    def input_consent(self) -> InputConsent | None:
        """Whether the user allows Conductor to press keys, or None if this system does not ask."""
        if self._platform == "darwin":
            from conductor.system.macos.permission import is_trusted

            return "allowed" if is_trusted() else "needed"
        return None if self._router is None else self._router.consent

    def ask_for_consent(self) -> None:
        """Ask the user now whether Conductor may press keys. Returns before the user has answered.

        Raises:
            ActionFailed: This system does not ask.
        """
        if self._platform == "darwin":
            from conductor.system.macos.permission import ask_for_trust

            ask_for_trust()
        elif self._router is not None:
            self._router.ask_for_consent()
        else:
            raise ActionFailed("this system needs no permission to press keys")

    def connect(self) -> None:
        """Start to connect in a background thread, so that the first key is not delayed."""
        if self._router is not None and self._connecting is None:
            self._connecting = threading.Thread(
                target=self._connect_input_route, name="input connect", daemon=True
            )
            self._connecting.start()

    def close(self) -> None:
        """Release all held keys and disconnect; the next use of an output connects again."""
        if self._connecting is not None:
            self._connecting.join(_CONNECT_TIMEOUT_S)
            self._connecting = None
        for close in self._closers:
            close()

    def _connect_input_route(self) -> None:
        with suppress(ActionFailed):  # the first key that is pressed reports the failure
            if self._router is not None:
                self._router.connect()


def make_input_routes(portal_token: Path) -> list[InputRoute]:
    """Return the input routes of this Linux session, best route first; none is connected yet.

    `portal_token` is the file that stores the token for the user's consent.
    """
    from conductor.system.wayland.connection import is_wayland_session
    from conductor.system.x11_route import X11Route

    if not is_wayland_session():
        return [X11Route()]
    from conductor.system.portal import PortalRoute
    from conductor.system.uinput import UinputDevice, UinputRoute
    from conductor.system.wayland.route import WaylandRoute

    return [
        WaylandRoute(),
        PortalRoute(portal_token),
        UinputRoute(UinputDevice()),
        X11Route(),
    ]


def release_keys(keys: Sequence[str], portal_token: Path) -> None:
    """Release keys that a dead engine process was holding, unless the desktop or the kernel has released them.

    Raises:
        ActionFailed: The keys cannot be released.
    """
    if sys.platform in PLATFORMS_WITHOUT_ROUTES:
        make_keyboard().release_keys(keys)
        return
    # The dead process may have used any route, because an earlier route may have failed for it.
    failure: ActionFailed | None = None
    for route in make_input_routes(portal_token):
        if not route.keys_outlive_process:
            continue
        try:
            if route.get_unavailable_reason() is None:
                route.keyboard.release_keys(keys)
        except ActionFailed as error:
            failure = error
        finally:
            route.close()
    if failure is not None:
        raise failure


def make_keyboard(platform: str = sys.platform) -> Keyboard:
    """Return a keyboard for a platform, with a connection of its own."""
    if platform == "darwin":
        from conductor.system.keyboard_pynput import PynputKeyboard

        return PynputKeyboard()
    if platform == "win32":
        from conductor.system.windows.keyboard import WindowsKeyboard

        return WindowsKeyboard()
    from conductor.system.keyboard_x11 import X11Keyboard

    return X11Keyboard()


def make_mouse(platform: str = sys.platform) -> Mouse:
    if platform in PLATFORMS_WITHOUT_ROUTES:
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
