"""Each gesture is explained by the true reason and no other, for tables of known cases."""

import pytest
from tests.engine.explained import Row, Stage
from tests.engine.explained_options import WITH_OPTIONS
from tests.engine.explained_rows import BY_HAND
from tests.engine.planted_obstacles import planted
from tests.support.simulate import config, mapping, with_keys

from conductor.domain.events import CONTROL_CLASS
from conductor.domain.explanation import Explanation

PLANTED = list(planted())
ROWS = [*PLANTED, *BY_HAND, *WITH_OPTIONS]


def ids(row: Row) -> str:
    return row.name


def check(row: Row, told: Explanation) -> None:
    assert told.outcome == row.outcome, told
    verdict = with_keys(told.verdict, row.config)
    assert [word for word in row.words if word not in verdict] == [], told
    nearest = told.reasons[0].kind if told.reasons else None
    assert nearest == row.kind, told
    advice = with_keys(told.what_would_change or "", row.config)
    assert [word for word in row.remedy if word not in advice] == [], told
    assert ("no mapping listens" in told.verdict) == (row.outcome == "unmapped")
    if told.outcome == "not_fired":
        assert told.reasons, "an event without a reason"


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_the_explanation_names_what_really_happened(row: Row):
    stage = Stage(row.config).play(*row.parts, settle_s=row.settle_s)
    asked = None if row.ask is None else stage.last(*row.ask)
    check(row, stage.explain(asked))


@pytest.mark.parametrize("row", PLANTED, ids=ids)
def test_every_event_of_a_gesture_has_the_same_explanation(row: Row):
    stage = Stage(row.config).play(*row.parts)
    touch = stage.explain()
    numbers = {moment.sequence for moment in touch.timeline}
    stories = [stage.explain(number) for number in sorted(numbers)]
    assert all(story == touch for story in stories)
    lone = "NoteChord", "GamepadButtonChord", "DoubleTap"
    if not row.name.startswith(
        lone
    ):  # pieces of these are gestures of their own unless they succeed
        played = [t for t in stage.recorder.traces if t.event.kind in CONTROL_CLASS]
        assert numbers >= {trace.sequence for trace in played}


@pytest.mark.parametrize("row", PLANTED, ids=ids)
def test_a_planted_obstacle_is_the_only_reason_given_for_the_mapping(row: Row):
    told = Stage(row.config).play(*row.parts).explain()
    reasons = [one for one in told.reasons if one.mapping == "target"]
    assert {one.kind for one in reasons} == ({row.kind} if row.kind else set())


def test_a_mapping_that_is_switched_off_is_named_beside_the_one_that_fired():
    off = {**mapping("Note note=36 -> b"), "enabled": False, "description": "off"}
    told = Stage(config([mapping("Note note=36 -> a"), off])).play("tap 36").explain()
    assert [(why.mapping, why.kind) for why in told.reasons] == [("off", "disabled")]


def test_the_table_is_long_enough():
    assert len(ROWS) >= 400
    assert len(BY_HAND) >= 60
    assert len(WITH_OPTIONS) >= 60
