"""Replays: exactly the differences that a change makes for a recording."""

from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from tests.engine.streams import Item, configs, streams
from tests.support.in_one_call import replay_recording
from tests.support.prove import proves, scaled
from tests.support.simulate import config, does

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.plan import Firing, Replay
from conductor.domain.recording import Panicked, RecordedEntry, Recording
from conductor.engine import replay as replay_module
from conductor.engine.firings import PlayedFiring
from conductor.engine.recording.events import build_recording
from conductor.engine.replay import MAX_LISTED_FIRINGS, MAX_REPLAYED_EVENTS, compare_recording
from conductor.engine.script import parse_script


def played(script: str) -> list[InputEvent]:
    return [item for item in parse_script(script) if isinstance(item, InputEvent)]


def named(description: str, trigger: str, keys: str) -> dict[str, Any]:
    return {**does(trigger, {"type": "Keystroke", "keys": keys}), "description": description}


COPY = named("copy", "Note note=36", "cmd+c")
PASTE = named("paste", "Note note=36", "cmd+v")
HOLD = named("hold", "LongPress note=36 duration_ms=500", "cmd+v")
TWICE = named("twice", "DoubleTap note=36", "cmd+z")


def compare(old: Sequence[Any], new: Sequence[Any], script: str) -> Replay:
    return replay_recording(config(old), config(new), build_recording(played(script)))


def at(firings: Sequence[Firing]) -> list[tuple[float, str]]:
    return [(one.time_ms, one.description) for one in firings]


def test_the_same_config_changes_nothing():
    found = compare([COPY], [COPY], "tap 36; tap 36 @500; tap 40 @900")
    assert (found.events, found.seconds, found.unchanged) == (6, 0.92, 2)
    assert (found.appear, found.vanish, found.moved) == ((), (), ())
    assert (
        found.summary
        == "In 1 second of recorded input: nothing would change, 2 actions fire as before."
    )


def test_another_action_takes_the_place_of_the_old_one():
    found = compare([COPY], [PASTE], "tap 36 @200; tap 36 @60200; tap 40 @720200")
    assert found.summary == (
        "In 12 minutes of recorded input: 2 actions would change. "
        "2 presses of note 36 that did `copy` would now do `paste`."
    )
    assert at(found.vanish) == [(0.0, "copy"), (60000.0, "copy")]
    assert at(found.appear) == [(0.0, "paste"), (60000.0, "paste")]


def test_a_firing_has_its_place_action_and_event():
    assert compare([], ["CC cc=9 -> a", COPY], "down 36 ch 10 dev pads").appear == (
        Firing(
            time_ms=0.0,
            scope="global",
            index=1,
            description="copy",
            action={"type": "Keystroke", "keys": ["cmd", "c"]},
            event="note 36 (C1) ch 10 velocity 100",
        ),
    )


def test_a_tap_that_waits_for_a_double_tap_moves():
    found = compare([COPY], [COPY, TWICE], "tap 36 @100; tap 36 @1100")
    assert [(one.time_ms, other.time_ms) for one, other in found.moved] == [(0, 300), (1000, 1300)]
    assert found.summary == (
        "In 1 second of recorded input: 2 actions would change. "
        "2 presses of note 36 would do `copy` 300 ms later."
    )


def test_two_quick_taps_become_one_double_tap():
    found = compare([COPY], [COPY, TWICE], "tap 36; tap 36 @200")
    assert (at(found.vanish), at(found.appear)) == (
        [(0.0, "copy"), (200.0, "copy")],
        [(200.0, "twice")],
    )
    assert found.summary == (
        "In 1 second of recorded input: 2 actions would change. "
        "1 press of note 36 that did `copy` would now do `twice`. "
        "1 press of note 36 that did `copy` would now do nothing."
    )


def test_a_tap_moves_to_the_release_and_a_hold_takes_its_place():
    script = "down 36; up 36 @120; down 36 @1000; up 36 @1700; down 36 @3000; up 36 @3080"
    found = compare([COPY], [COPY, HOLD], script)
    assert [(one.time_ms, other.time_ms) for one, other in found.moved] == [(0, 120), (3000, 3080)]
    assert (at(found.vanish), at(found.appear)) == ([(1000.0, "copy")], [(1500.0, "hold")])
    assert found.summary == (
        "In 3 seconds of recorded input: 3 actions would change. "
        "2 presses of note 36 would do `copy` 80 to 120 ms later. "
        "1 press of note 36 that did `copy` would now do `hold`."
    )


