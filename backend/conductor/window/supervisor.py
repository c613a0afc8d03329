"""The app's end of the window: starts its process, brings it back after a crash, relays its calls.

Nothing of the engine or the app hangs on the window: when its process dies, the rest goes on. Only
light imports here: the process is started before the app imports anything large.
"""

import asyncio
import base64
import json
import logging
import secrets
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from conductor.base.child import Child
from conductor.base.clock import now
from conductor.base.environment import environment_without_keys
from conductor.base.link import Message
from conductor.errors import ActionFailed, NotAvailable
from conductor.window.requirements import UNUSABLE

log = logging.getLogger(__name__)

GEOMETRY = "window-geometry.json"
QUICK_DEATH_S = 10.0
QUICK_DEATHS = 3
GONE = "the window has gone; try again"
STUCK_AFTER_S = 30.0
"""A page that has taken nothing for this long is told nothing more until it does."""
UNTAKEN_AT_MOST = 48
"""Batches on their way to the page: under two seconds of them, as long as a busy page may need for a frame."""
FROM_TRAY: Mapping[str, tuple[str, dict[str, Any]]] = {
    "panic": ("engine.panic", {}),
    "pause": ("engine.pause", {"paused": True}),
    "resume": ("engine.pause", {"paused": False}),
}
Envelope = dict[str, Any]
Call = Callable[[str, dict[str, Any]], Awaitable[Envelope]]
"""Method and params of a command -> `{ok, result}` or `{ok, error}`; never raises."""


class Look(Protocol):
    """What the window needs of the user's settings."""

    @property
    def theme(self) -> str: ...
    @property
    def close_to_tray(self) -> bool: ...


