"""The engine thread has the same effects in the same order as a simulation of the same events."""

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from tests.engine.streams import Item, configs, streams
from tests.support.simulate import RecordingPorts, config, does, perform_now

from conductor.base.clock import now
from conductor.domain.actions import walk_actions
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.config import Config, Mapping
from conductor.domain.events import CONTROL_CLASSES_WITH_CHANNEL, InputEvent
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect, Trace
from conductor.engine.engine import Engine
from conductor.engine.runner import EffectRunner
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation
from conductor.engine.state import EngineState
from conductor.engine.step import load_table, release_everything
from conductor.engine.table import compile_table

LONG_S = 10.0


class Live:
    """A running engine with recording ports and its traces."""

    def __init__(self, what: Config) -> None:
        self.ports = RecordingPorts()
        self.traces: list[Trace] = []
        self.failures: list[tuple[Effect, str]] = []
        self._changed = threading.Condition()
        self.state = EngineState(compile_table(what))
        self.runner = EffectRunner(self.ports, self._post, self._fail)
        self.runner.apply_settings(EngineSettings(allow_shell=True))
        self.engine = Engine(self.state, self.runner, self._observe)
        self.engine.start()

    def _post(self, event: InputEvent) -> None:
        self.engine.post_event(event)

    def _observe(self, trace: Trace) -> None:
        with self._changed:
            self.traces.append(trace)
            self._changed.notify_all()

    def _fail(self, effect: Effect, sequence: int, reason: str) -> None:
        with self._changed:
            self.failures.append((effect, reason))
            self._changed.notify_all()

    def wait_for(self, what: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(what, LONG_S), self.told()

    def told(self) -> list[str]:
        return list(self.ports.said)

    def close(self) -> None:
        self.engine.stop()
        self.runner.close()


@pytest.fixture
def live() -> Iterator[Callable[[Config], Live]]:
    running: list[Live] = []

    def start(what: Config) -> Live:
        running.append(Live(what))
        return running[-1]

    yield start
    for each in running:
        each.close()


def without_workers(what: Config) -> Config:
    """Return a config without the mappings that a simulation need not play like the live engine.

    Workers answer when they are done, a simulation at once: their order is proved apart. A control that sends
    no MIDI message cannot be forwarded, which validation refuses: live such a run fails and ends.
    """

    def is_kept(mapping: Mapping) -> bool:
        parts = walk_actions(mapping.action)
        is_midi = mapping.trigger.list_controls()[0][0] in (*CONTROL_CLASSES_WITH_CHANNEL, "sysex")
        return not any(
            part.blocking or (type(part) is MidiForwardAction and not is_midi) for part in parts
        )

    def kept(mappings: tuple[Mapping, ...]) -> tuple[Mapping, ...]:
        return tuple(filter(is_kept, mappings))

    modes = tuple(m.model_copy(update={"mappings": kept(m.mappings)}) for m in what.modes)
    profiles = tuple(p.model_copy(update={"mappings": kept(p.mappings)}) for p in what.profiles)
    everywhere = kept(what.global_mappings)
    return what.model_copy(
        update={"modes": modes, "profiles": profiles, "global_mappings": everywhere}
    )


def plain(effects: Sequence[Effect]) -> list[str]:
    ports = RecordingPorts()
    for effect in effects:
        perform_now(effect, ports)
    return ports.said


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(configs, streams(outside=False))
def test_the_live_engine_does_what_the_simulation_does(what: Config, items: list[Item]):
    """Events are stamped ahead of the clock, so both judge by the same times alone.

    They come in order: of what has arrived before a deadline, the live engine judges the earliest first.
    """
    what, start = without_workers(what), now() + 100
    events = [
        item._replace(time=start + item.time)
        for item in sorted(items, key=lambda item: item.time)
        if isinstance(item, InputEvent) and item.kind != "completed"
    ]
    # A repetition runs until the end: a fixed, later one made rare examples take minutes.
    last = max((event.time for event in events), default=start)
    end = InputEvent("transport", "end", 0, 0, 0xFC, last + 1)
    simulated = Simulation(what).play_items([*events, end], settle_s=0)
    running = Live(what)
    try:
        for event in [*events, end]:
            running.engine.post_event(event)
        running.wait_for(lambda: bool(running.traces) and running.traces[-1].event == end)
    finally:
        running.close()
    assert [t.to_plain() for t in running.traces] == [t.to_plain() for t in simulated]
    assert running.told() == plain([effect for trace in simulated for effect in trace.effects])


@pytest.mark.parametrize(
    ("apart_ms", "said"),
    [(49.9, "c"), (50, "ab"), (50.1, "ab")],
)
@pytest.mark.parametrize("more", ["", "\nNoteChord notes=[36,38,40] timeout_ms=100 -> d"])
def test_a_note_at_the_very_end_of_a_chord_s_window_is_outside_it_live_as_simulated(
    live: Callable[[Config], Live], apart_ms: float, said: str, more: str
):
    """A longer chord in force keeps both notes waiting beyond the end of the shorter one."""
    chords = "NoteChord notes=[36,38] timeout_ms=50 -> c" + more
    what, start = config(f"Note note=36 -> a\nNote note=38 -> b\n{chords}"), now() + 100
    events = [
        InputEvent("note_on", "pads", 1, 36, 100, start),
        InputEvent("note_on", "pads", 1, 38, 100, start + apart_ms / 1000),
        InputEvent("transport", "end", 0, 0, 0xFC, start + 1),
    ]
    simulated = Simulation(what).play_items(events, settle_s=0)
    running = live(what)
    for event in events:
        running.engine.post_event(event)
    running.wait_for(lambda: bool(running.traces) and running.traces[-1].event == events[-1])
    assert running.told() == plain([effect for trace in simulated for effect in trace.effects])
    assert [word[-1] for word in running.told() if word.startswith("press")] == list(said)


SEQUENCE = does(
    "Note note=36",
    {
        "type": "Sequence",
        "actions": [
            {"type": "Text", "text": "one"},
            {"type": "Delay", "duration_ms": 5},
            {"type": "Keystroke", "keys": "a"},
            {"type": "Shell", "argv": ["ls"]},
            {"type": "Keystroke", "keys": "b"},
        ],
    },
)


def test_in_real_time_a_sequence_with_workers_keeps_the_order_that_a_simulation_shows(
    live: Callable[[Config], Live],
):
    what = config([SEQUENCE])
    simulated = Simulation(what).play_items(parse_script("down 36"))
    running = live(what)
    running.engine.post_event(InputEvent("note_on", "pads", 1, 36, 100, now()))
    running.wait_for(lambda: "release b" in running.ports.said)
    assert running.told() == plain([effect for trace in simulated for effect in trace.effects])


def test_a_long_press_fires_by_itself_when_its_time_has_come(live: Callable[[Config], Live]):
    running = live(config("LongPress note=36 duration_ms=50 -> a"))
    struck_at = now()
    running.engine.post_event(InputEvent("note_on", "pads", 1, 36, 100, struck_at))
    running.wait_for(lambda: "release a" in running.ports.said)
    fired = next(trace for trace in running.traces if trace.fired)
    assert fired.event.time == pytest.approx(struck_at + 0.05)


def test_a_call_is_done_on_the_engine_s_thread_before_the_next_event(
    live: Callable[[Config], Live],
):
    running = live(config("Note note=36 -> a"))
    other = compile_table(config("Note note=36 -> b"))
    threads: list[str] = []

    def reload(state: EngineState) -> Trace:
        threads.append(threading.current_thread().name)
        return load_table(state, other, now())

    running.engine.call_in_engine_thread(reload)
    running.engine.post_event(InputEvent("note_on", "pads", 1, 36, 100, now()))
    running.wait_for(lambda: "release b" in running.ports.said)
    assert (threads, running.told()) == (["engine"], ["press b", "release b"])


def test_panic_lets_go_of_what_the_running_engine_holds(live: Callable[[Config], Live]):
    running = live(config("Note note=36 -> Keystroke keys=shift hold=while_held"))
    running.engine.post_event(InputEvent("note_on", "pads", 1, 36, 100, now()))
    running.wait_for(lambda: "press shift" in running.ports.said)
    running.engine.call_in_engine_thread(lambda state: release_everything(state, now()))
    running.wait_for(lambda: "release shift" in running.ports.said)


class Faults(logging.Handler):
    """Waits for the engine to log a fault."""

    def __init__(self) -> None:
        super().__init__()
        self.logged = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "unexpected error in the engine thread" in record.getMessage():
            self.logged.set()


def faulty(_state: EngineState) -> Trace:
    raise RuntimeError("a fault of the test's own")


def test_the_engine_thread_survives_an_error(live: Callable[[Config], Live]):
    running = live(config("Note note=36 -> a"))
    faults, log = Faults(), logging.getLogger("conductor.engine.engine")
    log.addHandler(faults)
    running.engine.call_in_engine_thread(faulty)
    assert faults.logged.wait(LONG_S)
    log.removeHandler(faults)
    running.engine.post_event(InputEvent("note_on", "pads", 1, 36, 100, now()))
    running.wait_for(lambda: "release a" in running.ports.said)


def test_an_engine_that_was_stopped_keeps_nothing_open():
    def start_and_stop() -> int:
        running = Live(config("Note note=36 -> a"))
        running.close()
        running.engine.post_event(InputEvent("note_on", "pads", 1, 36, 100, now()))
        lowest_free = os.dup(0)
        os.close(lowest_free)
        return lowest_free

    assert len({start_and_stop() for _ in range(100)}) == 1


def test_a_call_that_comes_while_a_deadline_is_looked_after_is_done_at_once() -> None:
    """The look for late events, right before a deadline, takes the wake-up of the call with it."""
    done = threading.Event()

    def observe(trace: Trace) -> None:
        if trace.event.kind == "note_on":
            engine.call_in_engine_thread(lambda _state: done.set())

    runner = EffectRunner(
        RecordingPorts(), lambda _event: None, lambda _effect, _number, _why: None
    )
    hold = config(["LongPress note=36 duration_ms=500 -> a"])
    engine = Engine(EngineState(compile_table(hold)), runner, observe)
    engine.start()
    try:
        engine.post_event(InputEvent("note_on", "pads", 1, 36, 100, now() - 1))
        assert done.wait(LONG_S)
    finally:
        engine.stop()
        runner.close()
