"""Pause: everything is released and nothing fires, but events are still recorded; then mappings resume."""

from typing import Any

from tests.support.simulate import config, does

from conductor.domain.events import InputEvent
from conductor.domain.reasons import render_reason
from conductor.domain.trace import Trace
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, load_table, pause_mappings, run_due_deadlines
from conductor.engine.table import compile_table

HELD = does("Note note=36", {"type": "Keystroke", "keys": "a", "hold": "while_held"})
LONG = does("LongPress note=40 duration_ms=500", {"type": "Keystroke", "keys": "b"})


def state() -> EngineState:
    return EngineState(compile_table(config([HELD, LONG])))


def note(kind: Any, number: int, time: float) -> InputEvent:
    return InputEvent(kind, "pads", 10, number, 100, time)


def said(trace: Trace) -> str:
    return "" if trace.note is None else render_reason(trace.note)


def test_what_is_held_goes_up_when_it_pauses() -> None:
    engine = state()
    feed_event(engine, note("note_on", 36, 0.0))
    trace = pause_mappings(engine, 1.0, paused=True)
    assert [effect.kind for effect in trace.effects] == ["release"]
    assert said(trace) == "Conductor is paused"


def test_paused_a_press_is_seen_and_nothing_fires() -> None:
    engine = state()
    pause_mappings(engine, 0.0, paused=True)
    [trace] = feed_event(engine, note("note_on", 36, 1.0))
    assert (trace.fired, trace.candidates, said(trace)) == ([], [], "Conductor is paused")


def test_a_press_that_was_undecided_does_not_fire_later() -> None:
    engine = state()
    feed_event(engine, note("note_on", 40, 0.0))
    pause_mappings(engine, 0.1, paused=True)
    assert [trace for trace in run_due_deadlines(engine, 5.0) if trace.fired] == []


def test_after_the_pause_the_next_press_fires_and_a_release_from_before_does_nothing() -> None:
    engine = state()
    pause_mappings(engine, 0.0, paused=True)
    feed_event(engine, note("note_on", 36, 1.0))
    pause_mappings(engine, 2.0, paused=False)
    [release] = feed_event(engine, note("note_off", 36, 3.0))
    [press] = feed_event(engine, note("note_on", 36, 4.0))
    assert release.effects == []
    assert len(press.fired) == 1


def test_a_new_config_leaves_it_paused() -> None:
    engine = state()
    pause_mappings(engine, 0.0, paused=True)
    load_table(engine, compile_table(config([HELD])), 1.0)
    [trace] = feed_event(engine, note("note_on", 36, 2.0))
    assert trace.fired == []
