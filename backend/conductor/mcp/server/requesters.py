"""Identifies the requester of a call by its connection and by the name that the client claims."""

import hashlib
from typing import Any, Literal

from conductor.domain.plan import Requester
from conductor.mcp.server.peer import DIGEST_LENGTH, Peer, is_this_program, read_parent

_PROXY_COMMAND = "mcp"
PEER_KEY = "peer"
"""Key of the client's process in the state of an HTTP request."""
_SESSION_HEADER = "mcp-session-id"


class SocketCaller:
    """The process that calls over one socket connection.

    Connections are distinguished by the identity of this object.
    """

    def __init__(self, peer: Peer | None) -> None:
        self.peer = peer
        self.latest_requester = self._build_requester(None)
        """The requester of the last call."""

    def requester(self, client: str | None) -> Requester:
        """Return the requester of a call on this connection.

        The client's name is its own claim; pid and program come from the operating system.
        """
        if client != self.latest_requester.client:
            self.latest_requester = self._build_requester(client)
        return self.latest_requester

    def _build_requester(self, client: str | None) -> Requester:
        return _build_requester("mcp", client, self.peer)


def _build_requester(
    caller: Literal["mcp", "http"], client: str | None, peer: Peer | None
) -> Requester:
    if peer is None:
        return Requester(caller=caller, client=client)
    return Requester(
        caller=caller,
        client=client,
        pid=peer.pid,
        executable=peer.executable,
        program=peer.program,
    )


def find_requester(ctx: Any) -> Requester:
    """Return the requester of a call, based on its connection and the client's claimed name."""
    params = ctx.session.client_params
    client = params.client_info.name[:80] if params is not None else None
    if isinstance(ctx.request, SocketCaller):
        return ctx.request.requester(client)
    return _find_http_requester(ctx.request, client)


def _find_http_requester(request: Any, client: str | None) -> Requester:
    """Return the requester of a call over HTTP.

    It is the process that opened the connection. Where the system does not report that, a client of the
    handshake era is known by its session, whose id only that client has, and any other is anonymous.
    """
    peer: Peer | None = request.scope["state"].get(PEER_KEY)
    by = _build_requester("http", client, peer)
    session = request.headers.get(_SESSION_HEADER)
    if peer is not None or session is None:
        return by
    digest = hashlib.sha256(session.encode()).hexdigest()[:DIGEST_LENGTH]
    return by.model_copy(update={"program": f"session {digest}"})


def find_connection_key(ctx: Any) -> Any:
    """Return a key that identifies the connection: the socket caller, or the session id of HTTP."""
    headers = getattr(ctx.request, "headers", None)
    return ctx.request if headers is None else headers.get(_SESSION_HEADER, "")


def resolve_proxy(peer: Peer | None) -> Peer | None:
    """Return the agent that uses the stdio proxy: the parent process of `conductor mcp`.

    Any other process is returned unchanged.

    Requests through the proxy are the agent's and must not get the rights of the `conductor` command.
    """
    if peer is None or not is_this_program(peer) or _PROXY_COMMAND not in peer.command[1:4]:
        return peer
    return read_parent(peer)
