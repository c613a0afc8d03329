"""Who calls, told from the other end of the connection and from what the client says of itself."""

from typing import Any

from conductor.domain.plan import Requester
from conductor.mcp.server.peer import Peer, is_this_program, parent_of

_PROXY = "mcp"


class SocketCaller:
    """One connection of the socket; the very object tells it from others."""

    def __init__(self, peer: Peer | None) -> None:
        self.peer = peer
        self.latest = self._named(None)
        """Who called last."""

    def requester(self, client: str | None) -> Requester:
        """Name who calls. The client's name is its own claim; pid and program are the system's."""
        if client != self.latest.client:
            self.latest = self._named(client)
        return self.latest

    def _named(self, client: str | None) -> Requester:
        if self.peer is None:
            return Requester(caller="mcp", client=client)
        return Requester(
            caller="mcp",
            client=client,
            pid=self.peer.pid,
            executable=self.peer.executable,
            program=self.peer.program,
        )


def requester(ctx: Any) -> Requester:
    """Name who calls, by the connection and by the name that the client gives itself."""
    known = ctx.session.client_params
    client = known.client_info.name[:80] if known is not None else None
    if isinstance(ctx.request, SocketCaller):
        return ctx.request.requester(client)
    return Requester(caller="http", client=client)


def connection_of(ctx: Any) -> Any:
    """Return what tells connections apart: the caller of the socket, or the session of HTTP."""
    headers = getattr(ctx.request, "headers", None)
    return ctx.request if headers is None else headers.get("mcp-session-id", "")


def behind_proxy(peer: Peer | None) -> Peer | None:
    """Return the program that started `conductor mcp`, when that is what has connected.

    What comes through the proxy is the agent's, and has no right that our own command has.
    """
    if peer is None or not is_this_program(peer) or _PROXY not in peer.command[1:4]:
        return peer
    return parent_of(peer)
