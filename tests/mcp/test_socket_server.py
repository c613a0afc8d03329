"""The socket of a running Conductor, used by programs that behave and by others."""

import json
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import (
    RunningConductor,
    conductor_environment,
    free_udp_port,
    mapped,
    running_conductor,
    send_osc,
    short_home,
)
from tests.support.running import (
    conductor as run_command,
)

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
SEED_LINE = '{"jsonrpc":"2.0","method":"conductor_get_status","params":{},"id":1}'

NO_DEVICE = (
    '{"jsonrpc":"2.0","method":"conductor_set_device_enabled",'
    '"params":{"device_id":"No","enabled":true},"id":1}'
)
NETCAT = """
import shutil, socket, sys
end = socket.socket(socket.AF_UNIX)
end.connect(sys.argv[1])
end.sendall(sys.stdin.buffer.read())
end.shutdown(socket.SHUT_WR)
shutil.copyfileobj(end.makefile("rb"), sys.stdout.buffer)
"""
"""What `nc -U` does; Debian has several programs of that name, and none by default."""


class Line:
    """A connection that sends raw lines."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(str(path))
        self._reader = self.socket.makefile("rb")

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()
        self.socket.close()

    def send(self, line: str | bytes) -> None:
        self.socket.sendall((line.encode() if isinstance(line, str) else line) + b"\n")

    def receive(self) -> dict[str, Any]:
        return json.loads(self._reader.readline())

    def ask(self, line: str | bytes) -> dict[str, Any]:
        self.send(line)
        return self.receive()


@pytest.fixture(scope="module")
def osc_port() -> int:
    return free_udp_port()


@pytest.fixture(scope="module")
def conductor(osc_port: int) -> Generator[RunningConductor]:
    burst = "{ type = 'OscMessage', address = '/burst' }"  # of others only 100 a second are heard
    count = "{ type = 'SetVariable', name = 'bursts', value = 1 }"
    text = mapped((burst, count), settings=f"osc_port = {osc_port}")
    with running_conductor(text, environment=WITHOUT_PARTS) as running:
        running.wait_for_device("osc", "osc")
        yield running


@pytest.fixture
def path(conductor: RunningConductor) -> Path:
    return conductor.home / "mcp.sock"


def test_only_the_owner_may_use_the_socket(path: Path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_ISSOCK(path.stat().st_mode)


def test_a_bare_line_of_another_process_is_answered_as_with_netcat(path: Path):
    answer = subprocess.run(
        [sys.executable, "-c", NETCAT, str(path)],
        input=SEED_LINE + "\n",
        capture_output=True,
        text=True,
        timeout=20,
    )
    status = json.loads(answer.stdout.splitlines()[0])
    assert status["id"] == 1
    assert status["result"]["daemon_running"] is True


def test_clients_that_never_end_their_line_hold_up_no_other(path: Path):
    """A second start of `conductor` asks over this socket too."""
    with Line(path) as slow, Line(path) as slower, Line(path) as other:
        slow.socket.sendall(b" ")
        slower.socket.sendall(b'{"jsonrpc":')
        assert other.ask(SEED_LINE)["result"]["daemon_running"] is True


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("not json", -32700),
        ('{"jsonrpc":"2.0",', -32700),
        (b"\xff\xfe\x00", -32700),
        ("[" * 100_000, -32700),
        ("[1,2,3]", -32600),
        ("42", -32600),
        ('{"jsonrpc":"2.0","id":1}', -32600),
        ('{"jsonrpc":"2.0","method":7,"id":1}', -32600),
        ('{"jsonrpc":"2.0","method":"conductor_fly","id":1}', -32601),
        ('{"jsonrpc":"2.0","method":"conductor_get_status","params":[1],"id":1}', -32602),
        ('{"jsonrpc":"2.0","method":"conductor_switch_mode","params":{},"id":1}', -32602),
        ('{"jsonrpc":"2.0","method":"conductor_switch_mode","params":{"mode":3},"id":1}', -32602),
        (
            '{"jsonrpc":"2.0","method":"conductor_get_recent_events","params":{"limit":"x"},"id":1}',
            -32602,
        ),
        (
            '{"jsonrpc":"2.0","method":"conductor_switch_mode","params":{"mode":"No"},"id":1}',
            -32001,
        ),
        (
            '{"jsonrpc":"2.0","method":"conductor_get_mappings","params":{"mode":"No"},"id":1}',
            -32001,
        ),
        (NO_DEVICE, -32002),
    ],
)
def test_a_bad_line_gets_its_error_and_the_connection_lives(
    path: Path, line: str | bytes, code: int
):
    with Line(path) as connection:
        answer = connection.ask(line)
        assert answer["error"]["code"] == code
        assert answer["error"]["message"]
        assert connection.ask(SEED_LINE)["result"]["daemon_running"] is True


def test_a_notification_is_not_answered(path: Path):
    with Line(path) as connection:
        connection.send('{"jsonrpc":"2.0","method":"conductor_get_status","params":{}}')
        assert connection.ask(SEED_LINE)["id"] == 1


def test_a_line_that_is_too_long_is_refused(path: Path):
    with Line(path) as connection:
        threading.Thread(target=_send_all, args=(connection, b"x" * 5_000_000), daemon=True).start()
        assert connection.receive()["error"]["code"] == -32600
    with Line(path) as connection:
        assert connection.ask(SEED_LINE)["id"] == 1


def _send_all(connection: Line, data: bytes) -> None:
    try:
        connection.socket.sendall(data)
    except OSError:
        pass


def test_three_clients_are_served_at_once(path: Path):
    with Line(path) as first, Line(path) as second, Line(path) as third:
        lines = (third, first, second)
        for number, line in enumerate(lines):
            line.send(SEED_LINE.replace('"id":1', f'"id":{number}'))
        assert [line.receive()["id"] for line in lines] == [0, 1, 2]


def test_a_monitor_that_never_reads_does_not_delay_others(
    conductor: RunningConductor, path: Path, osc_port: int
):
    with Line(path) as sleeper, Line(path) as watcher:
        for line in (sleeper, watcher):
            line.ask('{"jsonrpc":"2.0","method":"conductor_monitor","params":{},"id":1}')
        for number in range(300):
            send_osc(osc_port, "/burst", number, "x" * 4000)
        conductor.wait_status(lambda s: s["statistics"]["events_processed"] >= 300)
        notification = watcher.receive()
        assert notification["method"].startswith("monitor.")
        assert "id" not in notification


def test_a_client_that_disconnects_without_reading_is_forgotten(path: Path):
    for _ in range(5):
        with Line(path) as connection:
            connection.send('{"jsonrpc":"2.0","method":"conductor_monitor","params":{},"id":1}')
    with Line(path) as connection:
        assert connection.ask(SEED_LINE)["id"] == 1


def test_the_socket_that_a_crash_left_is_replaced():
    with short_home() as home:
        left = socket.socket(socket.AF_UNIX)
        left.bind(str(home / "mcp.sock"))
        left.close()
        with running_conductor(environment=WITHOUT_PARTS, home=home) as conductor:
            assert conductor.status()["daemon_running"]


def test_a_socket_that_another_process_answers_on_is_not_replaced():
    with short_home() as home, socket.socket(socket.AF_UNIX) as other:
        path = home / "mcp.sock"
        other.bind(str(path))
        other.listen()
        before = path.stat().st_ino
        environment = conductor_environment(home, WITHOUT_PARTS)
        # In a process of its own: Conductor ends its process if the shutdown takes too long.
        refused = run_command(
            "run", "--headless", "--quiet", environment=environment, own_process=True
        )
        assert refused.returncode == 1
        assert "another Conductor answers" in refused.stderr
        assert path.stat().st_ino == before
