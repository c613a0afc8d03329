"""The icon in the tray: the mode, pause, panic, the window, quit. Lives on the GUI thread of the window."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction, QActionGroup, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

Tell = Callable[[str, str | None], None]
"""What was chosen -> told to the app: `show`, `pause`, `resume`, `panic`, `quit`, or `mode` with its name."""


def is_available() -> bool:
    """Return whether the desktop has a tray; GNOME has none."""
    return QSystemTrayIcon.isSystemTrayAvailable()


class Tray:
    """Shows the icon at once. The menu is filled by `update`."""

    def __init__(self, icon: QIcon, tell: Tell) -> None:
        self._tell = tell
        self._icon = QSystemTrayIcon(icon)
        self._menu = QMenu()
        self._modes = QMenu("Mode", self._menu)
        self._group = QActionGroup(self._modes)
        self._pause = QAction("Pause")
        self._pause.setCheckable(True)
        self._pause.triggered.connect(self._choose_pause)
        self._fill()
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._clicked)
        self._icon.messageClicked.connect(lambda: tell("show", None))
        self._icon.setToolTip("Conductor")
        self._icon.show()

    def update(self, mode: str, modes: Sequence[str], *, paused: bool) -> None:
        """Show the mode, the modes to choose from, and whether mappings are paused."""
        for action in self._group.actions():
            self._group.removeAction(action)
        self._modes.clear()
        for name in modes:
            self._add_mode(name, is_current=name == mode)
        self._modes.setEnabled(bool(modes))
        self._pause.setChecked(paused)
        state = "paused" if paused else mode
        self._icon.setToolTip(f"Conductor: {state}" if state else "Conductor")

    def notify(self, title: str, text: str) -> None:
        """Show a message beside the icon."""
        self._icon.showMessage(title, text, self._icon.icon())

    def is_visible(self) -> bool:
        return self._icon.isVisible() and is_available()

    def hide(self) -> None:
        self._icon.hide()

    def _fill(self) -> None:
        self._add("Show Conductor", "show")
        self._menu.addSeparator()
        self._menu.addMenu(self._modes)
        self._menu.addAction(self._pause)
        self._add("Panic: let go of everything", "panic")
        self._menu.addSeparator()
        self._add("Quit", "quit")

    def _add(self, text: str, what: str) -> None:
        self._menu.addAction(text).triggered.connect(lambda: self._tell(what, None))

    def _add_mode(self, name: str, *, is_current: bool) -> None:
        action = self._modes.addAction(name.replace("&", "&&"))  # `&x` would underline the x
        action.setCheckable(True)
        action.setChecked(is_current)
        self._group.addAction(action)
        action.triggered.connect(lambda: self._tell("mode", name))

    def _choose_pause(self, checked: bool) -> None:  # noqa: FBT001
        self._tell("pause" if checked else "resume", None)

    def _clicked(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self._tell("show", None)
