"""`/explain` explains the last touch, and what failed after it."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from tests.cli.at_the_keys import at_the_keys
from tests.support.running import running_conductor, wait_for

from conductor.agent.slash.render import render_result
from conductor.domain.actions.base import Fire
from conductor.domain.config import Mapping
from conductor.domain.events import EventKind, InputEvent
from conductor.domain.trace import Effect, MappingRef, Trace
from conductor.engine.recording.recorder import TraceRecorder

MAPPING = Mapping.model_validate(
    {
        "trigger": {"type": "Note", "note": 36},
        "action": {"type": "Launch", "app": "no-such-program"},
    }
)
REF = MappingRef("mode:Default", 0, MAPPING)
CONFIG = """
[[modes]]
name = "Default"
[[modes.mappings]]
trigger = { type = "Note", note = 36 }
action = { type = "Launch", app = "no-such-program" }
"""


def recorded(kinds: Sequence[str], failed: int | None = None, fired: int | None = None) -> Any:
    recorder = TraceRecorder()
    for sequence, kind in enumerate(kinds):
        event = InputEvent(cast("EventKind", kind), "pads", 10, 36, 100, 0.0)
        trace = Trace(sequence, event, "Default", None)
        if sequence == fired:
            trace.fired.append(REF)
        recorder.record(trace)
    if failed is not None:
        effect = Effect("do", MAPPING.action, Fire(1.0), REF)
        recorder.record_failure(effect, failed, "there is no such program", 0.0)
    return recorder.explain(None)


@pytest.mark.parametrize(
    ("kinds", "failed", "fired", "explained"),
    [
        (("note_on", "note_off"), None, None, 0),
        (("cc", "note_on", "poly_pressure", "note_off", "timer"), None, None, 1),
        (("button_down", "button_up", "completed", "app"), None, None, 0),
        (("note_on", "timer", "note_off"), 1, None, 1),
        (("note_on", "timer", "note_off"), None, 1, 1),
    ],
)
def test_the_last_touch_is_explained_or_what_acted_or_failed_after_it(
    kinds: Sequence[str], failed: int | None, fired: int | None, explained: int
) -> None:
    trace = recorded(kinds, failed, fired)

    assert trace["sequence"] == explained
    assert [one["reason"] for one in trace["failures"]] == (
        [] if failed is None else ["there is no such program"]
    )


def test_a_release_hides_neither_the_press_nor_its_failure() -> None:
    alone = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    with running_conductor(CONFIG, environment=alone) as conductor:
        with at_the_keys(conductor.environment, "play", "down 36; wait 50; up 36") as keys:
            assert keys.ends() == 0, keys.shown

        def explained() -> str:
            return render_result(
                "conductor_explain_event", conductor.call("conductor_explain_event")
            )

        text = wait_for(explained, lambda text: "failed: " in text)
        assert text.startswith("Pad 1, note 36 (C1)")
        assert "no-such-program" in text
