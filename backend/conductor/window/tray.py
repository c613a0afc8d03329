"""The tray icon and its menu: modes, pause, panic, show and quit.

All functions must be called on the GUI thread of the window process.
"""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction, QActionGroup, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from conductor.window.protocol import TrayChoice

OnTrayChoice = Callable[[TrayChoice, str | None], None]
"""Called with the item that the user chose and, if the item is `mode`, the name of the mode."""


def has_system_tray() -> bool:
    """Return whether the desktop has a tray. Plain GNOME, for example, has none."""
    return QSystemTrayIcon.isSystemTrayAvailable()


class TrayIcon:
    """Shows the tray icon with its menu, and reports the items that the user chooses."""

    def __init__(self, icon: QIcon, on_choice: OnTrayChoice) -> None:
        self._on_choice = on_choice
        self._icon = QSystemTrayIcon(icon)
        self._menu = QMenu()
        self._modes = QMenu("Mode", self._menu)
        self._group = QActionGroup(self._modes)
        self._pause = QAction("Pause")
        self._pause.setCheckable(True)
        self._pause.triggered.connect(self._on_pause_toggled)
        self._build_menu()
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._on_icon_click)
        self._icon.messageClicked.connect(lambda: on_choice("show", None))
        self._icon.setToolTip("Conductor")
        self._icon.show()

    def update_menu(self, mode: str, modes: Sequence[str], *, paused: bool) -> None:
        """Show the modes, the active mode and the paused state in the menu."""
        for action in self._group.actions():
            self._group.removeAction(action)
        self._modes.clear()
        for name in modes:
            self._add_mode_item(name, is_current=name == mode)
        self._modes.setEnabled(bool(modes))
        self._pause.setChecked(paused)
        state = "paused" if paused else mode
        self._icon.setToolTip(f"Conductor: {state}" if state else "Conductor")

    def show_notification(self, title: str, text: str) -> None:
        """Show a desktop notification through the tray icon."""
        self._icon.showMessage(title, text, self._icon.icon())

    def is_visible(self) -> bool:
        return self._icon.isVisible() and has_system_tray()

    def hide_icon(self) -> None:
        self._icon.hide()

    def _build_menu(self) -> None:
        self._add_menu_item("Show Conductor", "show")
        self._menu.addSeparator()
        self._menu.addMenu(self._modes)
        self._menu.addAction(self._pause)
        self._add_menu_item("Panic: release everything", "panic")
        self._menu.addSeparator()
        self._add_menu_item("Quit", "quit")

    def _add_menu_item(self, text: str, choice: TrayChoice) -> None:
        self._menu.addAction(text).triggered.connect(lambda: self._on_choice(choice, None))

    def _add_mode_item(self, name: str, *, is_current: bool) -> None:
        # Qt would read `&x` as a keyboard shortcut
        action = self._modes.addAction(name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(is_current)
        self._group.addAction(action)
        action.triggered.connect(lambda: self._on_choice("mode", name))

    def _on_pause_toggled(self, checked: bool) -> None:  # noqa: FBT001
        self._on_choice("pause" if checked else "resume", None)

    def _on_icon_click(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self._on_choice("show", None)
