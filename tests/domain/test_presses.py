"""Press triggers: which strikes count, and which controls they listen to."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from conductor.domain.events import InputEvent
from conductor.domain.reasons import render_reason
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button import GamepadButtonTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.domain.triggers.note_release import NoteReleaseTrigger
from conductor.domain.triggers.velocity_range import VelocityRangeTrigger


def strike(velocity: int) -> InputEvent:
    return InputEvent("note_on", "pads", 10, 36, velocity, 0.0)


def test_a_note_takes_any_strike():
    assert NoteTrigger(note=36).check_press(strike(1)) is None


def test_a_strike_under_velocity_min_does_not_count_and_says_so():
    trigger = NoteTrigger(note=36, velocity_min=50)
    assert trigger.check_press(strike(50)) is None
    reason = trigger.check_press(strike(49))
    assert reason is not None
    assert render_reason(reason) == "velocity 49 is below velocity_min 50"


@given(st.integers(1, 127), st.integers(1, 127), st.integers(1, 127))
def test_a_velocity_range_takes_exactly_the_strikes_inside_it(one: int, other: int, velocity: int):
    low, high = sorted((one, other))
    trigger = VelocityRangeTrigger(note=36, min_velocity=low, max_velocity=high)
    assert (trigger.check_press(strike(velocity)) is None) == (low <= velocity <= high)


@given(st.integers(1, 126), st.integers(1, 127))
def test_two_layers_share_out_every_strike(border: int, velocity: int):
    soft = VelocityRangeTrigger(note=36, max_velocity=border)
    hard = VelocityRangeTrigger(note=36, min_velocity=border + 1)
    taken = [layer for layer in (soft, hard) if layer.check_press(strike(velocity)) is None]
    assert len(taken) == 1


def test_a_velocity_range_that_holds_no_strike_is_refused():
    with pytest.raises(ValidationError, match="min_velocity is over max_velocity"):
        VelocityRangeTrigger(note=36, min_velocity=90, max_velocity=20)


@pytest.mark.parametrize("kind", [LongPressTrigger, DoubleTapTrigger])
@pytest.mark.parametrize(
    ("fields", "control"), [({"note": 36}, ("note", 36)), ({"button": "a"}, ("button", "south"))]
)
def test_a_hold_or_double_tap_is_of_a_note_or_a_button(
    kind: type[LongPressTrigger], fields: dict[str, Any], control: tuple[str, Any]
):
    assert kind.model_validate(fields).list_controls() == (control,)


@pytest.mark.parametrize("kind", [LongPressTrigger, DoubleTapTrigger])
@pytest.mark.parametrize("fields", [{}, {"note": 36, "button": "south"}])
def test_a_hold_or_double_tap_has_exactly_one_control(
    kind: type[LongPressTrigger], fields: dict[str, Any]
):
    with pytest.raises(ValidationError, match="exactly one of `note` and `button`"):
        kind.model_validate(fields)


def test_a_chord_listens_to_each_of_its_notes():
    assert NoteChordTrigger(notes=(36, 40)).list_controls() == (("note", 36), ("note", 40))


@pytest.mark.parametrize("notes", [(36,), (36, 36), (36, 128), ()])
def test_a_chord_has_two_or_more_different_notes(notes: tuple[int, ...]):
    with pytest.raises(ValidationError):
        NoteChordTrigger(notes=notes)


def test_a_button_chord_names_each_button_once_in_any_spelling():
    chord = GamepadButtonChordTrigger.model_validate({"buttons": ["LB", 137]})
    assert chord.list_controls() == (("button", "l1"), ("button", "r1"))
    with pytest.raises(ValidationError, match="names each button once"):
        GamepadButtonChordTrigger.model_validate({"buttons": ["a", "south"]})


def test_a_gamepad_button_has_no_strength_so_older_velocity_is_dropped():
    button = GamepadButtonTrigger.model_validate({"button": 128, "velocity_min": 1})
    assert button.to_plain() == {"type": "GamepadButton", "button": "south"}


def test_only_a_release_cannot_be_held():
    assert not NoteReleaseTrigger(note=36).can_be_held()
    assert NoteTrigger(note=36).can_be_held()
