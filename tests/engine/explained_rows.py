"""Expected explanations of incomplete gestures, edges, actions without effect, and failures."""

from typing import Any

from tests.engine.explained import (
    Outside,
    Row,
    failed,
    loaded,
    muted,
    panicked,
    paused,
    reloaded,
)
from tests.support.simulate import Rows, config, mapping

from conductor.domain.config import Config

TAP_HOLD = "Note note=36 -> a\nLongPress note=36 duration_ms=400 -> b"
HOLD = "LongPress note=36 duration_ms=400 -> b"
DOUBLE = "DoubleTap note=36 timeout_ms=300 -> d"
CHORD = "NoteChord notes=[36,38] timeout_ms=50 -> c"
CHORD_AND_TAP = f"{CHORD}\nNote note=36 -> a"
NOT_HELD = "held {} ms, long press needs 400 ms"


def acting(action: dict[str, Any], trigger: str = "Note note=36", **more: Any) -> Config:
    """Return a config with one mapping, called `m`, with this action."""
    row = {**mapping(f"{trigger} -> a"), "action": action, "description": "m"}
    return config([row], modes={"Default": [], "Media": []}, **more)


def condition(test: dict[str, Any], **branches: Any) -> dict[str, Any]:
    """Return a Conditional that types `y` when its condition holds."""
    return {
        "type": "Conditional",
        "condition": test,
        "then": {"type": "Keystroke", "keys": ["y"]},
        **branches,
    }


def row(
    rows: Rows | Config,
    parts: str | tuple[str | Outside, ...],
    outcome: str,
    kind: str | None,
    *said: str,
    **more: Any,
) -> Row:
    """Return a line of the table, named after what is played."""
    whole = (parts,) if isinstance(parts, str) else parts
    what = rows if isinstance(rows, Config) else config(rows)
    name = " ".join(
        [
            str(rows)[:60].replace("\n", "|") if not isinstance(rows, Config) else "",
            *(part if isinstance(part, str) else part.__name__ for part in whole),
            *said,
        ]
    )
    return Row(name, what, whole, outcome, kind, said, **more)


KEY: dict[str, Any] = {"type": "Keystroke", "keys": ["a"]}
NIGHT = {"type": "TimeRange", "start": "18:00", "end": "19:00"}
THEN_WAIT = {"type": "Sequence", "actions": [{"type": "Delay", "duration_ms": 500}, KEY]}


def letters(keys: str) -> dict[str, Any]:
    """Return an action that presses several keys, one after another."""
    return {"type": "Sequence", "actions": [{"type": "Keystroke", "keys": [key]} for key in keys]}


