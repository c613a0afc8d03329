"""The input route through the virtual keyboard and pointer of a Wayland compositor. It requires no consent."""

from conductor.errors import ActionFailed
from conductor.system.wayland.keyboard import WaylandKeyboard
from conductor.system.wayland.link import WaylandLink, open_connection
from conductor.system.wayland.mouse import WaylandMouse


class WaylandRoute:
    """The input route through virtual devices of Sway, Hyprland, niri, labwc, river and other compositors."""

    name = "Wayland virtual keyboard"
    reach_description = "every program, text in any script"
    reaches_all = True
    keys_outlive_process = True
    """Sway releases the keys of a process that dies, but the protocol does not require it."""
    needs_consent = False

    def __init__(self) -> None:
        self._link = WaylandLink()
        self.keyboard = WaylandKeyboard(self._link)
        self.mouse = WaylandMouse(self._link)

    @property
    def is_lost(self) -> bool:
        return not self._link.is_open

    def get_unavailable_reason(self) -> str | None:
        try:
            # Connect without creating a keyboard, which would become the active keyboard of the desktop.
            open_connection().close()
        except ActionFailed as problem:
            return str(problem)
        return None

    def connect(self) -> None:
        self.keyboard.connect()

    def close(self) -> None:
        self._link.close()
