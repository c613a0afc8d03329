"""Segments are played together as long as nothing between them ended what was unfinished."""

from tests.support.simulate import config

from conductor.domain.recording import Segment
from conductor.engine.playback import build_chains
from conductor.engine.snapshot import take_snapshot
from conductor.engine.state import EngineState
from conductor.engine.table import compile_table

START = take_snapshot(EngineState(compile_table(config())))
UNFINISHED = START._replace(unfinished=("a press waits for a chord",))
SEGMENT = Segment("session", "config", 0.0, (), START, ())
OPEN = SEGMENT._replace(start=UNFINISHED)


def chain_lengths(*segments: Segment) -> list[int]:
    return [len(chain.segments) for chain in build_chains(segments)]


def test_the_segments_of_one_session_are_one_chain() -> None:
    assert chain_lengths(SEGMENT, SEGMENT, OPEN) == [3]


def test_a_loaded_config_begins_a_chain_even_if_it_is_an_equivalent_one() -> None:
    assert chain_lengths(SEGMENT, SEGMENT._replace(is_loaded=True), SEGMENT) == [1, 2]


def test_another_session_begins_a_chain_because_its_clock_is_another() -> None:
    assert chain_lengths(SEGMENT, SEGMENT._replace(session="next"), SEGMENT) == [1, 1, 1]


def test_a_chain_that_begins_in_a_gesture_ends_where_a_segment_begins_without_one() -> None:
    assert chain_lengths(OPEN, OPEN, SEGMENT, OPEN) == [2, 2]


def test_no_segments_are_no_chain() -> None:
    assert chain_lengths() == []
