"""Random pairs of mappings on one control: all kinds of triggers, scopes, conditions, devices and channels."""

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from conductor.domain.config import Config, Mapping

DEVICES, MODES = ("left", "right"), ("A", "B", "C")
CHORD_NOTES, BUTTONS = (36, 38, 40, 42), ("south", "east", "west")
DURATIONS_MS = (50, 80, 150, 300, 301, 450, 700)


class Pair(NamedTuple):
    """Two mappings in a config, each with its place."""

    config: Config
    places: tuple[tuple[str, int], tuple[str, int]]
    mappings: tuple[Mapping, Mapping]

    def words(self) -> str:
        """Return a readable form of the pair."""
        return " | ".join(
            f"{scope} #{index} {mapping.trigger.to_plain()} -> {mapping.action.to_plain().get('hold')}"
            for (scope, index), mapping in zip(self.places, self.mappings, strict=True)
        )


def random_pair(random: Random) -> Pair:
    """Return two mappings on a control that both may have, anywhere in a config."""
    family = random.choice(
        ["note"] * 6 + ["button"] * 2 + ["cc"] * 4
        + ["nrpn", "bend", "pressure", "stick", "trigger", "osc", "program", "sysex"]
    )  # fmt: skip
    rows = [
        {"trigger": {**_trigger(random, family), **_place(random, family)}, "action": action}
        for action in (_action(random), _action(random))
    ]
    scopes = [random.choice(["global", "global", "mode:A", "mode:A", "mode:B", "profile:web"])
              for _ in rows]  # fmt: skip
    if random.random() < 0.6:
        scopes[1] = scopes[0]
    modes = [
        {"name": n, "mappings": [r for r, s in zip(rows, scopes, strict=True) if s == f"mode:{n}"]}
        for n in MODES
    ]
    web = [row for row, scope in zip(rows, scopes, strict=True) if scope == "profile:web"]
    config = Config.model_validate(
        {
            "global_mappings": [
                row for row, scope in zip(rows, scopes, strict=True) if scope == "global"
            ],
            "modes": modes,
            "profiles": [{"name": "web", "match": {"executable": "firefox"}, "mappings": web}],
        }
    )
    found = list(config.list_all_mappings())
    places = (found[0][0], found[0][1]), (found[1][0], found[1][1])
    return Pair(config, places, (found[0][2], found[1][2]))


def _action(random: Random) -> dict[str, Any]:
    hold = random.choice(["tap", "while_held"])
    return {"type": "Keystroke", "keys": random.choice("abcd"), "hold": hold}


def _place(random: Random, family: str) -> dict[str, Any]:
    place: dict[str, Any] = {}
    device = random.choice([None, None, None, *DEVICES])
    if device:
        place["device"] = device
    channel = random.choice([None, None, None, 1, 2])
    if channel and family not in ("button", "stick", "trigger", "osc", "sysex"):
        place["channel"] = channel
    if random.random() < 0.35:
        place["when"] = [_condition(random) for _ in range(random.choice([1, 1, 2]))]
    return place


def _condition(random: Random, depth: int = 0) -> dict[str, Any]:
    kind = random.randrange(9 if depth == 0 else 6)
    match kind:
        case 0 | 1:
            operator = random.choice(["==", "==", "!=", "<", "<=", ">", ">="])
            value = random.choice([True, False, 1, 2, 3])
            return {"type": "VariableIs", "name": random.choice("xy"), "operator": operator, "value": value}  # fmt: skip
        case 2:
            return {"type": "ModeIs", "mode": random.choice(MODES)}
        case 3:
            return {"type": "AppFrontmost", "app": random.choice(["firefox", "code"])}
        case 4:
            which = random.choice([{"note": 90}, {"cc": 64}])
            return {"type": "ControlHeld", **which}
        case 5:
            return random.choice(
                [
                    {"type": "TimeRange", "start": "09:00", "end": "17:00"},
                    {"type": "DayOfWeek", "days": [6, 7]},
                ]
            )
        case 6:
            return {"type": "Not", "condition": _condition(random, 1)}
        case _:
            joint = random.choice(["And", "Or"])
            return {"type": joint, "conditions": [_condition(random, 1) for _ in range(2)]}


def _range(random: Random, low: str, high: str, values: Sequence[float]) -> dict[str, Any]:
    a, b = sorted((random.choice(values), random.choice(values)))
    fields = random.choice([{}, {low: a}, {high: b}, {low: a, high: b}, {low: a, high: b}])
    return dict(fields)


