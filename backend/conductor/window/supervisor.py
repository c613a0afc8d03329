"""Starts the window process, restarts it after a crash, and passes the calls of its page to the app.

The engine and the app keep running when the window process dies. This module has few imports, because it
starts the window process before the app imports large modules.
"""

import asyncio
import base64
import json
import logging
import secrets
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, assert_never, cast

from conductor.base.child import ChildProcess
from conductor.base.clock import now
from conductor.base.environment import build_keyless_environment
from conductor.base.json_types import JsonObject
from conductor.errors import ActionFailed, NotAvailable
from conductor.window.geometry import WindowGeometry, read_window_geometry
from conductor.window.protocol import (
    AnswerCall,
    ConfigureWindow,
    EventsDelivered,
    ExternalLink,
    GeometryChange,
    HideWindow,
    LoadPage,
    PageCall,
    PushEvents,
    QuitWindow,
    SaveFile,
    SavePdf,
    SaveReply,
    ShowNotification,
    ShowWindow,
    TrayChoice,
    TrayClick,
    UpdateTray,
    WindowClosed,
    WindowCommand,
    WindowHidden,
    WindowOpened,
    WindowUnusable,
    read_window_event,
)
from conductor.window.requirements import WINDOW_UNUSABLE_EXIT_CODE

log = logging.getLogger(__name__)

GEOMETRY_FILE_NAME = "window-geometry.json"
QUICK_CRASH_LIMIT_S = 10.0
"""A window process that crashes within this time after its start counts as a quick crash."""
MAX_QUICK_CRASHES = 3
WINDOW_CLOSED_MESSAGE = "the window has closed; try again"
STUCK_PAGE_TIMEOUT_S = 30.0
"""A page that has not processed a batch of events within this time receives no further batches."""
MAX_PENDING_EVENT_BATCHES = 48
"""How many batches of events may wait for a busy page; together they contain less than two seconds of
events.
"""
CallCommand = Callable[[str, JsonObject], Awaitable[JsonObject]]
"""Calls a command with its method and params.

Returns `{ok, result}` or `{ok, error}` and never raises an exception.
"""


class WindowSettings(Protocol):
    """The user's settings that concern the window: its theme, and whether closing hides it in the tray."""

    @property
    def theme(self) -> str: ...
    @property
    def close_to_tray(self) -> bool: ...


