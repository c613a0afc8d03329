"""Random config changes of every kind that can affect the engine."""

import random
from collections.abc import Callable
from typing import Any

from conductor.domain.config import Config

Plain = dict[str, Any]
DELETE = {"type": "Keystroke", "keys": ["delete"]}


def change_config(config: Config, seed: int) -> tuple[str, Config]:
    """Return the kind of a random change, and the config with it; some changes change nothing."""
    rng = random.Random(seed)
    kind = rng.choice(sorted(CHANGES))
    plain = config.model_dump(mode="json", by_alias=True)
    CHANGES[kind](plain, rng)
    return kind, Config.model_validate(plain)


def _lists(plain: Plain) -> list[list[Plain]]:
    return [
        plain["global_mappings"],
        *(mode["mappings"] for mode in plain["modes"]),
        *(profile["mappings"] for profile in plain["profiles"]),
    ]


def _pick(plain: Plain, rng: random.Random) -> tuple[list[Plain], int]:
    """Choose a mapping: its list and its place; the first list must have one."""
    filled = [rows for rows in _lists(plain) if rows]
    rows = rng.choice(filled)
    return rows, rng.randrange(len(rows))


def _row(plain: Plain, rng: random.Random) -> Plain:
    rows, at = _pick(plain, rng)
    return rows[at]


def _delete(plain: Plain, rng: random.Random) -> None:
    rows, at = _pick(plain, rng)
    del rows[at]


def _disable(plain: Plain, rng: random.Random) -> None:
    _row(plain, rng)["enabled"] = False


def _another_action(plain: Plain, rng: random.Random) -> None:
    _row(plain, rng)["action"] = dict(DELETE)


def _action_of_another(plain: Plain, rng: random.Random) -> None:
    _row(plain, rng)["action"] = _row(plain, rng)["action"]


def _trigger_of_another(plain: Plain, rng: random.Random) -> None:
    _row(plain, rng)["trigger"] = _row(plain, rng)["trigger"]


def _add(plain: Plain, rng: random.Random) -> None:
    trigger = rng.choice(
        [
            {"type": "Note", "note": 36},
            {"type": "Note", "note": 38, "device": "left"},
            {"type": "LongPress", "note": 36, "duration_ms": 150},
            {"type": "DoubleTap", "note": 36, "timeout_ms": 150},
            {"type": "NoteChord", "notes": [36, 38], "timeout_ms": 80},
            {"type": "NoteRelease", "note": 36},
            {"type": "CC", "cc": 1, "value_min": 64},
            {"type": "EncoderTurn", "cc": 1, "encoding": "absolute"},
            {"type": "GamepadButton", "button": "south"},
        ]
    )
    rows = rng.choice(_lists(plain))
    rows.insert(rng.randrange(len(rows) + 1), {"trigger": trigger, "action": dict(DELETE)})


def _move_scope(plain: Plain, rng: random.Random) -> None:
    rows, at = _pick(plain, rng)
    row = rows.pop(at)
    rng.choice(_lists(plain)).append(row)


def _reorder(plain: Plain, rng: random.Random) -> None:
    rng.shuffle(_pick(plain, rng)[0])


def _channel(plain: Plain, rng: random.Random) -> None:
    _row(plain, rng)["trigger"]["channel"] = rng.choice([1, 2, None])


def _device(plain: Plain, rng: random.Random) -> None:
    _row(plain, rng)["trigger"]["device"] = rng.choice(["left", "right", None])


def _time_limit(plain: Plain, rng: random.Random) -> None:
    for rows in _lists(plain):
        for row in rows:
            for name in ("duration_ms", "timeout_ms"):
                if name in row["trigger"]:
                    row["trigger"][name] = rng.choice([50, 100, 200, 400])


def _condition(plain: Plain, rng: random.Random) -> None:
    _row(plain, rng)["trigger"]["when"] = [
        rng.choice(
            [
                {"type": "ModeIs", "mode": "A"},
                {"type": "VariableIs", "name": "x", "value": True},
                {"type": "AppFrontmost", "app": "firefox"},
                {"type": "TimeRange", "start": "11:00", "end": "12:00"},
                {"type": "ControlHeld", "note": 38},
                {"type": "Never"},
            ]
        )
    ]


