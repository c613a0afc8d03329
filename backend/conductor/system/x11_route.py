"""The input route through XTEST. On Wayland it reaches only X11 programs, through XWayland."""

from conductor.errors import ActionFailed
from conductor.system.keyboard_x11 import X11Keyboard
from conductor.system.mouse_x11 import X11Mouse
from conductor.system.wayland.connection import is_wayland_session
from conductor.system.x11_link import X11Link


class X11Route:
    """The input route through the X server of the session."""

    name = "XTEST"
    keys_outlive_process = True
    needs_consent = False

    def __init__(self) -> None:
        self._link = X11Link()
        self.keyboard = X11Keyboard(self._link)
        self.mouse = X11Mouse(self._link)

    @property
    def reach_description(self) -> str:
        if is_wayland_session():
            return "X11 programs only, through XWayland"
        return "every program, text in any script"

    @property
    def reaches_all(self) -> bool:
        return not is_wayland_session()

    @property
    def is_lost(self) -> bool:
        return not self._link.is_open

    def get_unavailable_reason(self) -> str | None:
        try:
            self._link.call_with_display(lambda display: display.sync())
        except ActionFailed as problem:
            return str(problem)
        return None

    def connect(self) -> None:
        self.keyboard.connect()

    def close(self) -> None:
        self.keyboard.close()
        self._link.close()
