"""Examples: a gesture with its expected actions, and the reason if they differ."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.simulate import Rows, config, does, with_keys

from conductor.domain.config import Config
from conductor.domain.plan import Example, ExampleResult, ExpectedAction
from conductor.engine.examples.check import run_example, run_examples
from conductor.engine.examples.play import ExamplePlayer

Expect = tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], float]


def named(description: str, trigger: str, action: dict[str, Any], when: Any = ()) -> dict[str, Any]:
    return {**does(trigger, action, when), "description": description}


def keys(text: str) -> dict[str, Any]:
    return {"type": "Keystroke", "keys": text}


def pressed(text: str, at_ms: float | None = None) -> Expect:
    kind = "Keystroke", {"keys": text}
    return kind if at_ms is None else (*kind, at_ms)


COPY = named("copy", "Note note=36 device=pads channel=10", keys("cmd+c"))
PASTE = named("paste", "LongPress note=36 duration_ms=500", keys("cmd+v"))


def tried(
    what: Config | Rows, gesture: str, expect: Sequence[Expect] = (), mode: str | None = None
) -> ExampleResult:
    wanted = [
        ExpectedAction(type=kind, fields=fields, at_ms=at[0] if at else None)
        for kind, fields, *at in expect
    ]
    example = Example(name="try", gesture=gesture, expect=tuple(wanted), mode=mode)
    played = what if isinstance(what, Config) else config(what)
    result = run_example(played, example)
    problem = None if result.problem is None else with_keys(result.problem, played)
    return result.model_copy(update={"problem": problem})


def problem(
    what: Config | Rows, gesture: str, *expect: Expect, mode: str | None = None
) -> str | None:
    return tried(what, gesture, expect, mode).problem


def test_a_gesture_that_does_what_it_should_passes():
    found = tried([COPY, PASTE], "down 36; wait 600; up 36", [pressed("cmd+v", 500)])
    assert (found.passed, found.problem) == (True, None)
    assert found.fired == ("Keystroke cmd+v at 500 ms (`paste, mapping 2 of all modes`)",)


def test_actions_are_compared_in_order():
    rows = ["Note note=1 -> a", "Note note=2 -> b"]
    assert tried(rows, "tap 1; tap 2", [pressed("a"), pressed("b")]).passed
    assert not tried(rows, "tap 2; tap 1", [pressed("a"), pressed("b")]).passed


def test_nothing_expected_passes_when_nothing_fires():
    assert tried([COPY], "tap 40").passed
    assert problem([COPY], "tap 36") == (
        "nothing should fire, but Keystroke cmd+c at 0 ms (`copy`) did"
    )


def test_the_device_and_channel_of_the_mapping_are_assumed():
    assert tried([COPY], "tap 36", [pressed("cmd+c")]).passed
    assert not tried([COPY], "tap 36 dev keys", [pressed("cmd+c")]).passed


def test_the_mode_that_is_played_in_chooses_the_device():
    modes: dict[str, Rows] = {
        "A": ["Note note=36 device=pads -> a"],
        "B": ["Note note=36 device=keys -> b"],
    }
    both = config(modes=modes)
    assert tried(both, "tap 36", [pressed("a")]).passed
    assert tried(both, "tap 36", [pressed("b")], mode="B").passed


@pytest.mark.parametrize("at_ms", [480, 500, 520])
def test_a_time_may_be_20_ms_off(at_ms: float):
    assert tried([PASTE], "down 36; up 36 @900", [pressed("cmd+v", at_ms)]).passed


def test_a_time_outside_the_tolerance_is_reported():
    assert problem([PASTE], "down 36; up 36 @900", pressed("cmd+v", 300)) == (
        "expected Keystroke at 300 ms, give or take 20: Keystroke cmd+v at 500 ms (`paste`)"
    )


SPELLINGS: dict[str, tuple[dict[str, Any], Expect]] = {
    "keys in one word": (keys("cmd+c"), ("Keystroke", {"keys": "cmd+c"})),
    "keys in a list": (keys("cmd+c"), ("Keystroke", {"keys": ["cmd", "c"]})),
    "another order": (keys("cmd+shift+c"), ("Keystroke", {"keys": "shift+cmd+c"})),
    "modifiers apart": (keys("cmd+c"), ("Keystroke", {"keys": "c", "modifiers": ["cmd"]})),
    "an older kind": (keys("cmd+c"), ("Key", {"keys": "cmd+c"})),
    "no fields": (keys("cmd+c"), ("Keystroke", {})),
    "a default": (keys("cmd+c"), ("Keystroke", {"keys": "cmd+c", "hold": "tap"})),
    "only another field": (
        {"type": "Keystroke", "keys": "a", "hold": "while_held"},
        ("Keystroke", {"hold": "while_held"}),
    ),
    "an older field": ({"type": "Delay", "duration_ms": 50}, ("Delay", {"ms": 50})),
    "an older field beside one left out": (
        {"type": "Repeat", "action": keys("a"), "count": 3, "delay_ms": 30},
        ("Repeat", {"delay_between_ms": 30}),
    ),
    "one that another field completes": (
        {"type": "ModeChange", "mode": "A", "behaviour": "toggle"},
        ("ModeChange", {"behavior": "toggle"}),
    ),
    "some of many": (
        {"type": "SendMidi", "port": "synth", "message_type": "CC", "value": 7},
        ("SendMIDI", {"message_type": "cc", "value": 7}),
    ),
    "a volume in small letters": (
        {"type": "VolumeControl", "operation": "Up"},
        ("VolumeControl", {"operation": "up"}),
    ),
    "inside a sequence": (
        {"type": "Sequence", "actions": [keys("cmd+c")]},
        ("Sequence", {"actions": [{"type": "Key", "keys": "cmd+c"}]}),
    ),
}


@pytest.mark.parametrize(("action", "expect"), SPELLINGS.values(), ids=SPELLINGS)
def test_any_spelling_that_a_config_may_use_is_understood(action: dict[str, Any], expect: Expect):
    some = config([does("Note note=36", action)], modes={"A": []})
    assert tried(some, "tap 36", [expect]).problem is None


@pytest.mark.parametrize(
    ("action", "expect"),
    [
        (keys("cmd+c"), ("Keystroke", {"keys": "cmd+c", "hold": "while_held"})),
        (
            {"type": "SendMidi", "port": "s", "message_type": "CC", "value": 7},
            ("SendMidi", {"value": 8}),
        ),
        ({"type": "Repeat", "action": keys("a"), "count": 3}, ("Repeat", {"count": 2})),
        ({"type": "Text", "text": "hi"}, ("Keystroke", {})),
    ],
    ids=["default", "value", "count", "kind"],
)
def test_a_field_that_differs_fails(action: dict[str, Any], expect: Expect):
    assert not tried([does("Note note=36", action)], "tap 36", [expect]).passed


HELD_40 = [{"type": "ControlHeld", "note": 40}]
OFF = {**does("Note note=36", keys("a")), "enabled": False}
MUTED: dict[str, Any] = {
    "alias": "pads",
    "matchers": [{"type": "ExactName", "pattern": "P"}],
    "enabled": False,
}
REASONS: dict[str, tuple[Config, str, Expect, str]] = {
    "held too short": (
        config([PASTE]),
        "down 36; up 36 @431",
        pressed("cmd+v"),
        "expected Keystroke cmd+v, nothing fired: note 36 held 431 ms, long press needs 500 ms",
    ),
    "held too short, so it was a tap": (
        config([COPY, PASTE]),
        "down 36; up 36 @431",
        pressed("cmd+v"),
        (
            "expected Keystroke cmd+v, but Keystroke cmd+c at 431 ms (`copy`) fired: note 36 held 431 ms, "
            "long press needs 500 ms"
        ),
    ),
    "held too long": (
        config([COPY, PASTE]),
        "down 36; up 36 @900",
        pressed("cmd+c"),
        (
            "expected Keystroke cmd+c, but Keystroke cmd+v at 500 ms (`paste`) fired: note 36 held too "
            "long for a tap"
        ),
    ),
    "no second press": (
        config(["DoubleTap note=36 -> a"]),
        "tap 36; tap 36 @350",
        pressed("a"),
        "expected Keystroke a, nothing fired: note 36: no second press within 300 ms",
    ),
    "not all of a chord": (
        config(["NoteChord notes=[40,41] -> a"]),
        "tap 40; tap 41 @200",
        pressed("a"),
        "expected Keystroke a, nothing fired: NoteChord 40+41: not all of its notes were pressed within 50 ms",
    ),
    "consumed by a chord": (
        config(["Note note=40 -> b", "NoteChord notes=[40,41] -> a"]),
        "down 40; down 41 @5; up 40 @100; up 41",
        pressed("b"),
        (
            "expected Keystroke b, but Keystroke a at 50 ms (`global #1`) fired: note 40: the chord "
            "consumed its note"
        ),
    ),
    "too soft": (
        config(["Note note=36 velocity_min=80 -> a"]),
        "tap 36 vel 50",
        pressed("a"),
        (
            "expected Keystroke a, nothing fired: note 36 was played: velocity 50 is below "
            "velocity_min 80"
        ),
    ),
    "a condition": (
        config([does("Note note=36", keys("a"), HELD_40)]),
        "tap 36",
        pressed("a"),
        "expected Keystroke a, nothing fired: note 36 was played: condition not met: note 40 is held",
    ),
    "outside the range": (
        config(["CC cc=7 value_min=64 -> a"]),
        "cc 7 10",
        pressed("a"),
        "expected Keystroke a, nothing fired: CC 7 was played: 10 is outside 64 and up",
    ),
    "another comes first": (
        config(["Note note=36 -> b", "Note note=36 -> a"]),
        "tap 36",
        pressed("a"),
        (
            "expected Keystroke a, but Keystroke b at 0 ms (`global #0`) fired: note 36 was played: "
            "`global #0` comes first"
        ),
    ),
    "another mode": (
        config(modes={"A": [], "B": ["Note note=36 -> a"]}),
        "tap 36",
        pressed("a"),
        "expected Keystroke a, nothing fired: `mode:B #0` does it in mode B, but mode A was active",
    ),
    "not enabled": (
        config([OFF]),
        "tap 36",
        pressed("a"),
        "expected Keystroke a, nothing fired: `global #0` does it, but is not enabled",
    ),
    "muted": (
        config(["Note note=36 device=pads -> a"], devices=[MUTED]),
        "tap 36",
        pressed("a"),
        "expected Keystroke a, nothing fired: device pads is muted",
    ),
    "not played": (
        config([COPY]),
        "tap 40",
        pressed("cmd+c"),
        (
            "expected Keystroke cmd+c, nothing fired: `copy` does it on Note 36 on pads, which the "
            "gesture does not play"
        ),
    ),
    "no such mapping": (
        config([COPY]),
        "tap 40",
        pressed("f5"),
        "expected Keystroke f5, nothing fired: no mapping does Keystroke f5",
    ),
    "played once, expected twice": (
        config([COPY]),
        "tap 36",
        pressed("f5"),
        (
            "expected Keystroke f5, but Keystroke cmd+c at 0 ms (`copy`) fired: no mapping does "
            "Keystroke f5"
        ),
    ),
}


@pytest.mark.parametrize(("some", "gesture", "expect", "words"), REASONS.values(), ids=REASONS)
def test_a_failed_example_says_why(some: Config, gesture: str, expect: Expect, words: str):
    found = tried(some, gesture, [expect])
    assert (found.passed, found.problem) == (False, words)


def test_missing_additional_and_early_actions_are_distinguished():
    rows = ["Note note=1 -> a", "Note note=2 -> b"]
    assert problem(rows, "tap 1", pressed("a"), pressed("a")) == (
        "expected Keystroke a, nothing more fired: `global #0`, which waits for Note 1, does it, "
        "and fired at no other time"
    )
    assert problem(rows, "tap 1; tap 2", pressed("a")) == (
        "nothing more should fire, but Keystroke b at 20 ms (`global #1`) did"
    )
    assert problem(rows, "tap 2; tap 1", pressed("a")) == (
        "Keystroke b at 0 ms (`global #1`) fired before the expected Keystroke a"
    )
    assert problem(rows, "tap 2", pressed("a"), pressed("b")) == (
        "expected Keystroke a, it did not fire: `global #0` does it on Note 1, which the gesture "
        "does not play"
    )


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        (("Keystoke", {}), "expected: there is no action `Keystoke` - did you mean `Keystroke`?"),
        (
            ("Delay", {"duration": 5}),
            "expected: `duration` is not a field of Delay - did you mean `duration_ms`?",
        ),
        (("Keystroke", {"keys": "nokey"}), "expected: keys: unknown key `nokey`"),
    ],
)
def test_an_expectation_that_nothing_can_meet_is_reported(expect: Expect, words: str):
    assert str(problem([COPY], "tap 36", expect)).startswith(words)


@pytest.mark.parametrize(
    ("gesture", "words"),
    [
        ("tap 36; hit 36", "the gesture: line 1: `hit 36`: unknown word; lines begin with"),
        ("down 200", "the gesture: line 1: `down 200`: note 200 is outside 0 to 127"),
        ("mode Nowhere", "the gesture: Invalid mode: 'Nowhere' does not exist"),
        ("# only a comment", "the gesture: it has no events; write such as `tap 36`"),
        ("wait inf; tap 36", "the gesture: line 1: `wait inf`: `inf` is not a time in ms"),
        ("wait nan; tap 36", "the gesture: line 1: `wait nan`: `nan` is not a time in ms"),
        ("tap 36 @-5", "the gesture: its times must be between 0 and 600 s"),
        ("; ".join(["tap 36"] * 501), "the gesture: it has 1,002 events; 1,000 are allowed"),
    ],
)
def test_a_gesture_that_cannot_be_played_is_a_failed_example(gesture: str, words: str):
    found = tried([COPY], gesture)
    assert (found.passed, found.fired) == (False, ())
    assert str(found.problem).startswith(words)


def test_a_mode_that_does_not_exist_is_a_failed_example():
    assert problem(config(modes={"Edit": []}), "tap 36", mode="Edt") == (
        "the gesture: Invalid mode: 'Edt' does not exist - did you mean `Edit`?"
    )


def test_examples_do_not_see_each_other():
    rows = config(["Note note=1 -> ModeChange mode=B"], modes={"A": ["Note note=2 -> a"], "B": []})
    examples = [
        Example(name="leave", gesture="tap 1", expect=(ExpectedAction(type="ModeChange"),)),
        Example(name="stay", gesture="tap 2", expect=(ExpectedAction(type="Keystroke"),)),
    ]
    assert [one.passed for one in run_examples(ExamplePlayer(rows), examples)] == [True, True]
    assert [one.example.name for one in run_examples(ExamplePlayer(rows), examples)] == [
        "leave",
        "stay",
    ]
