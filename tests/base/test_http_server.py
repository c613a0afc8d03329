"""The HTTP server of the page and of MCP: slow, silent or many clients are disconnected and lock nobody out."""

import asyncio
import gc
import socket
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from conductor.base.http_server import HttpServer

WAIT_S = 45.0
REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


async def hello(scope: Any, receive: Any, send: Any) -> None:
    """Respond once the whole body has arrived."""
    while (await receive()).get("more_body"):
        pass
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]}
    )
    await send({"type": "http.response.body", "body": b"hello"})


@contextmanager
def serving(app: Any = hello, **options: Any) -> Generator[int]:
    """Serve an app in a thread with its own event loop; yield the port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = HttpServer(
        app, 0, port_in_use_error="port {}", lifespan="off", timeout_graceful_shutdown=1, **options
    )
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(WAIT_S)
    try:
        yield server.port
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(WAIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()


def dial(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=WAIT_S)


def answered(client: socket.socket, data: bytes = REQUEST) -> bool:
    client.sendall(data)
    got = b""
    while not got.endswith(b"hello"):
        piece = client.recv(4_096)
        if not piece:
            return False
        got += piece
    return got.startswith(b"HTTP/1.1 200")


def closed_while_sending(client: socket.socket, text: bytes) -> bool:
    """Send a text byte by byte; return whether the server closed the connection meanwhile."""
    client.settimeout(0.02)
    for byte in text:
        try:
            client.send(bytes((byte,)))
            return client.recv(1) == b""
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


@pytest.mark.parametrize(
    "said", [b"", REQUEST, b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 99999\r\n\r\n"]
)
def test_who_sends_a_byte_at_a_time_is_hung_up_on_and_others_are_answered(said: bytes):
    with serving(request_timeout_s=0.5) as port, dial(port) as slow, dial(port) as other:
        if said == REQUEST:
            assert answered(slow)
        else:
            slow.sendall(said)
        assert answered(other)
        assert closed_while_sending(slow, b"GET / HTTP/1.1\r\nX: " + b"x" * 2_000)


def test_who_says_nothing_is_hung_up_on():
    with serving(request_timeout_s=0.3) as port, dial(port) as silent:
        assert silent.recv(1) == b""


def test_hundreds_of_silent_connections_keep_nobody_out():
    with serving(request_timeout_s=600, max_incomplete=20) as port, ExitStack() as crowd:
        silent = [crowd.enter_context(dial(port)) for _ in range(200)]
        with dial(port) as other:
            assert answered(other)
        gone = sum(1 for one in silent[:170] if one.recv(1) == b"")
        assert gone == 170


def test_an_answer_may_take_longer_than_its_request():
    asked, go_on = threading.Event(), threading.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        asked.set()
        await asyncio.to_thread(go_on.wait, WAIT_S)
        await hello(scope, receive, send)

    with serving(request_timeout_s=0.2, app=slow) as port, dial(port) as client:
        client.sendall(REQUEST)
        assert asked.wait(WAIT_S)
        with dial(port) as silent:
            assert silent.recv(1) == b""
        go_on.set()
        assert answered(client, b"")


def test_a_header_does_not_name_another_client():
    clients: list[tuple[str, int]] = []

    async def see(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            clients.append(scope["client"])
        await hello(scope, receive, send)

    with serving(see) as port, socket.create_connection(("127.0.0.1", port), WAIT_S) as client:
        own_port = client.getsockname()[1]
        client.sendall(REQUEST.replace(b"\r\n\r\n", b"\r\nX-Forwarded-For: 10.0.0.1:5\r\n\r\n"))
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
    assert clients == [("127.0.0.1", own_port)]


async def flood(scope: Any, receive: Any, send: Any) -> None:
    """Send far more than a client that does not read can take."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": bytes(32_000_000)})


def test_who_does_not_read_is_hung_up_on_when_the_server_stops():
    with ExitStack() as clients:
        with serving(flood) as port:
            client = clients.enter_context(dial(port))
            client.sendall(REQUEST)
            assert client.recv(1)
        gc.collect()  # reports a connection that was left open


def test_a_request_without_response_ends_when_the_server_stops_and_is_not_logged_as_a_failure(
    caplog: pytest.LogCaptureFixture,
):
    asked = threading.Event()

    async def never(scope: Any, receive: Any, send: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    with ExitStack() as clients:
        with serving(never) as port:
            client = clients.enter_context(dial(port))
            client.sendall(REQUEST)
            assert asked.wait(WAIT_S)
        assert not client.recv(1_000).startswith(b"HTTP/1.1 200")
    assert [record.message for record in caplog.records if record.exc_info] == []
