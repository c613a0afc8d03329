"""The process at the other end of a TCP connection, as the system reports it."""

import os
import socket
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from conductor.mcp.server.tcp_peer import Address, read_tcp_peer

CONNECT = """
import socket, sys
end = socket.socket(socket.{family})
end.connect(("{host}", int(sys.argv[1])))
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def listening() -> Generator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def accept(listening: socket.socket) -> tuple[socket.socket, Address, Address]:
    connection, client = listening.accept()
    return connection, client, connection.getsockname()


@pytest.mark.parametrize(
    ("family", "host"), [("AF_INET", "127.0.0.1"), ("AF_INET6", "::ffff:127.0.0.1")]
)
def test_the_process_that_connected_is_found(listening: socket.socket, family: str, host: str):
    port = str(listening.getsockname()[1])
    script = CONNECT.format(family=family, host=host)
    with subprocess.Popen(
        [sys.executable, "-c", script, port], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as client:
        assert client.stdout is not None
        assert client.stdout.readline()
        connection, *ends = accept(listening)
        with connection:
            peer = read_tcp_peer(*ends)
        client.communicate()
    assert peer is not None
    assert (peer.pid, peer.uid) == (client.pid, os.getuid())
    assert peer.executable == str(Path(sys.executable).resolve())
    assert peer.command[1:] == ("-c", script, port)


def test_a_connection_that_a_child_inherited_is_its_parents(listening: socket.socket):
    with socket.create_connection(listening.getsockname()) as mine:
        connection, *ends = accept(listening)
        with (
            connection,
            subprocess.Popen(
                [sys.executable, "-c", "print(flush=True); input()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[mine.fileno()],
            ) as child,
        ):
            assert child.stdout is not None
            assert child.stdout.readline()
            peer = read_tcp_peer(*ends)
            child.communicate(b"\n")
    assert peer is not None
    assert peer.pid == os.getpid()


def test_a_connection_that_its_process_has_closed_has_no_owner(listening: socket.socket):
    with socket.create_connection(listening.getsockname()):
        connection, *ends = accept(listening)
    with connection:
        assert read_tcp_peer(*ends) is None