def _trigger(random: Random, family: str) -> dict[str, Any]:
    duration = random.choice(DURATIONS_MS)
    match family:
        case "note" | "button":
            return _press(random, family, duration)
        case "cc":
            if random.random() < 0.35:
                encodings = ["auto", "absolute", "twos_complement", "offset_64", "sign_magnitude"]
                directions = ["any", "clockwise", "counter_clockwise"]
                return {"type": "EncoderTurn", "cc": 20, "encoding": random.choice(encodings),
                        "direction": random.choice(directions)}  # fmt: skip
            edge = random.choice(["any", "any", "rising", "falling"])
            limits = _range(random, "value_min", "value_max", range(128))
            return {"type": "CC", "cc": 20, "edge": edge, **limits}
        case "nrpn":
            limits = _range(random, "value_min", "value_max", range(0, 16384, 100))
            edge = random.choice(["any", "rising", "falling"])
            return {"type": "Nrpn", "parameter": 5, "edge": edge, **limits}
        case "bend":
            limits = _range(random, "value_min", "value_max", range(0, 16384, 100))
            return {"type": "PitchBend", "dead_zone": random.choice([0, 0, 300]), **limits}
        case "pressure":
            note = random.choice([{}, {"note": 36}])
            limits = _range(random, "pressure_min", "pressure_max", range(128))
            return {"type": "Aftertouch", "hysteresis": random.choice([0, 4, 20]), **note, **limits}
        case "stick":
            return {"type": "GamepadAnalogStick", "axis": "left_x",
                    "direction": random.choice(["any", "positive", "negative"]),
                    "threshold": random.choice([0, 0.3, 0.5, 0.8])}  # fmt: skip
        case "trigger":
            return {"type": "GamepadTrigger", "trigger": "left",
                    "threshold": random.choice([0, 0.3, 0.6]),
                    "hysteresis": random.choice([0, 0.1, 0.4])}  # fmt: skip
        case "osc":
            limits = _range(random, "value_min", "value_max", [0.0, 0.2, 0.5, 0.9])
            return {"type": "OscMessage", "address": random.choice(["/x", "/x", "/y"]), **limits}
        case "program":
            return {"type": "ProgramChange", "program": random.choice([5, 5, 6])}
        case _:
            patterns = ["F0 7E ?? 06 F7", "F0 7E *", "F0 7E 01 06 F7", "F0 ?? 01 06 F7", "F0 41 *"]
            return {"type": "Sysex", "pattern": random.choice(patterns)}


def _options(random: Random, kind: str) -> dict[str, Any]:
    """Return the options of a gesture, mostly none."""
    if random.random() < 0.75:
        return {}
    options: list[dict[str, Any]] = [{"require_prior_idle_ms": 120}, {"keep_order": True}]
    if kind == "LongPress":
        options += [{"hold_on_other_press": True}, {"permissive_hold": True}, {"quick_tap_ms": 200}]
    elif kind != "DoubleTap":
        options.append({"fire_when_complete": True})
    return {
        name: value
        for each in random.sample(options, random.choice([1, 1, 2]))
        for name, value in each.items()
    }


def _press(random: Random, family: str, duration: int) -> dict[str, Any]:
    own = {"note": 36} if family == "note" else {"button": "south"}
    several = CHORD_NOTES if family == "note" else BUTTONS
    size = random.choice([2, 2, 2, 3] if family == "note" else [2, 2, 3])
    chord = ["south" if family == "button" else 36]
    chord += random.sample(several[1:], size - 1)
    kinds: list[dict[str, Any]] = [
        {"type": "LongPress", **own, "duration_ms": duration},
        {"type": "DoubleTap", **own, "timeout_ms": duration},
        {"type": "NoteChord", "notes": chord, "timeout_ms": duration}
        if family == "note"
        else {"type": "GamepadButtonChord", "buttons": chord, "timeout_ms": duration},
        {"type": "Note" if family == "note" else "GamepadButton", **own},
    ]
    for kind in kinds[:3]:
        kind.update(_options(random, kind["type"]))
    if family == "note":
        low, high = sorted((random.randrange(1, 128), random.randrange(1, 128)))
        kinds += [
            {"type": "NoteRelease", **own},
            {"type": "Note", **own, "velocity_min": low},
            {"type": "VelocityRange", **own, "min_velocity": low, "max_velocity": high},
        ]
    return random.choice(kinds)
