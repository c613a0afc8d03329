"""Plays for a long time, with devices and configs coming and going, and watches what piles up.

python -m tests.bench.soak [--minutes 10] [--rate 1000]
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tests.bench import programs
from tests.bench.configs import write_config
from tests.bench.hotplug import DEVICE, plug_in_and_out
from tests.bench.processes import Sample, sample
from tests.bench.programs import Running, running
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
from tests.bench.rows import ms
from tests.bench.service import Watch

MAPPINGS = 256
ROUND_S = 5.0
"""In each round: a reload, three plugs of another device, one look at memory."""
SETTLING = 0.4
"""The share of the run in which buffers still fill."""
FLAT_MB_A_MINUTE = 0.2
"""At 1,000 events a second, 3.5 bytes an event."""


class Moment(NamedTuple):
    at_s: float
    samples: dict[int, Sample]


class Story(NamedTuple):
    """All that is judged in the end."""

    heard: Answers
    moments: Sequence[Moment]
    reloads: int
    plugs: int
    opened: int
    faults: Sequence[str]


def soak(minutes: float, rate: int) -> Story:
    """Play, and do a round of disturbance every few seconds."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conductor-soak-")))
        write_config(home, MAPPINGS, answer=1, open_inputs="all")
        server = stack.enter_context(jack_server(48_000, 64))
        it = stack.enter_context(running(programs.conductor(1), server, home))
        assert it is not None
        watch = Watch(server, DEVICE)
        stack.callback(watch.close)
        watch.wait_for(1)
        options = {
            **DEVICE,
            "rate": rate,
            "count": int(minutes * 60 * rate) + 60 * rate,
            "offs": True,
        }
        meter = start_meter(server, "stream", options, "Pads")
        stack.callback(stop, meter)
        return _disturb(_Stage(server, it, home, watch, meter), minutes * 60)


class _Stage(NamedTuple):
    server: Server
    it: Running
    home: Path
    watch: Watch
    meter: subprocess.Popen[str]


def _disturb(stage: _Stage, seconds: float) -> Story:
    began, number = time.monotonic(), 0
    moments: list[Moment] = []
    faults: list[str] = []
    plugs = opened = reloads = 0
    while time.monotonic() - began < seconds and stage.meter.poll() is None:
        number += 1
        next_round = began + number * ROUND_S
        reloads += _reload(stage, number % 100 + 2, faults)
        plug = plug_in_and_out(stage.server, {"times": 3, "wait": 3, "hold": 0.1, "pause": 0.2}, 30)
        plugs, opened = plugs + plug.plugged, opened + plug.opened
        moments.append(Moment(time.monotonic() - began, sample(stage.it.process.pid)))
        if number % 12 == 0:
            say(f"  {moments[-1].at_s:4.0f} s: {_sizes(moments[-1].samples)}")
        threading.Event().wait(max(0.0, next_round - time.monotonic()))
    stage.meter.terminate()
    heard = finish_meter(stage.meter, 60, stage.it.process)
    return Story(heard, moments, reloads, plugs, opened, faults)


def _reload(stage: _Stage, answer: int, faults: list[str]) -> int:
    write_config(stage.home, MAPPINGS, answer=answer, open_inputs="all")
    try:
        stage.watch.wait_for(answer, 10)
    except Unmeasured as problem:
        faults.append(f"a reload had no effect: {problem}")
        return 0
    return 1


def _sizes(samples: Mapping[int, Sample]) -> str:
    return ", ".join(
        f"{one.role} {one.rss_mb:.1f} MB" for one in samples.values() if one.role != "port"
    )


def judge(story: Story) -> list[str]:
    """Return every reason why this run failed."""
    heard = story.heard
    problems = list(story.faults)
    if not heard.is_whole:
        told = f"lost {heard.lost}, out of order {heard.reordered}, doubled {heard.duplicates}"
        problems.append(f"{told}{', the JACK server went away' if heard.server_gone else ''}")
    if story.opened != story.plugs:
        problems.append(f"{story.plugs - story.opened} of {story.plugs} plugs were not noticed")
    for role, slope in slopes(story.moments).items():
        if slope > FLAT_MB_A_MINUTE:
            problems.append(f"the {role} process grows by {slope:.2f} MB a minute")
    return problems + _left_open(story.moments)


def slopes(moments: Sequence[Moment]) -> dict[str, float]:
    """Fit MB a minute to each process that lived through the whole run, after it has settled."""
    kept = moments[int(len(moments) * SETTLING) :]
    if len(kept) < 3:
        return {}
    lasting = set(kept[0].samples).intersection(*(moment.samples for moment in kept))
    minutes = [moment.at_s / 60 for moment in kept]
    return {
        f"{kept[0].samples[pid].role} ({pid})": _slope(
            minutes, [m.samples[pid].rss_mb for m in kept]
        )
        for pid in sorted(lasting)
    }


def _slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return (
        sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
        if spread
        else 0.0
    )


def _left_open(moments: Sequence[Moment]) -> list[str]:
    """Compare files and threads of the app and the engine at the settled start and the end."""
    if len(moments) < 3:
        return []
    early, late = moments[int(len(moments) * SETTLING)].samples, moments[-1].samples
    return [
        f"the {one.role} process went from {early[pid].files} to {one.files} files "
        f"and from {early[pid].threads} to {one.threads} threads"
        for pid, one in late.items()
        if pid in early
        and (one.files > early[pid].files + 4 or one.threads > early[pid].threads + 4)
    ]


def main(arguments: list[str]) -> int:
    """Run the soak test, report, and exit with 1 if anything was lost or piled up."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=int, default=1_000, help="events a second")
    args = parser.parse_args(arguments)
    build_meter()
    try:
        story = soak(args.minutes, args.rate)
    except Unmeasured as problem:
        say(f"SOAK FAILED: {problem}")
        return 1
    heard = story.heard
    say(
        f"{heard.sent:,} events in order, lost {heard.lost}; p50 {ms(heard.p50_ms)} p99 {ms(heard.p99_ms)} "
        f"max {ms(heard.max_ms)} ms; {story.reloads} reloads, {story.plugs} plugs"
    )
    say(
        "; ".join(
            f"{role} {slope:+.2f} MB a minute" for role, slope in slopes(story.moments).items()
        )
    )
    problems = judge(story)
    say(
        f"SOAK FAILED: {'; '.join(problems)}"
        if problems
        else "SOAK PASSED: nothing lost, nothing piled up"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