GESTURES = [
    row(HOLD, "down 36; up 36 @50", "not_fired", "too_short", NOT_HELD.format(50), remedy=("hold it for 400 ms",)),
    row(HOLD, "down 36; up 36 @200", "not_fired", "too_short", NOT_HELD.format(200)),
    row(HOLD, "down 36; up 36 @399", "not_fired", "too_short", NOT_HELD.format(399)),
    row(HOLD, "down 36; up 36 @300", "not_fired", "too_short", NOT_HELD.format(300), ask=("note_off",)),
    row(HOLD, "down 36; up 36 @400", "acted", None, "held 400 ms"),
    row(TAP_HOLD, "down 36; up 36 @300", "acted", "too_short", "did A"),
    row(TAP_HOLD, "down 36; up 36 @900", "acted", "too_long", "did B"),
    row(TAP_HOLD, "down 36; up 36 @900", "acted", "too_long", "did B", ask=("timer",)),
    row(f"{HOLD}\nLongPress note=36 duration_ms=800 -> c", "down 36; up 36 @500", "acted", "too_short", "did B"),
    row(f"{HOLD}\nLongPress note=36 duration_ms=800 -> c", "down 36; up 36 @900", "acted", "other_gesture", "did C"),
    row(DOUBLE, "tap 36", "not_fired", "no_second_press", "no second press within 300 ms", remedy=("twice within 300 ms",)),
    row(DOUBLE, "tap 36; wait 300; tap 36", "not_fired", "no_second_press", "no second press"),
    row(DOUBLE, "tap 36; wait 100; tap 36", "acted", None, "second press after 120 ms"),
    row(DOUBLE, "tap 36; wait 100; tap 36", "acted", None, "second press after 120 ms", ask=("note_off",)),
    row(f"{DOUBLE}\nNote note=36 -> a", "tap 36", "acted", "no_second_press", "did A"),
    row(f"{DOUBLE}\nNote note=36 -> a", "tap 36; wait 100; tap 36", "acted", "other_gesture", "did D"),
    row(f"{DOUBLE}\n{HOLD}", "tap 36", "not_fired", "too_short", NOT_HELD.format(20), "no second press"),
    row(CHORD, "down 36; wait 100; up 36", "not_fired", "half_chord", "not all of its notes were pressed within 50 ms", remedy=("press notes 36 and 38",)),
    row(CHORD, "down 36; up 36 @20", "not_fired", "half_chord", "not all of its notes"),
    row(CHORD, "down 36; wait 60; down 38; up 36; up 38", "not_fired", "half_chord", "not all of its notes"),
    row(CHORD, "down 36; wait 20; down 38; wait 100; up 36; up 38", "acted", None, "all notes within 20 ms", ask=("note_off",)),
    row(CHORD_AND_TAP, "down 36; wait 100; up 36", "acted", "half_chord", "did A"),
    row(CHORD_AND_TAP, "down 36; wait 10; down 38; wait 100; up 38; up 36", "acted", "chord_consumed", "did C"),
    row(f"{CHORD}\nNoteRelease note=36 -> r", "down 36; wait 10; down 38; wait 90; up 38; up 36", "acted", "chord_consumed",
        "did C", ask=("note_off",)),
    row(f"{CHORD}\nNoteChord notes=[36,38,40] timeout_ms=50 -> l", "down 36; down 38 @5; down 40 @9; wait 90; up 36; up 38; up 40",
        "acted", "shadowed", "did L"),
    row(f"{CHORD}\nNoteChord notes=[36,38,40] timeout_ms=50 -> l", "down 36; down 38 @5; wait 90; up 36; up 38",
        "acted", "half_chord", "did C"),
    row("NoteRelease note=36 -> r", "tap 36", "acted", None, "the control was released"),
    row("NoteRelease note=36 -> r", "up 36", "not_fired", "release_alone", "has not seen the press", remedy=("press it",)),
    row("Note note=36 -> r", "up 36", "not_fired", "release_alone", "has not seen the press"),
]  # fmt: skip

OPEN = [
    row(HOLD, "down 36", "undecided", None, "not decided yet", "300 ms left", "hold it 300 ms longer", settle_s=0.1),
    row(TAP_HOLD, "down 36", "undecided", None, "not decided yet", "150 ms left", settle_s=0.25),
    row(DOUBLE, "tap 36", "undecided", None, "not decided yet", "180 ms left", "press it again", settle_s=0.1),
    row(DOUBLE, "tap 36", "undecided", None, "not decided yet", "180 ms left", settle_s=0.1, ask=("note_off",)),
    row(CHORD, "down 36", "undecided", None, "not decided yet", "20 ms left", "the rest of the chord", settle_s=0.03),
    row("NoteRelease note=36 -> r", "down 36", "undecided", None, "acts when the control is released"),
    row(HOLD, ("down 36", panicked), "not_fired", "dropped", "everything was released", remedy=("play it again",)),
    row(HOLD, ("down 36", reloaded), "not_fired", "dropped", "the config was loaded"),
    row(HOLD, ("down 36", muted), "not_fired", "dropped", "its device was muted"),
    row(TAP_HOLD, ("down 36", paused, "wait 500; up 36"), "not_fired", "dropped", "everything was released"),
    row(HOLD, "down 36; wait 100; unplug pads", "not_fired", "dropped", "its device was disconnected"),
    row(CHORD, ("down 36", panicked), "not_fired", "dropped", "everything was released"),
    row("NoteRelease note=36 -> r", ("down 36", paused, "up 36"), "not_fired", "paused", "at the release, Conductor is paused"),
]  # fmt: skip