def test_a_first_tap_settled_by_the_second_press_still_answers_the_first():
    old = [COPY, named("hold", "LongPress note=36 duration_ms=500", "x")]
    new = [COPY, named("twice", "DoubleTap note=36 timeout_ms=100", "y")]
    found = compare(old, new, "tap 36; tap 36 @101; tap 36 @202")
    assert [(one.time_ms, other.time_ms) for one, other in found.moved] == [
        (20, 100),
        (121, 201),
        (222, 302),
    ]


def test_a_chord_takes_the_taps_of_its_notes():
    rows = [named("low", "Note note=60", "a"), named("high", "Note note=64", "b")]
    chord = named("both", "NoteChord notes=[60,64]", "c")
    found = compare(rows, [*rows, chord], "down 60; down 64 @10; up 60 @90; up 64 @95; tap 60 @500")
    assert (at(found.vanish), at(found.appear)) == (
        [(0.0, "low"), (10.0, "high")],
        [(50.0, "both")],
    )
    assert [(one.time_ms, other.time_ms) for one, other in found.moved] == [(500, 520)]


def test_a_knob_that_gets_a_threshold_fires_less():
    found = compare(["CC cc=7 -> a"], ["CC cc=7 value_min=64 -> a"], "cc 7 10; cc 7 70; cc 7 80")
    assert found.unchanged == 1
    assert found.summary == (
        "In 1 second of recorded input: 2 actions would change. "
        "2 moves of CC 7 that did A would now do nothing."
    )


def test_a_new_mapping_beside_the_others_only_adds():
    found = compare([COPY], [COPY, named("up", "NoteRelease note=36", "b")], "tap 36")
    assert found.unchanged == 1
    assert found.summary == (
        "In 1 second of recorded input: 1 action would change. 1 release of note 36 would now do `up`."
    )


def test_two_actions_are_told_apart_by_what_they_do_as_in_the_list_of_mappings():
    row = "Note note=36 -> VolumeControl operation={}"
    found = compare([row.format("Mute")], [row.format("Unmute")], "tap 36")
    assert found.summary.endswith(
        "1 press of note 36 that did Mute the sound would now do Unmute the sound."
    )


def test_a_change_of_details_is_a_change():
    row = "Note note=36 -> SendMidi port=synth message_type=NoteOn note=60 velocity={}"
    found = compare([row.format(1)], [row.format(2)], "tap 36")
    assert found.summary.endswith(
        "1 press of note 36 that did Send note 60 (C3) to synth would now do it with other details."
    )


def test_a_mapping_that_only_moves_in_the_file_changes_nothing():
    other = named("other", "Note note=40", "x")
    assert compare([COPY, other], [other, COPY], "tap 36; tap 40").unchanged == 2


def test_what_follows_a_message_to_an_output_that_the_change_removes_vanishes_with_it():
    send = {"type": "SendMidi", "port": "Conductor Out", "message_type": "CC", "value": 5}
    steps = [send, {"type": "Delay", "duration_ms": 100}, {"type": "Keystroke", "keys": "x"}]
    rows = [does("Note note=36", {"type": "Sequence", "actions": steps})]
    without = config(rows, settings={"engine": {"virtual_output": ""}})
    found = replay_recording(config(rows), without, build_recording(played("tap 36; tap 40 @500")))
    assert [one.description for one in found.vanish] == [
        "Send CC 0 = 5 to Conductor Out, then wait 100 ms, then X"
    ]
    assert (found.appear, found.unchanged) == ((), 0)


def test_a_change_of_mode_is_followed_and_its_consequences_are_seen():
    old = config(["Note note=1 -> ModeChange mode=B"], modes={"A": ["Note note=2 -> a"], "B": []})
    new = config([], modes={"A": ["Note note=2 -> a"], "B": []})
    found = replay_recording(old, new, build_recording(played("tap 2; tap 1 @100; tap 2 @200")))
    assert (found.unchanged, at(found.vanish)) == (1, [(100.0, "Mode B")])
    assert at(found.appear) == [(200.0, "A")]


def test_a_replay_begins_in_the_mode_that_is_given():
    both = config(modes={"A": ["Note note=2 -> a"], "B": ["Note note=2 -> b"]})
    new = config(modes={"A": ["Note note=2 -> a"], "B": ["Note note=2 -> c"]})
    assert replay_recording(both, new, build_recording(played("tap 2"))).unchanged == 1
    assert at(replay_recording(both, new, build_recording(played("tap 2"), mode="B")).appear) == [
        (0.0, "C")
    ]


