"""Plugs other devices in and out while one plays: it must lose nothing and hardly wait.

python -m tests.bench.hotplug [--times 100]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.bench import programs
from tests.bench.configs import write_config
from tests.bench.programs import CONDUCTOR_OUT, running
from tests.bench.rig import (
    Answers,
    Server,
    Unmeasured,
    build_meter,
    finish_meter,
    jack_server,
    say,
    start_meter,
    stop,
)
from tests.bench.rows import Row, ms, table, unmeasured

RATE = 1_000
STALL_AIM_MS = 20.0
PAUSE_S = 0.35
"""Longer than a look at the ports takes to come round; a hand is slower still."""
DEVICE = {"from": CONDUCTOR_OUT}
"""The meter as a device that Conductor finds and opens by itself."""


class Plugging(NamedTuple):
    """How often another device came, was opened by the other side, and how long that took."""

    plugged: int
    opened: int
    opened_p50_ms: float
    opened_max_ms: float


def measure(times: int) -> list[Row]:
    """Plug through Conductor, and beside a bare cable to see what JACK itself does to others."""
    rows = [_cable_row(max(5, times // 5))]
    with (
        tempfile.TemporaryDirectory(prefix="conductor-bench-") as folder,
        jack_server(48_000, 64) as server,
    ):
        home = Path(folder)
        write_config(home, 128, open_inputs="all")
        with running(programs.conductor(1), server, home) as it:
            heard, plugging = _plug_while_playing(server, DEVICE, times, 5, it and it.process)
    return [*rows, _row(heard, plugging)]


def _cable_row(times: int) -> Row:
    name = "hot-plug: direct cable"
    try:
        with jack_server(48_000, 64) as server:
            heard, _ = _plug_while_playing(server, {"to": "self"}, times, 0.1, None)
    except Unmeasured as problem:
        return unmeasured(name, problem)
    measured = f"{times} times: lost {heard.lost}, longest stall {ms(heard.stall_ms)} ms"
    return Row(name, measured, "", None, heard._asdict())


def _row(heard: Answers, plugging: Plugging) -> Row:
    measured = (
        f"{plugging.plugged} times, {plugging.opened} opened (p50 {plugging.opened_p50_ms:.0f} max "
        f"{plugging.opened_max_ms:.0f} ms), {heard.sent:,} events: lost {heard.lost}, out of order "
        f"{heard.reordered + heard.duplicates}, longest stall {ms(heard.stall_ms)} ms"
    )
    met = heard.is_whole and heard.stall_ms < STALL_AIM_MS and plugging.opened == plugging.plugged
    aim = f"none lost, stall < {STALL_AIM_MS:.0f} ms"
    return Row("hot-plug: Conductor", measured, aim, met, {**heard._asdict(), **plugging._asdict()})


def _plug_while_playing(
    server: Server,
    route: Mapping[str, object],
    times: int,
    wait_s: float,
    measured: subprocess.Popen[bytes] | None,
) -> tuple[Answers, Plugging]:
    """Play until the plugging is over; the meter is told to stop and counts what it played."""
    longest_s = times * (wait_s + 0.5) + 20
    options = {
        **route,
        "rate": RATE,
        "count": int(longest_s * RATE),
        "warm-up": 1_000,
        "offs": True,
    }
    meter = start_meter(server, "stream", {**options, "steady": True}, "Pads")
    try:
        plug = {"times": times, "wait": wait_s, "hold": 0.05, "pause": PAUSE_S}
        plugging = plug_in_and_out(server, plug, longest_s)
    except BaseException:
        stop(meter)
        raise
    meter.terminate()
    return finish_meter(meter, 30, measured), plugging


def plug_in_and_out(server: Server, options: Mapping[str, object], timeout_s: float) -> Plugging:
    """Come and go as a device called Gadget."""
    gadget = start_meter(server, "plug", options, "Gadget")
    try:
        printed, problem = gadget.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        stop(gadget)
        raise Unmeasured(f"the plugging did not end within {timeout_s:.0f} s") from None
    if gadget.returncode != 0:
        raise Unmeasured(f"the plugging failed: {problem.strip()[-100:]}")
    return Plugging(**json.loads(printed))


def main(arguments: list[str]) -> int:
    """Measure, print, and exit with 1 when an aim is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hotplug", description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    build_meter()
    rows = measure(parser.parse_args(arguments).times)
    say(table(rows))
    return 0 if all(row.met is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
