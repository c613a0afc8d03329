"""The input route through the virtual keyboard and pointer of a Wayland compositor, which asks no consent."""

from conductor.errors import ActionFailed
from conductor.system.wayland.keyboard import WaylandKeyboard
from conductor.system.wayland.link import WaylandLink, open_connection
from conductor.system.wayland.mouse import WaylandMouse


class WaylandRoute:
    """Keys and mouse through the compositor: Sway, Hyprland, niri, labwc, river and others."""

    name = "Wayland virtual keyboard"
    reach = "every program, text in any script"
    reaches_all = True
    must_release_for_others = (
        True  # sway releases them by itself, which the protocol does not demand
    )

    def __init__(self, cmd_key: str) -> None:
        self._link = WaylandLink()
        self.keyboard = WaylandKeyboard(cmd_key, self._link)
        self.mouse = WaylandMouse(self._link)

    @property
    def is_lost(self) -> bool:
        return not self._link.is_open

    def why_unavailable(self) -> str | None:
        try:
            # A keyboard that comes and goes would be the desktop's current one for a moment.
            open_connection().close()
        except ActionFailed as problem:
            return str(problem)
        return None

    def connect(self) -> None:
        self.keyboard.connect()

    def close(self) -> None:
        self._link.close()
