"""The window process: pywebview's window around the page, tray and dialogs; it decides nothing.

From the app: `load`, `configure`, `push`, `answer`, `show`, `hide`, `tray`, `save_file`, `save_pdf`,
`notify`, `quit`. To the app: `ready`, `dressed`, `rpc`, `geometry`, `hidden`, `closed`, `tray`,
`external`, `reply`, `unusable`, and `taken` once the page has run a `push`. It ends when the pipe from
the app does.
"""

import argparse
import base64
import logging
import os
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from conductor.base.link import Link, Message
from conductor.base.logs import log_to_stderr, to_file
from conductor.window.door import Door, Outbox
from conductor.window.requirements import UNUSABLE, prepare, why_not

if TYPE_CHECKING:
    from conductor.window.qt_shell import QtShell

log = logging.getLogger(__name__)

BROKEN = 70
READY_WITHIN_S = 20.0
ENGINES = {"linux": "qt", "win32": "edgechromium", "darwin": "cocoa"}
ICON = Path(__file__).parent.parent / "icon.png"


def main(argv: list[str]) -> int:
    """Show the window until it is closed for good or the app is gone."""
    parser = argparse.ArgumentParser(prog="conductor --window-process")
    parser.add_argument("--home", type=Path, required=True)
    args = parser.parse_args(argv)
    log_to_stderr()
    to_file(args.home / "logs", "window.log", logging.WARNING)
    link = _link_over_pipes()
    reason = why_not()
    if reason is not None:
        link.send("unusable", reason=reason)
        link.close()
        return UNUSABLE
    prepare(os.environ)
    code = Shell(link).run()
    link.close()
    os._exit(code)  # nothing here needs saving, and Qt's own end may hang