VALUES = [
    row("Note note=36 velocity_min=50 -> a", "down 36 vel 49; up 36", "not_fired", "velocity", "velocity 49 is below", remedy=("50 or more",)),
    row("VelocityRange note=36 max_velocity=40 -> a", "down 36 vel 41; up 36", "not_fired", "velocity", "41 is outside 1-40", remedy=("1 to 40",)),
    row("CC cc=7 value_min=64 -> a", "cc 7 63", "not_fired", "value", "63 is outside 64 and up", remedy=("64 or more",)),
    row("CC cc=7 value_min=10 value_max=20 -> a", "cc 7 63", "not_fired", "value", "63 is outside 10-20", remedy=("10 to 20",)),
    row("CC cc=7 value_min=64 -> a", "cc 7 70; cc 7 80", "not_fired", "edge", "80 stays inside", remedy=("come back into it",)),
    row("CC cc=7 value_min=64 edge=falling -> a", "cc 7 70; cc 7 80", "not_fired", "edge", "is not a fall below 64"),
    row("CC cc=7 value_max=64 edge=rising -> a", "cc 7 70; cc 7 80", "not_fired", "edge", "is not a rise over 64"),
    row("CC cc=7 value_min=10 value_max=20 edge=rising -> a", "cc 7 70; cc 7 15", "not_fired", "edge", "only rising values fire", remedy=("from below",)),
    row("CC cc=7 value_min=10 value_max=20 edge=falling -> a", "cc 7 5; cc 7 15", "not_fired", "edge", "only falling values fire", remedy=("from above",)),
    row("CC cc=7 edge=rising -> a", "cc 7 5", "not_fired", "first_value", "first value 5", remedy=("once more",)),
    row("CC cc=7 edge=rising -> a", "cc 7 5; cc 7 3", "not_fired", "direction", "only rising values fire", remedy=("move it up",)),
    row("EncoderTurn cc=21 -> a", "cc 21 1", "not_fired", "first_value", "`auto` needs a second"),
    row("EncoderTurn cc=21 direction=clockwise encoding=offset_64 -> a", "cc 21 63", "not_fired", "direction",
        "turned counter_clockwise, but only clockwise turns fire", remedy=("turn it clockwise",)),
    row("EncoderTurn cc=21 encoding=offset_64 -> a", "cc 21 64", "not_fired", "value", "64 is not a turn"),
    row("GamepadAnalogStick axis=left_x -> a", "axis left_x 0.3", "not_fired", "value", "0.30 does not reach 0.5", remedy=("past 0.5",)),
    row("GamepadAnalogStick axis=left_x -> a", "axis left_x 0.05", "not_fired", "dead_zone", "0.05 is in the dead zone"),
    row("GamepadAnalogStick axis=left_x threshold=0 -> a", "axis left_x 0.05", "not_fired", "dead_zone", "in the dead zone"),
    row("GamepadAnalogStick axis=left_x direction=right -> a", "axis left_x -0.9", "not_fired", "direction", "is not a push in the positive", remedy=("right or up",)),
    row("GamepadAnalogStick axis=left_x direction=right threshold=0 -> a", "axis left_x -0.9", "not_fired", "direction", "is not a push"),
    row("GamepadAnalogStick axis=left_x -> a", "axis left_x 0.8; axis left_x 0.9", "not_fired", "edge", "still past 0.5"),
    row("GamepadTrigger trigger=left -> a", "trigger left 0.3", "not_fired", "value", "0.30 does not reach 0.5"),
    row("GamepadTrigger trigger=left -> a", "trigger left 0.8; trigger left 0.9", "not_fired", "edge", "has not come back"),
    row("GamepadTrigger trigger=left threshold=0 -> a", "trigger left 0", "not_fired", "value", "is not a pull"),
    row("Aftertouch pressure_min=80 -> a", "pressure 70", "not_fired", "value", "pressure 70 is outside 80-127"),
    row("Aftertouch pressure_min=80 -> a", "pressure 90; pressure 95", "not_fired", "edge", "has not left", ask=("channel_pressure",)),
    row("PitchBend value_min=12000 -> a", "bend 9000", "not_fired", "value", "9000 is outside", remedy=("12000 or more",)),
    row("PitchBend dead_zone=100 -> a", "bend 8200; bend 8210", "not_fired", "dead_zone", "has not moved"),
    row("Nrpn parameter=300 value_min=8000 -> a", "nrpn 300 10", "not_fired", "value", "10 is outside 8000"),
    row("OscMessage address=/go value_min=0.5 -> a", "osc /go 0.2", "not_fired", "value", "0.2 is outside 0.5"),
    row("CC cc=7 value_max=20 -> a", "cc 7 63", "not_fired", "value", "63 is outside up to 20", remedy=("20 or less",)),
    row("CC cc=7 value_max=20 -> a", "cc 7 5; cc 7 6", "not_fired", "edge", "6 stays inside up to 20", remedy=("come back into it",)),
    row("CC cc=7 value_max=20 -> a", "cc 7 63; cc 7 6", "acted", None, "6 entered up to 20"),
    row("EncoderTurn cc=21 direction=counter_clockwise encoding=offset_64 -> a", "cc 21 65", "not_fired", "direction",
        "turned clockwise", remedy=("turn it counter-clockwise",)),
    row("GamepadAnalogStick axis=left_x direction=left -> a", "axis left_x 0.9", "not_fired", "direction", "in the negative direction",
        remedy=("left or down",)),
    row("GamepadAnalogStick axis=left_x threshold=0 -> a", "axis left_x 0.9", "acted", None, "out of the dead zone"),
    row('GamepadButtonChord buttons=["south","east"] -> a', "button south tap", "not_fired", "half_chord", "not all of its",
        remedy=("press buttons south and east",)),
    row("Sysex pattern=F001F7 -> a", "sysex 01", "acted", None, "the message matches"),
    row("Sysex pattern=F001F7 -> a", "sysex 02", "not_fired", "value", "does not match", remedy=("F0 01 F7",)),
    row("Note note=36 -> a", "tap 40", "unmapped", None, "no mapping listens to this control"),
    row("Note note=36 -> a", "cc 36 64", "unmapped", None, "no mapping listens to this control"),
    row("Nrpn parameter=300 -> a", "rpn 300 5", "unmapped", None, "no mapping listens to this control"),
    row("Aftertouch note=36 -> a", "pressure 70", "unmapped", None, "no mapping listens to this control"),
    row("Note note=36 -> a", (muted, "tap 40"), "unmapped", None, "no mapping listens", "device pads is muted"),
    row("Note note=36 -> a", (paused, "tap 40"), "unmapped", None, "no mapping listens", "Conductor is paused"),
]  # fmt: skip

