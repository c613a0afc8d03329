"""Time from a note to its answer through each program, over one JACK server after another."""

import contextlib
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

from tests.bench import programs
from tests.bench.loaded_app import BURN
from tests.bench.programs import Program, running
from tests.bench.rig import HERE, Answers, Unmeasured, jack_server, say, stop, stream
from tests.bench.rows import Row, ms, unmeasured

ALONE = ("direct cable", "bare pass-through")
"""What has no mappings."""
QUICK = ("bare pass-through", "Conductor", "mididings (jack-rt)", "Conductor, app process burning")
MANY = 8  # channels: 1,024 mappings
RATE = 500
START_S, PEER_START_S = 30, 8
TRIES = 3  # mididings' jack-rt crashes at the start of some runs


class Entry(NamedTuple):
    program: Program
    hog: bool = False
    """Whether a CPU-bound program runs beside it."""

    @property
    def is_large(self) -> bool:
        return self.program.channels == MANY

    @property
    def is_quick(self) -> bool:
        return self.program.name in QUICK and (self.is_large or self.program.name in ALONE)

    @property
    def label(self) -> str:
        alone = self.program.name in ALONE
        return self.program.name + ("" if alone else f", {self.program.mappings:,} mappings")


class Figures(NamedTuple):
    """The medians of the rounds, and what went wrong in any of them."""

    p50_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float
    lost: int
    reordered: int
    rounds: int


def entries() -> list[Entry]:
    """Everything that is measured on the same stream, in the order of one round."""
    conductor = programs.conductor
    loaded = conductor(MANY, programs.LOADED, "Conductor, app process burning")
    return [
        Entry(programs.cable()),
        Entry(programs.bare_pass_through()),
        Entry(conductor(1)),
        Entry(conductor(MANY)),
        Entry(programs.mididings("jack-rt", 1)),
        Entry(programs.mididings("jack-rt", MANY)),
        Entry(programs.mididings("jack", 1)),
        Entry(programs.mididings("jack", MANY)),
        Entry(programs.midiscripter(1)),
        Entry(programs.midiscripter(MANY)),
        Entry(loaded),
        Entry(loaded._replace(name="Conductor, app and a neighbour burning"), hog=True),
    ]


def measure(rounds: int, count: int, *, quick: bool = False) -> list[Row]:
    """Measure everything in turn, `rounds` times over, and compare the medians.

    Quick leaves out the small configs, the neighbour, and the programs that are slower than mididings' best.
    """
    chosen = [one for one in entries() if not quick or one.is_quick]
    heard: dict[str, list[Answers]] = {}
    problems: dict[str, str] = {}
    for number in range(rounds):
        for entry in chosen:
            say(f"  latency, round {number + 1} of {rounds}: {entry.label}")
            try:
                heard.setdefault(entry.label, []).append(_one(entry, count))
            except Unmeasured as problem:
                problems[entry.label] = str(problem)
    figures = {label: _median(answers) for label, answers in heard.items() if answers}
    return [_row(entry, figures, problems) for entry in chosen]


def _one(entry: Entry, count: int) -> Answers:
    wait_s = START_S if entry.program.peer is None else PEER_START_S
    for attempt in range(TRIES):
        try:
            with (
                jack_server() as server,
                running(entry.program, server) as it,
                _hog(needed=entry.hog),
            ):
                if it is not None and entry.program.command == programs.LOADED:
                    programs.wait_until_it_serves(it, START_S)
                    it.process.send_signal(BURN)
                options = {**entry.program.route, "count": count, "rate": RATE, "wait": wait_s}
                return stream(server, options, it and it.process)
        except Unmeasured:
            if entry.program.peer is None or attempt == TRIES - 1:
                raise
    raise AssertionError("unreachable")


@contextlib.contextmanager
def _hog(*, needed: bool) -> Generator[None]:
    if not needed:
        yield
        return
    process = subprocess.Popen([sys.executable, str(HERE / "cpu_hog.py")])
    try:
        yield
    finally:
        stop(process, signal.SIGKILL)


def _median(answers: Sequence[Answers]) -> Figures:
    def middle(of: Callable[[Answers], float]) -> float:
        return statistics.median(of(one) for one in answers)

    return Figures(
        middle(lambda one: one.p50_ms),
        middle(lambda one: one.p99_ms),
        middle(lambda one: one.p999_ms),
        max(one.max_ms for one in answers),
        sum(one.lost for one in answers),
        sum(one.reordered + one.duplicates for one in answers),
        len(answers),
    )


def _row(entry: Entry, figures: dict[str, Figures], problems: dict[str, str]) -> Row:
    mine = figures.get(entry.label)
    name = f"latency: {entry.label}"
    if mine is None:
        return unmeasured(name, problems.get(entry.label, "no round succeeded"))
    measured = (
        f"p50 {ms(mine.p50_ms)} p99 {ms(mine.p99_ms)} p99.9 {ms(mine.p999_ms)} "
        f"max {ms(mine.max_ms)} ms, {mine.lost} lost, {mine.reordered} out of order"
    )
    aim, met = _judge(entry, mine, figures)
    return Row(name, measured, aim, met, mine._asdict())


def _judge(entry: Entry, mine: Figures, figures: dict[str, Figures]) -> tuple[str, bool | None]:
    whole = mine.lost == 0 and mine.reordered == 0
    if "burning" in entry.label:
        return "p99 < 1 ms", whole and mine.p99_ms < 1
    if not entry.label.startswith("Conductor"):
        return _beside_bare(mine, figures), None
    checks = [(f"{mine.lost + mine.reordered} lost or out of order", whole)]
    for text, peer, limit, share in _aims(entry.program.mappings):
        other = figures.get(peer)
        if other is None:
            checks.append((f"{text} not measured", True))
            continue
        ratio = share(mine) / share(other)
        checks.append((f"{text} {ratio:.2f}x (<= {limit})", ratio <= limit))
    return "; ".join(text for text, _ in checks[1:]), all(met for _, met in checks)


Share = Callable[[Figures], float]


def _aims(mappings: int) -> list[tuple[str, str, float, Share]]:
    def p50(one: Figures) -> float:
        return one.p50_ms

    def p99(one: Figures) -> float:
        return one.p99_ms

    size = f", {mappings:,} mappings"
    return [
        ("bare p50", "bare pass-through", 1.05, p50),
        ("rt p99", f"mididings (jack-rt){size}", 1.2, p99),
        ("thread p99", f"mididings (thread){size}", 0.5, p99),
        ("midiscripter p99", f"midiscripter{size}", 0.5, p99),
    ]


def _beside_bare(mine: Figures, figures: dict[str, Figures]) -> str:
    bare = figures.get("bare pass-through")
    if bare is None or bare is mine:
        return ""
    return f"{mine.p50_ms / bare.p50_ms:.2f}x bare p50, {mine.p99_ms / bare.p99_ms:.2f}x bare p99"
