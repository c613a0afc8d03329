"""HTTP beyond this computer: only with TLS, and silent or many handshakes lock nobody out."""

import asyncio
import socket
import ssl
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.base.test_http_server import REQUEST, answered, dial, hello, serving

from conductor.base.http_server import HttpServer
from conductor.errors import NotAvailable
from conductor.mcp.remote.certificate import Certificate, load_certificate


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return load_certificate("localhost", tmp_path_factory.mktemp("home"), "", "")


def dial_tls(port: int, certificate: Path) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(certificate))
    return context.wrap_socket(dial(port), server_hostname="localhost")


def test_a_client_that_trusts_the_certificate_is_answered(certificate: Certificate):
    with (
        serving(tls=certificate.context) as port,
        dial_tls(port, certificate.path) as client,
    ):
        assert answered(client)
        assert answered(client)


def test_a_client_without_tls_gets_no_answer(certificate: Certificate):
    with serving(tls=certificate.context) as port, dial(port) as client:
        client.sendall(REQUEST)
        got = b""
        while piece := client.recv(4_096):
            got += piece
        assert b"HTTP" not in got  # at most the alert of TLS


def test_a_client_that_never_shakes_hands_is_hung_up_on(certificate: Certificate):
    with (
        serving(tls=certificate.context, request_timeout_s=0.3) as port,
        dial(port) as silent,
    ):
        assert silent.recv(1) == b""


def test_hundreds_of_unfinished_handshakes_keep_nobody_out(certificate: Certificate):
    with (
        serving(tls=certificate.context, request_timeout_s=600, max_incomplete=20) as port,
        ExitStack() as crowd,
    ):
        silent = [crowd.enter_context(dial(port)) for _ in range(200)]
        with dial_tls(port, certificate.path) as other:
            assert answered(other)
        gone = sum(1 for one in silent[:170] if one.recv(1) == b"")
        assert gone == 170


def test_other_computers_are_not_served_without_tls():
    server = HttpServer(hello, 0, port_in_use_error="it cannot use port {}", host="0.0.0.0")
    with pytest.raises(NotAvailable, match=r"0.0.0.0 is reachable from other computers.*TLS"):
        asyncio.run(server.start())


def test_it_listens_at_the_address_that_was_chosen(certificate: Certificate):
    with serving(tls=certificate.context, host="127.0.0.2") as port:
        with (
            socket.create_connection(("127.0.0.2", port), timeout=10) as raw,
            ssl.create_default_context(cafile=str(certificate.path)).wrap_socket(
                raw, server_hostname="localhost"
            ) as client,
        ):
            assert answered(client)
        with pytest.raises(ConnectionRefusedError):
            dial(port)