ABOUT = [
    row("Note note=36 -> a\nAftertouch pressure_min=80 -> b", "down 36; pressure 30", "acted", None, "did A"),
    row("Note note=36 -> a\nAftertouch pressure_min=80 -> b", "down 36; pressure 30", "not_fired", "value", "30 is outside 80-127",
        ask=("channel_pressure",)),
    row("Note note=36 -> a\nAftertouch note=36 pressure_min=80 -> b", "down 36; pressure 30 note 36; up 36", "not_fired", "value",
        "30 is outside 80-127", ask=("poly_pressure",)),
    row("Note note=36 -> a", "down 36; pressure 30; up 36", "unmapped", None, "no mapping listens", ask=("channel_pressure",)),
    row("Note note=36 -> a", "tap 36; app code", "info", None, "app in front: code", ask=("app",)),
    row("Note note=36 -> a", "tap 36; unplug pads", "info", None, "device pads went away", ask=("device_gone",)),
    row(config(modes={"Default": ["Note note=36 -> a"], "DJ": []}), "mode DJ; tap 36", "not_fired", "mode",
        "it belongs to mode Default, and mode DJ was active"),
    row(config(modes={"Default": ["Note note=36 -> a"], "DJ": []}), "tap 36; mode DJ", "acted", None, "did A"),
    row(config(modes={"Default": ["Note note=36 -> a"], "DJ": []}), "mode DJ", "info", None, "mode DJ was chosen", ask=("timer",)),
    row("Note note=36 -> a", (muted, "tap 36", loaded(config("Note note=40 -> b"))), "not_fired", "muted", "device pads was muted"),
    row("Note note=36 channel=10 -> a", ("tap 36", loaded(config("Note note=40 -> b"))), "not_fired", "channel", "channel 10"),
    row(config(["Note note=36 channel=10 -> a"], modes={"Default": [], "DJ": ["Note note=36 -> b"]}), "tap 36", "not_fired", "channel",
        "listens to channel 10", "belongs to mode DJ"),
    row(config(["Note note=36 channel=10 device=keys -> a"], modes={"Default": [], "DJ": ["Note note=36 -> b"]}), "tap 36", "not_fired", "mode",
        "belongs to mode DJ", "listens to channel 10", "listens to device keys"),
    row("Note note=36 velocity_min=50 channel=10 -> a", "down 36 vel 20; up 36", "not_fired", "channel", "channel 10", "velocity 20"),
    row("Note note=36 device=pads -> a", "tap 36 dev raw:Mikro", "not_fired", "device", "Mikro, which has no alias", remedy=("give Mikro the alias pads",)),
    row("GamepadButton button=south channel=3 -> a", "button south down", "not_fired", "channel", "this has no channel"),
    row("\n".join(f"Note note=36 channel={n} -> a" for n in range(2, 8)), "tap 36", "not_fired", "channel", "3 more did not fire"),
    row(config(profiles=[{"name": "one", "match": {"executable": "code"}, "mappings": ["Note note=40 -> a"]},
                         {"name": "two", "match": {"title_regex": "main"}, "mappings": ["Note note=36 -> a"]}]),
        "app code main.py; tap 36", "not_fired", "profile", "profile one was active", remedy=("move profile two before profile one",)),
]  # fmt: skip

