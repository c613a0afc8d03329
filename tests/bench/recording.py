"""What recording costs the engine: time for each event, and memory after ten minutes of playing."""

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable

from tests.bench.live_set import build_config, play_ten_minutes
from tests.bench.rows import Row

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.engine.config_transfer import compute_config_id
from conductor.engine.recording.recorder import TraceRecorder
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, load_table, run_due_deadlines
from conductor.engine.table import compile_table
from conductor.runtime.engine_recording import EngineRecording

RATIO = 1.05
TRACES = "traces only"
"""What the monitor and explanations need, recording or not."""
RECORDED = "recorded"
Take = Callable[[Trace], None]


def measure(rounds: int) -> list[Row]:
    """Play the same ten minutes with and without recording, in turns; of each event the fastest time counts."""
    config, events = build_config(), play_ten_minutes()
    best: dict[str, list[int]] = {}
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for kind in (TRACES, RECORDED):
            taken = _played_ns(config, events, kind)
            best[kind] = list(map(min, best.get(kind, taken), taken))
    gc.unfreeze()
    ratio = statistics.mean(best[RECORDED]) / statistics.mean(best[TRACES])
    words = ", ".join(f"{kind} {_words(best[kind])}" for kind in (TRACES, RECORDED))
    return [
        Row(
            "recording: time for each event",
            f"{ratio:.3f}x; {words}",
            f"<= {RATIO}x",
            ratio <= RATIO,
            {"ratio": ratio, **{kind: statistics.mean(each) / 1000 for kind, each in best.items()}},
        ),
        _memory_row(config, events),
    ]


def _words(taken_ns: list[int]) -> str:
    in_order = sorted(taken_ns)
    p50, p99 = in_order[len(in_order) // 2], in_order[len(in_order) * 99 // 100]
    return f"p50 {p50 / 1000:.2f} p99 {p99 / 1000:.1f} us"


def _take(state: EngineState, kind: str) -> Take:
    recorder = TraceRecorder()
    if kind == TRACES:
        return recorder.record
    recording = EngineRecording(recorder, state)
    recording.configure(
        state.table.config, compute_config_id(state.table.config), is_equivalent=False
    )
    return recording.record_trace


def _played_ns(config: Config, events: list[InputEvent], kind: str) -> list[int]:
    state = EngineState(compile_table(config))
    take = _take(state, kind)
    take(load_table(state, state.table, events[0].time - 1))
    taken: list[int] = []
    for event in events:
        for trace in run_due_deadlines(state, event.time):
            take(trace)
        began = time.perf_counter_ns()
        for trace in feed_event(state, event):
            take(trace)
        taken.append(time.perf_counter_ns() - began)
    return taken


def _memory_row(config: Config, events: list[InputEvent]) -> Row:
    """Return how much more is held after the ten minutes, beside the traces that are held anyway."""
    sizes = {kind: _held_bytes(config, events, kind) for kind in (TRACES, RECORDED)}
    more = sizes[RECORDED] - sizes[TRACES]
    words = f"{more / 1e6:.2f} MB more than {sizes[TRACES] / 1e6:.2f} MB, {len(events):,} events"
    return Row("recording: memory after 10 min", words, figures={"more_bytes": more, **sizes})


def _held_bytes(config: Config, events: list[InputEvent], kind: str) -> int:
    tracemalloc.start()
    state = EngineState(compile_table(config))
    take = _take(state, kind)
    take(load_table(state, state.table, events[0].time - 1))
    for event in events:
        # a copy: live, nobody else holds the events
        for trace in feed_event(state, event._replace()):
            take(trace)
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held
