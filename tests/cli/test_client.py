"""What the command line makes of the answers of a running Conductor, at a socket that gives them."""

import json
import socket
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import short_home

from conductor.cli.client import SocketClient
from conductor.errors import ConductorError, InvalidParams

Answering = Callable[[dict[str, Any]], SocketClient]


@pytest.fixture
def answering() -> Generator[Answering]:
    """Return a client whose one call is answered with this error."""
    with short_home() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = Path(folder) / "mcp.sock"
        listener.bind(str(path))
        listener.listen()
        threads: list[threading.Thread] = []

        def answer(error: dict[str, Any]) -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rwb") as lines:
                asked = json.loads(lines.readline())
                told = {"jsonrpc": "2.0", "id": asked["id"], "error": error}
                lines.write(json.dumps(told).encode() + b"\n")

        def client(error: dict[str, Any]) -> SocketClient:
            threads.append(threading.Thread(target=answer, args=(error,)))
            threads[-1].start()
            return SocketClient(path)

        yield client
        for thread in threads:
            thread.join(10)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"data": "mcp:time:now"}, "Method not found: mcp:time:now"),
        ({"data": None}, "Method not found"),
        ({"data": ["x"]}, "Method not found"),
        ({}, "Method not found"),
        ({"data": {"kind": "tool_not_found"}}, "Method not found"),
    ],
)
def test_an_error_is_told_whatever_comes_with_it(
    answering: Answering, more: dict[str, Any], words: str
) -> None:
    client = answering({"code": -32601, "message": "Method not found", **more})
    with pytest.raises(ConductorError) as refused:
        client.call_method("x")
    client.close()
    assert str(refused.value) == words
    assert not isinstance(refused.value, InvalidParams)


def test_wrong_arguments_are_told_apart_from_other_errors(answering: Answering) -> None:
    client = answering({"code": -32602, "message": "no", "data": {"kind": "params_invalid"}})
    with pytest.raises(InvalidParams, match="no"):
        client.call_method("x")
    client.close()


def test_a_text_that_is_not_utf_8_is_refused_and_not_sent(answering: Answering) -> None:
    client = answering({"code": -32601, "message": "Method not found"})
    for text in ("\udcff", "half \ud83d"):
        with pytest.raises(InvalidParams, match="are not UTF-8 text"):
            client.call_method("x", text=text)
    with pytest.raises(ConductorError, match="Method not found"):
        client.call_method("x", text="é 🎹")
    client.close()
