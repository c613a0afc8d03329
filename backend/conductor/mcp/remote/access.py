"""Serves agents on other computers while the settings say so, and manages their access.

The libraries that this needs are imported only when the server is started.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from conductor.domain.plan import Requester
from conductor.domain.remote_access import (
    AuthorizationRequestView,
    RemoteAccessStatus,
    RemoteGrant,
    RemoteGrantView,
    RemoteScope,
)
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAvailable, UnknownApproval
from conductor.mcp.library import import_modules_serially
from conductor.mcp.managed_server import ManagedServer
from conductor.mcp.remote.authorization_requests import AuthorizationRequests
from conductor.mcp.remote.settings import RemoteSettings, read_remote_settings
from conductor.mcp.server.requesters import format_grant_program

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from conductor.mcp.remote.server import RemoteServer
    from conductor.storage.database import Database
    from conductor.storage.remote_access import RemoteAccessStore


class RemoteAccessDeps(NamedTuple):
    """What the access of agents on other computers depends on."""

    home: Path
    settings: Callable[[], LlmMcp]
    open_database: Callable[[], "Database"]
    load_server: Callable[[], Awaitable["Server[Any] | None"]]
    """Waits until the MCP library is loaded, and returns the server, or None if it could not be loaded."""
    find_scope: Callable[[str], RemoteScope | None]
    """Returns the scope that a tool needs."""
    on_request: Callable[[AuthorizationRequestView], None]
    """Called with each new state of a request for access. Safe to call from any thread."""
    on_change: Callable[[RemoteAccessStatus], None]
    """Called when the server was started or stopped, its certificate or problem has changed, or access was
    granted or revoked. Safe in any thread."""
    show_notice: Callable[[str], None]
    report_problem: Callable[[str | None], None]
    """Shows the user why agents cannot be served, or None once they can."""


class RemoteAccess(ManagedServer[RemoteSettings, "RemoteServer"]):
    """The server for agents on other computers, and the user's decisions on their access."""

    def __init__(self, deps: RemoteAccessDeps) -> None:
        super().__init__()
        self._deps = deps
        self.requests = AuthorizationRequests(deps.on_request)
        """The requests for access. They are kept while the server is stopped."""
        self._store: RemoteAccessStore | None = None
        self._revoked: set[str] = set()
        """The grants that were revoked since the start. Calls that they have begun are refused."""

    def get_status(self) -> RemoteAccessStatus:
        """Return whether and where agents on other computers are served."""
        server = self._server
        certificate = None if server is None else server.certificate
        return RemoteAccessStatus(
            enabled=self._deps.settings().remote_enabled,
            address=None if server is None else server.address,
            fingerprint=None if certificate is None else certificate.fingerprint,
            certificate_file=None if certificate is None else str(certificate.path),
            is_self_made=certificate is not None and certificate.is_self_made,
            problem=self.problem,
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
                f"there is no grant {grant_id[:40]!r}; `conductor remote grants` lists them"
            )
        self._revoke(grant_id)
        return found

    def is_revoked(self, by: Requester) -> bool:
        """Return whether a call comes from an agent on another computer whose access was revoked meanwhile."""
        return by.caller == "remote" and by.program in self._revoked

    def _revoke(self, grant_id: str) -> bool:
        existed = self._get_store().revoke_grant(grant_id)
        self._revoked.add(format_grant_program(grant_id))
        self._call_soon(lambda: self._end_requests(grant_id))
        self._deps.on_change(self.get_status())
        return existed

    def _end_requests(self, grant_id: str) -> None:
        if self._server is not None:
            self._server.open_requests.end_requests(grant_id)

    def _on_granted(self) -> None:
        self._deps.on_change(self.get_status())

    def _on_token_reuse(self, grant: RemoteGrant) -> None:
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

    def _read_settings(self) -> RemoteSettings | None:
        return read_remote_settings(self._deps.settings())

    async def _start_server(self, settings: RemoteSettings) -> "RemoteServer":
        mcp_server = await self._deps.load_server()
        if mcp_server is None:
            raise NotAvailable(
                "agents on other computers are not served, because the MCP library could not be loaded: run"
                " `conductor doctor`, and see the log"
            )
        await asyncio.to_thread(self._get_store)
        # in a thread, because the import is slow
        await asyncio.to_thread(import_modules_serially, "conductor.mcp.remote.server")
        from conductor.mcp.remote.provider import GrantHandlers
        from conductor.mcp.remote.server import (
            RemoteServer,
            RemoteServerDeps,
            load_server_certificate,
        )

        home = self._deps.home
        deps = RemoteServerDeps(
            mcp_server,
            self._get_store(),
            self.requests,
            self._deps.find_scope,
            GrantHandlers(self._revoke, self._on_granted, self._on_token_reuse),
            home,
        )
        certificate = await asyncio.to_thread(load_server_certificate, settings, home)
        server = RemoteServer(settings, deps, certificate)
        await server.start()
        return server

    def _on_status_change(self) -> None:
        self._deps.report_problem(self.problem)
        self._deps.on_change(self.get_status())


def _build_grant_view(grant: RemoteGrant) -> RemoteGrantView:
    used = grant.last_used_at
    return RemoteGrantView(
        grant_id=grant.grant_id,
        client=grant.client,
        redirect_host=grant.redirect_host,
        scopes=grant.scopes,
        created_at=datetime.fromtimestamp(grant.created_at, UTC),
        last_used_at=None if used is None else datetime.fromtimestamp(used, UTC),
    )
