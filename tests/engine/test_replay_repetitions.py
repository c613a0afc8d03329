"""Replays of long repetitions: a bounded number of steps, and no change where both sides are cut."""

from typing import Any

from tests.engine.test_replay import COPY, played
from tests.support.in_one_call import replay_recording
from tests.support.simulate import config, does

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.recording import Recording
from conductor.engine import playback as playback_module
from conductor.engine import replay as replay_module
from conductor.engine.recording.events import build_recording


def long_repeats(presses: int, count: int) -> tuple[Config, list[InputEvent]]:
    """Return a config that repeats at each press, and that many presses."""
    repeat = {
        "type": "Repeat",
        "action": {"type": "Keystroke", "keys": "a"},
        "count": count,
        "delay_ms": 1,
    }
    taps = [
        event._replace(time=event.time + number)
        for number in range(presses)
        for event in played("tap 1; tap 36 @500")
    ]
    return config([does("Note note=1", repeat), COPY]), taps


def test_long_repetitions_use_up_a_bounded_number_of_steps(monkeypatch: Any):
    monkeypatch.setattr(replay_module, "MAX_DEADLINE_STEPS", 300)
    steps: list[int] = []
    advance = playback_module.run_due_deadlines

    def counted(state: Any, until: float) -> Any:
        steps.append(1)
        return advance(state, until)

    monkeypatch.setattr(playback_module, "run_due_deadlines", counted)
    old, taps = long_repeats(30, 100)
    pieces = build_recording(taps, mode="Default", events_per_segment=20).segments
    apart = Recording(tuple(piece._replace(is_loaded=True) for piece in pieces))
    found = replay_recording(old, old, apart)
    assert len(steps) < 2 * (300 + len(taps))
    assert found.cannot_tell is not None
    assert found.cannot_tell.endswith("a repetition makes more steps than a replay plays.")


def test_a_repetition_that_the_end_of_the_replay_cuts_is_no_change(monkeypatch: Any):
    monkeypatch.setattr(replay_module, "MAX_DEADLINE_STEPS", 250)
    old, taps = long_repeats(3, 1_000)
    # the long press takes steps of its own, so the new config's repetition is cut earlier
    beside = config(["LongPress note=90 duration_ms=50 -> z"])
    new = old.model_copy(
        update={"global_mappings": (*old.global_mappings, *beside.global_mappings)}
    )
    held = [InputEvent("note_on", "virtual", 1, 90, 100, 0.0)]
    found = replay_recording(old, new, build_recording([*held, *taps], mode="Default"))
    assert [one.action["type"] for one in found.appear] == ["Keystroke"]
    assert (found.vanish, found.moved) == ((), ())
