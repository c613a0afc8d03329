"""Time of one step of the pure engine, by the number of mappings."""

import gc
import random
import time

from tests.bench.rows import Row

from conductor.domain.config import Config
from conductor.domain.events import EventKind, InputEvent
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event
from conductor.engine.table import compile_table

SIZES = (10, 100, 1_000, 10_000)
AIM_US = 50.0
FLAT = 1.5
NOTES, CHANNELS = 128, 16


def measure(events: int) -> list[Row]:
    """Feed the same number of notes, spread over all mappings in a random order, to each size."""
    figures = {size: _one(size, events) for size in SIZES}
    rows = [_row(size, figures[size]) for size in SIZES]
    smallest, largest = figures[SIZES[0]], figures[SIZES[-1]]
    p50, p99 = (largest[key] / smallest[key] for key in ("p50_us", "p99_us"))
    told = f"10,000 / 10 mappings: p50 {p50:.2f}x, p99 {p99:.2f}x"
    met = p50 <= FLAT and p99 <= FLAT
    return [*rows, Row("engine step: flat", told, f"<= {FLAT}x", met, {"p50": p50, "p99": p99})]


def _row(size: int, figures: dict[str, float]) -> Row:
    measured = (
        "p50 {p50_us:.1f} p99 {p99_us:.1f} max {max_us:.0f} us, compiled in {compiled_ms:.1f} ms"
    )
    met = figures["p99_us"] < AIM_US
    return Row(
        f"engine step: {size:,} mappings",
        measured.format(**figures),
        f"p99 < {AIM_US:.0f} us",
        met,
        figures,
    )


def _one(size: int, events: int) -> dict[str, float]:
    config = Config.model_validate(
        {"global_mappings": [_mapping(number) for number in range(size)]}
    )
    began = time.perf_counter()
    state = EngineState(compile_table(config))
    compiled_ms = (time.perf_counter() - began) * 1000
    for number in range(size):  # the first touch of a control looks it up
        _strike(state, number, [])
    gc.collect()
    gc.freeze()  # as the engine process does after a load
    taken_ns = _played(state, size, events)
    gc.unfreeze()
    return {
        "p50_us": taken_ns[len(taken_ns) // 2] / 1000,
        "p99_us": taken_ns[len(taken_ns) * 99 // 100] / 1000,
        "max_us": taken_ns[-1] / 1000,
        "compiled_ms": compiled_ms,
    }


def _played(state: EngineState, size: int, events: int) -> list[int]:
    chance = random.Random(1)
    taken_ns: list[int] = []
    for _ in range(events // 2):
        _strike(state, chance.randrange(size), taken_ns)
    return sorted(taken_ns)


def _mapping(number: int) -> dict[str, object]:
    device, channel, note = _place(number)
    value = {"from": "value"}
    return {
        "trigger": {"type": "Note", "note": note, "channel": channel, "device": device},
        "action": {
            "type": "SendMidi",
            "port": "out",
            "message_type": "CC",
            "controller": note,
            "value": value,
        },
    }


def _place(number: int) -> tuple[str, int, int]:
    unit, rest = divmod(number, NOTES * CHANNELS)
    return f"unit {unit}", rest // NOTES + 1, rest % NOTES


def _strike(state: EngineState, number: int, taken_ns: list[int]) -> None:
    """Play a note and let it go, each timed by itself."""
    device, channel, note = _place(number)
    strokes: tuple[tuple[EventKind, int], ...] = (("note_on", 100), ("note_off", 0))
    for kind, velocity in strokes:
        event = InputEvent(kind, device, channel, note, velocity, time.perf_counter())
        began = time.perf_counter_ns()
        traces = feed_event(state, event)
        taken_ns.append(time.perf_counter_ns() - began)
        if kind == "note_on" and not traces[-1].effects:
            raise AssertionError(f"mapping {number} did nothing")
