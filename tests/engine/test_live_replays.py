"""The live check of replays: the output must be the earlier one plus the predicted changes."""

import random

import pytest
from tests.bench.live_changes import RandomChange
from tests.bench.live_hands import HANDS_BEGIN_MS, JITTER_MS, Strike, is_steady, simulated
from tests.bench.live_replays import Case, difference, judge, make_case
from tests.bench.live_stage import Arrival, Played

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.recording import Recording
from conductor.engine.recording.events import build_recording
from conductor.engine.replay import compare_recording

SENT = {"type": "SendMidi", "port": "Synth In", "message_type": "NoteOn", "note": 60}
HOLD = {"trigger": {"type": "LongPress", "note": 36, "duration_ms": 300}, "action": SENT}
ARRIVED = Arrival(0.4, "Synth", "90 3c 64")


def config(*rows: object) -> Config:
    return Config.model_validate({"modes": [{"name": "A", "mappings": rows}]})


def played(*arrivals: Arrival, disturbed: str | None = None) -> Played:
    return Played(100.0, list(arrivals), Recording(), disturbed, 0.0)


def verdict(first: Played, second: Played) -> str:
    """Judge the deletion of a mapping that sends when note 36 is struck."""
    old, new = config({"trigger": {"type": "Note", "note": 36}, "action": SENT}), config()
    strike = InputEvent("note_on", "raw:Pads:out", 1, 36, 100, 100.0)
    found = compare_recording(old, new, build_recording([strike], mode="A"))
    return judge(Case(old, [], RandomChange("delete", new, ())), found, first, second).verdict


def test_a_prediction_that_comes_true_is_right():
    assert verdict(played(ARRIVED), played()) == "ok"


def test_a_prediction_is_wrong_when_what_should_vanish_still_comes_or_was_never_there():
    assert verdict(played(ARRIVED), played(ARRIVED)) == "WRONG"
    assert verdict(played(), played()) == "WRONG"


def test_what_was_disturbed_is_not_judged():
    assert verdict(played(ARRIVED), played(ARRIVED, disturbed="late")) == "disturbed"


def test_something_that_comes_a_little_later_is_the_same():
    assert difference([ARRIVED], [ARRIVED._replace(at_ms=50)]) == ""


@pytest.mark.parametrize(
    "seen",
    [
        [],
        [ARRIVED, ARRIVED],
        [ARRIVED._replace(at_ms=90)],
        [ARRIVED._replace(place="Monitor")],
        [ARRIVED._replace(what="90 3c 65")],
    ],
)
def test_anything_else_is_a_difference(seen: list[Arrival]):
    assert difference([ARRIVED], seen)


def test_things_that_come_the_other_way_round_are_a_difference():
    later = Arrival(80, "Synth", "90 40 64")
    assert difference([ARRIVED, later], [ARRIVED, later]) == ""
    turned = [ARRIVED._replace(at_ms=55), later._replace(at_ms=50)]
    assert "came before" in difference([ARRIVED, later], turned)


def test_hands_near_a_limit_are_not_steady():
    def held(ms: float) -> list[Strike]:
        return [
            Strike(0, "Pads", bytes((0x90, 36, 100))),
            Strike(ms, "Pads", bytes((0x80, 36, 0))),
        ]

    holds, rng = config(HOLD), random.Random(1)
    assert is_steady(holds, held(300 + 3 * JITTER_MS), "A", rng)
    assert not is_steady(holds, held(300 + JITTER_MS / 2), "A", rng)
    assert [one["time_ms"] for one in simulated(holds, held(400), "A")] == [HANDS_BEGIN_MS + 300]


def test_a_seed_gives_the_same_case_again():
    assert make_case(4, "time limit", 9000) == make_case(4, "time limit", 9000)
