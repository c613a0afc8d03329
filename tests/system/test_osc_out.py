"""OSC messages arrive as real datagrams."""

import os
import socket
import threading
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


def test_sending_without_a_listener_succeeds(receiver: socket.socket, osc: UdpOscOut) -> None:
    port = receiver.getsockname()[1]
    receiver.close()
    for _ in range(3):
        osc.send("127.0.0.1", port, "/a", [])


@pytest.mark.parametrize(
    ("host", "port", "address", "args", "reason"),
    [
        ("127.0.0.1", 0, "/a", [], "port 0 is outside"),
        ("127.0.0.1", 70_000, "/a", [], "port 70000 is outside"),
        ("127.0.0.1", 9000, "a", [], "does not start with `/`"),
        ("127.0.0.1", 9000, "/a", [object()], "cannot carry"),
        ("127.0.0.1", 9000, "/a", ["x" * 70_000], "cannot reach 127.0.0.1:9000"),
    ],
)
def test_a_message_that_cannot_be_sent_is_refused_with_the_reason(
    osc: UdpOscOut, host: str, port: int, address: str, args: list[object], reason: str
) -> None:
    with pytest.raises(ActionFailed, match=reason):
        osc.send(host, port, address, args)


class Resolver:
    """A resolver that answers when the test allows it, since a slow real one is not available."""

    def __init__(self, answer: str | None = "127.0.0.1") -> None:
        self.answer = answer
        self.go = threading.Event()
        self.asked: list[str] = []
        self.policies: list[int] = []

    def __call__(self, host: str) -> str:
        self.asked.append(host)
        self.policies.append(os.sched_getscheduler(0))
        assert self.go.wait(10)
        if self.answer is None:
            raise OSError("not known")
        return self.answer


def test_a_slow_lookup_blocks_nothing_and_loses_no_message(receiver: socket.socket) -> None:
    resolver = Resolver()
    osc, port = UdpOscOut(resolver), receiver.getsockname()[1]
    for number in range(3):
        osc.send("mixer.local", port, "/to/name", [number])
    osc.send("127.0.0.1", port, "/to/address", [])
    assert OscMessage(receiver.recv(1000)).address == "/to/address"
    resolver.go.set()
    assert [OscMessage(receiver.recv(1000)).params for _ in range(3)] == [[0], [1], [2]]
    osc.send("mixer.local", port, "/to/name", [3])
    assert OscMessage(receiver.recv(1000)).params == [3]
    assert resolver.asked == ["mixer.local"]
    assert resolver.policies == [os.SCHED_OTHER]
    osc.close()


def test_messages_beyond_the_queue_of_an_unresolved_host_are_refused() -> None:
    resolver = Resolver()
    osc = UdpOscOut(resolver)
    for _ in range(64):
        osc.send("mixer.local", 9000, "/a", [])
    with pytest.raises(ActionFailed, match="still being looked up: try again"):
        osc.send("mixer.local", 9000, "/a", [])
    osc.close()
    resolver.go.set()


@pytest.mark.parametrize("host", ["no-such-host.invalid", "x" * 70])
def test_an_unknown_host_is_reported_and_looked_up_again(host: str) -> None:
    osc = UdpOscOut()
    osc.send(host, 9000, "/a", [])
    looking = [thread for thread in threading.enumerate() if thread.name == "osc lookup"]
    for thread in looking:
        thread.join(30)
    with pytest.raises(ActionFailed, match=f"no host `{host}`"):
        osc.send(host, 9000, "/a", [])
    osc.close()