def _no_conditions(plain: Plain, rng: random.Random) -> None:
    for rows in _lists(plain):
        for row in rows:
            row["trigger"]["when"] = []


def _rename_mode(plain: Plain, rng: random.Random) -> None:
    mode = rng.choice(plain["modes"])
    old, mode["name"] = mode["name"], "Renamed"
    _replace(plain, "mode", old, "Renamed")


def _replace(item: Any, key: str, old: str, new: str) -> None:
    """Change every reference under a key, wherever it is."""
    if isinstance(item, dict):
        if item.get(key) == old:
            item[key] = new
        for part in item.values():
            _replace(part, key, old, new)
    elif isinstance(item, list):
        for part in item:
            _replace(part, key, old, new)


def _delete_mode(plain: Plain, rng: random.Random) -> None:
    if len(plain["modes"]) > 1:
        del plain["modes"][rng.randrange(len(plain["modes"]))]


def _order_modes(plain: Plain, rng: random.Random) -> None:
    rng.shuffle(plain["modes"])


def _rename_alias(plain: Plain, rng: random.Random) -> None:
    device = rng.choice(plain["devices"])
    old, device["alias"] = device["alias"], "renamed"
    _replace(plain, "device", old, "renamed")
    _replace(plain, "port", old, "renamed")


def _delete_alias(plain: Plain, rng: random.Random) -> None:
    del plain["devices"][rng.randrange(len(plain["devices"]))]


def _better_alias(plain: Plain, rng: random.Random) -> None:
    port = rng.choice(["L", "R"])
    matchers = [{"type": "ExactName", "pattern": f"Pad {port}"}]
    plain["devices"].append({"alias": "better", "matchers": matchers})


def _swap_aliases(plain: Plain, rng: random.Random) -> None:
    names = [device["alias"] for device in plain["devices"]]
    for device, name in zip(plain["devices"], names[::-1], strict=True):
        device["alias"] = name


def _mute(plain: Plain, rng: random.Random) -> None:
    device = rng.choice(plain["devices"])
    device["enabled"] = not device["enabled"]


def _profile(plain: Plain, rng: random.Random) -> None:
    profile = rng.choice(plain["profiles"])
    match rng.choice(["mode", "match", "off", "gone"]):
        case "mode":
            profile["mode"] = rng.choice(["A", "C", None])
        case "match":
            profile["match"] = {"executable": "code"}
        case "off":
            profile["enabled"] = False
        case _:
            plain["profiles"].remove(profile)


def _engine(name: str, *values: Any) -> Callable[[Plain, random.Random], None]:
    def change(plain: Plain, rng: random.Random) -> None:
        plain["settings"]["engine"][name] = rng.choice(values)

    return change


CHANGES: dict[str, Callable[[Plain, random.Random], None]] = {
    "action of another mapping": _action_of_another,
    "add a mapping": _add,
    "add a better alias": _better_alias,
    "allow shell": _engine("allow_shell", True),
    "another action": _another_action,
    "change the channel": _channel,
    "change the condition": _condition,
    "change the device": _device,
    "change the profile": _profile,
    "change time limits": _time_limit,
    "delete a mapping": _delete,
    "delete a mode": _delete_mode,
    "delete an alias": _delete_alias,
    "disable a mapping": _disable,
    "gamepads off": _engine("gamepads", False),
    "move to another scope": _move_scope,
    "mute a device": _mute,
    "no conditions": _no_conditions,
    "open configured inputs": _engine("open_inputs", "configured"),
    "order the modes": _order_modes,
    "rename a mode": _rename_mode,
    "rename an alias": _rename_alias,
    "reorder mappings": _reorder,
    "start mode": _engine("start_mode", "C"),
    "swap aliases": _swap_aliases,
    "trigger of another mapping": _trigger_of_another,
    "cmd key": _engine("cmd_key", "alt", "super"),
    "virtual output off": _engine("virtual_output", ""),
}
