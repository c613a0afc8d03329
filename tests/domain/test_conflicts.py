"""Overlaps: every seeded conflict is found, with its exact message, and lookalikes are not reported."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.simulate import Rows, config, does, with_keys

from conductor.domain.conflicts.overlaps import find_config_overlaps
from conductor.domain.events import InputEvent
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
    """Return the overlaps of a config as texts with keys for names, without unreachable modes."""
    checked = config(everywhere, modes=modes, profiles=profiles)
    found = find_config_overlaps(checked, events)
    texts = told([one for one in found if one.kind != "unreachable_mode"])
    return [with_keys(text, checked) for text in texts]


def variable(value: object, operator: str = "==") -> dict[str, Any]:
    return {"type": "VariableIs", "name": "bank", "operator": operator, "value": value}


FOUND: dict[str, tuple[list[Any], str]] = {
    "same trigger, other action": (
        ["Note note=36 device=pads -> a", "Note note=36 device=pads -> b"],
        "error duplicate: `global #1` never fires: `global #0` has the same trigger and comes first",
    ),
    "same trigger, same action": (
        ["CC cc=7 value_min=64 -> a", "CC cc=7 value_min=64 -> a"],
        (
            "warning duplicate: `global #1` never fires: `global #0` has the same trigger and comes first; "
            "both do the same, so one can go"
        ),
    ),
    "the same notes in another order": (
        ["NoteChord notes=[60,64] -> a", "NoteChord notes=[64,60] -> b"],
        "error duplicate: `global #1` never fires: `global #0` has the same trigger and comes first",
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
    "a pattern before a message of the same length that it fits": (
        [
            does('Sysex pattern="F07E??06F7"', {"type": "Keystroke", "keys": "a"}),
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
            "warning wildcard: `global #0` and `global #1` both listen to note 36 on pads channel 10: "
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
        "info tap_delayed: the double tap of note 36 delays its tap by 300 ms",
    ),
    "a double tap beside music": (
        ["Note note=36 -> MidiForward port=synth", "DoubleTap note=36 timeout_ms=250 -> b"],
        "warning tap_delayed: the double tap of note 36 delays its tap by 250 ms",
    ),
    "a long press": (
        ["GamepadButton button=south -> a", "LongPress button=south duration_ms=500 -> b"],
        (
            "info tap_delayed: the long press of button south (500 ms) delays its tap until it is "
            "released"
        ),
    ),
    "a long press beside keys that are held": (
        ["Note note=36 -> Keystroke keys=shift hold=while_held", "LongPress note=36 -> b"],
        (
            "warning tap_delayed: the long press of note 36 (2000 ms) delays its tap until it is "
            "released; shift is tapped instead of held"
        ),
    ),
    "a long and a longer press": (
        ["LongPress note=36 duration_ms=500 -> a", "LongPress note=36 duration_ms=1500 -> b"],
        (
            "info hold_delayed: `global #0` (500 ms) fires when note 36 is released, because `global #1` "
            "(1500 ms) may follow"
        ),
    ),
    "a chord of tapped notes": (
        ["Note note=60 -> a", "Note note=64 -> b", "NoteChord notes=[60,64] timeout_ms=40 -> c"],
        (
            "info chord_delays_tap: taps of note 60 and note 64 wait up to 40 ms for the chord "
            "note 60+64"
        ),
    ),
    "keys held by an encoder": (
        ["EncoderTurn cc=7 -> Keystroke keys=shift hold=while_held"],
        (
            "warning never_released: `global #0`: EncoderTurn of CC 7 is never released, so shift is "
            "tapped instead of held"
        ),
    ),
    "a mode held by a release": (
        ["NoteRelease note=36 -> ModeChange mode=Default behaviour=momentary"],
        (
            "warning never_released: `global #0`: NoteRelease of note 36 is never released, so mode "
            "Default stays instead of lasting while it is held"
        ),
    ),
    "a repetition until a program change is released": (
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
            "warning never_released: `global #0`: ProgramChange of program 3 is never released, so it is "
            "done once instead of repeated while it is held"
        ),
    ),
    "notes that a knob starts": (
        ["CC cc=11 -> SendMidi port=synth message_type=NoteOn note=60"],
        (
            "warning notes_keep_sounding: `global #0`: each value of CC 11 starts a note, and nothing "
            "ends it; send a control change instead, or add a note off"
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


def test_a_mapping_for_every_note_of_every_channel_raises_no_alarm():
    assert of([f"Note note={n % 128} channel={n // 128 + 1} -> a" for n in range(2048)]) == []