def _link_over_pipes() -> Link:
    """Take the two pipes, and send what anyone else prints to standard error."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return Link(reader, writer)


class Shell:
    """One window and the link to the app."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._load: Message = {}
        self._loaded = threading.Event()
        self._hides = False
        self._desk: QtShell | None = None
        self._desk_made = threading.Event()
        self._door: Door | None = None
        self._code = 0
        self._doing: dict[str, Callable[[Message], None]] = {
            "configure": self._configure,
            "push": lambda message: self._outbox.push(message["batch"], self._taken),
            "answer": self._answer,
            "show": lambda _message: self._on_desk(lambda desk: desk.show()),
            "hide": lambda _message: self._on_desk(lambda desk: desk.hide()),
            "tray": lambda message: self._on_desk(lambda desk: _fill(desk, message)),
            "notify": lambda message: self._on_desk(lambda desk: _notify(desk, message)),
            "save_file": lambda message: self._save(message, _write_file),
            "save_pdf": lambda message: self._save(message, _write_pdf),
        }

    def run(self) -> int:
        """Load Qt while the app comes up, wait for the address, and show the window."""
        threading.Thread(target=self._read, name="window link", daemon=True).start()
        import webview

        engine = ENGINES.get(sys.platform, "qt")
        platform = import_module(f"webview.platforms.{engine}")
        self._link.send("ready", pid=os.getpid())
        self._loaded.wait()
        if not self._load:
            return 0
        self._hides = bool(self._load["close_to_tray"])
        self._make_window(webview, platform)
        webview.start(gui=cast(Any, "qt" if engine == "qt" else None), icon=_icon())
        self._link.send("closed", geometry=self._geometry())
        return self._code

    def _make_window(self, webview: Any, platform: Any) -> None:
        load = self._load
        webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = False
        webview.settings["ALLOW_DOWNLOADS"] = False
        self._window = webview.create_window(
            load["title"],
            f"{load['url']}?wire=bridge#k={load['key']}",
            min_size=(900, 600),
            hidden=True,
            text_select=True,
        )
        self._outbox = Outbox(self._window.run_js, self._page_lost)
        self._door = Door(load["key"], self._outbox, self._ask_app)
        platform.js_bridge_call = self._door.take
        self._window.events.closing += self._closing
        if sys.platform == "linux":
            self._refuse_new_windows(platform)
            self._window.events.before_show += self._make_desk
        else:
            self._window.events.shown += self._show_plain

    def _show_plain(self) -> None:
        """Show the window where Qt is not what draws it. Unproven: never run on such a system."""
        self._desk_made.set()
        self._window.show()

    def _make_desk(self) -> None:
        """Dress pywebview's Qt window. On the GUI thread, before the window is seen."""
        try:
            self._dress(self._window.native)
        except Exception:  # pywebview would log it, and leave a process without a window
            log.exception("the window could not be made")
            self._code = BROKEN
            self._end()

    def _dress(self, native: Any) -> None:
        from PySide6.QtGui import QGuiApplication, QIcon

        from conductor.window.qt_shell import QtShell

        QGuiApplication.setQuitOnLastWindowClosed(False)
        QGuiApplication.setDesktopFileName("conductor")
        page = native.webview.page()
        desk = QtShell(native, page, self._load["geometry"])
        desk.on_geometry = lambda geometry: self._link.send("geometry", geometry=geometry)
        desk.set_theme(self._load["theme"])
        desk.allow_clipboard()
        desk.guard(_origin(self._load["url"]), self._tell_external)
        desk.open_tray(
            QIcon(_icon() or ""), lambda do, mode: self._link.send("tray", do=do, mode=mode)
        )
        page.renderProcessTerminated.connect(self._page_lost)
        page.loadFinished.disconnect(native.on_load_finished)

        def dress_page(ok: bool) -> None:  # noqa: FBT001
            if ok:  # a refused link ends as a failed load, and the page must keep its bridge
                native.on_load_finished()

        page.loadFinished.connect(dress_page)
        self._desk = desk
        self._desk_made.set()
        self._link.send("dressed", tray=desk.has_tray())
        if not (self._load["hidden"] and desk.has_tray()):
            desk.call(lambda: _first_show(desk, native))

    def _closing(self) -> bool | None:
        """Hide instead, where that is set and a tray can bring the window back. On the GUI thread."""
        desk = self._desk
        if desk is None or not self._hides or not desk.has_tray():
            return None
        desk.hide()
        self._link.send("hidden", geometry=desk.geometry)
        return False

    def _refuse_new_windows(self, platform: Any) -> None:
        """Tell of a link with a window of its own, which pywebview would open without asking."""

        def refuse(_page: Any, url: Any, _kind: Any, _is_main: Any) -> bool:
            self._tell_external(url.toString())
            return False

        platform.BrowserView.NavigationHandler.acceptNavigationRequest = refuse

    def _tell_external(self, url: str) -> None:
        self._link.send("external", url=url[:2_000])

    def _ask_app(self, number: int, method: str, params: dict[str, Any]) -> None:
        self._link.send("rpc", id=number, method=method, params=params)

    def _taken(self) -> None:
        self._link.send("taken")

    def _page_lost(self, *_: Any) -> None:
        """End, for the app to start a new one: a window without its page is of no use."""
        if self._window.events.closed.is_set():
            return
        log.error("the page's process ended, or runs nothing")
        self._code = BROKEN
        self._end()

    def _read(self) -> None:
        for message in self._link.receive():
            try:
                self._take(message)
            except Exception:  # one bad message must not leave the window without an ear
                log.exception("message %s was not taken", message.get("op"))
        self._end()

    def _take(self, message: Message) -> None:
        if message["op"] == "load":
            self._load = message
            self._loaded.set()
        elif message["op"] == "quit":
            self._end()
        elif self._loaded.is_set():
            self._desk_made.wait(READY_WITHIN_S)
            self._doing[message["op"]](message)

    def _configure(self, message: Message) -> None:
        self._hides = bool(message["close_to_tray"])
        self._on_desk(lambda desk: desk.set_theme(message["theme"]))

    def _answer(self, message: Message) -> None:
        if self._door is not None:
            self._door.answer(message["id"], message["envelope"])

    def _save(self, message: Message, write: Callable[[Path, Message], None]) -> None:
        """Ask for a path, write there, and tell the app the path or what went wrong."""

        def work(desk: "QtShell") -> None:
            path = desk.ask_path(message["name"])
            result: dict[str, Any] = {"path": None if path is None else str(path)}
            try:
                if path is not None:
                    write(path, message)
            except OSError as error:
                cause = error.strerror or str(error)
                result = {"error": f"{path} was not written: {cause}; choose another place"}
            except ValueError as error:
                result = {"error": f"{path} was not written: {error}"}
            self._link.send("reply", id=message["id"], result=result)

        self._on_desk(work)

    def _on_desk(self, work: Callable[["QtShell"], None]) -> None:
        desk = self._desk
        if desk is not None:
            desk.call(lambda: work(desk))

    def _geometry(self) -> dict[str, Any]:
        return {} if self._desk is None else self._desk.geometry

    def _end(self) -> None:
        """End the GUI loop; the process itself, if that hangs."""
        self._loaded.set()
        self._on_desk(lambda desk: desk.quit())
        threading.Timer(3.0, os._exit, (self._code,)).start()


def _first_show(desk: "QtShell", native: Any) -> None:
    if desk.geometry["maximized"]:
        native.showMaximized()
    desk.show()


def _fill(desk: "QtShell", message: Message) -> None:
    if desk.tray is not None:
        desk.tray.update(message["mode"], message["modes"], paused=message["paused"])


def _notify(desk: "QtShell", message: Message) -> None:
    if desk.tray is not None:
        desk.tray.notify(message["title"], message["text"])


def _write_file(path: Path, message: Message) -> None:
    path.write_bytes(base64.b64decode(message["content"]))


def _write_pdf(path: Path, message: Message) -> None:
    from conductor.window.qt_shell import pdf_of

    path.write_bytes(pdf_of(message["svg"]))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}"


def _icon() -> str | None:
    return str(ICON) if ICON.is_file() else None
