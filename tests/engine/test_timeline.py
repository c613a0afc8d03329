"""The timeline of a plan's review: inputs, and firings before and after the change."""

import pytest
from tests.support.simulate import config, does

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.recording import Recording
from conductor.engine.recording.events import build_recording
from conductor.engine.replay import compare_recording, describe_comparison
from conductor.engine.script import parse_script
from conductor.engine.timeline import MAX_INPUTS, ReplayTimeline
from conductor.engine.timeline import build_timeline as timeline_of

COPY = does("Note note=36", {"type": "Keystroke", "keys": "c"})
PASTE = does("Note note=38", {"type": "Keystroke", "keys": "v"})
HOLD = does("LongPress note=36 duration_ms=500", {"type": "Keystroke", "keys": "x"})


def played(script: str) -> list[InputEvent]:
    return [item for item in parse_script(script) if isinstance(item, InputEvent)]


def timeline(events: list[InputEvent], old: Config, new: Config) -> ReplayTimeline | None:
    return timeline_of(compare_recording(old, new, build_recording(events)))


def timeline_of_parts(scripts: tuple[str, ...], old: Config, new: Config) -> ReplayTimeline:
    """Return the timeline of a recording whose parts are played one by one."""
    segments = [build_recording(played(script)).segments[0] for script in scripts]
    parts = tuple(segment._replace(session=str(index)) for index, segment in enumerate(segments))
    lanes = timeline_of(compare_recording(old, new, Recording(parts)))
    assert lanes is not None
    return lanes


def test_nothing_played_is_no_timeline() -> None:
    assert timeline([], config([COPY]), config([PASTE])) is None


def test_each_firing_points_at_the_input_that_it_answers_and_says_how_it_differs() -> None:
    lanes = timeline(played("tap 36; wait 1000; tap 38"), config([COPY]), config([COPY, PASTE]))
    assert lanes is not None
    assert [(one.text, one.source, one.change) for one in lanes.old] == [("C", 0, "same")]
    assert [(one.text, one.source, one.change) for one in lanes.new] == [
        ("C", 0, "same"),
        ("V", 2, "appears"),
    ]


def test_what_would_come_later_is_marked_as_moved_in_both_lanes() -> None:
    lanes = timeline(played("tap 36"), config([COPY]), config([COPY, HOLD]))
    assert lanes is not None
    assert [one.change for one in (*lanes.old, *lanes.new)] == ["moves", "moves"]
    assert lanes.new[0].time_ms > lanes.old[0].time_ms


def test_what_would_no_longer_fire_vanishes() -> None:
    lanes = timeline(played("tap 36"), config([COPY]), config([PASTE]))
    assert lanes is not None
    assert [one.change for one in lanes.old] == ["vanishes"]
    assert lanes.new == []


def test_only_the_newest_inputs_are_shown_and_the_rest_counted() -> None:
    lanes = timeline(played("tap 36; " * MAX_INPUTS), config([COPY]), config([COPY]))
    assert lanes is not None
    assert (len(lanes.inputs), lanes.left_out) == (MAX_INPUTS, MAX_INPUTS)
    assert [one.sequence for one in lanes.inputs] == list(range(MAX_INPUTS))


def test_changes_in_earlier_parts_of_the_recording_are_shown_too() -> None:
    lanes = timeline_of_parts(
        ("tap 36; wait 500; tap 38", "tap 40"), config([COPY]), config([PASTE])
    )

    assert [(one.text, one.source, one.change) for one in lanes.old] == [("C", 0, "vanishes")]
    assert [(one.text, one.source, one.change) for one in lanes.new] == [("V", 2, "appears")]
    assert (len(lanes.inputs), lanes.left_out) == (6, 0)
    times = [one.time_ms for one in lanes.inputs]
    assert times == sorted(times)


def test_inputs_around_changes_are_shown_before_newer_ones() -> None:
    script = "tap 38; " + "tap 40; " * MAX_INPUTS
    lanes = timeline(played(script), config([COPY]), config([COPY, PASTE]))
    assert lanes is not None

    assert [(one.text, one.source) for one in lanes.new] == [("V", 0)]
    assert (len(lanes.inputs), lanes.left_out) == (MAX_INPUTS, MAX_INPUTS + 2)


def test_pauses_between_the_parts_of_a_recording_do_not_count_as_in_the_summary() -> None:
    later = [event._replace(time=event.time + 200) for event in played("tap 40; wait 500; tap 36")]
    first, second = (
        build_recording(events).segments[0]
        for events in (played("tap 36; wait 500; tap 38"), later)
    )
    second = second._replace(is_loaded=True)
    compared = compare_recording(config([COPY]), config([PASTE]), Recording((first, second)))
    lanes = timeline_of(compared)
    replay = describe_comparison(config([COPY]), config([PASTE]), compared)
    assert lanes is not None
    assert lanes.duration_ms == pytest.approx(replay.seconds * 1000, abs=100)
    times = [one.time_ms for one in lanes.inputs]
    assert times == sorted(times)