class WindowSupervisor:
    """Controls the window process. The object stays valid when the process is restarted after a crash.

    `call` runs on the event loop of the app, all other callbacks on the thread that reads the link.
    `on_closed` receives True if the user chose Quit in the tray, and False if the user closed the window or
    no window can be shown (see `unusable_reason`). `on_external` receives the address of a link that was
    not followed. `on_notice` receives a message for the user.
    """

    def __init__(
        self,
        home: Path,
        call: CallCommand,
        *,
        on_notice: Callable[[str], None],
        on_closed: Callable[[bool], None],
        on_external: Callable[[str], None] = lambda _url: None,
        on_open: Callable[[], None] = lambda: None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._home = home
        self._call = call
        self._on_notice = on_notice
        self._on_closed = on_closed
        self._on_external = on_external
        self._on_open = on_open
        self._environment = {**build_keyless_environment(), **(environment or {})}
        self._geometry = read_window_geometry(home / GEOMETRY_FILE_NAME)
        self._child: ChildProcess | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._page: LoadPage | None = None
        """The page that each new window process shows. Its key is set when the message is sent."""
        self._tray: UpdateTray | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._started_at = 0.0
        self._quick_crashes = 0
        self._stopping = False
        self._was_closed = False
        self._start_done = threading.Event()
        """Set when the window is open, or when it is certain that no window can be opened."""
        self._problem: str | None = None
        self._pending_batches = 0
        self.has_room = asyncio.Event()
        """Set while fewer than `MAX_PENDING_EVENT_BATCHES` batches wait for the page."""
        self.restarts = 0
        self.native = True
        """Whether the desktop's own file dialogs can be used."""
        self.tray = False
        self.hidden = False
        """Whether the window is hidden in the tray.

        A window process that is restarted after a crash stays hidden.
        """

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    @property
    def unusable_reason(self) -> str | None:
        """Why this session cannot show the window, such as a missing display, or None."""
        return self._problem

    @property
    def is_open(self) -> bool:
        """Whether the window process runs. The window may be hidden."""
        return self._child is not None and self._child.is_running

    def start(self, environment: Mapping[str, str] | None = None) -> None:
        """Start the window process. It imports its libraries and then waits for `load_page`."""
        self._environment |= environment or {}
        self._stopping = False
        self._start_process()

    def wait_until_open(self, timeout_s: float) -> str | None:
        """Wait until the window is open. Return None, or the reason why it could not be opened.

        Call this on a worker thread, because it blocks.
        """
        if not self._start_done.wait(timeout_s):
            return f"it did not open within {timeout_s:g} s; see logs/window.log"
        return self._problem

    def load_page(self, url: str, settings: WindowSettings, *, hidden: bool = False) -> None:
        """Show the page at `url`, such as `http://127.0.0.1:4711/`.

        Call this on the event loop of the app, which then runs the commands of the page.
        """
        self._loop = asyncio.get_running_loop()
        self._page = LoadPage(
            url,
            "Conductor",
            settings.theme,
            settings.close_to_tray,
            hidden,
            key="",
            geometry=self._geometry,
        )
        self.hidden = hidden
        self._send_page()

    def apply_settings(self, settings: WindowSettings) -> None:
        """Send settings that the user changed to the window process."""
        if self._page is not None:
            changed = ConfigureWindow(settings.theme, settings.close_to_tray)
            self._page = self._page._replace(**changed._asdict())
            self._send_command(changed)

    async def push_events(self, batch: Sequence[Sequence[Any]]) -> None:
        """Send a batch of events to the page, and wait until the page can receive another one.

        The batch has the form `[[sequence, topic, payload], ...]`.

        Raises:
            TimeoutError: The page hangs. `has_room` is set when it continues.
        """
        self._send_command(PushEvents(batch))
        self._set_pending_batch_count(self._pending_batches + 1)
        async with asyncio.timeout(STUCK_PAGE_TIMEOUT_S):
            await self.has_room.wait()

    def show_window(self) -> None:
        self.hidden = False
        self._send_command(ShowWindow())

    def hide_window(self) -> None:
        """Hide the window in the tray, or minimize it if there is no tray."""
        self.hidden = self.tray
        self._send_command(HideWindow())

    def update_tray(self, mode: str, modes: Sequence[str], *, paused: bool) -> None:
        """Show the modes and the paused state in the tray menu, if they have changed."""
        state = UpdateTray(mode, list(modes), paused)
        if state != self._tray:
            self._tray = state
            self._send_command(state)

    def show_notification(self, title: str, text: str) -> None:
        """Show a desktop notification. Without a tray, nothing is shown."""
        self._send_command(ShowNotification(title, text))

    def open_url(self, url: str) -> None:
        """Open an address in the user's default program.

        The caller has checked the address and asked the user.

        Raises:
            ActionFailed: No program can open the address.
        """
        from conductor.system.programs import SystemPrograms

        SystemPrograms().launch(url, [])

    def save_file(self, name: str, content: bytes) -> str | None:
        """Write a file at a path that the user chooses. Return the path, or None if the user cancels.

        Call this on a worker thread, because it waits for the user.

        Raises:
            ActionFailed: The file could not be written.
            NotAvailable: The window is not open.
        """
        return self._ask_for_path(SaveFile(name, base64.b64encode(content).decode()))

    def save_pdf(self, name: str, svg: str) -> str | None:
        """Write a drawing as a PDF of one A4 page at a path that the user chooses. Return the path, or
        None if the user cancels.

        Call this on a worker thread, because it waits for the user.

        Raises:
            ActionFailed: The drawing could not be rendered or written.
            NotAvailable: The window is not open.
        """
        return self._ask_for_path(SavePdf(name, svg))

    def stop(self) -> None:
        """Ask the window process to end, and kill it if it does not."""
        self._stopping = True
        if self._child is not None:
            self._child.stop_and_wait(QuitWindow.op)

    def _ask_for_path(self, request: SaveFile | SavePdf) -> str | None:
        """Show a file dialog in the window, and wait until the user closes it or the process ends."""
        if self._child is None or not self._child.is_running:
            raise NotAvailable("the window is not open: open it with `conductor`")
        with self._child.send_request(request.op, request._asdict()) as answer:
            result = cast(SaveReply, answer.result())
        if "error" in result:
            raise ActionFailed(result["error"])
        return result.get("path")

    def _send_command(self, message: WindowCommand) -> None:
        if self._child is not None:
            self._child.send(message.op, **message._asdict())

    def _send_page(self) -> None:
        """Send the address of the page to the window process, with a new key for each process."""
        if self._page is None:
            return
        key = secrets.token_urlsafe(32)
        self._send_command(
            self._page._replace(hidden=self.hidden, key=key, geometry=self._geometry)
        )
        if self._tray is not None:
            self._send_command(self._tray)

    def _start_process(self) -> None:
        self._started_at = now()
        self._start_done.clear()
        self._problem = None
        self._was_closed = False
        self._child = ChildProcess(
            "window",
            ["--window-process", "--home", str(self._home)],
            on_message=self._on_window_message,
            on_end=self._on_process_exit,
            exit_message=WINDOW_CLOSED_MESSAGE,
            environment=self._environment,
        )
        self._child.start_reading()
        self._run_on_loop(self._set_pending_batch_count, 0)
        self._send_page()

    def _set_pending_batch_count(self, batches: int) -> None:
        """Store how many batches of events the page has not processed yet, and wake `push_events` if there
        is room.
        """
        self._pending_batches = batches
        if batches < MAX_PENDING_EVENT_BATCHES:
            self.has_room.set()
        else:
            self.has_room.clear()

    def _on_process_exit(self, code: int) -> None:
        # After a crash, do not report a result yet, because the next process may open the window.
        if code == WINDOW_UNUSABLE_EXIT_CODE or self._was_closed:
            self._start_done.set()
        self._restart_or_give_up(code, was_closed=self._was_closed)

    def _on_window_message(self, message_fields: JsonObject) -> None:
        message = read_window_event(message_fields)
        match message:
            case PageCall():
                self._run_on_loop(self._answer_page_call, message)
            case EventsDelivered():
                self._run_on_loop(lambda: self._set_pending_batch_count(self._pending_batches - 1))
            case TrayClick(choice=choice, mode=mode):
                self._on_tray_choice(choice, mode)
            case GeometryChange(geometry=geometry):
                self._save_geometry(geometry)
            case WindowHidden(geometry=geometry):
                self.hidden = True
                self._save_geometry(geometry)
            case WindowClosed(geometry=geometry):
                self._was_closed = True
                self._save_geometry(geometry)
            case WindowOpened(tray=tray):
                self.tray = tray
                self.hidden = self.hidden and tray
                self._start_done.set()
                self._on_open()
            case ExternalLink(url=url):
                self._on_external(url)
            case WindowUnusable(reason=reason):
                self._problem = reason
            case None:
                log.warning("unknown message %s from the window", message_fields.get("op"))
            case _:
                assert_never(message)

    def _on_tray_choice(self, choice: TrayChoice, mode: str | None) -> None:
        match choice:
            case "show":
                self.show_window()
            case "quit":
                self._on_closed(True)
            case "mode":
                self._run_on_loop(self._run_page_command, "modes.switch", {"mode": mode})
            case "panic":
                self._run_on_loop(self._run_page_command, "engine.panic", {})
            case "pause" | "resume":
                self._run_on_loop(
                    self._run_page_command, "engine.pause", {"paused": choice == "pause"}
                )
            case _:
                assert_never(choice)

    def _run_on_loop(self, work: Callable[..., None], *arguments: Any) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work, *arguments)

    def _answer_page_call(self, call: PageCall) -> None:
        self._run_page_command(
            call.method,
            call.params,
            lambda envelope: self._send_command(AnswerCall(call.id, envelope)),
        )

    def _run_page_command(
        self,
        method: str,
        params: JsonObject,
        on_response: Callable[[JsonObject], None] = lambda _envelope: None,
    ) -> None:
        async def run() -> None:
            on_response(await self._call(method, params))

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _save_geometry(self, geometry: WindowGeometry | None) -> None:
        if geometry and geometry != self._geometry:
            self._geometry = geometry
            try:
                (self._home / GEOMETRY_FILE_NAME).write_text(json.dumps(geometry), encoding="utf-8")
            except OSError as error:
                log.warning("the position of the window could not be saved: %s", error)

    def _restart_or_give_up(self, code: int, *, was_closed: bool) -> None:
        """Start the window process again after a crash, or report that the window is closed for good."""
        if self._stopping:
            return
        if (was_closed and code == 0) or code == WINDOW_UNUSABLE_EXIT_CODE:
            self._on_closed(False)
            return
        lived_s = now() - self._started_at
        self._quick_crashes = self._quick_crashes + 1 if lived_s < QUICK_CRASH_LIMIT_S else 0
        if self._quick_crashes >= MAX_QUICK_CRASHES:
            self._on_notice(
                f"the window crashed {MAX_QUICK_CRASHES} times in a row (exit code {code}) and stays closed;"
                " mappings keep running. `conductor run --browser` opens Conductor in your browser"
            )
            return
        self.restarts += 1
        self._on_notice(
            f"the window crashed (exit code {code}) and is being reopened; mappings keep running"
        )
        self._start_process()
