"""Identifies the requester of a call by its connection and by the name that the client claims."""

import hashlib
from typing import Any, Literal, NamedTuple

from conductor.domain.plan import Requester
from conductor.domain.remote_access import RemoteScope
from conductor.mcp.server.peer import COMMAND_DIGEST_LENGTH, Peer, is_this_program, read_parent

_PROXY_COMMAND = "mcp"
PEER_STATE_KEY = "peer"
"""The key under which the state of an HTTP request contains the client's process."""
_SESSION_HEADER = "mcp-session-id"
REMOTE_CLIENT_STATE_KEY = "remote_client"
"""The key under which the state of a request from another computer contains a `RemoteClient`."""


class RemoteClient(NamedTuple):
    """A client on another computer, as the user has allowed it."""

    name: str
    grant_id: str
    scopes: tuple[RemoteScope, ...]


class SocketCaller:
    """The client process at the other end of a socket connection.

    Each connection has an instance of its own, which therefore also identifies the connection.
    """

    def __init__(self, peer: Peer | None) -> None:
        self.peer = peer
        self.latest_requester = self._build_requester(None)
        """The requester of the last call on the connection."""

    def get_requester(self, client: str | None) -> Requester:
        """Return the requester of a call on this connection.

        The client names itself. The process id and the program come from the operating system.
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


def build_http_requester(client: str, peer: Peer | None) -> Requester:
    """Return the requester of a call over HTTP that has no MCP session."""
    return _build_requester("http", client, peer)


def find_requester(ctx: Any) -> Requester:
    """Return the requester of a call, from its connection and from the name that the client claims."""
    params = ctx.session.client_params
    client = params.client_info.name[:80] if params is not None else None
    if isinstance(ctx.request, SocketCaller):
        return ctx.request.get_requester(client)
    return _find_http_requester(ctx.request, client)


def _find_http_requester(request: Any, client: str | None) -> Requester:
    """Return the requester of a call over HTTP.

    For a client on another computer, this is its grant. Otherwise it is the process that opened the
    connection. If the operating system does not report it, a client that uses the `initialize` handshake is
    identified by its secret session id, and any other client is anonymous.
    """
    remote: RemoteClient | None = request.scope["state"].get(REMOTE_CLIENT_STATE_KEY)
    if remote is not None:
        return Requester(
            caller="remote",
            client=remote.name,
            program=format_grant_program(remote.grant_id),
            scopes=remote.scopes,
        )
    peer: Peer | None = request.scope["state"].get(PEER_STATE_KEY)
    by = _build_requester("http", client, peer)
    session = request.headers.get(_SESSION_HEADER)
    if peer is not None or session is None:
        return by
    digest = hashlib.sha256(session.encode()).hexdigest()[:COMMAND_DIGEST_LENGTH]
    return by.model_copy(update={"program": f"session {digest}"})


def format_grant_program(grant_id: str) -> str:
    """Return what identifies the requests of a grant, instead of a program on this computer."""
    return f"grant {grant_id}"


def get_connection_key(ctx: Any) -> Any:
    """Return what identifies the connection: the socket caller, or the id of the HTTP session."""
    headers = getattr(ctx.request, "headers", None)
    return ctx.request if headers is None else headers.get(_SESSION_HEADER, "")


def resolve_proxy(peer: Peer | None) -> Peer | None:
    """Return the agent behind the stdio proxy `conductor mcp`, or the process itself if it is no proxy.

    The agent is the parent process of the proxy. Requests through the proxy must not get the permissions of
    the `conductor` command.
    """
    if peer is None or not is_this_program(peer) or _PROXY_COMMAND not in peer.command[1:4]:
        return peer
    return read_parent(peer)
