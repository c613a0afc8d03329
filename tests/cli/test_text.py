"""Texts that several commands print."""

import pytest

from conductor.cli.text import format_duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (58.9, "58 s"),
        (1472, "24 min 32 s"),
        (3600, "1 h"),
        (90_061, "1 d 1 h"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words
