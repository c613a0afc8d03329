"""Opens and closes the port for agents on other computers, as the settings say, and manages their access.

The settings take effect at once. The libraries behind the port are imported only when it is opened.
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from conductor.base.loopback import LOOPBACK_HOST, is_loopback_host
from conductor.domain.plan import Requester
from conductor.domain.remote_access import (
    AccessRequestView,
    RemoteAccessStatus,
    RemoteGrantView,
    RemoteScope,
    StoredGrant,
)
from conductor.domain.settings import LlmMcp
from conductor.errors import ConductorError, NotAvailable, UnknownApproval
from conductor.mcp.remote.access_requests import AccessRequests
from conductor.mcp.server.requesters import format_grant_program

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from conductor.base.http_server import HttpServer
    from conductor.mcp.remote.certificate import Certificate
    from conductor.storage.database import Database
    from conductor.storage.remote_access import RemoteAccessStore

log = logging.getLogger(__name__)


class RemoteAccessDeps(NamedTuple):
    """What the access of agents on other computers depends on."""

    home: Path
    settings: Callable[[], LlmMcp]
    open_database: Callable[[], "Database"]
    load_server: Callable[[], Awaitable["Server[Any] | None"]]
    """Waits until the MCP library is loaded, and returns the server, or None if it could not be loaded."""
    find_scope: Callable[[str], RemoteScope | None]
    """Returns the scope that a tool needs."""
    on_request: Callable[[AccessRequestView], None]
    """Called with each new state of a request for access. Safe to call from any thread."""
    on_change: Callable[[RemoteAccessStatus], None]
    """Called when the port was opened or closed, or access was granted or revoked. Safe in any thread."""
    show_notice: Callable[[str], None]
    report_problem: Callable[[str | None], None]
    """Shows the user why the port cannot be opened, or None once it can."""


class _DoorSettings(NamedTuple):
    """The settings that the open port was built from."""

    address: str
    host: str
    port: int
    tls: bool
    certificate: str
    certificate_key: str


class RemoteAccess:
    """The port for agents on other computers, and the user's decisions on their access.

    `start`, `stop` and `apply_settings` run on the event loop. The other methods may be called in any thread.
    """

    def __init__(self, deps: RemoteAccessDeps) -> None:
        self._deps = deps
        self.requests = AccessRequests(deps.on_request)
        """The requests for access. They are kept while the port is closed."""
        self._store: RemoteAccessStore | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changing: asyncio.Lock | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._http: HttpServer | None = None
        self._open_with: _DoorSettings | None = None
        self._certificate: Certificate | None = None
        self._problem: str | None = None
        self._end_requests: Callable[[str], object] = lambda _grant_id: None
        self._revoked: set[str] = set()
        """The grants that were revoked since the start. Calls that they have begun are refused."""

    def start(self) -> None:
        """Open the port in the background if the settings say so, now and whenever they change."""
        self._loop, self._changing = asyncio.get_running_loop(), asyncio.Lock()
        self.on_settings_changed()

    async def stop(self) -> None:
        """Close the port."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._close_port()

    def on_settings_changed(self) -> None:
        """Open, close or replace the port if its settings have changed. Safe to call from any thread."""

        def apply() -> None:
            task = asyncio.ensure_future(self.apply_settings())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(apply)

    async def apply_settings(self) -> None:
        """Open, close or replace the port, if its settings have changed."""
        assert self._changing is not None
        async with self._changing:
            wanted = self._read_door_settings()
            if wanted is not None and wanted == self._open_with:
                return
            await self._close_port()
            if wanted is None:
                self._set_problem(None)
                return
            try:
                await self._open_port(wanted)
            except ConductorError as error:
                self._set_problem(str(error))
            except Exception as error:
                log.exception("remote access was not started")
                self._set_problem(
                    f"remote access could not be started ({error}); check its address"
                )
            else:
                self._set_problem(None)

    def get_status(self) -> RemoteAccessStatus:
        """Return whether and where agents on other computers are served."""
        opened, certificate = self._open_with, self._certificate
        return RemoteAccessStatus(
            enabled=self._read_door_settings() is not None,
            address=None if opened is None else f"{opened.address}/mcp",
            fingerprint=None if certificate is None else certificate.fingerprint,
            certificate_file=None if certificate is None else str(certificate.path),
            is_self_made=certificate is not None and certificate.is_self_made,
            problem=self._problem,
        )

    def list_grants(self) -> Sequence[RemoteGrantView]:
        """Return the access that the user has granted, newest first."""
        return [_build_grant_view(grant) for grant in self._get_store().list_grants()]

    def revoke_grant(self, grant_id: str) -> RemoteGrantView:
        """Revoke access at once: its tokens become invalid, and its open requests are ended.

        Raises:
            UnknownApproval: There is no such access.
        """
        found = next((one for one in self.list_grants() if one.grant_id == grant_id), None)
        if found is None:
            raise UnknownApproval(
                f"no agent has access {grant_id[:40]!r}; `conductor remote grants` lists them"
            )
        self._revoke(grant_id)
        return found

    def is_revoked(self, by: Requester) -> bool:
        """Return whether a call comes from an agent on another computer whose access was revoked meanwhile."""
        return by.caller == "remote" and by.program in self._revoked

    def _revoke(self, grant_id: str) -> bool:
        existed = self._get_store().revoke_grant(grant_id)
        self._revoked.add(format_grant_program(grant_id))
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_requests, grant_id)
        self._deps.on_change(self.get_status())
        return existed

    def _on_granted(self) -> None:
        self._deps.on_change(self.get_status())

    def _on_token_reuse(self, grant: StoredGrant) -> None:
        self._deps.show_notice(
            f"The access of {grant.client} was revoked, because one of its codes or tokens was used twice:"
            " somebody may have copied it. If you use this agent, let it sign in again"
        )

    def _get_store(self) -> "RemoteAccessStore":
        if self._store is None:
            database = self._deps.open_database()
            from conductor.storage.remote_access import RemoteAccessStore

            self._store = RemoteAccessStore(lambda: database)
        return self._store

    def _read_door_settings(self) -> _DoorSettings | None:
        settings = self._deps.settings()
        if not (settings.enabled and settings.remote_enabled):
            return None
        return _DoorSettings(
            settings.remote_address or f"https://{_get_own_name()}:{settings.remote_port}",
            settings.remote_host,
            settings.remote_port,
            settings.remote_tls,
            settings.remote_certificate,
            settings.remote_certificate_key,
        )

    async def _open_port(self, wanted: _DoorSettings) -> None:
        if not wanted.tls and not is_loopback_host(wanted.host):
            raise NotAvailable(
                f"agents on other computers are not served, because {wanted.host} can be reached without"
                f" encryption: set llm.mcp.remote_tls to true, or llm.mcp.remote_host to {LOOPBACK_HOST} and"
                " let a program such as Caddy encrypt the connections"
            )
        server = await self._deps.load_server()
        if server is None:
            raise NotAvailable("the MCP library could not be loaded; see the log")
        await asyncio.to_thread(self._get_store)
        certificate = await asyncio.to_thread(self._load_certificate, wanted)
        http = await self._build_http_server(server, wanted, certificate)
        await http.start()
        self._http, self._open_with, self._certificate = http, wanted, certificate

    def _load_certificate(self, wanted: _DoorSettings) -> "Certificate | None":
        if not wanted.tls:
            return None
        from conductor.mcp.remote.certificate import load_certificate

        host = urlsplit(wanted.address).hostname or ""
        return load_certificate(host, self._deps.home, wanted.certificate, wanted.certificate_key)

    async def _build_http_server(
        self, server: "Server[Any]", wanted: _DoorSettings, certificate: "Certificate | None"
    ) -> "HttpServer":
        from conductor.mcp.library import import_modules_serially

        # in a thread, because the import is slow
        await asyncio.to_thread(import_modules_serially, "conductor.mcp.remote.door")
        from conductor.mcp.remote.connections import OpenRequests
        from conductor.mcp.remote.door import build_remote_server
        from conductor.mcp.remote.provider import GrantHandlers

        open_requests = OpenRequests()
        self._end_requests = open_requests.end_requests
        return build_remote_server(
            server,
            wanted.address,
            self._get_store(),
            self.requests,
            open_requests,
            self._deps.find_scope,
            GrantHandlers(self._revoke, self._on_granted, self._on_token_reuse),
            host=wanted.host,
            port=wanted.port,
            tls=None if certificate is None else certificate.context,
        )

    async def _close_port(self) -> None:
        http, self._http, self._open_with, self._certificate = self._http, None, None, None
        if http is not None:
            await http.stop()

    def _set_problem(self, problem: str | None) -> None:
        self._problem = problem
        self._deps.report_problem(problem)
        self._deps.on_change(self.get_status())


def _get_own_name() -> str:
    """Return the name by which other computers on the network usually find this one."""
    name = socket.gethostname().lower() or "localhost"
    return name if "." in name or name == "localhost" else f"{name}.local"


def _build_grant_view(grant: StoredGrant) -> RemoteGrantView:
    used = grant.last_used_at
    return RemoteGrantView(
        grant_id=grant.grant_id,
        client=grant.client,
        redirect_host=grant.redirect_host,
        scopes=grant.scopes,
        created_at=datetime.fromtimestamp(grant.created_at, UTC),
        last_used_at=None if used is None else datetime.fromtimestamp(used, UTC),
    )