def test_a_mode_that_the_change_deletes_is_replayed_from_the_start_mode():
    old = config(modes={"A": ["Note note=2 -> a"], "B": ["Note note=2 -> b"]})
    in_b = build_recording(played("tap 2"), mode="B")
    found = replay_recording(old, config(modes={"A": ["Note note=2 -> a"]}), in_b)
    assert (at(found.vanish), at(found.appear)) == ([(0.0, "B")], [(0.0, "A")])


def test_the_app_in_front_is_part_of_what_is_replayed():
    profile = {"name": "Web", "match": {"executable": "firefox"}, "mappings": ["Note note=36 -> x"]}
    found = replay_recording(
        config([COPY]),
        config([COPY], profiles=[profile]),
        build_recording(played("tap 36; app firefox @100; tap 36 @200")),
    )
    assert (found.unchanged, at(found.appear)) == (1, [(200.0, "X")])


def test_a_title_that_was_not_recorded_is_reported_as_missing():
    by_title = {"name": "Web", "match": {"title_regex": "News"}, "mappings": ["Note note=36 -> x"]}
    new = config([COPY], profiles=[by_title])
    missing = "Window titles were not recorded, so conditions on them are not shown."
    for title, not_covered in (("", (missing,)), ("Old News", ())):
        front = InputEvent("app", "", 0, 0, 0, 0.0, ("firefox", "", title))
        found = replay_recording(
            config([COPY]), new, build_recording([front, *played("tap 36 @100")])
        )
        assert found.not_covered == not_covered


def test_times_of_day_are_those_of_the_recording():
    when = [{"type": "TimeRange", "start": "20:00", "end": "23:00"}]
    new = config([does("Note note=36", {"type": "Text", "text": "x"}, when)])
    evening = replay_recording(config(), new, build_recording(played("tap 36"), week_s=21 * 3600))
    assert len(evening.appear) == 1
    assert replay_recording(config(), new, build_recording(played("tap 36"))).appear == ()


def test_an_app_that_came_to_the_front_was_not_played():
    front = InputEvent("app", "", 0, 0, 0, 1.0, ("firefox", "", ""))
    found = replay_recording(config([COPY]), config([PASTE]), build_recording([front]))
    assert (found.events, found.summary.startswith("Nothing was recorded")) == (0, True)


def test_an_empty_recording_is_reported():
    found = replay_recording(config([COPY]), config([PASTE]), build_recording([]))
    assert found == Replay(
        events=0,
        seconds=0,
        unchanged=0,
        summary="Nothing was recorded, so there is nothing to compare.",
    )


def test_a_press_still_held_at_the_end_is_no_hold_yet():
    assert (
        compare([], [named("hold", "LongPress note=36 duration_ms=9000", "x")], "down 36").appear
        == ()
    )


def test_long_lists_are_cut_and_counted():
    taps = "; ".join(f"tap 36 @{n * 100}" for n in range(MAX_LISTED_FIRINGS + 7))
    found = compare([], [COPY], taps)
    assert len(found.appear) == MAX_LISTED_FIRINGS
    assert found.summary.endswith("7 more that appear are not listed.")
    assert f"{MAX_LISTED_FIRINGS + 7} actions would change" in found.summary


