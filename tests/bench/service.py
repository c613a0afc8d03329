"""What Conductor does apart from single notes: throughput, reload, start, rest."""

import json
import queue
import statistics
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.bench import programs
from tests.bench.configs import PROBE_CHANNEL, PROBE_NOTE, prepare_config, write_config
from tests.bench.processes import Sample, family, sample
from tests.bench.programs import (
    CONDUCTOR_IN,
    CONDUCTOR_OUT,
    Running,
    last_words,
    running,
    wait_until_it_serves,
)
from tests.bench.rig import (
    Answers,
    Server,
    Unmeasured,
    finish_meter,
    jack_server,
    start_meter,
    stop,
    stream,
)
from tests.bench.rows import Row, ms

RELOADS = {10: 20.0, 250: 50.0, 2_250: 250.0}
START_AIM_MS = 1_500.0
REST_S = 10.0
REST_AIM_PERCENT = 1.0
ENGINE_AIM_MB = 80.0
ROUTE = {"to": CONDUCTOR_IN, "from": CONDUCTOR_OUT}


def throughput(seconds: float, rate: int = 20_000) -> list[Row]:
    """Play far more than any device can, in bursts of one JACK period."""
    options = {"count": int(rate * seconds), "rate": rate, "steady": True, "warm-up": 0}
    program = programs.conductor(channels=8)
    with jack_server(48_000, 64) as server, running(program, server) as it:
        heard = stream(server, {**program.route, **options}, it and it.process)
    measured = (
        f"{heard.rate:,.0f} events/s for {seconds:.0f} s: lost {heard.lost}, "
        f"out of order {heard.reordered + heard.duplicates}, p50 {ms(heard.p50_ms)} p99 {ms(heard.p99_ms)} ms"
    )
    met = heard.is_whole and heard.rate > rate * 0.99
    return [Row("throughput", measured, f"{rate:,}/s, none lost, in order", met, heard._asdict())]


class Watch:
    """Plays one note every millisecond and reports when its answer changes."""

    def __init__(self, server: Server, route: Mapping[str, object]) -> None:
        options = {**route, "first-channel": PROBE_CHANNEL, "note": PROBE_NOTE, "wait": 20}
        self._meter = start_meter(server, "watch", options, "watch")
        self.changes: queue.Queue[tuple[int, int]] = queue.Queue()
        """When (ns, `time.monotonic_ns`), and the new value."""
        threading.Thread(target=self._read, name="watch", daemon=True).start()

    def _read(self) -> None:
        assert self._meter.stdout is not None
        for line in self._meter.stdout:
            told = json.loads(line)
            self.changes.put((told["at_ns"], told["value"]))

    def wait_for(self, value: int, timeout_s: float = 20) -> int:
        """Return when the answer became this value."""
        until = time.monotonic() + timeout_s
        while True:
            try:
                at_ns, seen = self.changes.get(timeout=max(0.001, until - time.monotonic()))
            except queue.Empty:
                raise Unmeasured(
                    f"the answer did not become {value} within {timeout_s:.0f} s"
                ) from None
            if seen == value:
                return at_ns

    def close(self) -> None:
        stop(self._meter)


def reload_time(times: int, sizes: Sequence[int]) -> list[Row]:
    """From a config's rename into place to the first note that it answers."""
    rows: list[Row] = []
    for mappings in sizes:
        aim_ms = RELOADS[mappings]
        taken = _reloads(mappings, times)
        middle, worst = statistics.median(taken), max(taken)
        measured = (
            f"median {middle:.1f} max {worst:.1f} ms of {len(taken)}, write to effect on the port"
        )
        figures = {"median_ms": middle, "max_ms": worst, "all_ms": taken}
        rows.append(
            Row(
                f"reload: {mappings:,} mappings",
                measured,
                f"median < {aim_ms:.0f} ms",
                middle < aim_ms,
                figures,
            )
        )
    return rows


