"""A snapshot lists queued events as unfinished, because it cannot contain them."""

from tests.support.simulate import config

from conductor.domain.events import InputEvent
from conductor.engine.snapshot import describe_unsaved_state
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, load_table
from conductor.engine.table import compile_table


def test_events_that_a_load_has_not_judged_yet_are_named():
    hold = config(["LongPress note=36 duration_ms=500 keep_order=true -> a", "Note note=38 -> b"])
    state = EngineState(compile_table(hold))
    feed_event(state, InputEvent("note_on", "pads", 1, 36, 100, 1.0))
    feed_event(state, InputEvent("note_on", "pads", 1, 38, 100, 1.1))
    load_table(state, compile_table(hold), 1.2)
    assert "what pads sent waits for a gesture" in describe_unsaved_state(state)
