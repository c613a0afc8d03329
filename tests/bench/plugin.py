"""A knob at 500 values a second on a Plugin action: what its MCP server gets, and what the engine feels of it."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench import programs
from tests.bench.configs import config_text
from tests.bench.knob import CHANNEL
from tests.bench.programs import Running, running, wait_until_it_serves
from tests.bench.rig import HERE, ROOT, Answers, Server, Unmeasured, jack_server, stop, stream
from tests.bench.rows import Row, ms
from tests.bench.service import pause
from tests.support.page import Page
from tests.support.running import running_conductor, wait_for

LAMP = ROOT / "tests" / "support" / "lamp_server.py"
KNOB_RATE = 500
CALLS_AIM = 20.0
CALLS_SLACK = 0.1
ENGINE_AIM = 1.2
REST = 93
LAST_WITHIN_S = 5.0
STARTS_WITHIN_S = 30.0
PLAIN, PLUGIN = 20, 21
"""Controllers: one sets a variable, the other calls the server."""
KNOBS = f"""
[skills]
servers = ["lamp"]

[[global_mappings]]
trigger = {{ type = "CC", cc = {PLAIN}, channel = {CHANNEL} }}
action = {{ type = "SetVariable", name = "level", value = {{ from = "value" }} }}

[[global_mappings]]
trigger = {{ type = "CC", cc = {PLUGIN}, channel = {CHANNEL} }}
action = {{ type = "Plugin", server = "lamp", tool = "set_level", args = {{ level = {{ from = "value" }} }} }}
"""


class Turned(NamedTuple):
    """One round at the knob."""

    sent: int
    seconds: float
    heard: Answers


def measure(rounds: int, notes: int) -> list[Row]:
    """Play notes while the knob is turned, in turn on a plain action and on one that calls the server."""
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cond-", dir="/tmp")))
        asked = home / "asked.jsonl"
        _agree(home, asked)
        (home / "config.toml").write_text(config_text(128) + KNOBS)
        server = stack.enter_context(jack_server())
        it = stack.enter_context(running(programs.conductor(1), server, home))
        assert it is not None
        wait_until_it_serves(it)
        _wait_for_lamp(server, asked)
        plain, called, calls = list[Turned](), list[Turned](), list[list[dict[str, Any]]]()
        for _ in range(rounds):
            plain.append(_turned(server, it, PLAIN, notes))
            asked.write_text("")
            called.append(_turned(server, it, PLUGIN, notes))
            calls.append(_calls(asked))
        return [_calls_row(called, calls), _engine_row(plain, called)]


def _agree(home: Path, asked: Path) -> None:
    """Add the server and agree to it, as the user does in the window."""
    with (
        running_conductor("", home=home, with_page=True, own_process=True) as conductor,
        Page(conductor.address()) as page,
    ):
        entry = {"command": sys.executable, "args": [str(LAMP), str(asked)]}
        page.call("servers.add", name="lamp", entry=entry)
        [shown] = page.call("servers.list")["servers"]
        page.call("servers.consent", name="lamp", digest=shown["digest"])
        wait_for(
            lambda: page.call("servers.list")["servers"][0],
            lambda one: one["state"] == "ready",
            STARTS_WITHIN_S,
        )


def _wait_for_lamp(server: Server, asked: Path) -> None:
    """Turn the knob until the server hears of it."""
    with _knob(server, PLUGIN) as knob:
        try:
            wait_for(asked.exists, bool, STARTS_WITHIN_S)
        except TimeoutError:
            raise Unmeasured("the MCP server was never called") from None
        _rested(knob)
        _calls(asked)


@contextlib.contextmanager
def _knob(server: Server, controller: int) -> Generator[subprocess.Popen[str]]:
    """Turn a knob for as long as the block runs."""
    knob = subprocess.Popen(
        [sys.executable, str(HERE / "knob.py"), str(controller), str(KNOB_RATE), str(REST)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **server.environment},
    )
    try:
        assert knob.stdout is not None
        if knob.stdout.readline() != "ready\n":
            raise Unmeasured("there is nobody at the knob")
        _tell(knob)
        yield knob
    finally:
        stop(knob)


def _tell(knob: subprocess.Popen[str]) -> None:
    assert knob.stdin is not None
    knob.stdin.write("\n")
    knob.stdin.flush()


def _rested(knob: subprocess.Popen[str]) -> dict[str, float]:
    _tell(knob)
    assert knob.stdout is not None
    return json.loads(knob.stdout.readline())


def _turned(server: Server, it: Running, controller: int, notes: int) -> Turned:
    options = {**programs.conductor(1).route, "count": notes, "rate": 500, "wait": STARTS_WITHIN_S}
    with _knob(server, controller) as knob:
        pause(0.3)
        heard = stream(server, options, it.process)
        said = _rested(knob)
    return Turned(int(said["sent"]), said["seconds"], heard)


def _calls(asked: Path) -> list[dict[str, Any]]:
    """Return what the server was asked, once it was asked for the value where the knob rests."""

    def read() -> list[dict[str, Any]]:
        return [json.loads(line) for line in asked.read_text().splitlines()]

    with contextlib.suppress(TimeoutError):
        wait_for(read, lambda calls: calls and calls[-1]["level"] == REST, LAST_WITHIN_S)
    return read()


def _calls_row(turned: Sequence[Turned], calls: Sequence[list[dict[str, Any]]]) -> Row:
    rates = [len(some) / one.seconds for one, some in zip(turned, calls, strict=True)]
    last = sum(bool(some) and some[-1]["level"] == REST for some in calls)
    values = statistics.median(one.sent / one.seconds for one in turned)
    rate = statistics.median(rates)
    measured = f"{values:.0f} values/s -> {rate:.1f} calls/s; the last value came in {last} of {len(calls)}"
    met = last == len(calls) and abs(rate - CALLS_AIM) <= CALLS_AIM * CALLS_SLACK
    figures = {"values_per_s": values, "calls_per_s": rates, "last_values": last}
    aim = f"{CALLS_AIM:.0f}/s, always the last"
    return Row("plugin: knob on an MCP server's tool", measured, aim, met, figures)


def _engine_row(plain: Sequence[Turned], called: Sequence[Turned]) -> Row:
    p50 = [statistics.median(one.heard.p50_ms for one in some) for some in (plain, called)]
    p99 = [statistics.median(one.heard.p99_ms for one in some) for some in (plain, called)]
    lost = sum(one.heard.lost + one.heard.reordered + one.heard.duplicates for one in called)
    ratios = p50[1] / p50[0], p99[1] / p99[0]
    measured = (
        f"p50 {ms(p50[0])} -> {ms(p50[1])} ms, p99 {ms(p99[0])} -> {ms(p99[1])} ms, "
        f"{lost} lost or out of order"
    )
    aim = f"p50 {ratios[0]:.2f}x p99 {ratios[1]:.2f}x (<= {ENGINE_AIM}x a knob on a plain action)"
    met = lost == 0 and all(ratio <= ENGINE_AIM for ratio in ratios)
    figures = {"p50_ms": p50, "p99_ms": p99, "p50_ratio": ratios[0], "p99_ratio": ratios[1]}
    return Row("plugin: engine beside it", measured, aim, met, figures)
