"""Who calls: the process at the other end, or what is known of a client whose process is unknown."""

from types import SimpleNamespace
from typing import Any

from conductor.domain.plan import Requester
from conductor.mcp.server.peer import Peer
from conductor.mcp.server.requesters import PEER_STATE_KEY, SocketCaller, find_requester

AGENT = Peer(uid=0, pid=7, executable="/usr/bin/agent", command=("agent",), program="digest")


def call_over_http(
    peer: Peer | None, session: str | None = None, client: str = "Agent"
) -> Requester:
    request = SimpleNamespace(
        scope={"state": {PEER_STATE_KEY: peer}},
        headers={} if session is None else {"mcp-session-id": session},
    )
    return find_requester(build_context(request, client))


def build_context(request: Any, client: str) -> Any:
    params = SimpleNamespace(client_info=SimpleNamespace(name=client))
    return SimpleNamespace(session=SimpleNamespace(client_params=params), request=request)


def test_an_http_client_is_the_process_that_connected_whatever_its_session() -> None:
    by = call_over_http(AGENT, session="secret")
    assert (by.caller, by.client, by.pid, by.executable) == ("http", "Agent", 7, "/usr/bin/agent")
    assert by.program == AGENT.program


def test_an_http_client_of_an_unknown_process_is_known_by_its_session_alone() -> None:
    first, again = call_over_http(None, "secret"), call_over_http(None, "secret")
    other = call_over_http(None, "another")
    assert first.pid is None
    assert first.program == again.program != other.program
    assert "secret" not in str(first.program)


def test_an_http_client_without_a_process_and_a_session_is_anonymous() -> None:
    assert call_over_http(None) == Requester(caller="http", client="Agent")


def test_a_client_on_a_socket_whose_process_is_unknown_is_named_as_it_names_itself() -> None:
    caller = SocketCaller(None)
    assert find_requester(build_context(caller, "A" * 99)) == Requester(
        caller="mcp", client="A" * 80
    )
