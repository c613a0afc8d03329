"""Conflicts found by playing: each with a message and a gesture that shows it."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.simulate import Row, Rows, config, does, plays, with_keys

from conductor.domain.config import Config
from conductor.domain.plan import Overlap
from conductor.engine.conflicts import pairs
from conductor.engine.conflicts.analysis import ConflictFinder

KEY_A: dict[str, Any] = {"type": "Keystroke", "keys": "a"}
KEY_B: dict[str, Any] = {"type": "Keystroke", "keys": "b"}


def variable(value: object, operator: str = "==") -> dict[str, Any]:
    return {"type": "VariableIs", "name": "v", "operator": operator, "value": value}


def found(what: Config) -> list[Overlap]:
    return [one for one in ConflictFinder().find_conflicts(what) if one.kind != "unreachable_mode"]


def told(what: Config) -> list[str]:
    return [f"{one.severity} {one.kind}: {with_keys(one.message, what)}" for one in found(what)]


FOUND: dict[str, tuple[Rows, str, str]] = {
    "a chord takes a note from a long press": (
        ["NoteChord notes=[36,38] -> a", "LongPress note=36 duration_ms=500 -> b"],
        (
            "info interferes: `global #1` does not fire when note 36 is part of a chord: `global #0` is "
            "the chord note 36+38, which uses up its notes"
        ),
        "down 36; wait 10; down 38",
    ),
    "a chord takes a note from a release": (
        ["NoteRelease note=36 -> a", "NoteChord notes=[36,38] -> b"],
        (
            "info interferes: `global #0` does not fire when note 36 is part of a chord: `global #1` is "
            "the chord note 36+38, which uses up its notes"
        ),
        "down 36; wait 10; down 38; wait 10; up 36",
    ),
    "a range beside an encoder": (
        ["CC cc=20 value_min=64 -> a", "EncoderTurn cc=20 encoding=twos_complement -> b"],
        (
            "warning interferes: when a value of CC 20 fits both `global #0` and `global #1`, only "
            "`global #0` fires: it comes first"
        ),
        "cc 20 64",
    ),
    "two codings of one encoder": (
        ["EncoderTurn cc=20 encoding=offset_64 -> a", "EncoderTurn cc=20 encoding=absolute -> b"],
        (
            "info interferes: when a value of CC 20 fits both `global #0` and `global #1`, only "
            "`global #0` fires: it comes first"
        ),
        "cc 20 0; wait 100; cc 20 0",
    ),
    "ranges that overlap in part": (
        ["CC cc=20 value_min=10 value_max=50 -> a", "CC cc=20 value_min=40 value_max=90 -> b"],
        (
            "info interferes: when a value of CC 20 fits both `global #0` and `global #1`, only "
            "`global #0` fires: it comes first"
        ),
        "cc 20 40",
    ),
    "a range within another": (
        ["PitchBend value_min=9000 value_max=10000 -> a", "PitchBend value_min=8500 -> b"],
        (
            "info interferes: when a value of pitch bend fits both `global #0` and `global #1`, only "
            "`global #0` fires: it comes first"
        ),
        "bend 9000",
    ),
    "pressures that overlap": (
        ["Aftertouch note=60 pressure_min=40 -> a", "Aftertouch pressure_min=20 -> b"],
        (
            "info interferes: when a value of pressure of note 60 fits both `global #0` and `global #1`, "
            "only `global #0` fires: it comes first"
        ),
        "pressure 40 note 60",
    ),
    "parameters that overlap": (
        [
            "Nrpn parameter=9 value_min=100 value_max=900 -> a",
            "Nrpn parameter=9 value_max=500 -> b",
        ],
        (
            "info interferes: when a value of NRPN 9 fits both `global #0` and `global #1`, only "
            "`global #0` fires: it comes first"
        ),
        "nrpn 9 100",
    ),
    "a long press beside a longer double tap": (
        ["LongPress note=36 duration_ms=200 -> a", "DoubleTap note=36 timeout_ms=500 -> b"],
        (
            "info interferes: `global #1` (double tap) does not fire once it is held for 200 ms: `global "
            "#0` is a long press (200 ms) of note 36; `global #0` (long press) does not fire on two presses "
            "within 500 ms: `global #1` is a double tap (500 ms) of note 36"
        ),
        "down 36; wait 200; up 36; wait 20; down 36",
    ),
    "a double tap of a note of a chord": (
        ["DoubleTap note=36 -> a", "NoteChord notes=[36,38] -> b"],
        (
            "info interferes: `global #1` (chord) does not fire on two presses within 300 ms: `global #0` "
            "is a double tap (300 ms) of note 36; `global #0` does not fire when note 36 is part of a chord: "
            "`global #1` is the chord note 36+38, which uses up its notes"
        ),
        "down 36; wait 10; up 36; wait 10; down 36; wait 10; down 38",
    ),
    "chords that share a note": (
        ["NoteChord notes=[36,38] -> a", "NoteChord notes=[38,40] -> b"],
        (
            "info interferes: the chords note 36+38 (`global #0`) and note 38+40 (`global #1`) share 38: "
            "where both are possible, `global #0` consumes it; the chords note 38+40 (`global #1`) and note "
            "36+38 (`global #0`) share 38: where both are possible, `global #1` consumes it"
        ),
        "down 38; wait 8.333; down 36; wait 8.333; down 40",
    ),
    "a layer before the rest": (
        ["Note note=36 velocity_min=100 -> a", "Note note=36 -> b"],
        (
            "info interferes: when a press of note 36 fits both `global #0` and `global #1`, only "
            "`global #0` fires: it comes first"
        ),
        "down 36",
    ),
    "other conditions": (
        [
            does("Note note=36", KEY_A, [variable(2, "<")]),
            does("Note note=36", KEY_B, [variable(5, "<")]),
        ],
        (
            "info interferes: when a press of note 36 fits both `global #0` and `global #1`, only "
            "`global #0` fires: it comes first"
        ),
        "down 36",
    ),
    "a row whose condition implies that of one before": (
        [
            does("Note note=36", KEY_A, [variable(2, "<")]),
            does("Note note=36", KEY_B, [variable(1)]),
        ],
        (
            "error never_fires: `global #1` never fires: `global #0` takes every press of note 36, "
            "whenever it could fire"
        ),
        "down 36",
    ),
    "a row for which two others leave no case": (
        [
            does("CC cc=20", KEY_A, [variable(True)]),
            does("CC cc=20", KEY_A, [variable(True, "!=")]),
            does("CC cc=20 value_min=64", KEY_B),
        ],
        (
            "error never_fires: `global #2` never fires: `global #0` and `global #1` take every value of "
            "CC 20, one or the other whenever it could"
        ),
        "cc 20 64",
    ),
    "a control change that carries a parameter": (
        ["CC cc=6 -> a", "Nrpn parameter=300 -> b"],
        (
            "info interferes: `global #0` also fires when NRPN 300 (`global #1`) changes: a device sends "
            "it as CC 99 and 98, or 101 and 100, then 6 and 38"
        ),
        "",
    ),
}


@pytest.mark.parametrize(("rows", "expected", "gesture"), FOUND.values(), ids=FOUND)
def test_each_conflict_is_reported_with_a_gesture_that_shows_it(
    rows: Sequence[Row], expected: str, gesture: str
) -> None:
    what = config(rows)
    overlaps = found(what)
    assert told(what) == [expected]
    assert (overlaps[0].gesture or "") == gesture


@pytest.mark.parametrize("name", [name for name, (rows, _, gesture) in FOUND.items()
                                  if gesture and not isinstance(rows[0], dict)])  # fmt: skip
def test_the_gesture_acts_differently_without_one_of_the_two(name: str) -> None:
    rows, _, gesture = FOUND[name]
    both, first, later = plays(rows, gesture), plays(rows[:1], gesture), plays(rows[1:], gesture)
    alone = [part for said in (first, later) for part in said.split("; ") if part]
    assert sorted(both.split("; ")) != sorted(alone)


def test_a_mode_takes_part_of_what_a_global_range_listens_to() -> None:
    what = config(
        ["CC cc=20 value_max=80 -> a"], modes={"A": [], "Live": ["CC cc=20 value_min=40 -> b"]}
    )
    assert told(what) == [
        "info interferes: in mode Live only `mode:Live #0` fires when a value of CC 20 fits it and "
        "`global #0` too"
    ]
    assert found(what)[0].gesture == "mode Live; wait 1000; cc 20 40"


def test_a_mapping_that_never_fires_is_found_beside_one_that_takes_a_device_from_it() -> None:
    rows = [
        "Note note=36 device=pads -> a",
        does("Note note=36", KEY_A, [variable(True)]),
        does("Note note=36", KEY_A, [variable(True, "!=")]),
        does("Note note=36", KEY_B),
    ]
    assert "global #3" in {
        one.places[-1] for one in found(config(rows)) if one.kind == "never_fires"
    }


@pytest.mark.parametrize("other", ["Note note=36 -> c", "DoubleTap note=36 -> c"])
def test_a_mapping_that_never_fires_is_not_said_to_win_or_wait(other: str) -> None:
    rows = ["Note note=36 -> a", "Note note=36 -> b"]
    profile = {"name": "Obs", "match": {"executable": "obs"}, "mappings": rows}
    places = {one.places for one in found(config(modes={"Default": [other]}, profiles=[profile]))}
    assert {frozenset(one) for one in places} == {
        frozenset(("profile:Obs #0", "profile:Obs #1")),
        frozenset(("profile:Obs #0", "mode:Default #0")),
    }


def test_a_gesture_names_the_device_channel_app_and_what_is_held() -> None:
    held = {"type": "ControlHeld", "note": 90}
    rows = [
        does("CC cc=20 device=pads value_max=50", KEY_A, [held]),
        "CC cc=20 channel=3 value_min=20 -> b",
    ]
    profile = {"name": "web", "match": {"executable": "firefox"}, "mappings": ["CC cc=20 value_min=9 value_max=60 -> c"]}  # fmt: skip
    gestures = {one.places: one.gesture for one in found(config(rows, profiles=[profile]))}
    assert gestures["global #0", "global #1"] == "down 90; wait 1000; cc 20 20 dev pads ch 3"
    assert gestures["profile:web #0", "global #1"] == "app firefox; wait 1000; cc 20 20 ch 3"


NOT_FOUND: dict[str, Rows] = {
    "two numbers": ["CC cc=20 -> a", "CC cc=21 -> b"],
    "ranges apart": ["CC cc=20 value_max=40 -> a", "CC cc=20 value_min=41 -> b"],
    "layers apart": [
        "VelocityRange note=36 max_velocity=60 -> a",
        "VelocityRange note=36 min_velocity=61 -> b",
    ],
    "a tap and a release": ["Note note=36 -> a", "NoteRelease note=36 -> b"],
    "a long press and a release": ["LongPress note=36 -> a", "NoteRelease note=36 -> b"],
    "two directions": [
        "EncoderTurn cc=20 encoding=offset_64 direction=clockwise -> a",
        "EncoderTurn cc=20 encoding=offset_64 direction=counter_clockwise -> b",
    ],
    "two devices": ["Note note=36 device=a -> a", "DoubleTap note=36 device=b -> b"],
    "a parameter and a control change on another channel": [
        "CC cc=6 channel=1 -> a",
        "Nrpn parameter=300 channel=2 -> b",
    ],
    "a parameter and a control change under another condition": [
        does("CC cc=6", KEY_A, [variable(2, "<")]),
        does("Nrpn parameter=300", KEY_B, [variable(2, ">=")]),
    ],
    "conditions that exclude each other": [
        does("Note note=36", KEY_A, [variable(2, "<")]),
        does("DoubleTap note=36", KEY_B, [variable(2, ">=")]),
    ],
    "two apps": [
        does("Note note=36", KEY_A, [{"type": "AppFrontmost", "app": "code"}]),
        does("Note note=36", KEY_B, [{"type": "AppFrontmost", "app": "firefox"}]),
    ],
}


@pytest.mark.parametrize("rows", NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_only_looks_like_a_conflict_is_not_reported(rows: Rows) -> None:
    assert told(config(rows)) == []


def test_what_a_rule_says_already_keeps_its_words_and_gets_a_gesture() -> None:
    what = config(["Note note=36 -> a", "DoubleTap note=36 -> b"])
    (one,) = found(what)
    assert one.kind == "tap_delayed"
    assert one.gesture == "down 36"


def test_rows_that_are_never_in_force_together_are_not_reported_by_a_rule() -> None:
    rows = [does("NoteChord notes=[36,38]", KEY_A, [
        {"type": "Not", "condition": {"type": "AppFrontmost", "app": "firefox"}}])]  # fmt: skip
    profile = {"name": "web", "match": {"executable": "firefox"}, "mappings": [*rows, "Note note=36 -> b"]}  # fmt: skip
    assert told(config(profiles=[profile])) == []


def test_a_config_is_searched_once_and_a_change_shows_what_is_new() -> None:
    finder = ConflictFinder()
    old = config(["CC cc=20 value_max=50 -> a", "CC cc=20 value_min=20 -> b"])
    new = config(
        ["CC cc=20 value_max=50 -> a", "CC cc=20 value_min=20 -> b", "CC cc=20 value_min=30 -> c"]
    )
    assert finder.find_conflicts(old) is finder.find_conflicts(old)
    assert {one.places: one.is_new for one in finder.find_new_conflicts(old, new)} == {
        ("global #0", "global #1"): False,
        ("global #0", "global #2"): True,
        ("global #1", "global #2"): True,
    }


def test_what_was_learnt_of_one_config_is_not_mixed_up_with_another() -> None:
    finder = ConflictFinder()
    rows = ["Note note=36 -> a", "DoubleTap note=36 -> b"]
    for _ in range(2):
        for these in (rows, rows[::-1], ["NoteRelease note=36 -> a", *rows]):
            what = config(these)
            assert finder.find_conflicts(what) == ConflictFinder().find_conflicts(what)


def test_tools_of_plugins_with_arguments_are_judged_like_other_actions():
    lamp = {"type": "Plugin", "server": "lights", "tool": "set", "args": {"percent": 3}}
    (one,) = found(config([does("Note note=36", lamp), does("Note note=36", KEY_A)]))
    assert one.places == ("global #0", "global #1")


def test_many_variables_are_tried_in_part_and_soon():
    many = {"type": "Or", "conditions": [variable_named(f"v{n}") for n in range(14)]}
    rows = [does("Note note=36", KEY_A, [many]), does("Note note=36", KEY_B, [many])]
    assert [one.places for one in found(config(rows))] == [("global #0", "global #1")]


def variable_named(name: str) -> dict[str, Any]:
    return {"type": "VariableIs", "name": name, "value": True}


def test_the_running_config_is_analysed_once_however_many_changes_are_asked_about(
    monkeypatch: pytest.MonkeyPatch,
):
    searched: list[Config] = []

    def search(what: Config, *_rest: Any) -> list[Overlap]:
        searched.append(what)
        return []

    monkeypatch.setattr("conductor.engine.conflicts.analysis._find_conflicts", search)
    finder, running = ConflictFinder(), config("Note note=36 -> a")
    for note in range(40, 50):
        finder.find_new_conflicts(running, config(f"Note note={note} -> a"))
    assert sum(one is running for one in searched) == 1


def test_a_crowded_control_is_examined_in_part_and_reported(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(pairs, "MAX_PLAYED_PAIRS", 10)
    crowded = [f"LongPress note=36 duration_ms={n} -> a" for n in range(100, 120)]
    others = ["Note note=50 -> a", "DoubleTap note=50 -> b"]
    found = ConflictFinder().find_conflicts(config([*crowded, *others]))
    [said] = [one for one in found if "reached its limit" in one.message]
    assert "mappings of note 36 was examined:" in said.message
    assert said.message.endswith("of up to 190")
    assert any("note 50" in one.message for one in found), "other controls are examined first"