def test_only_the_newest_events_are_replayed_when_there_are_too_many():
    tap = played("tap 36")
    events = [
        each._replace(time=n / 10) for n in range(MAX_REPLAYED_EVENTS // 2 + 3) for each in tap
    ]
    recording = build_recording(events, events_per_segment=1_000)
    found = replay_recording(config([COPY]), config([COPY]), recording)
    assert (found.events, found.unchanged) == (
        MAX_REPLAYED_EVENTS - 994,
        (MAX_REPLAYED_EVENTS - 994) // 2,
    )
    assert found.summary.endswith("1,000 older events were left out.")


def test_a_repetition_without_end_ends_the_replay_and_is_reported(monkeypatch: Any):
    monkeypatch.setattr(replay_module, "MAX_DEADLINE_STEPS", 500)
    repeat = {
        "type": "Repeat",
        "action": {"type": "Keystroke", "keys": "a"},
        "until_release": True,
        "delay_ms": 10,
    }
    found = replay_recording(
        config([does("Note note=1", repeat), COPY]),
        config([COPY]),
        build_recording(played("tap 36; down 1; tap 36 @90000")),
    )
    assert (found.events, found.unchanged) == (3, 1)
    assert "2 older events were left out." in found.summary
    assert found.cannot_tell == (
        "Cannot tell for 2 minutes of it: a repetition makes more steps than a replay plays."
    )


def recording() -> list[InputEvent]:
    """Return 500 events of an evening: 100 taps, 50 holds, 50 quick double taps."""
    lines = [
        *(f"down 36 @{n * 3000}; up 36 @{n * 3000 + 40 + n}" for n in range(100)),
        *(
            f"down 37 @{n * 3000 + 700}; up 37 @{n * 3000 + 700 + (431 if n % 2 else 650)}"
            for n in range(50)
        ),
        *(
            f"tap 38 @{n * 3000 + 1800}; tap 38 @{n * 3000 + (2000 if n < 30 else 2200)}"
            for n in range(50)
        ),
    ]
    return played("; ".join(lines))


OLD = [
    named("copy", "Note note=36", "cmd+c"),
    named("cut", "Note note=37", "cmd+x"),
    named("undo", "Note note=38", "cmd+z"),
]
NEW = [
    named("copy", "Note note=36", "cmd+c"),
    named("cut", "Note note=37", "cmd+x"),
    named("close", "LongPress note=37 duration_ms=500", "cmd+w"),
    named("undo", "Note note=38", "cmd+z"),
    named("redo", "DoubleTap note=38 timeout_ms=300", "cmd+y"),
]


def test_what_a_worker_answers_at_once_comes_before_a_panic_of_the_same_moment():
    """A repetition that is due a rounding error after the press sets the clock ahead of it."""
    again: dict[str, Any] = {"type": "Repeat", "delay_ms": 50, "until_release": True}
    scroll = {"type": "MouseScroll", "dy": 1}
    then = [{"type": "VolumeControl", "operation": "Set", "value": 10}, scroll]
    new = [
        does("Note note=40", {**again, "action": scroll}),
        does("Note note=36", {"type": "Sequence", "actions": then}),
    ]
    down, press = (
        InputEvent("note_on", "pads", 1, n, 64, t) for n, t in ((40, 1.114), (36, 1.814))
    )
    recording = build_recording([down, press])
    (segment,) = recording.segments
    entries = (*segment.entries, RecordedEntry(2, press.time, Panicked(), ()))
    found = compare_recording(
        config([]), config(new), Recording((segment._replace(entries=entries),))
    )
    appear = found.chains[0].outcome.appear
    (repeated, answered) = [one for one in appear if isinstance(one, PlayedFiring)]
    assert repeated.effects[-1][0] == 700  # the two meet
    assert [call for _, call in answered.effects] == [
        "[['volume.change', 'Set', 10]]",
        "[['mouse.scroll', 0, 1]]",
    ]


def test_a_recording_of_500_events_predicts_exactly_what_changes():
    events = recording()
    found = replay_recording(config(OLD), config(NEW), build_recording(events))
    assert (len(events), found.events, found.unchanged) == (500, 500, 100)
    assert found.summary == (
        "In 5 minutes of recorded input: 150 actions would change. "
        "40 presses of note 38 would do `undo` 300 ms later. "
        "30 presses of note 38 that did `undo` would now do `redo`. "
        "30 presses of note 38 that did `undo` would now do nothing. "
        "25 presses of note 37 that did `cut` would now do `close`. "
        "25 presses of note 37 would do `cut` 431 ms later. "
        "5 more that appear are not listed. 35 more that vanish are not listed. "
        "15 more that move are not listed."
    )
    assert (len(found.appear), len(found.vanish), len(found.moved)) == (50, 50, 50)


def test_a_replay_comes_out_the_same_every_time():
    playing = build_recording(recording())
    assert replay_recording(config(OLD), config(NEW), playing) == replay_recording(
        config(OLD), config(NEW), playing
    )


def test_what_appears_one_way_vanishes_the_other_way():
    there = replay_recording(config(OLD), config(NEW), build_recording(recording()))
    back = replay_recording(config(NEW), config(OLD), build_recording(recording()))
    assert (there.appear, there.vanish) == (back.vanish, back.appear)
    assert there.moved == tuple((new, old) for old, new in back.moved)


@proves
@settings(
    max_examples=scaled(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(configs, streams(outside=False))
def test_no_config_differs_from_itself_whatever_is_played(some: Config, items: list[Item]):
    events = [item for item in items if isinstance(item, InputEvent)]
    found = replay_recording(some, some, build_recording(events))
    assert (found.appear, found.vanish, found.moved) == ((), (), ())
