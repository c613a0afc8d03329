"""Serves the page on the loopback interface. A page in a browser calls commands and receives events over a
WebSocket.

The server answers only requests for its own host name and origin, which stops other web pages and DNS
rebinding. It accepts only connections with a valid token.
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from conductor.base.http_server import HttpServer
from conductor.base.loopback import LOOPBACK_HOST, LOOPBACK_HOST_NAMES
from conductor.bridge.app_pages import APP_PAGES_PATH
from conductor.bridge.bridge import Bridge
from conductor.bridge.peer import serve_page
from conductor.bridge.static import UI_FOLDER, add_security_headers, build_files_app
from conductor.bridge.tokens import PageSession, PageSessions
from conductor.domain.plan import Requester

log = logging.getLogger(__name__)

WEBSOCKET_SUBPROTOCOL = "conductor"
FORBIDDEN_CLOSE_CODE = 4403
MAX_MESSAGE_BYTES = 8_388_608
SHUTDOWN_TIMEOUT_S = 2


class BridgeServer:
    """The HTTP server of the page.

    With `port` 0, the system chooses a free port, which is known after `start`.
    """

    def __init__(
        self, bridge: Bridge, *, port: int = 0, ui: Path = UI_FOLDER, websocket: bool = True
    ) -> None:
        self._bridge = bridge
        self._page_sessions = PageSessions()
        routes = [WebSocketRoute("/ws", self._accept_websocket)] if websocket else []
        app_pages_route = Route(f"{APP_PAGES_PATH}/{{token}}", bridge.serve_app_page)
        app = Starlette(routes=[*routes, app_pages_route, Mount("/", app=build_files_app(ui))])
        self._http = HttpServer(
            add_security_headers(self._require_own_host(app)),
            port,
            port_in_use_error="the window's page cannot be served on port {}",
            lifespan="off",
            server_header=False,
            ws="websockets-sansio" if websocket else "none",
            ws_max_size=MAX_MESSAGE_BYTES,
            # compression is useless on loopback and would block the event loop
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
        )

    @property
    def port(self) -> int:
        return self._http.port

    async def start(self) -> None:
        """Start accepting connections of pages.

        Raises:
            NotAvailable: Another program uses the port.
        """
        await self._http.start()

    async def stop(self) -> None:
        """Close every connection and stop the server."""
        await self._http.stop()

    @property
    def origin(self) -> str:
        return f"http://{LOOPBACK_HOST}:{self.port}"

    def _list_allowed_hosts(self) -> tuple[str, ...]:
        """Return the values of the Host header that are accepted.

        A request through DNS rebinding names another host and is refused.
        """
        return tuple(f"{name}:{self.port}" for name in LOOPBACK_HOST_NAMES)

    @property
    def page_sessions(self) -> Sequence[PageSession]:
        """Return the sessions of all pages for which an address was created.

        Pages that were opened come first.
        """
        return self._page_sessions.list_sessions()

    def create_page_url(
        self, address_requester: Requester | None = None
    ) -> tuple[str, PageSession]:
        """Create an address that opens one page in a browser, and return it with the session of the page.

        The address works only once.
        """
        session = self._page_sessions.create_session(address_requester)
        return f"{self.origin}/#t={session.address_token}", session

    def withdraw_page(self, session: PageSession) -> None:
        """Make the address of a page invalid if it was not opened yet."""
        self._page_sessions.withdraw_session(session)

    async def _is_expected_client(self, websocket: WebSocket, token: str) -> bool:
        """Return False if an address is opened by another process than the one for which it was created.

        The address stays valid then, because other processes can read it in the browser's command line. If
        the process is unknown, the page is read-only until the user confirms it.
        """
        session = self._page_sessions.find_pending(token)
        if session is None or session.check_client is None or websocket.client is None:
            return True
        client = (websocket.client.host, websocket.client.port)
        server = (LOOPBACK_HOST, self.port)
        is_expected = await asyncio.to_thread(session.check_client, client, server)
        if is_expected is None:
            session.confirmed = False
        elif not is_expected:
            log.warning("a program that is not the browser tried to open page %d", session.number)
        return is_expected is not False

    def _require_own_host(self, app: ASGIApp) -> ASGIApp:
        async def serve_own_host(scope: Scope, receive: Receive, send: Send) -> None:
            headers = dict(scope.get("headers", ()))
            if headers.get(b"host", b"").decode("latin-1") in self._list_allowed_hosts():
                await app(scope, receive, send)
            elif scope["type"] == "websocket":
                await WebSocket(scope, receive, send).close(FORBIDDEN_CLOSE_CODE)
            else:
                await PlainTextResponse(
                    "wrong host; open the address that Conductor printed", status_code=403
                )(scope, receive, send)

        return serve_own_host

    async def _accept_websocket(self, websocket: WebSocket) -> None:
        subprotocols = websocket.scope.get("subprotocols", [])
        is_same_origin = websocket.headers.get("origin") == f"http://{websocket.headers['host']}"
        if not is_same_origin or len(subprotocols) != 2 or subprotocols[0] != WEBSOCKET_SUBPROTOCOL:
            await websocket.close(FORBIDDEN_CLOSE_CODE)
            return
        session = None
        if await self._is_expected_client(websocket, subprotocols[1]):
            session = self._page_sessions.admit_connection(subprotocols[1])
        await websocket.accept(WEBSOCKET_SUBPROTOCOL)
        # closes after the handshake, because a page cannot read why a handshake failed
        if session is None:
            await websocket.close(FORBIDDEN_CLOSE_CODE)
            return
        await serve_page(self._bridge, websocket, session)
