"""Calls over the socket, one client and many, through the proxy, and what the engine feels of them."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench import programs
from tests.bench.caller import WARM_UP, request
from tests.bench.configs import write_config
from tests.bench.processes import Sample, sample
from tests.bench.programs import Running, running, socket_of, wait_until_it_serves
from tests.bench.rig import HERE, Answers, Server, Unmeasured, jack_server, stop, stream
from tests.bench.rows import Row, ms

BARE_AIM_MS, TOOL_AIM_MS, P99_AIM_MS = 0.15, 0.5, 5.0
RATE_AIM = 2_000
PROXY_AIM_MS = 150.0
ENGINE_AIM = 1.1
FLOOD = 40_000
FLOOD_AIM_MS, FLOOD_AIM_MB = 50.0, 50.0
CLIENTS = 8
STARTS_WITHIN_S = 30.0
LABELS = {
    "bare": "bare call",
    "modern": "tools/call, 2026-07-28",
    "legacy": "tools/call, 2025-11-25",
    "bare-status": "bare call that asks the engine",
    "modern-status": "tools/call that asks the engine",
}


class Figures(NamedTuple):
    """What one client said of its calls."""

    calls: int
    rate: float
    p50_ms: float
    p99_ms: float
    max_ms: float


def measure(seconds: float, rounds: int, notes: int) -> list[Row]:
    """Measure the socket of one app, then the engine of another while clients hammer on its socket."""
    with jack_server(48_000, 1024) as server, _conductor(server) as it:
        rows = [_one_row(it, kind, seconds) for kind in LABELS]
        rows += [_many_row(it, kind, seconds) for kind in ("bare", "modern")]
        rows += [_proxy_row(it, 2 * rounds + 1), _flood_row(it, seconds)]
    with jack_server() as server, _conductor(server) as it:
        return [*rows, *_engine_rows(server, it, rounds, notes)]


@contextlib.contextmanager
def _conductor(server: Server) -> Generator[Running]:
    with (
        tempfile.TemporaryDirectory(prefix="conductor-bench-") as folder,
        running(programs.conductor(1), server, _home(Path(folder))) as it,
    ):
        assert it is not None
        wait_until_it_serves(it)
        yield it


def _home(folder: Path) -> Path:
    write_config(folder, 128)
    return folder


@contextlib.contextmanager
def _client(it: Running, kind: str, amount: float) -> Generator[subprocess.Popen[str]]:
    """Run a client in a process of its own; it waits for a line, to begin with the others."""
    command = [sys.executable, str(HERE / "caller.py"), socket_of(it), kind, str(amount)]
    client = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert client.stdout is not None
        if client.stdout.readline() != "ready\n":
            raise Unmeasured(f"a client ended: {client.communicate()[1].strip()[-200:]}")
        yield client
    finally:
        stop(client)


def _called(it: Running, kind: str, seconds: float, clients: int = 1) -> list[Figures]:
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(_client(it, kind, seconds)) for _ in range(clients)]
        for client in started:
            _begin(client)
        return [_told(client, seconds) for client in started]


def _begin(client: subprocess.Popen[str]) -> None:
    assert client.stdin is not None
    client.stdin.write("\n")
    client.stdin.flush()


def _told(client: subprocess.Popen[str], seconds: float) -> Figures:
    try:
        printed, problem = client.communicate(timeout=seconds + 30)
    except subprocess.TimeoutExpired:
        raise Unmeasured("a client was not answered") from None
    if client.returncode != 0:
        raise Unmeasured(f"a client failed: {problem.strip()[-200:]}")
    return Figures(**json.loads(printed))


def _one_row(it: Running, kind: str, seconds: float) -> Row:
    before = _app(it).cpu_s
    (one,) = _called(it, kind, seconds)
    cpu_ms = (_app(it).cpu_s - before) * 1000 / (one.calls + WARM_UP)
    measured = (
        f"p50 {ms(one.p50_ms)} p99 {ms(one.p99_ms)} max {ms(one.max_ms)} ms, "
        f"{one.rate:,.0f} calls/s, {ms(cpu_ms)} ms of the app's CPU each"
    )
    p50_aim_ms = BARE_AIM_MS if kind == "bare" else TOOL_AIM_MS
    aim = f"p50 <= {p50_aim_ms}, p99 <= {P99_AIM_MS:.0f} ms"
    met = one.p50_ms <= p50_aim_ms and one.p99_ms <= P99_AIM_MS and one.rate >= RATE_AIM
    return Row(
        f"MCP: {LABELS[kind]}, 1 client",
        measured,
        f"{aim}, {RATE_AIM:,}/s",
        met,
        {**one._asdict(), "cpu_ms": cpu_ms},
    )


def _many_row(it: Running, kind: str, seconds: float) -> Row:
    told = _called(it, kind, seconds, CLIENTS)
    rate = sum(one.rate for one in told)
    p50, p99 = (statistics.median(one[place] for one in told) for place in (2, 3))
    slowest = min(one.calls for one in told) / max(one.calls for one in told)
    measured = (
        f"{rate:,.0f} calls/s, p50 {ms(p50)} p99 {ms(p99)} ms, least served {slowest:.2f}x the most"
    )
    figures = {"rate": rate, "p50_ms": p50, "p99_ms": p99}
    name = f"MCP: {LABELS[kind]}, {CLIENTS} clients"
    return Row(name, measured, f"{RATE_AIM:,}/s", rate >= RATE_AIM, figures)


def _proxy_row(it: Running, times: int) -> Row:
    taken = [_proxied(it) for _ in range(times + 1)][1:]
    middle = statistics.median(taken)
    measured = f"median {middle:.0f} max {max(taken):.0f} ms of {times}, start to first answer"
    figures = {"median_ms": middle, "all_ms": taken}
    name = "MCP: proxy `conductor mcp`"
    return Row(name, measured, f"<= {PROXY_AIM_MS:.0f} ms", middle <= PROXY_AIM_MS, figures)


def _proxied(it: Running) -> float:
    """Return the time in ms from starting the proxy to the first line that it prints."""
    environment = {**os.environ, **programs.environment_of(it.home)}
    began = time.monotonic_ns()
    proxy = subprocess.Popen(
        [sys.executable, "-m", "conductor", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    try:
        proxy.stdin.write(request("modern"))
        proxy.stdin.flush()
        answer = proxy.stdout.readline()
        taken = (time.monotonic_ns() - began) / 1e6
        if b'"result"' not in answer:
            raise Unmeasured(f"the proxy said {answer[:200]!r}")
        proxy.communicate(timeout=10)
    finally:
        stop(proxy)
    return taken


def _flood_row(it: Running, seconds: float) -> Row:
    """Start a client that sends and never reads, and time another client."""
    before = _app(it).rss_mb
    with _client(it, "flood", FLOOD):
        (other,) = _called(it, "bare", seconds)
        grown = _app(it).rss_mb - before
    measured = (
        f"another client: p50 {ms(other.p50_ms)} p99 {ms(other.p99_ms)} max {ms(other.max_ms)} ms, "
        f"app {grown:+.1f} MB"
    )
    aim = f"each < {FLOOD_AIM_MS:.0f} ms, < {FLOOD_AIM_MB:.0f} MB"
    met = other.max_ms < FLOOD_AIM_MS and grown < FLOOD_AIM_MB
    figures = {**other._asdict(), "grown_mb": grown}
    return Row(f"MCP: while {FLOOD:,} requests wait unread", measured, aim, met, figures)


def _app(it: Running) -> Sample:
    return sample(it.process.pid)[it.process.pid]


def _engine_rows(server: Server, it: Running, rounds: int, notes: int) -> list[Row]:
    """Play in turn with nobody on the socket and with a client that calls without a pause."""
    quiet: list[Answers] = []
    disturbed: dict[str, list[Answers]] = {"bare": [], "modern": []}
    route = programs.conductor(1).route
    options = {**route, "count": notes, "rate": 500, "wait": STARTS_WITHIN_S}
    for _ in range(rounds):
        quiet.append(stream(server, options, it.process))
        for kind, heard in disturbed.items():
            with hammered(it, kind):
                heard.append(stream(server, options, it.process))
    return [_compared(kind, quiet, heard) for kind, heard in disturbed.items()]


@contextlib.contextmanager
def hammered(it: Running, kind: str) -> Generator[None]:
    with _client(it, kind, 3_600) as client:
        _begin(client)
        yield
        if client.poll() is not None:
            raise Unmeasured("the hammering client ended")


def _compared(kind: str, quiet: Sequence[Answers], hammered: Sequence[Answers]) -> Row:
    p50 = [statistics.median(one.p50_ms for one in some) for some in (quiet, hammered)]
    p99 = [statistics.median(one.p99_ms for one in some) for some in (quiet, hammered)]
    lost = sum(one.lost + one.reordered + one.duplicates for one in hammered)
    measured = (
        f"p50 {ms(p50[0])} -> {ms(p50[1])} ms, p99 {ms(p99[0])} -> {ms(p99[1])} ms, "
        f"{lost} lost or out of order"
    )
    ratios = p50[1] / p50[0], p99[1] / p99[0]
    aim = f"p50 {ratios[0]:.2f}x p99 {ratios[1]:.2f}x (<= {ENGINE_AIM}x)"
    met = lost == 0 and all(ratio <= ENGINE_AIM for ratio in ratios)
    figures = {"p50_ms": p50, "p99_ms": p99, "p50_ratio": ratios[0], "p99_ratio": ratios[1]}
    return Row(f"engine while hammered by {LABELS[kind]}", measured, aim, met, figures)
