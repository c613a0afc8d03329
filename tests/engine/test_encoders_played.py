"""Endless encoders: four codings of a turn, and detecting the coding."""

import pytest
from tests.support.simulate import play, plays, sends

CLOCKWISE = {"twos_complement": 1, "offset_64": 65, "sign_magnitude": 1}
BACK = {"twos_complement": 127, "offset_64": 63, "sign_magnitude": 65}
BOTH_WAYS = """
EncoderTurn cc=21 direction=clockwise encoding={0} -> right
EncoderTurn cc=21 direction=counter_clockwise encoding={0} -> left
"""


def script(*values: int) -> str:
    return "; ".join(f"cc 21 {value} @{at * 10}" for at, value in enumerate(values))


@pytest.mark.parametrize("coding", CLOCKWISE)
def test_each_relative_coding_detects_both_directions(coding: str):
    done = plays(BOTH_WAYS.format(coding), script(CLOCKWISE[coding], BACK[coding]))
    assert done == "0 Keystroke right; 10 Keystroke left"


def test_an_absolute_encoder_knows_its_direction_from_the_second_value_on():
    done = plays(BOTH_WAYS.format("absolute"), script(60, 61, 60, 127, 127, 0, 0))
    assert [word.split()[2] for word in done.split("; ")] == [
        "right",
        "left",
        "right",
        "right",
        "left",
        "left",
    ]


@pytest.mark.parametrize(
    "values",
    [
        (1, 1, 1, 127, 127),
        (65, 65, 65, 63, 63),
        (1, 1, 1, 65, 65),
        (60, 61, 62, 61, 60),
    ],
)
def test_auto_detects_the_coding_and_then_both_directions(values: tuple[int, ...]):
    done = plays(BOTH_WAYS.format("auto"), script(*values))
    assert done.split("; ")[-4:] == [
        "10 Keystroke right",
        "20 Keystroke right",
        "30 Keystroke left",
        "40 Keystroke left",
    ]


def test_a_turn_counts_its_steps():
    row = "EncoderTurn cc=21 encoding=twos_complement -> "
    assert (
        sends(row + 'MouseScroll dy={"from":"steps"}', script(3, 126)) == "scroll 0 3; scroll 0 -2"
    )
    added = row + 'SetVariable name=n operation=add value={"from":"steps"}'
    assert play(added, script(3, 3, 127))[0].state.get_variable("n") == 5


def test_the_script_turns_an_encoder_step_by_step():
    assert plays(BOTH_WAYS.format("twos_complement"), "turn 21 +2; turn 21 -1 @100") == (
        "0 Keystroke right; 10 Keystroke right; 100 Keystroke left"
    )
