"""Whatever process is killed, nothing stays held and no note goes on sounding; over a synchronous JACK server.

The times are those of tests/bench/kills.py, which is run on a quiet machine: here the figures are only printed.
"""

from collections.abc import Generator

import pytest
from tests.support.kills import Held, KillStage, Victim, kill_stage

pytestmark = [pytest.mark.jack, pytest.mark.x11]


@pytest.fixture(scope="module")
def stage() -> Generator[KillStage]:
    with kill_stage() as stage:
        yield stage


@pytest.mark.parametrize(
    ("victim", "held"),
    [
        ("engine", ("key", "note", "sent", "repeat")),
        ("port", ("key", "note", "repeat")),
        ("engine", ("mode",)),
        ("port", ("mode",)),
        ("app", ("key", "note", "sent", "repeat")),
    ],
)
def test_nothing_stays_held_after_a_kill(stage: KillStage, victim: Victim, held: tuple[Held, ...]):
    outcome = stage.kill(victim, held)
    print(outcome)  # noqa: T201
    assert outcome.still_held == ()
