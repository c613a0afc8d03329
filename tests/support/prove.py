"""How many cases the comparisons with oracles play: a few seconds of them, or as many as `make prove` asks for."""

import os
from collections.abc import Callable
from typing import Any

import pytest

ASKED = os.environ.get("CONDUCTOR_PROVE_CASES")
DEFAULT = 100
"""The cases of which `scaled` makes one: the 5,000 of `make prove` make every number fifty times as large."""


def scaled(cases: int) -> int:
    """Return how many cases to play instead of the number that fits the suite."""
    return cases if ASKED is None else max(1, cases * int(ASKED) // DEFAULT)


def proves(test: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a test as a comparison with an oracle, which has no time limit in the larger run."""
    unlimited = test if ASKED is None else pytest.mark.timeout(0)(test)
    return pytest.mark.prove(unlimited)
