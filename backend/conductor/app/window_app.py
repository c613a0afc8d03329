"""Opens the window of a running Conductor and connects the page in it to the bridge."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor.base.detached import run_detached
from conductor.base.json_types import JsonObject
from conductor.bridge.browser_pages import SHUTTING_DOWN_MESSAGE
from conductor.errors import NotAvailable
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.notices import Notices
from conductor.window.autostart import apply_autostart
from conductor.window.supervisor import WindowSupervisor

if TYPE_CHECKING:
    from conductor.bridge.bridge import Bridge
    from conductor.bridge.emitter import Listener
    from conductor.bridge.server import BridgeServer
    from conductor.domain.config import Config

log = logging.getLogger(__name__)

WINDOW_OPEN_TIMEOUT_S = 25.0
WINDOW_NOTICE = "window"
"""The key of the notice that the window crashed."""


class WindowApp:
    """Opens the window and serves its page. If `owns_app` is true, closing the window ends the app."""

    def __init__(
        self,
        home: Path,
        engine: EngineConnection,
        config: "Callable[[], Config]",
        open_bridge: "Callable[[], Awaitable[Bridge]]",
        notices: Notices,
        quit_app: Callable[[], None],
        *,
        demo: bool,
        owns_app: bool,
        hidden: bool,
    ) -> None:
        self._engine = engine
        self._config = config
        self._open_bridge = open_bridge
        self._notices = notices
        self._quit_app = quit_app
        self._demo = demo
        self._owns_app = owns_app
        self._hidden = hidden
        self.failure: str | None = None
        """Why the app ended although the user did not close the window, or None."""
        self._was_open = False
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        self._bridge: Bridge | None = None
        self._server: BridgeServer | None = None
        self._listener: Listener | None = None
        self._pump: asyncio.Task[None] | None = None
        self._open_lock = asyncio.Lock()
        self._window = WindowSupervisor(
            home,
            self._call_command,
            on_notice=lambda text: notices.show_warning(text, key=WINDOW_NOTICE),
            on_closed=self._on_closed,
            on_external=self._on_external_link,
            on_open=self._on_opened,
        )
        if owns_app:
            # the window process imports its libraries while this process starts
            self._window.start()

    def get_window(self) -> WindowSupervisor | None:
        """Return the supervisor of the window, or None if the window was never opened."""
        return None if self._server is None else self._window

    async def open_window(self, session: Mapping[str, str] | None = None) -> None:
        """Show the window. A window process is started if none is running.

        `session` contains the variables of the desktop session in which to open it.

        Raises:
            NotAvailable: No window can be shown in this session.
        """
        async with self._open_lock:
            if self._is_closed:
                raise NotAvailable(SHUTTING_DOWN_MESSAGE)
            if self._server is not None and self._window.is_open:
                self._window.show_window()
                return
            await self._start_server()
            if not self._window.is_open:
                self._window.start(session)
            self._window.load_page(
                f"{self._get_origin()}/", self._config().settings.ui, hidden=self._hidden
            )
            self._hidden = False
            reason = await asyncio.to_thread(self._window.wait_until_open, WINDOW_OPEN_TIMEOUT_S)
        if reason is not None:
            raise NotAvailable(f"the window cannot be shown: {reason}")
        self._was_open = True

    async def close(self) -> None:
        """Close the window and stop the web server of its page."""
        self._is_closed = True
        if self._pump is not None:
            self._pump.cancel()
        await run_detached(self._window.stop)
        if self._server is not None:
            await self._server.stop()

    async def _start_server(self) -> None:
        """Start the web server for the files of the page, unless it is running."""
        if self._server is not None:
            return
        bridge = await self._open_bridge()
        from conductor.bridge.server import BridgeServer

        server = BridgeServer(bridge, websocket=False)
        await server.start()
        if self._is_closed:  # `close` was called in the meantime and did not see this server
            await server.stop()
            raise NotAvailable(SHUTTING_DOWN_MESSAGE)
        self._bridge, self._server = bridge, server
        self._apply_settings()

    def _get_origin(self) -> str:
        return self._server.origin if self._server is not None else ""

    def _disconnect_page(self) -> None:
        """Stop sending events to a page that no longer exists."""
        if self._pump is not None:
            self._pump.cancel()
        self._listener = self._pump = None

    def _connect_page(self) -> None:
        """Start sending events to a page that was just loaded."""
        self._disconnect_page()
        if self._bridge is not None:
            self._pump = self._loop.create_task(self._send_events(self._bridge))
            self._update_tray()

    async def _send_events(self, bridge: "Bridge") -> None:
        """Send events to the page as fast as the page processes them.

        A page that hangs is disconnected until it continues. It then gets a new listener, whose sequence
        numbers start at zero, and therefore loads its data again.
        """
        while True:
            self._listener = listener = bridge.add_page()
            try:
                await bridge.send_events(listener, self._send_batch)
            except TimeoutError:
                log.warning("the window does not accept events; they are sent again when it does")
            finally:
                bridge.remove_page(listener)
            await self._window.has_room.wait()

    async def _send_batch(self, batch: Any) -> None:
        if self._window.hidden:
            self._show_notifications(batch)
        topics = {row[1] for row in batch}
        if "config" in topics:
            self._apply_settings()
        if topics & {"config", "status"}:
            self._update_tray()
        await self._window.push_events(batch)

    def _show_notifications(self, batch: Any) -> None:
        """Show pending plans and approvals as desktop notifications, because the hidden window cannot show
        them.
        """
        for _, topic, payload in batch:
            if topic == "plan" and payload["status"] == "pending":
                self._window.show_notification(
                    "A plan is waiting for your approval", payload["description"]
                )
            if topic == "approval" and payload["state"] == "pending":
                self._window.show_notification(
                    "The assistant needs your approval", f"Allow {payload['title']}?"
                )

    def _update_tray(self) -> None:
        modes = [mode.name for mode in self._config().modes]
        state = self._engine.state
        self._window.update_tray(state.mode, modes, paused=state.paused)

    def _apply_settings(self) -> None:
        ui = self._config().settings.ui
        self._window.apply_settings(ui)
        if not self._demo:
            apply_autostart(self._notices, on=ui.start_at_login)

    async def _call_command(self, method: str, params: JsonObject) -> JsonObject:
        bridge, listener = self._bridge, self._listener
        if bridge is None or listener is None:
            error = {"code": "not_available", "message": "Conductor is still starting; try again"}
            return {"ok": False, "error": error}
        return await bridge.run_command(method, params, listener)

    def _on_external_link(self, url: str) -> None:
        self._notices.show_warning(f"a link was not followed: {url}")

    def _on_opened(self) -> None:
        self._was_open = True
        self._notices.withdraw_notice(WINDOW_NOTICE)
        self._run_on_loop(self._connect_page)

    def _on_closed(self, quits: bool) -> None:  # noqa: FBT001
        # If the window never opened, `open_window` fails, and its caller reports the reason.
        reason = None if quits else self._window.unusable_reason
        if reason is not None and self._was_open:
            self._report_lost_window(reason)
        if quits or (self._owns_app and self._was_open):
            self._quit_app()
        else:
            self._run_on_loop(self._disconnect_page)

    def _report_lost_window(self, reason: str) -> None:
        """Report that the display is gone. If the app was started for its window, it ends with an error."""
        text = f"the window has closed and cannot be reopened: {reason}"
        if self._owns_app:
            self.failure = f"Conductor has ended because {text}"
            log.error(self.failure)
        else:
            self._notices.show_warning(f"{text}; mappings keep running", key=WINDOW_NOTICE)

    def _run_on_loop(self, work: Any) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work)
