"""The Qt side of the window: place and size, tray, dialogs, and what the page may reach.

Everything here runs on the GUI thread; `call` brings work there from other threads.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

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

log = logging.getLogger(__name__)

Geometry = dict[str, Any]
MIN_SIZE = (900, 600)
DEFAULT: Geometry = {"x": None, "y": None, "width": 1280, "height": 800, "maximized": False}
BACKGROUND = {"dark": "#0f1013", "light": "#f5f5f7"}
"""As `--bg` in the page's tokens, so that nothing flashes before the page is there."""
STILL_MS = 300
EDGE_PX, TITLE_PX = 8, 32
"""What a window manager may put around the window, which is not known before it is seen."""
PDF_DPI = 300


class QtShell(QObject):
    """Made on the GUI thread, around pywebview's main window."""

    wanted = Signal(object)

    def __init__(self, native: QMainWindow, page: QWebEnginePage, geometry: Geometry) -> None:
        super().__init__()
        self._native = native
        self._page = page
        self.geometry = DEFAULT | geometry
        self.on_geometry: Callable[[Geometry], None] = lambda _geometry: None
        self.tray: tray.Tray | None = None
        self.wanted.connect(_do, Qt.ConnectionType.QueuedConnection)
        self._still = QTimer(self, interval=STILL_MS, singleShot=True)
        self._still.timeout.connect(lambda: self.on_geometry(self.geometry))
        self._place()
        native.installEventFilter(self)

    def call(self, work: Callable[[], None]) -> None:
        """Do something on the GUI thread, soon."""
        self.wanted.emit(work)

    def open_tray(self, icon: QIcon, tell: tray.Tell) -> None:
        """Show the tray icon, where there is a tray."""
        if tray.is_available():
            self.tray = tray.Tray(icon, tell)

    def has_tray(self) -> bool:
        return self.tray is not None and self.tray.is_visible()

    def show(self) -> None:
        """Bring the window before the user."""
        if self._native.isMinimized():
            self._native.setWindowState(
                self._native.windowState() & ~Qt.WindowState.WindowMinimized
            )
        self._native.show()
        self._native.raise_()
        self._native.activateWindow()

    def hide(self) -> None:
        """Go where the user can bring it back from: the tray, or the task bar."""
        if self.has_tray():
            self._native.hide()
        else:
            self._native.showMinimized()

    def quit(self) -> None:
        """End the GUI loop, whatever closing the window means."""
        if self.tray is not None:
            self.tray.hide()
        QApplication.exit()

    def set_theme(self, theme: str) -> None:
        """Colour what is seen before the page paints."""
        self._page.setBackgroundColor(QColor(background(theme)))

    def allow_clipboard(self) -> None:
        """Let the page copy: Qt's own permission question fails under PySide6, and the page hangs."""
        copying = QWebEngineSettings.WebAttribute.JavascriptCanAccessClipboard
        self._page.settings().setAttribute(copying, True)

    def guard(self, origin: str, on_external: Callable[[str], None]) -> None:
        """Let the page go nowhere but to `origin`; a link elsewhere is told instead of followed."""

        def judge(request: QWebEngineNavigationRequest) -> None:
            url = request.url()
            if _origin(url) == origin or url.toString() == "about:blank":
                request.accept()
                return
            request.reject()
            if request.isMainFrame():
                on_external(url.toString())

        self._page.navigationRequested.connect(judge)

    def ask_path(self, name: str) -> Path | None:
        """Ask where to save; None when the user thinks better of it."""
        documents = QStandardPaths.StandardLocation.DocumentsLocation
        folder = QStandardPaths.writableLocation(documents) or str(Path.home())
        suggested = str(Path(folder, Path(name).name))
        chosen, _ = QFileDialog.getSaveFileName(self._native, "Save", suggested)
        return Path(chosen) if chosen else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        kinds = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange)
        if watched is self._native and event.type() in kinds and self._native.isVisible():
            self._remember()
        return False

    def _remember(self) -> None:
        native = self._native
        if native.isMinimized():
            return
        self.geometry = {**self.geometry, "maximized": native.isMaximized()}
        if not native.isMaximized():
            place, size = native.pos(), native.size()
            at = {"x": place.x(), "y": place.y()}
            self.geometry |= {**at, "width": size.width(), "height": size.height()}
        self._still.start()

    def _place(self) -> None:
        """Put the window where it was, unless no screen shows that place any more."""
        wanted = self.geometry
        self._native.resize(wanted["width"], wanted["height"])
        if wanted["x"] is None or wanted["y"] is None:
            self._place_first()
            return
        self._native.move(wanted["x"], wanted["y"])
        grip = self._native.geometry().adjusted(40, 0, -40, -wanted["height"] // 2)
        if not any(screen.geometry().intersects(grip) for screen in QGuiApplication.screens()):
            middle = QGuiApplication.primaryScreen().availableGeometry().center()
            self._native.move(middle - self._native.rect().center())

    def _place_first(self) -> None:
        """In the middle, and no larger than the screen has room for."""
        room = QGuiApplication.primaryScreen().availableGeometry()
        room.adjust(EDGE_PX, EDGE_PX, -EDGE_PX, -EDGE_PX - TITLE_PX)
        self._native.resize(self._native.size().boundedTo(room.size()))
        self._native.move(room.center() - self._native.rect().center())


def _do(work: Callable[[], None]) -> None:
    work()


def background(theme: str) -> str:
    """Return the colour behind the page; `system` asks the desktop, where it tells."""
    hints = QGuiApplication.styleHints()
    is_dark = theme == "dark" or (theme == "system" and hints.colorScheme() == Qt.ColorScheme.Dark)
    return BACKGROUND["dark" if is_dark else "light"]


def pdf_of(svg: str) -> bytes:
    """Draw an SVG on one A4 page, lying or standing as it is.

    Raises:
        ValueError: it cannot be drawn.
    """
    drawing = QSvgRenderer(QByteArray(svg.encode()))
    if not drawing.isValid():
        raise ValueError("the drawing is none that can be printed")
    size = drawing.defaultSize()
    is_wide = size.width() > size.height()
    data = QBuffer()
    data.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(data)
    writer.setResolution(PDF_DPI)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    lying = QPageLayout.Orientation.Landscape
    writer.setPageOrientation(lying if is_wide else QPageLayout.Orientation.Portrait)
    painter = QPainter(writer)
    drawing.render(painter, _fitted(size.width(), size.height(), writer.width(), writer.height()))
    painter.end()
    return bytes(data.data().data())


def _fitted(width: int, height: int, page_width: int, page_height: int) -> QRectF:
    scale = min(page_width / max(width, 1), page_height / max(height, 1))
    wide, high = width * scale, height * scale
    return QRectF((page_width - wide) / 2, 0, wide, high)


def _origin(url: QUrl) -> str:
    return f"{url.scheme()}://{url.host()}:{url.port()}"
