"""OSC messages arrive as real datagrams."""

import socket
from collections.abc import Generator

import pytest
from pythonosc.osc_message import OscMessage

from conductor.errors import ActionFailed
from conductor.system.osc_out import UdpOscOut


@pytest.fixture
def receiver() -> Generator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(10)
        yield receiver


@pytest.fixture
def osc() -> Generator[UdpOscOut]:
    osc = UdpOscOut()
    yield osc
    osc.close()


def test_a_message_arrives_with_its_arguments(receiver: socket.socket, osc: UdpOscOut) -> None:
    port = receiver.getsockname()[1]
    for host in ("127.0.0.1", "localhost", "127.0.0.1"):
        osc.send(host, port, "/mixer/1", [1, 0.5, "é", True, None])
    for _ in range(3):
        message = OscMessage(receiver.recv(1000))
        assert (message.address, message.params) == ("/mixer/1", [1, 0.5, "é", True, None])


def test_nobody_listening_is_no_failure(receiver: socket.socket, osc: UdpOscOut) -> None:
    port = receiver.getsockname()[1]
    receiver.close()
    for _ in range(3):
        osc.send("127.0.0.1", port, "/a", [])


@pytest.mark.parametrize(
    ("host", "port", "address", "args", "reason"),
    [
        ("no-such-host.invalid", 9000, "/a", [], "no host `no-such-host.invalid`"),
        ("x" * 70, 9000, "/a", [], "no host"),
        ("127.0.0.1", 0, "/a", [], "port 0 is outside"),
        ("127.0.0.1", 70_000, "/a", [], "port 70000 is outside"),
        ("127.0.0.1", 9000, "a", [], "does not begin with `/`"),
        ("127.0.0.1", 9000, "/a", [object()], "cannot carry"),
        ("127.0.0.1", 9000, "/a", ["x" * 70_000], "cannot reach 127.0.0.1:9000"),
    ],
)
def test_what_cannot_be_sent_says_why(
    osc: UdpOscOut, host: str, port: int, address: str, args: list[object], reason: str
) -> None:
    with pytest.raises(ActionFailed, match=reason):
        osc.send(host, port, address, args)
