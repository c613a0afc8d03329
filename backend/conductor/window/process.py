"""Runs the window process, which shows the page, the tray icon and the dialogs.

It makes no decisions: the app sends the messages of `protocol.py` and receives what the user does. The
process ends when the pipe from the app is closed.
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
from typing import TYPE_CHECKING, Any, assert_never, cast
from urllib.parse import urlsplit

from conductor.base.json_types import JsonObject
from conductor.base.link import Link
from conductor.base.logs import log_to_file, log_to_stderr
from conductor.window.geometry import WindowGeometry
from conductor.window.page_bridge import PageBridge, ScriptQueue
from conductor.window.protocol import (
    AnswerCall,
    ConfigureWindow,
    EventsDelivered,
    ExternalLink,
    GeometryChange,
    HideWindow,
    LoadPage,
    OpenWindowCommand,
    PageCall,
    PushEvents,
    QuitWindow,
    SaveFile,
    SavePdf,
    SaveReply,
    ShowNotification,
    ShowWindow,
    TrayClick,
    UpdateTray,
    WindowClosed,
    WindowEvent,
    WindowHidden,
    WindowOpened,
    WindowUnusable,
    read_window_command,
)
from conductor.window.requirements import (
    WINDOW_UNUSABLE_EXIT_CODE,
    find_window_problem,
    prepare_qt_environment,
)

if TYPE_CHECKING:
    from conductor.window.qt_shell import QtShell

log = logging.getLogger(__name__)

PAGE_CRASHED_EXIT_CODE = 70
"""The exit code after an internal failure. The app then starts a new window process."""
SHELL_CALL_TIMEOUT_S = 20.0
WEBVIEW_ENGINE_BY_PLATFORM = {"linux": "qt", "win32": "edgechromium", "darwin": "cocoa"}
WINDOW_ICON_PATH = Path(__file__).parent.parent / "icon.png"


def main(argv: list[str]) -> int:
    """Show the window until the user closes it or the app ends, and return the exit code."""
    parser = argparse.ArgumentParser(prog="conductor --window-process")
    parser.add_argument("--home", type=Path, required=True)
    args = parser.parse_args(argv)
    log_to_stderr()
    log_to_file(args.home / "logs", "window.log", logging.WARNING)
    link = _open_link()
    reason = find_window_problem()
    if reason is not None:
        _send_message(link, WindowUnusable(reason))
        link.close()
        return WINDOW_UNUSABLE_EXIT_CODE
    prepare_qt_environment(os.environ)
    code = WindowProcess(link).run()
    link.close()
    # exits at once, because there is nothing to save and the shutdown of Qt may hang
    os._exit(code)


def _open_link() -> Link:
    """Open the link to the app over stdin and stdout.

    Output that libraries print is redirected to stderr, because it would break the messages.
    """
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return Link(reader, writer)


class WindowProcess:
    """Shows one window and exchanges messages with the app.

    Messages are read on the thread "window link". Qt runs on the main thread, which
    `QtShell.run_on_gui_thread` reaches.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._page: LoadPage | None = None
        self._loaded = threading.Event()
        """Set when the app has sent the address of the page or has ended."""
        self._closes_to_tray = False
        self._shell: QtShell | None = None
        self._shell_ready = threading.Event()
        self._bridge: PageBridge | None = None
        self._exit_code = 0

    def run(self) -> int:
        """Show the window and return the exit code of the process.

        Qt is imported first, while the app still starts and has not sent the address of the page.
        """
        threading.Thread(target=self._read_messages, name="window link", daemon=True).start()
        import webview

        engine = WEBVIEW_ENGINE_BY_PLATFORM.get(sys.platform, "qt")
        platform = import_module(f"webview.platforms.{engine}")
        self._loaded.wait()
        if self._page is None:  # the app ended before it knew the address of the page
            return 0
        self._closes_to_tray = self._page.close_to_tray
        self._create_window(self._page, webview, platform)
        webview.start(gui=cast(Any, "qt" if engine == "qt" else None), icon=_find_icon())
        # Qt also ends its loop when the display is gone, which must not be reported as closed by
        # the user.
        reason = find_window_problem()
        if reason is not None:
            self._send_message(WindowUnusable(reason))
            return WINDOW_UNUSABLE_EXIT_CODE
        self._send_message(WindowClosed(self._get_geometry()))
        return self._exit_code

    def _create_window(self, page: LoadPage, webview: Any, platform: Any) -> None:
        webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = False
        webview.settings["ALLOW_DOWNLOADS"] = False
        self._window = webview.create_window(
            page.title,
            f"{page.url}?wire=bridge#k={page.key}",
            min_size=(900, 600),
            hidden=True,
            text_select=True,
        )
        self._outbox = ScriptQueue(self._window.run_js, self._on_page_lost)
        self._bridge = PageBridge(page.key, self._outbox, self._send_page_call)
        platform.js_bridge_call = self._bridge.on_page_call
        self._window.events.closing += self._on_closing
        if sys.platform == "linux":
            self._refuse_new_windows(platform)
            self._window.events.before_show += lambda: self._on_before_show(page)
        else:
            self._window.events.shown += self._show_without_qt

    def _show_without_qt(self) -> None:
        """Show the window on a system where pywebview does not use Qt.

        This has never been tested on such a system.
        """
        self._shell_ready.set()
        self._window.show()

    def _on_before_show(self, page: LoadPage) -> None:
        """Set up the Qt window of pywebview on the GUI thread, before the window becomes visible."""
        try:
            self._set_up_window(page, self._window.native)
        # pywebview would only log the exception and leave a process without a window
        except Exception:
            log.exception("the window could not be set up")
            self._exit_code = PAGE_CRASHED_EXIT_CODE
            self._quit_gui_loop()

    def _set_up_window(self, load: LoadPage, native: Any) -> None:
        from PySide6.QtGui import QGuiApplication, QIcon

        from conductor.window.qt_shell import QtShell

        QGuiApplication.setQuitOnLastWindowClosed(False)  # the window may stay hidden in the tray
        QGuiApplication.setDesktopFileName("conductor")
        page = native.webview.page()
        shell = QtShell(native, page, load.geometry)
        shell.on_geometry = lambda geometry: self._send_message(GeometryChange(geometry))
        shell.set_theme(load.theme)
        shell.allow_clipboard()
        shell.restrict_navigation(_parse_origin(load.url), self._send_external_link)
        shell.show_tray_icon(
            QIcon(_find_icon() or ""),
            lambda choice, mode: self._send_message(TrayClick(choice, mode)),
        )
        page.renderProcessTerminated.connect(self._on_page_lost)
        page.loadFinished.disconnect(native.on_load_finished)

        def on_load_finished(ok: bool) -> None:  # noqa: FBT001
            # A link that was refused ends as a failed load, after which the page must keep its
            # bridge.
            if ok:
                native.on_load_finished()

        page.loadFinished.connect(on_load_finished)
        self._shell = shell
        self._shell_ready.set()
        self._send_message(WindowOpened(shell.has_tray()))
        if not (load.hidden and shell.has_tray()):
            # after pywebview has handled this event itself
            shell.run_on_gui_thread(lambda: _show_window(shell, native))

    def _on_closing(self) -> bool | None:
        """Hide the window instead of closing it, if the user prefers this and the desktop has a tray.

        Return False to keep the window open.
        """
        shell = self._shell
        if shell is None or not self._closes_to_tray or not shell.has_tray():
            return None
        # Sent first, so that a window whose process is killed once it is hidden is restarted hidden.
        self._send_message(WindowHidden(shell.geometry))
        shell.hide()
        return False

    def _refuse_new_windows(self, platform: Any) -> None:
        """Block links that would open a new window, and report them to the app. pywebview would open them
        without asking the user.
        """

        def refuse_navigation(_page: Any, url: Any, _kind: Any, _is_main: Any) -> bool:
            self._send_external_link(url.toString())
            return False

        platform.BrowserView.NavigationHandler.acceptNavigationRequest = refuse_navigation

    def _send_external_link(self, url: str) -> None:
        self._send_message(ExternalLink(url[:2_000]))

    def _send_page_call(self, number: int, method: str, params: JsonObject) -> None:
        self._send_message(PageCall(number, method, params))

    def _on_events_delivered(self) -> None:
        self._send_message(EventsDelivered())

    def _on_page_lost(self, *_: Any) -> None:
        """End the process, so that the app starts a new one.

        A window whose page has crashed cannot be repaired.
        """
        if self._window.events.closed.is_set():
            return
        log.error("the page has crashed or does not run scripts")
        self._exit_code = PAGE_CRASHED_EXIT_CODE
        self._quit_gui_loop()

    def _read_messages(self) -> None:
        for message in self._link.receive_messages():
            try:
                self._on_app_message(message)
            except Exception:  # a message that fails must not end the thread that reads all others
                log.exception("the message %s of the app raised an exception", message.get("op"))
        self._quit_gui_loop()

    def _on_app_message(self, message_fields: JsonObject) -> None:
        message = read_window_command(message_fields)
        if isinstance(message, LoadPage):
            self._page = message
            self._loaded.set()
        elif isinstance(message, QuitWindow):
            self._quit_gui_loop()
        elif message is None:
            log.warning("unknown message %s from the app", message_fields.get("op"))
        elif self._loaded.is_set():
            # the message may arrive before Qt has created the window
            self._shell_ready.wait(SHELL_CALL_TIMEOUT_S)
            self._handle_window_command(message, message_fields.get("id"))

    def _handle_window_command(self, message: OpenWindowCommand, request_id: int | None) -> None:
        match message:
            case ConfigureWindow(theme=theme, close_to_tray=close_to_tray):
                self._closes_to_tray = close_to_tray
                self._run_on_gui_thread(lambda shell: shell.set_theme(theme))
            case PushEvents(batch=batch):
                self._outbox.push_events(batch, self._on_events_delivered)
            case AnswerCall(id=number, envelope=envelope):
                if self._bridge is not None:
                    self._bridge.answer_page_call(number, envelope)
            case ShowWindow():
                self._run_on_gui_thread(lambda shell: shell.show())
            case HideWindow():
                self._run_on_gui_thread(lambda shell: shell.hide())
            case UpdateTray():
                self._run_on_gui_thread(lambda shell: _update_tray(shell, message))
            case ShowNotification():
                self._run_on_gui_thread(lambda shell: _show_notification(shell, message))
            case SaveFile(content=content):
                data = base64.b64decode(content)
                self._save_file(request_id, message.name, lambda path: path.write_bytes(data))
            case SavePdf(svg=svg):
                self._save_file(request_id, message.name, lambda path: _write_pdf(path, svg))
            case _:
                assert_never(message)

    def _send_message(self, message: WindowEvent) -> None:
        _send_message(self._link, message)

    def _save_file(
        self, request_id: int | None, name: str, write: Callable[[Path], object]
    ) -> None:
        """Ask the user where to save a file, write it, and reply to the app with the path or the error."""

        def run_dialog(shell: "QtShell") -> None:
            path = shell.ask_save_path(name)
            result = SaveReply(path=None if path is None else str(path))
            try:
                if path is not None:
                    write(path)
            except OSError as error:
                reason = error.strerror or str(error)
                result = SaveReply(error=f"{path} was not written: {reason}; choose another folder")
            except ValueError as error:
                result = SaveReply(error=f"{path} was not written: {error}")
            self._link.send("reply", id=request_id, result=result)

        self._run_on_gui_thread(run_dialog)

    def _run_on_gui_thread(self, work: Callable[["QtShell"], None]) -> None:
        """Run a function on the GUI thread. Nothing happens if there is no Qt window."""
        shell = self._shell
        if shell is not None:
            shell.run_on_gui_thread(lambda: work(shell))

    def _get_geometry(self) -> "WindowGeometry | None":
        return None if self._shell is None else self._shell.geometry

    def _quit_gui_loop(self) -> None:
        """End the GUI loop. If the loop hangs for 3 s, end the whole process."""
        self._loaded.set()
        self._run_on_gui_thread(lambda shell: shell.quit_gui_loop())
        threading.Timer(3.0, os._exit, (self._exit_code,)).start()


def _show_window(shell: "QtShell", native: Any) -> None:
    if shell.geometry["maximized"]:
        native.showMaximized()
    shell.show()


def _send_message(link: Link, message: WindowEvent) -> None:
    link.send(message.op, **message._asdict())


def _update_tray(shell: "QtShell", state: UpdateTray) -> None:
    if shell.tray is not None:
        shell.tray.update_menu(state.mode, state.modes, paused=state.paused)


def _show_notification(shell: "QtShell", message: ShowNotification) -> None:
    if shell.tray is not None:
        shell.tray.show_notification(message.title, message.text)


def _write_pdf(path: Path, svg: str) -> None:
    from conductor.window.qt_shell import render_pdf

    path.write_bytes(render_pdf(svg))


def _parse_origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port}"


def _find_icon() -> str | None:
    return str(WINDOW_ICON_PATH) if WINDOW_ICON_PATH.is_file() else None