class Window:
    """Callbacks come on the window's reader thread, commands on the app's loop.

    `on_closed` is called when the user has closed the window for good, or chose to quit in the tray
    (`quits=True`); `on_external` gets the address of a link that was not followed; `tell` a sentence for
    the user.
    """

    def __init__(
        self,
        home: Path,
        call: Call,
        *,
        tell: Callable[[str], None],
        on_closed: Callable[[bool], None],
        on_external: Callable[[str], None] = lambda _url: None,
        on_open: Callable[[], None] = lambda: None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._home = home
        self._call = call
        self._tell = tell
        self._on_closed = on_closed
        self._on_external = on_external
        self._on_open = on_open
        self._environment = {**environment_without_keys(), **(environment or {})}
        self._geometry = _read_geometry(home / GEOMETRY)
        self._child: Child | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._page: dict[str, Any] | None = None
        self._tray: dict[str, Any] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._started_at = 0.0
        self._quick_deaths = 0
        self._stopping = False
        self._was_closed = False
        self._fate = threading.Event()
        self._problem: str | None = None
        self._untaken = 0
        self.has_room = asyncio.Event()
        """Set while the page takes what it is given."""
        self.restarts = 0
        self.native = True
        """Whether there are dialogs of the desktop's own."""
        self.tray = False
        self.hidden = False
        """In the tray; a window that comes back after a crash is where it was."""

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    @property
    def is_open(self) -> bool:
        """Return whether the process runs, shown or hidden."""
        return self._child is not None and self._child.is_running

    def start(self, environment: Mapping[str, str] | None = None) -> None:
        """Start the process; it loads its libraries until `load` says what to show."""
        self._environment |= environment or {}
        self._stopping = False
        self._spawn()

    def wait_open(self, timeout_s: float) -> str | None:
        """Wait until the window stands, and say why it does not. Not for the loop."""
        if not self._fate.wait(timeout_s):
            return f"it did not come within {timeout_s:g} s; logs/window.log may tell why"
        return self._problem

    def load(self, url: str, look: Look, *, hidden: bool = False) -> None:
        """Show the page at `url`, such as `http://127.0.0.1:4711/`. Call it on the app's loop."""
        self._loop = asyncio.get_running_loop()
        self._page = {
            "url": url,
            "title": "Conductor",
            "theme": look.theme,
            "close_to_tray": look.close_to_tray,
        }
        self.hidden = hidden
        self._send_page()

    def configure(self, look: Look) -> None:
        """Tell the window that the settings have changed."""
        if self._page is not None:
            changed = {"theme": look.theme, "close_to_tray": look.close_to_tray}
            self._page |= changed
            self._send("configure", **changed)

    async def push(self, batch: Sequence[Sequence[Any]]) -> None:
        """Give the page a batch of events, `[[sequence, topic, payload], ...]`, and wait for room.

        Raises:
            TimeoutError: it is stuck. `has_room` is set when it goes on.
        """
        self._send("push", batch=batch)
        self._count(self._untaken + 1)
        async with asyncio.timeout(STUCK_AFTER_S):
            await self.has_room.wait()

    def show(self) -> None:
        self.hidden = False
        self._send("show")

    def hide(self) -> None:
        """Hide in the tray; without one it is made small instead."""
        self.hidden = self.tray
        self._send("hide")

    def set_tray(self, mode: str, modes: Sequence[str], *, paused: bool) -> None:
        """Show the state in the tray; the same one again costs nothing."""
        state = {"mode": mode, "modes": list(modes), "paused": paused}
        if state != self._tray:
            self._tray = state
            self._send("tray", **state)

    def notify(self, title: str, text: str) -> None:
        """Show a message of the desktop, where there is a tray."""
        self._send("notify", title=title, text=text)

    def open_url(self, url: str) -> None:
        """Open an address in the user's own programs. It has been checked and asked about before.

        Raises:
            ActionFailed: no program opens it.
        """
        from conductor.system.programs import SystemPrograms

        SystemPrograms().launch(url, [])

    def save_file(self, name: str, content: bytes) -> str | None:
        """Ask the user for a place and write there; None when the user cancels. Not for the loop.

        Raises:
            ActionFailed: it could not be written.
            NotAvailable: the window has gone.
        """
        return self._ask_path("save_file", name=name, content=base64.b64encode(content).decode())

    def save_pdf(self, name: str, svg: str) -> str | None:
        """Ask the user for a place and print a drawing there, on one A4 page. Not for the loop.

        Raises:
            ActionFailed: it could not be drawn or written.
            NotAvailable: the window has gone.
        """
        return self._ask_path("save_pdf", name=name, svg=svg)

    def stop(self) -> None:
        """End the window; killed if it will not."""
        self._stopping = True
        if self._child is not None:
            self._child.end("quit")

    def _ask_path(self, op: str, **fields: Any) -> str | None:
        """Wait as long as the dialog is open, or until the window goes."""
        if self._child is None or not self._child.is_running:
            raise NotAvailable("the window is not open: open it with `conductor`")
        with self._child.asking(op, fields) as answer:
            result = answer.result()
        if "error" in result:
            raise ActionFailed(result["error"])
        return result["path"]

    def _send(self, op: str, /, **fields: Any) -> None:
        if self._child is not None:
            self._child.send(op, **fields)

    def _send_page(self) -> None:
        """Send the address with a new key; also after a crash."""
        if self._page is None:
            return
        key = secrets.token_urlsafe(32)
        self._send("load", **self._page, hidden=self.hidden, key=key, geometry=self._geometry)
        if self._tray is not None:
            self._send("tray", **self._tray)

    def _spawn(self) -> None:
        self._started_at = now()
        self._fate.clear()
        self._problem = None
        self._was_closed = False
        self._child = Child(
            "window",
            ["--window-process", "--home", str(self._home)],
            on_message=self._take,
            on_end=self._ended,
            gone=GONE,
            environment=self._environment,
        )
        self._child.listen()
        self._on_loop(self._count, 0)
        self._send_page()

    def _count(self, untaken: int) -> None:
        """Keep how many batches the page has yet to take."""
        self._untaken = untaken
        if untaken < UNTAKEN_AT_MOST:
            self.has_room.set()
        else:
            self.has_room.clear()

    def _ended(self, code: int) -> None:
        if code == UNUSABLE or self._was_closed:
            self._fate.set()
        self._died(code, closed=self._was_closed)

    def _take(self, message: Message) -> None:
        match message["op"]:
            case "rpc":
                self._on_loop(self._answer, message["id"], message["method"], message["params"])
            case "taken":
                self._on_loop(lambda: self._count(self._untaken - 1))
            case "tray":
                self._from_tray(message["do"], message.get("mode"))
            case "geometry" | "hidden" | "closed":
                self.hidden = message["op"] == "hidden" or self.hidden
                self._keep_geometry(message["geometry"])
                self._was_closed = message["op"] == "closed" or self._was_closed
            case "dressed":
                self.tray = bool(message["tray"])
                self.hidden = self.hidden and self.tray
                self._fate.set()
                self._on_open()
            case "external":
                self._on_external(message["url"])
            case "unusable":
                self._problem = str(message["reason"])
            case _:
                pass

    def _from_tray(self, do: str, mode: str | None) -> None:
        if do == "show":
            self.show()
        elif do == "quit":
            self._on_closed(True)
        elif do == "mode":
            self._on_loop(self._start, "modes.switch", {"mode": mode})
        else:
            self._on_loop(self._start, *FROM_TRAY[do])

    def _on_loop(self, work: Callable[..., None], *arguments: Any) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work, *arguments)

    def _answer(self, number: int, method: str, params: dict[str, Any]) -> None:
        self._start(
            method, params, lambda envelope: self._send("answer", id=number, envelope=envelope)
        )

    def _start(
        self,
        method: str,
        params: dict[str, Any],
        then: Callable[[Envelope], None] = lambda _envelope: None,
    ) -> None:
        async def run() -> None:
            then(await self._call(method, params))

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _keep_geometry(self, geometry: dict[str, Any]) -> None:
        if geometry and geometry != self._geometry:
            self._geometry = geometry
            try:
                (self._home / GEOMETRY).write_text(json.dumps(geometry), encoding="utf-8")
            except OSError as error:
                log.warning("the window's place was not kept: %s", error)

    def _died(self, code: int, *, closed: bool) -> None:
        """Bring a crashed window back; one that the user closed has done its work."""
        if self._stopping:
            return
        if (closed and code == 0) or code == UNUSABLE:
            self._on_closed(False)
            return
        lived_s = now() - self._started_at
        self._quick_deaths = self._quick_deaths + 1 if lived_s < QUICK_DEATH_S else 0
        if self._quick_deaths >= QUICK_DEATHS:
            self._tell(
                f"the window ended {QUICK_DEATHS} times in a row (exit {code}) and is left closed;"
                " mappings go on. `conductor run --browser` shows the same in your browser"
            )
            return
        self.restarts += 1
        self._tell(
            f"the window ended (exit {code}) and is opened again; mappings went on meanwhile"
        )
        self._spawn()


def _read_geometry(path: Path) -> dict[str, Any]:
    """Return what was kept; nothing when it is not there or not sound."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        numbers = {name: int(kept[name]) for name in ("x", "y", "width", "height")}
        return {**numbers, "maximized": bool(kept.get("maximized"))}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