def _reloads(mappings: int, times: int) -> list[float]:
    taken: list[float] = []
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conductor-bench-")))
        server = stack.enter_context(jack_server(48_000, 64))
        write_config(home, mappings, answer=1)
        it = stack.enter_context(running(programs.conductor(1), server, home))
        assert it is not None
        wait_until_it_serves(it)  # the engine answers before the app looks at the file
        watch = Watch(server, ROUTE)
        stack.callback(watch.close)
        watch.wait_for(1)
        for number in range(times):
            answer = number % 100 + 2
            fresh = prepare_config(home, mappings, answer=answer)
            pause(0.3)
            began = time.monotonic_ns()
            fresh.replace(home / "config.toml")
            taken.append((watch.wait_for(answer) - began) / 1e6)
    return taken


def start_up(times: int, *, warm: bool = True) -> list[Row]:
    """From starting the process to its first answered note; `warm`: after one that warms bytecode."""
    if warm:
        _start()
    taken = [_start() for _ in range(times)]
    middle = statistics.median(taken)
    measured = (
        f"median {middle:.0f} max {max(taken):.0f} ms of {len(taken)}, "
        "start to first answer, bytecode warm"
    )
    met = middle < START_AIM_MS
    return [
        Row(
            "start-up",
            measured,
            f"< {START_AIM_MS:.0f} ms",
            met,
            {"median_ms": middle, "all_ms": taken},
        )
    ]


def _start() -> float:
    with jack_server(48_000, 64) as server:
        meter = start_meter(server, "stream", {**ROUTE, "count": 1, "warm-up": 0})
        began = time.monotonic_ns()
        with running(programs.conductor(1), server) as it:
            heard: Answers = finish_meter(meter, 30, it and it.process)
    return (heard.first_answer_ns - began) / 1e6


def rest(seconds: float = REST_S) -> list[Row]:
    """CPU and memory of every process while nothing is played; JACK has its default period here."""
    with jack_server(48_000, 1024) as server, running(programs.conductor(8), server) as it:
        assert it is not None
        stream(server, {**ROUTE, "channels": 8, "count": 500, "rate": 500}, it.process)
        pause(6)  # the polling that follows a note has ended
        before, began = sample(it.process.pid), time.monotonic()
        pause(seconds)
        after, lasted = sample(it.process.pid), time.monotonic() - began
    return [_cpu_row(before, after, lasted), *_memory_rows(after)]


def _cpu_row(before: dict[int, Sample], after: dict[int, Sample], lasted: float) -> Row:
    shares = {
        f"{one.role}": 100 * (one.cpu_s - before[pid].cpu_s) / lasted
        for pid, one in after.items()
        if pid in before
    }
    total = sum(shares.values())
    parts = ", ".join(f"{role} {share:.2f}" for role, share in shares.items())
    measured = f"{total:.2f} % of a core over {lasted:.0f} s ({parts})"
    met = total < REST_AIM_PERCENT
    return Row("idle CPU", measured, f"< {REST_AIM_PERCENT:.0f} %", met, {"total": total, **shares})


def _memory_rows(after: dict[int, Sample]) -> list[Row]:
    rows: list[Row] = []
    for one in after.values():
        engine = one.role == "engine"
        rows.append(
            Row(
                f"memory: {one.role} process",
                f"RSS {one.rss_mb:.1f} PSS {one.pss_mb:.1f} MB",
                f"RSS < {ENGINE_AIM_MB:.0f} MB" if engine else "",
                one.rss_mb < ENGINE_AIM_MB if engine else None,
                {"rss_mb": one.rss_mb, "pss_mb": one.pss_mb},
            )
        )
    return rows


def pause(seconds: float) -> None:
    """Wait, because the measurement covers what happens during this time."""
    threading.Event().wait(seconds)


def engine_of(it: Running) -> int:
    """Return the engine's process id."""
    engines = [pid for pid, role in family(it.process.pid).items() if role == "engine"]
    if not engines:
        raise Unmeasured(f"there is no engine process: {last_words(it.log)}")
    return engines[0]
