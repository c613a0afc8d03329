"""Pinned effects of examples that light something: the same light is the same effect, however it was pinned."""

from typing import Any

import pytest

from conductor.domain.examples import ObservedEffect
from conductor.engine.examples.outcome import find_effect_difference

PADS: dict[str, Any] = {"matchers": [{"type": "NameContains", "pattern": "Launchpad"}]}
RED = ["lights.show", PADS, "note", 36, None, "red", False]


def compare(was: list[Any], now: list[Any]) -> str | None:
    return find_effect_difference(
        [ObservedEffect(kind="run", calls=(was,))], [ObservedEffect(kind="run", calls=(now,))], 1.0
    )


def test_the_same_light_is_no_difference():
    assert compare(RED, RED) is None


def test_a_light_that_was_pinned_as_bytes_is_still_the_same_light():
    assert compare(["midi.send", PADS, "90 24 05"], RED) is None


@pytest.mark.parametrize(
    ("was", "now", "difference"),
    [
        (RED, [*RED[:5], "green", False], "light note 36 green on Launchpad"),
        (RED, [*RED[:3], 37, None, "red", False], "light note 37 red on Launchpad"),
        (["midi.send", PADS, "90 25 05"], RED, "it should send 90 25 05 to Launchpad"),
        (["midi.send", PADS, "B0 24 05"], RED, "but would light note 36 red on Launchpad"),
    ],
)
def test_another_light_is_a_difference_in_words(was: list[Any], now: list[Any], difference: str):
    found = compare(was, now)
    assert found is not None
    assert difference in found
