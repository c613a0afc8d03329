"""What a finding says about when a waiting tap acts is when the engine performs it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.simulate import config, plays

from conductor.domain.conflicts.overlaps import find_config_overlaps
from conductor.domain.plan import TapWait

HOLDS = st.sampled_from(
    [
        *(f"LongPress note=36 duration_ms={ms}" for ms in (200, 350, 600, 1500)),
        "LongPress note=36 duration_ms=400 quick_tap_ms=150",
        "LongPress note=36 duration_ms=400 permissive_hold=true",
        "LongPress note=36 duration_ms=400 require_prior_idle_ms=100",
    ]
)
OTHERS = st.sampled_from(
    [
        *(f"DoubleTap note=36 timeout_ms={ms}" for ms in (100, 350, 900)),
        "NoteChord notes=[36,38] timeout_ms=60",
        "NoteChord notes=[36,38] timeout_ms=450",
    ]
)
GESTURES = st.lists(st.one_of(HOLDS, OTHERS), min_size=1, max_size=4, unique=True)


def find_wait(gestures: list[str]) -> TapWait | None:
    """Return when the tap acts, which all findings about it say alike; None if no finding says it."""
    keys = (f"{gesture} -> {key}" for gesture, key in zip(gestures, "bcde", strict=False))
    found = find_config_overlaps(config(["Note note=36 -> a", *keys]))
    waits = [one.tap_wait for one in found if one.tap_wait is not None]
    assert all(wait == waits[0] for wait in waits)
    return waits[0] if waits else None


@given(GESTURES, st.integers(1, 1_999))
def test_a_tap_acts_when_a_finding_says(gestures: list[str], held_ms: int) -> None:
    wait = find_wait(gestures)
    keys = [f"{gesture} -> {key}" for gesture, key in zip(gestures, "bcde", strict=False)]
    script = f"wait 1000; down 36; wait {held_ms}; up 36; wait 3000"
    effects = plays(config(["Note note=36 -> a", *keys]), script)
    if wait is not None and effects.endswith("Keystroke a"):
        at = max(wait.delay_ms, held_ms if wait.until_release else 0)
        assert effects == f"{1000 + at} Keystroke a"


@pytest.mark.parametrize(
    ("gestures", "wait"),
    [
        (["LongPress note=36 duration_ms=600"], TapWait(until_release=True)),
        (["DoubleTap note=36 timeout_ms=350"], TapWait(until_release=False, delay_ms=350)),
        (
            ["DoubleTap note=36 timeout_ms=350", "LongPress note=36 duration_ms=600"],
            TapWait(until_release=True, delay_ms=350),
        ),
        (["LongPress note=36 duration_ms=600", "NoteChord notes=[36,38] timeout_ms=60"], None),
        (["LongPress note=36 duration_ms=600 quick_tap_ms=150"], None),
    ],
)
def test_a_finding_says_when_a_tap_acts_if_that_is_always_the_same(
    gestures: list[str], wait: TapWait | None
) -> None:
    assert find_wait(gestures) == wait
