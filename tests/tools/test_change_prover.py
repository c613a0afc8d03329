"""The proof of a plan: what was played is replayed at the time of day at which it was played."""

import sys
from datetime import UTC, datetime, timedelta

from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.events import InputEvent
from conductor.domain.plan import Example
from conductor.engine.recording.events import build_recording
from conductor.tools.change_prover import ReplayChangeProver


class NoExamples:
    def add_examples(self, plan_id: str, examples: tuple[Example, ...]) -> None:
        raise AssertionError("nothing is kept here")

    def list_examples(self) -> tuple[Example, ...]:
        return ()


def clock_text(minute: int) -> str:
    return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)).strftime("%H:%M")


def config(start: int, end: int) -> Config:
    """Return a config whose only mapping acts between two minutes of the day."""
    when = {"type": "TimeRange", "start": clock_text(start), "end": clock_text(end)}
    trigger = {"type": "Note", "note": 36, "when": when}
    mapping = {"trigger": trigger, "action": {"type": "Text", "text": "a"}}
    return Config.model_validate({"modes": [{"name": "Default", "mappings": [mapping]}]})


def test_a_condition_on_the_time_of_day_is_judged_by_when_it_was_played():
    minute = 18 * 60
    event = InputEvent("note_on", "pads", 1, 36, 100, 5.0, b"")
    recording = build_recording([event], mode="Default", week_s=minute * 60)
    prover = ReplayChangeProver(lambda: recording, NoExamples)
    then, other = config(minute - 60, minute + 60), config(minute + 120, minute + 180)

    replay = prover.prove(then, other).replay

    assert replay is not None
    assert len(replay.vanish) == 1
    assert not replay.appear


def test_what_was_compared_is_forgotten_with_the_recording():
    recording = build_recording(
        [InputEvent("note_on", "pads", 1, 36, 100, 5.0, b"")], mode="Default"
    )
    prover = ReplayChangeProver(lambda: recording, NoExamples)
    prover.prove(config(0, 60), config(0, 60))
    held = sys.getrefcount(recording)
    prover.forget_recorded_results()
    assert sys.getrefcount(recording) < held


def test_a_proof_uses_the_names_that_are_known_when_it_is_made():
    event = InputEvent("note_on", "pads", 1, 36, 100, 5.0, b"")
    recording = build_recording([event], mode="Default", week_s=30 * 60)
    known = [ControlNames()]
    prover = ReplayChangeProver(
        lambda: recording, NoExamples, budget=None, read_names=lambda: known[-1]
    )
    old, new = config(0, 60), config(120, 180)

    def read_sentences() -> list[str]:
        proof, timeline = prover.prove(old, new), prover.build_replay_timeline(old, new)
        assert proof.replay is not None
        assert timeline is not None
        changed = proof.coverage.changed[0].words
        return [proof.impact.summary, proof.replay.summary, timeline.inputs[0].text, changed]

    assert not any("Pad 1" in sentence for sentence in read_sentences())
    known.append(ControlNames({"pads": [NamedControl("note", 36, None, "Pad 1")]}))
    assert all("Pad 1" in sentence and "36" in sentence for sentence in read_sentences())
    prover.close()
