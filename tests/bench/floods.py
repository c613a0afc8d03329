"""What a player feels of a flood: OSC, MIDI and the socket, each beside the same stream without one."""

import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from pathlib import Path

from tests.bench import programs
from tests.bench.configs import prepare_config
from tests.bench.flood_sender import PORT_NAME
from tests.bench.processes import family
from tests.bench.programs import Running, running, wait_until_it_serves
from tests.bench.rig import HERE, Answers, Server, Unmeasured, jack_server, say, stop, stream
from tests.bench.rows import Row, ms, unmeasured
from tests.bench.socket_calls import hammered

P99_AIM = 1.2
RATE = 200
WAIT_S = 30.0
FLOODS = {
    "garbage": "OSC garbage, 5,000 a second",
    "single": "OSC messages that no mapping has, 5,000 a second",
    "bundles-20": "OSC bundles of 64.8 kB, 20 a second",
    "bundles-100": "OSC bundles of 64.8 kB, 100 a second",
    "notes": "MIDI notes, 10,000 a second from another device",
    "sysex": "SysEx of 1 kB, 1,000 a second from another device",
    "socket": "calls over the socket without a pause",
}


def measure(rounds: int, notes: int, only: Sequence[str] = tuple(FLOODS)) -> list[Row]:
    """Play a stream with and without each flood in turn, and compare the medians of the rounds."""
    rows: list[Row] = []
    for kind in only:
        say(f"  floods: {FLOODS[kind]}")
        try:
            rows.append(_measured(kind, rounds, notes))
        except Unmeasured as problem:
            rows.append(unmeasured(_name(kind), problem))
    return rows


def _measured(kind: str, rounds: int, notes: int) -> Row:
    quiet: list[Answers] = []
    flooded: list[Answers] = []
    # a server for each flood: a client that leaves a busy one may stop it
    with jack_server() as server, _conductor(server) as (it, port):
        options = {**programs.conductor(1).route, "count": notes, "rate": RATE, "wait": WAIT_S}
        engines = _engines(it)
        for _ in range(rounds):
            quiet.append(stream(server, options, it.process))
            with _flood(server, it, kind, port):
                flooded.append(stream(server, options, it.process))
        killed = int(_engines(it) != engines)
    return _row(kind, quiet, flooded, killed)


@contextlib.contextmanager
def _conductor(server: Server) -> Generator[tuple[Running, int]]:
    with tempfile.TemporaryDirectory(prefix="conductor-bench-") as folder:
        home, port = Path(folder), _free_port()
        config = prepare_config(home, 128)
        text = config.read_text().replace(
            "[settings.engine]", f"[settings.engine]\nosc_port = {port}", 1
        )
        # by name, not all inputs: the meter's own port would bring each note a second time
        matcher = f'{{ type = "NameContains", pattern = "{PORT_NAME}" }}'
        config.write_text(f'{text}\n[[devices]]\nalias = "flood"\nmatchers = [{matcher}]\n')
        config.replace(home / "config.toml")
        with running(programs.conductor(1), server, home) as it:
            assert it is not None
            wait_until_it_serves(it)
            yield it, port


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def _flood(server: Server, it: Running, kind: str, port: int) -> Generator[None]:
    if kind == "socket":
        with hammered(it, "bare"):
            yield
        return
    ports_before = _ports(it)
    sender = subprocess.Popen(
        [sys.executable, str(HERE / "flood_sender.py"), kind, str(port)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **server.environment},
    )
    try:
        assert sender.stdout is not None
        if sender.stdout.readline() != "ready\n":
            raise Unmeasured(f"the flood of {kind} did not begin")
        if kind in ("notes", "sysex"):
            _wait_until_open(it, ports_before)
        yield
        if sender.poll() is not None:
            raise Unmeasured(f"the flood of {kind} ended")
    finally:
        stop(sender)


def _wait_until_open(it: Running, before: set[int]) -> None:
    until = time.monotonic() + 10
    while not _ports(it) - before:
        if time.monotonic() > until:
            raise Unmeasured(f"Conductor did not open the port {PORT_NAME}")
        threading.Event().wait(0.1)
    threading.Event().wait(0.5)


def _ports(it: Running) -> set[int]:
    return _pids(it, "port")


def _engines(it: Running) -> set[int]:
    return _pids(it, "engine")


def _pids(it: Running, wanted: str) -> set[int]:
    return {pid for pid, role in family(it.process.pid).items() if role == wanted}


def _median(answers: Sequence[Answers]) -> tuple[float, float]:
    return (
        statistics.median(one.p50_ms for one in answers),
        statistics.median(one.p99_ms for one in answers),
    )


def _name(kind: str) -> str:
    return f"a press during a flood: {FLOODS[kind]}"


def _row(kind: str, quiet: Sequence[Answers], flooded: Sequence[Answers], killed: int) -> Row:
    (before, p99_before), (p50, p99) = _median(quiet), _median(flooded)
    lost_before, lost = (
        sum(one.lost + one.reordered + one.duplicates for one in some) for some in (quiet, flooded)
    )
    ratio = p99 / p99_before
    measured = (
        f"p50 {ms(before)} -> {ms(p50)} ms, p99 {ms(p99_before)} -> {ms(p99)} ms, "
        f"{lost_before} -> {lost} lost or out of order, {killed} kills"
    )
    aim = f"p50 {p50 / before:.2f}x, p99 {ratio:.2f}x (<= {P99_AIM}x), 0 kills"
    figures = {
        "p50_ms": (before, p50),
        "p99_ms": (p99_before, p99),
        "p99_ratio": ratio,
        "lost": lost,
        "killed": killed,
    }
    met = ratio <= P99_AIM and not lost and not killed
    return Row(_name(kind), measured, aim, met, figures)
