"""Overlaps: every seeded conflict is found, in exact words, and what only looks like one is not."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.domain.test_examples import FILES, load
from tests.engine.streams import Item, Player, configs, streams
from tests.support.simulate import Rows, config, does

from conductor.domain.config import Config
from conductor.domain.events import EventKind, InputEvent
from conductor.domain.overlaps import new_overlaps, overlaps
from conductor.domain.plan import Overlap

SHELL: dict[str, Any] = {"type": "Shell", "argv": ["make", "deploy"]}
KEY_B: dict[str, Any] = {"type": "Keystroke", "keys": "b"}
HELD = does("Note note=36", KEY_B, [{"type": "ControlHeld", "note": 40}])


def told(found: Sequence[Overlap]) -> list[str]:
    return [f"{one.severity} {one.kind}: {one.message}" for one in found]


def of(
    everywhere: Rows = (),
    *,
    modes: dict[str, Rows] | None = None,
    events: Sequence[InputEvent] = (),
    profiles: Sequence[dict[str, Any]] = (),
) -> list[str]:
    """Tell the overlaps of a config, leaving out modes that nothing leads to."""
    found = overlaps(config(everywhere, modes=modes, profiles=profiles), events)
    return told([one for one in found if one.kind != "unreachable_mode"])


def variable(value: object, operator: str = "==") -> dict[str, Any]:
    return {"type": "VariableIs", "name": "bank", "operator": operator, "value": value}


FOUND: dict[str, tuple[list[Any], str]] = {
    "same trigger, other action": (
        ["Note note=36 device=pads -> a", "Note note=36 device=pads -> b"],
        (
            "error duplicate: `global #0` and `global #1` wait for the same, every press of note 36 on "
            "pads: only `global #0`, which comes first, fires"
        ),
    ),
    "same trigger, same action": (
        ["CC cc=7 value_min=64 -> a", "CC cc=7 value_min=64 -> a"],
        (
            "warning duplicate: `global #0` and `global #1` wait for the same, everything it waits for "
            "of CC 7: only `global #0`, which comes first, fires; both do the same, so one can go"
        ),
    ),
    "the same notes in another order": (
        ["NoteChord notes=[60,64] -> a", "NoteChord notes=[64,60] -> b"],
        (
            "error duplicate: `global #0` and `global #1` wait for the same, every chord of note "
            "64+60: only `global #0`, which comes first, fires"
        ),
    ),
    "any strength before a hard one": (
        ["Note note=36 -> a", "Note note=36 velocity_min=80 -> b"],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes velocities 80 "
            "to 127 of note 36"
        ),
    ),
    "layers that leave nothing": (
        [
            "VelocityRange note=36 max_velocity=60 -> a",
            "Note note=36 velocity_min=61 -> b",
            "Note note=36 -> c",
        ],
        (
            "error shadowed: `global #2` never fires: `global #0` and `global #1` come first and take "
            "every press of note 36"
        ),
    ),
    "layers that overlap": (
        [
            "VelocityRange note=36 max_velocity=80 -> a",
            "VelocityRange note=36 min_velocity=60 -> b",
        ],
        (
            "info shadowed: velocities 60 to 80 of note 36 fit both `global #0` and `global #1`: "
            "`global #0` comes first"
        ),
    ),
    "any value before a range": (
        ["CC cc=7 -> a", "CC cc=7 value_min=64 -> b"],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes everything it "
            "waits for of CC 7"
        ),
    ),
    "a fader before an encoder of one number": (
        ["CC cc=7 -> a", "EncoderTurn cc=7 -> b"],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes everything it "
            "waits for of CC 7"
        ),
    ),
    "any direction before one": (
        ["EncoderTurn cc=7 -> a", "EncoderTurn cc=7 direction=clockwise -> b"],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes everything it "
            "waits for of CC 7"
        ),
    ),
    "any pressure before a hard one": (
        ["Aftertouch -> a", "Aftertouch note=60 pressure_min=90 -> b"],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes everything it "
            "waits for of pressure of note 60"
        ),
    ),
    "a stick in any direction before one": (
        [
            "GamepadAnalogStick axis=left_x -> a",
            "GamepadAnalogStick axis=left_x direction=right -> b",
        ],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes everything it "
            "waits for of axis left_x"
        ),
    ),
    "a pattern before a message that it fits": (
        [
            does('Sysex pattern="F07E??06*"', {"type": "Keystroke", "keys": "a"}),
            does('Sysex pattern="F07E0006F7"', {"type": "Keystroke", "keys": "b"}),
        ],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes everything it "
            "waits for of the SysEx message"
        ),
    ),
    "two limits for one double tap": (
        ["DoubleTap note=36 timeout_ms=200 -> a", "DoubleTap note=36 timeout_ms=400 -> b"],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes every double "
            "tap of note 36"
        ),
    ),
    "a wider chord window before a narrow one": (
        ["NoteChord notes=[60,64] timeout_ms=80 -> a", "NoteChord notes=[60,64] -> b"],
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes every chord of "
            "note 60+64"
        ),
    ),
    "any device before one": (
        ["Note note=36 -> a", "Note note=36 device=pads channel=10 -> b"],
        (
            "error wildcard: `global #1` never fires: `global #0` comes first and takes every press of "
            "note 36 on pads channel 10, as it listens to any device on any channel"
        ),
    ),
    "one device before any": (
        ["Note note=36 device=pads -> a", "Note note=36 channel=10 -> b"],
        (
            "info wildcard: `global #0` and `global #1` both listen to note 36 on pads channel 10: "
            "`global #0` comes first, `global #1` fires only for other devices or channels"
        ),
    ),
    "a chord and its part": (
        ["NoteChord notes=[60,64] -> a", "NoteChord notes=[60,64,67] timeout_ms=90 -> b"],
        (
            "info chord_subset: the chord note 60+64+67 (`global #1`) beats its part note 60+64 "
            "(`global #0`) when all 3 come within 90 ms; `global #0` waits 90 ms instead of 50"
        ),
    ),
    "a double tap": (
        ["Note note=36 -> a", "DoubleTap note=36 -> b"],
        (
            "info tap_delayed: the double tap of note 36 (`global #1`) delays the single tap "
            "(`global #0`) by 300 ms"
        ),
    ),
    "a double tap beside music": (
        ["Note note=36 -> MidiForward port=synth", "DoubleTap note=36 timeout_ms=250 -> b"],
        (
            "warning tap_delayed: the double tap of note 36 (`global #1`) delays the single tap "
            "(`global #0`) by 250 ms"
        ),
    ),
    "a long press": (
        ["GamepadButton button=south -> a", "LongPress button=south duration_ms=500 -> b"],
        (
            "info tap_delayed: the long press of button south (`global #1`, 500 ms) delays its tap: "
            "`global #0` fires when it is let go instead of at once"
        ),
    ),
    "a long press beside keys that are held": (
        ["Note note=36 -> Keystroke keys=shift hold=while_held", "LongPress note=36 -> b"],
        (
            "warning tap_delayed: the long press of note 36 (`global #1`, 2000 ms) delays its tap: "
            "`global #0` fires when it is let go instead of at once; shift is tapped instead of held"
        ),
    ),
    "a long and a longer press": (
        ["LongPress note=36 duration_ms=500 -> a", "LongPress note=36 duration_ms=1500 -> b"],
        (
            "info hold_delayed: `global #0` (500 ms) fires when note 36 is let go, because `global #1` "
            "(1500 ms) may follow"
        ),
    ),
    "a chord of tapped notes": (
        ["Note note=60 -> a", "Note note=64 -> b", "NoteChord notes=[60,64] timeout_ms=40 -> c"],
        (
            "info chord_delays_tap: taps of note 60 and note 64 (`global #0` and `global #1`) wait up "
            "to 40 ms for the chord note 60+64 (`global #2`)"
        ),
    ),
    "keys held by an encoder": (
        ["EncoderTurn cc=7 -> Keystroke keys=shift hold=while_held"],
        (
            "warning never_released: `global #0`: EncoderTurn of CC 7 is never let go, so shift is "
            "tapped instead of held"
        ),
    ),
    "a mode held by a release": (
        ["NoteRelease note=36 -> ModeChange mode=Default behaviour=momentary"],
        (
            "warning never_released: `global #0`: NoteRelease of note 36 is never let go, so mode "
            "Default stays instead of lasting while it is held"
        ),
    ),
    "a repetition until a program is let go": (
        [
            does(
                "ProgramChange program=3",
                {
                    "type": "Repeat",
                    "action": {"type": "Keystroke", "keys": "a"},
                    "until_release": True,
                    "delay_ms": 50,
                },
            )
        ],
        (
            "warning never_released: `global #0`: ProgramChange of program 3 is never let go, so it is "
            "done once instead of repeated while it is held"
        ),
    ),
    "a shell command beside a drum": (
        [
            does("Note note=38", SHELL),
            "Note note=40 -> MidiForward port=synth",
            "Note note=41 -> a",
        ],
        (
            "warning shell_beside_performance: `global #0` runs a shell command on note 38, next to "
            "note 40 (`global #1`): a slip of the finger runs it"
        ),
    ),
}


@pytest.mark.parametrize(("rows", "message"), FOUND.values(), ids=FOUND)
def test_a_seeded_conflict_is_found_and_nothing_else(rows: list[Any], message: str):
    assert of(rows) == [message]


QUIET: dict[str, list[Any]] = {
    "other notes": ["Note note=36 -> a", "Note note=37 -> b"],
    "other devices": ["Note note=36 device=left -> a", "Note note=36 device=right -> b"],
    "other channels": ["Note note=36 channel=1 -> a", "Note note=36 channel=2 -> b"],
    "layers": [
        "VelocityRange note=36 max_velocity=60 -> a",
        "VelocityRange note=36 min_velocity=61 -> b",
    ],
    "the special case first": ["Note note=36 velocity_min=80 -> a", "Note note=36 -> b"],
    "press and release": ["Note note=36 -> a", "NoteRelease note=36 -> b"],
    "two thresholds": ["CC cc=7 value_min=64 -> a", "CC cc=7 value_min=100 -> b"],
    "the press and the release of a pedal": [
        "CC cc=64 value_min=64 -> a",
        "CC cc=64 value_min=64 edge=falling -> b",
    ],
    "two directions": [
        "EncoderTurn cc=7 direction=clockwise -> a",
        "EncoderTurn cc=7 direction=counter_clockwise -> b",
    ],
    "chords that share a note": ["NoteChord notes=[60,64] -> a", "NoteChord notes=[64,67] -> b"],
    "another mode asked for": [
        does("Note note=36", {"type": "Text", "text": "a"}, [{"type": "ModeIs", "mode": "A"}]),
        does("Note note=36", {"type": "Text", "text": "b"}, [{"type": "ModeIs", "mode": "B"}]),
    ],
    "another value of a variable": [
        does("Note note=36", {"type": "Text", "text": "a"}, [variable(1)]),
        does("DoubleTap note=36", {"type": "Text", "text": "b"}, [variable(2)]),
    ],
    "values apart": [
        does("Note note=36", {"type": "Text", "text": "a"}, [variable(3, "<")]),
        does("Note note=36", {"type": "Text", "text": "b"}, [variable(3, ">=")]),
    ],
    "a condition and its opposite": [
        HELD,
        does(
            "Note note=36",
            {"type": "Text", "text": "b"},
            [{"type": "Not", "condition": {"type": "ControlHeld", "note": 40}}],
        ),
    ],
    "times of day": [
        does(
            "Note note=36",
            {"type": "Text", "text": each},
            [{"type": "TimeRange", "start": start, "end": end}],
        )
        for each, start, end in (("a", "22:00", "05:59"), ("b", "06:00", "21:59"))
    ],
    "other apps": [
        does("Note note=36", {"type": "Text", "text": app}, [{"type": "AppFrontmost", "app": app}])
        for app in ("code", "firefox")
    ],
    "the one with a condition first": [HELD, "Note note=36 -> b"],
    "one that never holds": [
        does("Note note=36", {"type": "Text", "text": "a"}, [{"type": "Never"}]),
        "Note note=36 -> b",
    ],
    "keys held by a pad": ["Note note=36 -> Keystroke keys=shift hold=while_held"],
    "a shell command far from music": [
        does("Note note=38", SHELL),
        "Note note=41 -> MidiForward port=synth",
    ],
    "a shell command that must be held": [
        does("LongPress note=38", SHELL),
        "Note note=40 -> MidiForward port=synth",
    ],
    "a shell command on another device": [
        does("Note note=38 device=box", SHELL),
        "Note note=40 device=keys -> MidiForward port=synth",
    ],
}


@pytest.mark.parametrize("rows", QUIET.values(), ids=QUIET)
def test_what_only_looks_like_a_conflict_raises_no_alarm(rows: list[Any]):
    assert of(rows) == []


def test_a_disabled_mapping_is_in_nobodys_way():
    off = {**does("Note note=36", {"type": "Text", "text": "a"}), "enabled": False}
    assert of([off, "Note note=36 -> b"]) == []


def test_the_one_without_a_condition_leaves_nothing_to_one_with():
    assert of(["Note note=36 -> a", HELD]) == [
        (
            "error shadowed: `global #1` never fires: `global #0` comes first and takes every press of "
            "note 36"
        )
    ]


def test_a_mode_replaces_a_global_and_says_so():
    modes: dict[str, Rows] = {"Cut": ["Note note=36 device=pads -> a"], "Mix": []}
    assert of(["Note note=36 -> b"], modes=modes) == [
        "info shadowed: in mode Cut `mode:Cut #0` replaces the global `global #0` for note 36 on pads"
    ]


def test_a_profile_replaces_what_is_below_it():
    profile = {
        "name": "Code",
        "match": {"executable": "code"},
        "mappings": ["CC cc=7 -> a"],
    }
    modes: dict[str, Rows] = {"Cut": ["CC cc=7 -> b"]}
    assert of(["CC cc=7 -> c"], modes=modes, profiles=[profile]) == [
        "info shadowed: in mode Cut `mode:Cut #0` replaces the global `global #0` for CC 7",
        (
            "info shadowed: while profile Code is active `profile:Code #0` replaces `mode:Cut #0` of "
            "mode Cut and the global `global #0` for CC 7"
        ),
    ]


def test_a_tap_of_one_mode_does_not_wait_for_a_gesture_of_another():
    assert of(modes={"A": ["Note note=36 -> a"], "B": ["DoubleTap note=36 -> b"]}) == []


def test_a_tap_of_a_mode_waits_for_a_gesture_of_all_modes():
    found = overlaps(config(["DoubleTap note=36 -> b"], modes={"A": ["Note note=36 -> a"]}))
    assert [(one.kind, one.places) for one in found] == [
        ("tap_delayed", ("global #0", "mode:A #0"))
    ]


def test_a_replaced_double_tap_delays_nothing_twice():
    modes: dict[str, Rows] = {
        "A": ["Note note=36 -> a", "DoubleTap note=36 timeout_ms=200 -> b"],
    }
    assert of(["DoubleTap note=36 timeout_ms=400 -> c"], modes=modes) == [
        "info shadowed: in mode A `mode:A #1` replaces the global `global #0` for note 36",
        (
            "info tap_delayed: the double tap of note 36 (`mode:A #1`) delays the single tap "
            "(`mode:A #0`) by 200 ms"
        ),
    ]


def test_a_mode_that_nothing_leads_to_is_found():
    modes: dict[str, Rows] = {
        "A": ["Note note=1 -> ModeChange mode=B"],
        "B": ["Note note=1 -> ModeChange mode=A"],
        "C": ["Note note=1 -> ModeChange mode=D"],
        "D": [],
    }
    assert told(overlaps(config(modes=modes))) == [
        (
            "warning unreachable_mode: mode C cannot be entered from the controls: no ModeChange leads "
            "to it, no profile names it and it is not the start mode"
        ),
        (
            "warning unreachable_mode: mode D cannot be entered from the controls: only modes that "
            "cannot be entered themselves lead to it"
        ),
    ]


@pytest.mark.parametrize(
    "way_in",
    [
        {"everywhere": ["Note note=1 -> ModeChange behaviour=next"]},
        {"everywhere": ["Note note=1 -> ModeChange mode=B behaviour=toggle"]},
        {
            "everywhere": [
                does(
                    "Note note=1",
                    {"type": "Sequence", "actions": [{"type": "ModeChange", "mode": "B"}]},
                )
            ]
        },
        {"profiles": [{"name": "P", "match": {"executable": "x"}, "mode": "B"}]},
        {
            "settings": {"engine": {"start_mode": "B"}},
            "everywhere": ["Note note=1 -> ModeChange mode=A"],
        },
    ],
    ids=["next", "toggle", "inside a sequence", "profile", "start"],
)
def test_a_mode_with_a_way_in_is_reachable(way_in: dict[str, Any]):
    assert overlaps(config(modes={"A": [], "B": []}, **way_in)) == []


def presses(
    held_ms: Sequence[float | None], kinds: tuple[EventKind, EventKind] = ("note_on", "note_off")
) -> list[InputEvent]:
    """Play note 36 of the pads once a second, each time held so long; None is a lost release."""
    events: list[InputEvent] = []
    for second, held in enumerate(held_ms):
        events.append(InputEvent(kinds[0], "pads", 10, 36, 127, second))
        if held is not None:
            events.append(InputEvent(kinds[1], "pads", 10, 36, 0, second + held / 1000))
    return events


HOLD = "LongPress note=36 device=pads duration_ms=500 -> a"


def test_a_pad_that_lets_go_at_once_cannot_be_held():
    assert of([HOLD], events=presses([1, 3, 2, 4])) == [
        (
            "warning toggle_cannot_hold: note 36 on pads sends its release at most 4 ms after each press "
            "(4 lately): the long press `global #0` cannot reach its 500 ms"
        )
    ]


def test_a_pad_that_never_lets_go_holds_for_ever():
    assert of([HOLD], events=presses([None] * 4)) == [
        (
            "warning toggle_cannot_hold: note 36 on pads sends no release (3 presses lately): every "
            "press becomes the long press `global #0` after 500 ms"
        )
    ]


def test_keys_held_by_a_button_that_sends_pulses_go_up_at_once():
    row = "CC cc=36 value_min=64 -> Keystroke keys=shift hold=while_held"
    assert of([row], events=presses([2, 2, 2], ("cc", "cc"))) == [
        (
            "warning toggle_cannot_hold: CC 36 sends its release at most 2 ms after each press "
            "(3 lately): what `global #0` holds ends at once"
        )
    ]


@pytest.mark.parametrize(
    "held_ms", [[1, 3, 120], [2, 2], [1, None, 2], []], ids=["held once", "few", "mixed", "none"]
)
def test_a_pad_that_may_be_held_is_left_alone(held_ms: list[float | None]):
    assert of([HOLD], events=presses(held_ms)) == []


def test_a_knob_is_not_taken_for_a_button():
    row = "CC cc=7 value_min=64 -> Keystroke keys=shift hold=while_held"
    turned = [InputEvent("cc", "pads", 1, 7, value, value / 50) for value in range(60, 127)]
    assert of([row], events=turned) == []


def test_another_device_does_not_speak_for_this_one():
    other = [event._replace(device="keys") for event in presses([1, 1, 1])]
    assert of([HOLD], events=other) == []


def test_only_what_a_change_brings_is_new():
    old = config(["Note note=36 -> a", "DoubleTap note=36 -> b", "CC cc=7 -> c"])
    new = config(
        ["CC cc=7 -> c", "Note note=36 -> x", "DoubleTap note=36 -> b", "LongPress note=36 -> d"]
    )
    assert [(one.kind, one.is_new, one.places) for one in new_overlaps(old, new)] == [
        ("tap_delayed", False, ("global #2", "global #1")),
        ("tap_delayed", True, ("global #3", "global #1")),
    ]


def test_a_third_duplicate_is_new_beside_the_second():
    row = "Note note=36 -> a"
    found = new_overlaps(config([row] * 2), config([row] * 3))
    assert [(one.places, one.is_new) for one in found] == [
        (("global #0", "global #1"), False),
        (("global #0", "global #2"), True),
    ]


def test_what_is_left_of_an_overlap_is_no_news():
    chord = "NoteChord notes=[60,64] -> c"
    old = config(["Note note=60 -> a", "Note note=64 -> b", chord])
    assert [one.is_new for one in new_overlaps(old, config(["Note note=60 -> a", chord]))] == [
        False
    ]


def test_a_description_names_a_mapping_unless_another_has_it_too():
    rows = [
        {**does("Note note=36", {"type": "Text", "text": text}), "description": "say it"}
        for text in ("a", "b")
    ]
    assert "`global #0` and `global #1` wait" in of(rows)[0]
    rows[1]["description"] = "say more"
    assert "only `say it`, which comes first" in of(rows)[0]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_config_has_no_more_overlaps_than_it_means_to(file: Path):
    counts: dict[str, int] = {}
    for one in overlaps(load(file)):
        counts[f"{one.severity} {one.kind}"] = counts.get(f"{one.severity} {one.kind}", 0) + 1
    assert counts == EXAMPLES.get(file.stem, {})


EXAMPLES = {
    "ableton-live": {"info tap_delayed": 2, "info chord_delays_tap": 1},
    "developer-workflow": {"info tap_delayed": 1},
    "hardware-synth": {"error shadowed": 1, "info chord_delays_tap": 1},
    "logic-daw": {"info chord_subset": 1},
    "midimon": {"info chord_delays_tap": 1},
    "xbox-gamepad": {"info chord_delays_tap": 3},
    "one-pad": {"info tap_delayed": 4},
    "playstation-gamepad": {"info tap_delayed": 1},
    "video-editing": {"info tap_delayed": 1},
}


def test_mappings_are_compared_with_those_of_their_control_only():
    """With 2,250 mappings every pair would be five million; here each is looked at a few times."""
    rows = [f"Note note={n % 128} channel={n // 128 % 16 + 1} -> a" for n in range(2048)]
    found = overlaps(Config.model_validate(config(rows).to_plain()))
    assert found == []


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(configs, streams(outside=False))
def test_what_is_said_never_to_fire_never_fires_whatever_is_played(some: Config, items: list[Item]):
    dead = {one.places[-1] for one in overlaps(some) if one.severity == "error"}
    player = Player(some)
    player.play(items)
    fired = {f"{ref.scope} #{ref.index}" for trace in player.traces for ref in trace.fired}
    assert fired & dead == set()
