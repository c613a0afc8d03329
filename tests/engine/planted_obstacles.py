"""Configs with one mapping and exactly one obstacle, so that the true reason is known by construction."""

from collections.abc import Iterator
from typing import Any

from tests.engine.explained import Outside, Row, muted, paused
from tests.support.simulate import words

from conductor.domain.config import Config

PLAYED: dict[str, str] = {
    "Note note=36": "tap 36",
    "VelocityRange note=36 min_velocity=50": "tap 36",
    "LongPress note=36 duration_ms=400": "down 36; wait 500; up 36",
    "LongPress button=south duration_ms=400": "button south down; wait 500; button south up",
    "DoubleTap note=36 timeout_ms=300": "tap 36; wait 100; tap 36",
    "NoteChord notes=[36,38] timeout_ms=50": "down 36; wait 10; down 38; wait 200; up 36; up 38",
    "NoteRelease note=36": "tap 36",
    "CC cc=7": "cc 7 90",
    "CC cc=8 value_min=64": "cc 8 90",
    "EncoderTurn cc=21 encoding=twos_complement": "cc 21 1",
    "Aftertouch pressure_min=64": "pressure 80",
    "PitchBend value_min=12000": "bend 13000",
    "ProgramChange program=5": "program 5",
    "Nrpn parameter=300": "nrpn 300 8192",
    "Sysex pattern=F07E*": "sysex F0 7E 01 F7",
    "GamepadButton button=south": "button south down; wait 50; button south up",
    'GamepadButtonChord buttons=["south","east"] timeout_ms=50': (
        "button south down; wait 10; button east down; wait 200; button south up; button east up"
    ),
    "GamepadAnalogStick axis=left_x direction=right": "axis left_x 0.9",
    "GamepadTrigger trigger=left": "trigger left 0.9",
    "OscMessage address=/go": "osc /go 1",
}
"""A trigger of each kind, with a script that fires it."""
WITHOUT_CHANNEL = ("button", "Button", "Sysex", "Gamepad", "Osc")

UNMET: dict[str, tuple[dict[str, Any], str, str]] = {
    "never": ({"type": "Never"}, "`Never` never holds", "take the condition `Never` out"),
    "mode": ({"type": "ModeIs", "mode": "Other"}, "the mode was Default", "switch to mode Other"),
    "app": ({"type": "AppFrontmost", "app": "firefox"}, "the app in front was code", "bring firefox"),
    "time": ({"type": "TimeRange", "start": "18:00", "end": "19:00"}, "it was 12:00", "18:00 and 19:00"),
    "day": ({"type": "DayOfWeek", "days": [6, 7]}, "it was Monday", "Saturday or Sunday"),
    "held": ({"type": "ControlHeld", "note": 40}, "note 40 was not held", "hold note 40"),
    "variable": ({"type": "VariableIs", "name": "x", "value": 3}, "x was never set", "set x so that x == 3"),
    "not": ({"type": "Not", "condition": {"type": "ModeIs", "mode": "Default"}}, "the mode was Default", "leave mode Default"),
    "and": (
        {"type": "And", "conditions": [{"type": "Always"}, {"type": "ControlHeld", "cc": 64}]},
        "cc 64 was not held",
        "hold cc 64",
    ),
    "or": (
        {"type": "Or", "conditions": [{"type": "ModeIs", "mode": "Other"}, {"type": "DayOfWeek", "days": [7]}]},
        "the mode was Default and it was Monday",
        "switch to mode Other or play it on Sunday",
    ),
}  # fmt: skip
"""A condition of every kind that does not hold, what was true instead, and what would make it hold."""


def config_of(
    target: dict[str, Any],
    scope: str = "global",
    *,
    profile: dict[str, Any] | None = None,
    first: dict[str, Any] | None = None,
) -> Config:
    """Return a config with one mapping in a scope, and perhaps another that comes before it."""
    profile = {"name": "web", "match": {"executable": "firefox"}, **(profile or {})}
    return Config.model_validate(
        {
            "modes": [
                {"name": "Default", "mappings": [first] if first else []},
                {"name": "Other", "mappings": [target] if scope == "mode" else []},
            ],
            "profiles": [{**profile, "mappings": [target] if scope == "profile" else []}],
            "global_mappings": [target] if scope == "global" else [],
        }
    )


def row(trigger: str, **fields: Any) -> dict[str, Any]:
    """Return the mapping under test."""
    more = fields.pop("more", {})
    action = {"type": "Keystroke", "keys": ["a"]}
    return {
        "description": "target",
        "trigger": {**words(trigger), **fields},
        "action": action,
        **more,
    }


def planted() -> Iterator[Row]:
    """Return each trigger with nothing in its way, and with each obstacle that it can meet."""
    for trigger, script in PLAYED.items():
        yield Row(
            f"{trigger} free", config_of(row(trigger)), (script,), "acted", None, ("`target` did",)
        )
        yield from _out_of_force(trigger, script)
        yield from _with_conditions(trigger, script)


def _out_of_force(trigger: str, script: str) -> Iterator[Row]:
    def one(
        name: str,
        config: Config,
        kind: str,
        said: str,
        remedy: str,
        before: tuple[str | Outside, ...] = (),
    ) -> Row:
        parts = (*before, script)
        return Row(
            f"{trigger} {name}", config, parts, "not_fired", kind, ("`target`", said), (remedy,)
        )

    yield one("device", config_of(row(trigger, device="keys")), "device",
              "it listens to device keys, and this came from pads", "play it on keys")  # fmt: skip
    if not any(word in trigger for word in WITHOUT_CHANNEL):
        yield one("channel", config_of(row(trigger, channel=10)), "channel",
                  "it listens to channel 10, and this was on channel 1", "set the mapping's channel to 1")  # fmt: skip
    yield one("disabled", config_of(row(trigger, more={"enabled": False})), "disabled",
              "it is off", "switch the mapping on")  # fmt: skip
    yield one("mode", config_of(row(trigger), "mode"), "mode",
              "it belongs to mode Other, and mode Default was active", "switch to mode Other")  # fmt: skip
    yield one("profile", config_of(row(trigger), "profile"), "profile",
              "it belongs to profile web, and no profile was active", "bring firefox to the front")  # fmt: skip
    yield one("profile off", config_of(row(trigger), "profile", profile={"enabled": False}), "disabled",
              "its profile web is off", "switch profile web on", ("app firefox",))  # fmt: skip
    yield one(
        "muted",
        config_of(row(trigger)),
        "muted",
        "device pads was muted",
        "unmute device pads",
        (muted,),
    )
    yield one(
        "paused",
        config_of(row(trigger)),
        "paused",
        "Conductor was paused",
        "resume Conductor",
        (paused,),
    )
    twin = {**row(trigger), "description": "twin"}
    shadowed = config_of(row(trigger), first=twin)
    yield Row(f"{trigger} shadowed", shadowed, (script,), "acted", "shadowed", ("`twin` did",))


def _with_conditions(trigger: str, script: str) -> Iterator[Row]:
    for name, (condition, was, remedy) in UNMET.items():
        config = config_of(row(trigger, when=[condition]))
        said = ("`target` did not fire: condition not met", was)
        yield Row(
            f"{trigger} when {name}",
            config,
            ("app code", script),
            "not_fired",
            "condition",
            said,
            (remedy,),
        )
