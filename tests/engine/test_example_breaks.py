"""A kept example reports exactly the changes that make its gesture act differently."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.in_one_call import pin_example
from tests.support.simulate import does

from conductor.domain.config import Config
from conductor.domain.examples import Example
from conductor.engine.examples.check import run_example

Tree = dict[str, Any]
INVERTED = {"from": "value", "curve": {"type": "Linear", "min": 127, "max": 0}}
PADS = {"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "MPK"}]}
SYNTH = {"alias": "synth", "matchers": [{"type": "ExactName", "pattern": "Minilogue"}]}


def keys(text: str) -> Tree:
    return {"type": "Keystroke", "keys": text}


def midi(**fields: Any) -> Tree:
    return {"type": "SendMidi", "port": "synth", "message_type": "CC", "controller": 5, **fields}


def base() -> Tree:
    """Return a config with one mapping for each example."""
    sequence = {"type": "Sequence", "actions": [keys("a"), {"type": "Text", "text": "hi"}]}
    branch = {
        "type": "Conditional",
        "condition": {"type": "ModeIs", "mode": "Default"},
        "then": keys("t"),
        "else": keys("e"),
    }
    office = [{"type": "TimeRange", "start": "09:00", "end": "17:30"}]
    return {
        "devices": [copy.deepcopy(PADS), copy.deepcopy(SYNTH)],
        "modes": [
            {
                "name": "Default",
                "mappings": [
                    does("Note note=36", keys("cmd+c")),
                    does("Note note=37 device=pads channel=10", keys("cmd+v")),
                    does("CC cc=7", midi(value=INVERTED)),
                    does("CC cc=8", {"type": "VolumeControl", "operation": "Set"}),
                    does("Note note=38", sequence),
                    does("Note note=39", branch),
                    does("LongPress note=40 duration_ms=500", keys("l")),
                    does("Note note=41", {"type": "Shell", "argv": ["ls"]}),
                    does("Note note=42", {"type": "ModeChange", "mode": "Live"}),
                    does("Note note=43", keys("o"), office),
                    does("Note note=90", keys("z")),
                    does("Note note=44", {"type": "ModeChange", "behaviour": "next"}),
                    does("Note note=45", {"type": "Led", "device": "pads", "control": "note 1"}),
                ],
            },
            {"name": "Live", "mappings": [does("Note note=36", keys("m"))]},
        ],
        "global_mappings": [does("Note note=50", keys("g"))],
        "profiles": [
            {
                "name": "Web",
                "match": {"executable": "firefox"},
                "mappings": [does("Note note=51", keys("w"))],
            }
        ],
        "settings": {"engine": {"allow_shell": True}},
    }


def expects(kind: str, **fields: Any) -> list[Tree]:
    return [{"type": kind, "fields": fields}]


EXAMPLES: dict[str, Tree] = {
    "copy": {"gesture": "tap 36", "expect": expects("Keystroke", keys="cmd+c")},
    "paste": {"gesture": "tap 37", "expect": expects("Keystroke", keys="cmd+v")},
    "knob": {"gesture": "cc 7 127", "expect": expects("SendMidi", value=0)},
    "volume": {"gesture": "cc 8 32", "expect": expects("VolumeControl", operation="Set", value=25)},
    "sequence": {
        "gesture": "tap 38",
        "expect": expects("Sequence"),
        "effects": [*expects("Keystroke", keys="a"), *expects("Text", text="hi")],
    },
    "branch": {
        "gesture": "tap 39",
        "expect": expects("Conditional"),
        "effects": expects("Keystroke", keys="t"),
    },
    "hold": {"gesture": "down 40; wait 600; up 40", "expect": expects("Keystroke", keys="l")},
    "shell": {"gesture": "tap 41", "expect": expects("Shell", argv=["ls"])},
    "live": {
        "gesture": "tap 42; tap 36 @200",
        "expect": [*expects("ModeChange"), *expects("Keystroke", keys="m")],
    },
    "office": {"gesture": "tap 43", "expect": expects("Keystroke", keys="o")},
    "everywhere": {"gesture": "tap 50", "expect": expects("Keystroke", keys="g")},
    "web": {"gesture": "tap 51", "expect": expects("Keystroke", keys="w"), "app": "firefox"},
    "next": {"gesture": "tap 44", "expect": expects("ModeChange")},
    "light": {"gesture": "tap 45", "expect": expects("Led")},
    "quiet": {"gesture": "tap 60", "expect": []},
    "in live": {"gesture": "tap 36", "mode": "Live", "expect": expects("Keystroke", keys="m")},
}


def row(tree: Tree, note: int, mode: int = 0) -> Tree:
    mappings = tree["modes"][mode]["mappings"]
    return next(m for m in mappings if note in (m["trigger"].get("note"), m["trigger"].get("cc")))


def add(mapping: Tree, mode: int = 0, at: int | None = None) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        mappings = tree["modes"][mode]["mappings"]
        mappings.insert(len(mappings) if at is None else at, mapping)

    return change


def trigger(note: int, /, **fields: Any) -> Callable[[Tree], None]:
    return lambda tree: row(tree, note)["trigger"].update(fields)


def action(note: int, /, **fields: Any) -> Callable[[Tree], None]:
    return lambda tree: row(tree, note)["action"].update(fields)


def when(note: int, *conditions: Tree) -> Callable[[Tree], None]:
    return trigger(note, when=list(conditions))


def setting(**fields: Any) -> Callable[[Tree], None]:
    return lambda tree: tree["settings"]["engine"].update(fields)


def profile(mapping: Tree, **match: Any) -> Callable[[Tree], None]:
    return lambda tree: tree["profiles"].append(
        {"name": "New", "match": match, "mappings": [mapping]}
    )


def move_to_live(tree: Tree) -> None:
    mapping = row(tree, 37)
    tree["modes"][0]["mappings"].remove(mapping)
    tree["modes"][1]["mappings"].append(mapping)


def swap_aliases(tree: Tree) -> None:
    pads, synth = tree["devices"]
    pads["matchers"], synth["matchers"] = synth["matchers"], pads["matchers"]


CLOCK = {"type": "TimeRange", "start": "11:55", "end": "12:05"}
MONDAY = {"type": "DayOfWeek", "days": [1]}
BREAKS: dict[str, tuple[str, Callable[[Tree], Any]]] = {
    "channel added": ("copy", trigger(36, channel=9)),
    "device added": ("copy", trigger(36, device="keys")),
    "device changed": ("paste", trigger(37, device="synth")),
    "channel changed": ("paste", trigger(37, channel=3)),
    "alias removed": ("paste", lambda tree: tree["devices"].pop(0)),
    "alias given to another port": (
        "paste",
        lambda tree: tree["devices"][0].update(
            matchers=[{"type": "ExactName", "pattern": "Other"}]
        ),
    ),
    "aliases swapped": ("paste", swap_aliases),
    "device muted": ("paste", lambda tree: tree["devices"][0].update(enabled=False)),
    "a better match takes the port": (
        "paste",
        lambda tree: tree["devices"].append(
            {"alias": "other", "matchers": [{"type": "ExactName", "pattern": "MPK"}]}
        ),
    ),
    "only at noon": ("copy", when(36, CLOCK)),
    "only on Mondays": ("copy", when(36, MONDAY)),
    "only at night": ("copy", when(36, {"type": "TimeRange", "start": "22:00", "end": "06:00"})),
    "a shorter office day": (
        "office",
        when(43, {"type": "TimeRange", "start": "09:00", "end": "16:00"}),
    ),
    "not on Sundays": (
        "copy",
        when(36, {"type": "Not", "condition": {"type": "DayOfWeek", "days": [7]}}),
    ),
    "only in an app": ("copy", when(36, {"type": "AppFrontmost", "app": "gimp"})),
    "not in an app": (
        "copy",
        when(36, {"type": "Not", "condition": {"type": "AppFrontmost", "app": "gimp"}}),
    ),
    "only with a variable": ("copy", when(36, {"type": "VariableIs", "name": "shift"})),
    "only while something is held": ("copy", when(36, {"type": "ControlHeld", "note": 1})),
    "another value range": ("knob", trigger(7, value_min=0, value_max=100)),
    "a velocity it does not reach": ("copy", trigger(36, velocity_min=101)),
    "velocity range": (
        "copy",
        lambda tree: row(tree, 36).update(
            trigger={"type": "VelocityRange", "note": 36, "max_velocity": 90}
        ),
    ),
    "mapping moved to another mode": ("paste", move_to_live),
    "mapping deleted": ("copy", lambda tree: tree["modes"][0]["mappings"].pop(0)),
    "mapping of another note": ("copy", trigger(36, note=35)),
    "disabled": ("copy", lambda tree: row(tree, 36).update(enabled=False)),
    "action changed": ("copy", action(36, keys="cmd+x")),
    "keys held instead of tapped": ("copy", action(36, hold="while_held")),
    "a field that was left open changed": ("knob", action(7, controller=6)),
    "curve inverted": ("knob", action(7, value={"from": "value"})),
    "a fixed value instead of the control's": ("volume", action(8, value=50)),
    "long press beside": ("copy", add(does("LongPress note=36 duration_ms=500", keys("x")))),
    "double tap beside": ("copy", add(does("DoubleTap note=36", keys("x")))),
    "chord beside": (
        "copy",
        add({"trigger": {"type": "NoteChord", "notes": [36, 70]}, "action": keys("x")}),
    ),
    "a longer hold": ("hold", trigger(40, duration_ms=700)),
    "a shorter hold": ("hold", trigger(40, duration_ms=300)),
    "an action before it": ("copy", add(does("Note note=36", keys("x")), at=0)),
    "an action on release too": ("copy", add(does("NoteRelease note=36", keys("x")))),
    "shadowed by a mode": ("everywhere", add(does("Note note=50", keys("x")))),
    "shadowed by a profile": ("copy", profile(does("Note note=36", keys("x")), executable="gimp")),
    "shadowed by a profile with a title": (
        "copy",
        profile(does("Note note=36", keys("x")), title_regex="^Untitled.*$"),
    ),
    "profile of another app": (
        "web",
        lambda tree: tree["profiles"][0].update(match={"executable": "chrome"}),
    ),
    "profile disabled": ("web", lambda tree: tree["profiles"][0].update(enabled=False)),
    "profile before it": (
        "web",
        lambda tree: tree["profiles"].insert(
            0,
            {
                "name": "New",
                "match": {"executable": "firefox"},
                "mappings": [does("Note note=51", keys("x"))],
            },
        ),
    ),
    "start_mode": ("copy", setting(start_mode="Live")),
    "another mode first": ("copy", lambda tree: tree["modes"].insert(0, {"name": "First"})),
    "mode deleted": ("in live", lambda tree: tree["modes"].pop(1)),
    "allow_shell off": ("shell", setting(allow_shell=False)),
    "cmd_key": ("copy", setting(cmd_key="alt")),
    "a part of a sequence left out": (
        "sequence",
        lambda tree: row(tree, 38)["action"]["actions"].pop(),
    ),
    "a part of a sequence later": (
        "sequence",
        lambda tree: row(tree, 38)["action"]["actions"].insert(
            1, {"type": "Delay", "duration_ms": 50}
        ),
    ),
    "the other branch": ("branch", action(39, condition={"type": "Never"})),
    "a branch that does nothing": (
        "branch",
        lambda tree: row(tree, 39).update(
            action={"type": "Conditional", "condition": {"type": "Never"}, "then": keys("t")}
        ),
    ),
    "a mode it does not reach": ("live", action(42, behaviour="momentary")),
    "next is another mode": ("next", lambda tree: tree["modes"].insert(1, {"name": "Between"})),
    "something on a silent control": ("quiet", add(does("Note note=60", keys("x")))),
    "an output on another port": (
        "knob",
        lambda tree: tree["devices"][1].update(
            matchers=[{"type": "ExactName", "pattern": "Other"}]
        ),
    ),
    "another light": ("light", action(45, color="red")),
}


def rename_mode(tree: Tree) -> None:
    tree["modes"][0]["name"] = "Main"
    row(tree, 39)["action"]["condition"]["mode"] = "Main"


def rename_device(tree: Tree) -> None:
    tree["devices"][0]["alias"] = "drums"
    row(tree, 37)["trigger"]["device"] = "drums"
    row(tree, 45)["action"]["device"] = "drums"


def rename_output(tree: Tree) -> None:
    tree["devices"][1]["alias"] = "mini"
    row(tree, 7)["action"]["port"] = "mini"


HARMLESS: dict[str, Callable[[Tree], Any]] = {
    "start mode renamed": rename_mode,
    "device renamed": rename_device,
    "output renamed": rename_output,
    "profile renamed": lambda tree: tree["profiles"][0].update(name="Browser"),
    "rows reordered": lambda tree: tree["modes"][0]["mappings"].reverse(),
    "description edited": lambda tree: row(tree, 36).update(description="copies"),
    "a mapping on another control": add(does("Note note=99", keys("x"))),
    "a conditional mapping on another control": add(
        does("Note note=99", keys("x"), [CLOCK, MONDAY])
    ),
    "a colour": lambda tree: tree["modes"][0].update(color="red"),
    "an unrelated mapping disabled": lambda tree: row(tree, 90).update(enabled=False),
    "a mapping of another mode": add(does("Note note=37", keys("x")), mode=1),
    "a device added": lambda tree: tree["devices"].append(
        {"alias": "keys", "matchers": [{"type": "NameContains", "pattern": "KeyStep"}]}
    ),
    "a matcher added": lambda tree: tree["devices"][0]["matchers"].append(
        {"type": "ExactName", "pattern": "MPK mini 3"}
    ),
    "settings without effect": lambda tree: tree["settings"].update(
        ui={"theme": "dark"}, engine={"allow_shell": True, "history_minutes": 30}
    ),
    "a profile for another control": profile(does("Note note=99", keys("x")), executable="gimp"),
    "an office day in two parts": when(
        43,
        {
            "type": "Or",
            "conditions": [
                {"type": "TimeRange", "start": "09:00", "end": "12:30"},
                {"type": "TimeRange", "start": "12:31", "end": "17:30"},
            ],
        },
    ),
    "a mode added at the end": lambda tree: tree["modes"].append({"name": "Third"}),
}


def read(tree: Tree) -> Config:
    return Config.model_validate(tree)


def kept(name: str) -> Example:
    return pin_example(Example.model_validate({"name": name, **EXAMPLES[name]}), read(base()))


def problem(example: Example, change: Callable[[Tree], Any]) -> str | None:
    tree = base()
    change(tree)
    return run_example(read(tree), example).problem


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_kept_is_pinned_and_holds(name: str):
    example = kept(name)
    assert example.pinned
    assert run_example(read(base()), example).problem is None
    assert Example.model_validate_json(example.model_dump_json()) == example


@pytest.mark.parametrize(("name", "change"), BREAKS.values(), ids=BREAKS)
def test_every_later_break_is_reported(name: str, change: Callable[[Tree], Any]):
    assert problem(kept(name), change) is not None


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_a_harmless_change_breaks_nothing(change: Callable[[Tree], Any]):
    found = {name: problem(kept(name), change) for name in EXAMPLES}
    assert {name: one for name, one in found.items() if one is not None} == {}
