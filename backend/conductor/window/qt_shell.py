"""Controls the Qt window: its geometry, tray icon, dialogs, and the addresses that the page may open.

All code runs on the GUI thread. Other threads use `run_on_gui_thread`.
"""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QObject,
    QRectF,
    QStandardPaths,
    Qt,
    QTimer,
    QUrl,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QIcon,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWebEngineCore import QWebEngineNavigationRequest, QWebEnginePage, QWebEngineSettings
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow

from conductor.window import tray
from conductor.window.geometry import DEFAULT_WINDOW_GEOMETRY, WindowGeometry

BACKGROUND_COLOR_BY_THEME = {"dark": "#0f1013", "light": "#f5f5f7"}
"""The background colours of the page (`--bg`), so that the window does not flash white while the page loads."""
GEOMETRY_SETTLE_TIME_MS = 300
"""The geometry is reported after this time without changes, so that dragging the window causes a single
report.
"""
SCREEN_MARGIN_PX, TITLE_BAR_HEIGHT_PX = 8, 32
"""Room for the frame of the window manager, whose size is unknown before the window is shown."""
PDF_DPI = 300


class QtShell(QObject):
    """Controls the Qt main window that pywebview creates. Create the object on the GUI thread."""

    work_requested = Signal(object)

    def __init__(
        self, native: QMainWindow, page: QWebEnginePage, geometry: WindowGeometry | None
    ) -> None:
        super().__init__()
        self._native = native
        self._page = page
        self.geometry: WindowGeometry = geometry or DEFAULT_WINDOW_GEOMETRY
        self.on_geometry: Callable[[WindowGeometry], None] = lambda _geometry: None
        self.tray: tray.TrayIcon | None = None
        # A queued connection runs the slot on the GUI thread, whichever thread emits the signal.
        self.work_requested.connect(_run_queued_work, Qt.ConnectionType.QueuedConnection)
        self._settle_timer = QTimer(self, interval=GEOMETRY_SETTLE_TIME_MS, singleShot=True)
        self._settle_timer.timeout.connect(lambda: self.on_geometry(self.geometry))
        self._restore_geometry()
        native.installEventFilter(self)

    def run_on_gui_thread(self, work: Callable[[], None]) -> None:
        """Run a function on the GUI thread without waiting for it. Safe to call from any thread."""
        self.work_requested.emit(work)

    def show_tray_icon(self, icon: QIcon, on_choice: tray.OnTrayChoice) -> None:
        """Show the tray icon if the desktop has a tray."""
        if tray.has_system_tray():
            self.tray = tray.TrayIcon(icon, on_choice)

    def has_tray(self) -> bool:
        return self.tray is not None and self.tray.is_visible()

    def show(self) -> None:
        """Show the window in front of all other windows."""
        if self._native.isMinimized():
            self._native.setWindowState(
                self._native.windowState() & ~Qt.WindowState.WindowMinimized
            )
        self._native.show()
        self._native.raise_()
        self._native.activateWindow()

    def hide(self) -> None:
        """Hide the window in the tray, or minimize it if there is no tray."""
        if self.has_tray():
            self._native.hide()
        else:
            self._native.showMinimized()

    def quit_gui_loop(self) -> None:
        """End the GUI loop, even if closing the window would only hide it in the tray."""
        if self.tray is not None:
            self.tray.hide_icon()
        QApplication.exit()

    def set_theme(self, theme: str) -> None:
        """Set the colour of the window, which is visible until the page is painted."""
        self._page.setBackgroundColor(QColor(get_background_color(theme)))

    def allow_clipboard(self) -> None:
        """Allow the page to write to the clipboard.

        With PySide6, the page hangs if Qt asks for this permission.
        """
        attribute = QWebEngineSettings.WebAttribute.JavascriptCanAccessClipboard
        self._page.settings().setAttribute(attribute, True)

    def restrict_navigation(self, origin: str, on_external: Callable[[str], None]) -> None:
        """Allow the page to open only addresses of `origin`.

        Other links are reported to `on_external` and not followed.
        """

        def check_navigation(request: QWebEngineNavigationRequest) -> None:
            url = request.url()
            if _parse_origin(url) == origin or url.toString() == "about:blank":
                request.accept()
                return
            request.reject()
            if request.isMainFrame():
                on_external(url.toString())

        self._page.navigationRequested.connect(check_navigation)

    def ask_save_path(self, name: str) -> Path | None:
        """Ask the user where to save a file. Return None if the user cancels."""
        documents = QStandardPaths.StandardLocation.DocumentsLocation
        folder = QStandardPaths.writableLocation(documents) or str(Path.home())
        suggested = str(Path(folder, Path(name).name))
        chosen, _ = QFileDialog.getSaveFileName(self._native, "Save", suggested)
        return Path(chosen) if chosen else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        kinds = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange)
        if watched is self._native and event.type() in kinds and self._native.isVisible():
            self._save_geometry()
        return False

    def _save_geometry(self) -> None:
        native = self._native
        if native.isMinimized():
            return  # a minimized window keeps the geometry that it has when it is restored
        self.geometry = {**self.geometry, "maximized": native.isMaximized()}
        if not native.isMaximized():
            position, size = native.pos(), native.size()
            self.geometry = {
                "x": position.x(),
                "y": position.y(),
                "width": size.width(),
                "height": size.height(),
                "maximized": False,
            }
        self._settle_timer.start()

    def _restore_geometry(self) -> None:
        """Move the window to its saved position, or center it if no screen contains that position any more."""
        saved = self.geometry
        self._native.resize(saved["width"], saved["height"])
        if saved["x"] is None or saved["y"] is None:
            self._center_window()
            return
        self._native.move(saved["x"], saved["y"])
        # The user must be able to grab the window, so its upper half without 40 px at each side
        # must be on a screen.
        handle = self._native.geometry().adjusted(40, 0, -40, -saved["height"] // 2)
        if not any(screen.geometry().intersects(handle) for screen in QGuiApplication.screens()):
            center = QGuiApplication.primaryScreen().availableGeometry().center()
            self._native.move(center - self._native.rect().center())

    def _center_window(self) -> None:
        """Center the window on the screen, and shrink it if the screen is smaller."""
        area = QGuiApplication.primaryScreen().availableGeometry()
        area.adjust(
            SCREEN_MARGIN_PX,
            SCREEN_MARGIN_PX,
            -SCREEN_MARGIN_PX,
            -SCREEN_MARGIN_PX - TITLE_BAR_HEIGHT_PX,
        )
        self._native.resize(self._native.size().boundedTo(area.size()))
        self._native.move(area.center() - self._native.rect().center())


def _run_queued_work(work: Callable[[], None]) -> None:
    work()


def get_background_color(theme: str) -> str:
    """Return the background colour of a theme. `system` is the colour scheme of the desktop."""
    hints = QGuiApplication.styleHints()
    is_dark = theme == "dark" or (theme == "system" and hints.colorScheme() == Qt.ColorScheme.Dark)
    return BACKGROUND_COLOR_BY_THEME["dark" if is_dark else "light"]


def render_pdf(svg: str) -> bytes:
    """Return an SVG drawing as a PDF of one A4 page, in the orientation of the drawing.

    Raises:
        ValueError: The text is not valid SVG.
    """
    drawing = QSvgRenderer(QByteArray(svg.encode()))
    if not drawing.isValid():
        raise ValueError("the drawing is not a valid SVG")
    size = drawing.defaultSize()
    is_wide = size.width() > size.height()
    data = QBuffer()
    data.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(data)
    writer.setResolution(PDF_DPI)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    landscape = QPageLayout.Orientation.Landscape
    writer.setPageOrientation(landscape if is_wide else QPageLayout.Orientation.Portrait)
    painter = QPainter(writer)
    drawing.render(
        painter, _fit_to_page(size.width(), size.height(), writer.width(), writer.height())
    )
    painter.end()
    return bytes(data.data().data())


def _fit_to_page(width: int, height: int, page_width: int, page_height: int) -> QRectF:
    scale = min(page_width / max(width, 1), page_height / max(height, 1))
    fitted_width = width * scale
    return QRectF((page_width - fitted_width) / 2, 0, fitted_width, height * scale)


def _parse_origin(url: QUrl) -> str:
    return f"{url.scheme()}://{url.host()}:{url.port()}"