ACTIONS = [
    row(acting(condition({"type": "Never"})), "tap 36", "no_effect", None, "its condition was not met: never", "nothing was done"),
    row(acting(condition(NIGHT)), "tap 36", "no_effect", None, "it was 12:00", "nothing was done", remedy=("18:00 and 19:00",)),
    row(acting(condition({"type": "ModeIs", "mode": "Media"})), "tap 36", "no_effect", None, "the mode was Default", remedy=("switch to mode Media",)),
    row(acting(condition({"type": "VariableIs", "name": "x"})), "tap 36", "no_effect", None, "x was never set"),
    row(acting(condition({"type": "Never"}, **{"else": KEY})), "tap 36", "acted", None, "did A"),
    row(acting(condition({"type": "Always"})), "tap 36", "acted", None, "did Y"),
    row(acting({"type": "Sequence", "actions": [KEY, condition({"type": "Never"})]}), "tap 36", "acted", None,
        "did A", "its condition was not met", "that part was not done"),
    row(acting({"type": "Sequence", "actions": [{"type": "Delay", "duration_ms": 100}, condition({"type": "Never"})]}), "tap 36", "no_effect", None,
        "its condition was not met", "nothing was done"),
    row(acting({"type": "Delay", "duration_ms": 200}), "tap 36", "no_effect", None, "its action only waits, 200 ms"),
    row(acting({"type": "Repeat", "count": 3, "action": {"type": "Delay", "duration_ms": 200}}), "tap 36", "no_effect", None, "only waits"),
    row(acting(THEN_WAIT), "tap 36", "running", None, "it waits first", settle_s=0.1),
    row(acting(THEN_WAIT), "tap 36", "acted", None, "did A"),
    row(acting(THEN_WAIT), "tap 36", "acted", None, "did A", ask=("timer",)),
    row(acting(THEN_WAIT), ("tap 36", panicked), "no_effect", None, "was stopped before it did anything"),
    row(acting(letters("abcde")), "tap 36", "acted", None, "D, E ("),
    row(acting(letters("abcdefg")), "tap 36", "acted", None, "D, E and 2 more ("),
    row(acting({"type": "ModeChange", "mode": "Default"}), "tap 36", "no_effect", None, "mode Default was active already"),
    row(acting({"type": "ModeChange", "mode": "Media"}), "tap 36", "acted", None, "Mode Media"),
    row(acting({"type": "ModeChange", "mode": "Gone"}), "tap 36", "no_effect", None, "'Gone' does not exist"),
    row(acting({"type": "ModeChange", "mode": "Media", "behaviour": "momentary"}, "DoubleTap note=40"), "tap 40; wait 50; tap 40", "acted", None, "Mode Media"),
    row(acting({"type": "ModeChange", "mode": "Media", "behaviour": "momentary"}, "NoteChord notes=[36,38]"),
        "down 36; down 38 @5; up 36 @10; up 38 @12", "no_effect", None, "the control was already released"),
    row(acting({"type": "ModeChange", "mode": "Media"}), ("tap 36", "tap 36"), "no_effect", None, "mode Media was active already"),
    row(acting({"type": "SetVariable", "name": "x"}), "tap 36", "acted", None, "Set x"),
    row(acting({"type": "Keystroke", "keys": ["shift"], "hold": "while_held"}), "down 36", "acted", None, "hold Shift"),
    row(acting({"type": "Shell", "argv": ["ls"]}), ("tap 36", failed("Shell actions are off")), "failed", None,
        "but failed: Shell actions are off"),
    row(acting({"type": "Launch", "app": "nope"}), ("tap 36", failed("took longer than 5 s and was stopped")), "failed", None, "failed: took longer than 5 s"),
    row(acting({"type": "Sequence", "actions": [{"type": "Delay", "duration_ms": 50}, {"type": "Launch", "app": "nope"}]}),
        ("tap 36; wait 100; up 40", failed("took longer than 5 s and was stopped")), "failed", None, "took longer than 5 s"),
    row(acting(THEN_WAIT, "CC cc=7"), "cc 7 90", "acted", None, "did A", ask=("timer",)),
    row(acting(KEY, "CC cc=7 value_min=64"), "cc 7 90; cc 7 10", "not_fired", "value", "10 is outside 64 and up"),
]  # fmt: skip

BY_HAND: list[Row] = [*GESTURES, *OPEN, *VALUES, *ABOUT, *ACTIONS]
