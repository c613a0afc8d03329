"""Identifies the requester of a call by its connection and by the name that the client claims."""

from typing import Any

from conductor.domain.plan import Requester
from conductor.mcp.server.peer import Peer, is_this_program, read_parent

_PROXY = "mcp"


class SocketCaller:
    """The process that calls over one socket connection.

    Connections are distinguished by the identity of this object.
    """

    def __init__(self, peer: Peer | None) -> None:
        self.peer = peer
        self.latest = self._build_requester(None)
        """The requester of the last call."""

    def requester(self, client: str | None) -> Requester:
        """Return the requester of a call on this connection.

        The client's name is its own claim; pid and program come from the operating system.
        """
        if client != self.latest.client:
            self.latest = self._build_requester(client)
        return self.latest

    def _build_requester(self, client: str | None) -> Requester:
        if self.peer is None:
            return Requester(caller="mcp", client=client)
        return Requester(
            caller="mcp",
            client=client,
            pid=self.peer.pid,
            executable=self.peer.executable,
            program=self.peer.program,
        )


def find_requester(ctx: Any) -> Requester:
    """Return the requester of a call, based on its connection and the client's claimed name."""
    params = ctx.session.client_params
    client = params.client_info.name[:80] if params is not None else None
    if isinstance(ctx.request, SocketCaller):
        return ctx.request.requester(client)
    return Requester(caller="http", client=client)


def find_connection_key(ctx: Any) -> Any:
    """Return a key that identifies the connection: the socket caller, or the session id of HTTP."""
    headers = getattr(ctx.request, "headers", None)
    return ctx.request if headers is None else headers.get("mcp-session-id", "")


def resolve_proxy(peer: Peer | None) -> Peer | None:
    """Return the agent that uses the stdio proxy: the parent process of `conductor mcp`.

    Any other process is returned unchanged.

    Requests through the proxy are the agent's and must not get the rights of the `conductor` command.
    """
    if peer is None or not is_this_program(peer) or _PROXY not in peer.command[1:4]:
        return peer
    return read_parent(peer)
