"""Random configs that use everything, and random changes of thirty kinds."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from conductor.domain.change_kinds import (
    Change,
    CreateDevice,
    CreateMapping,
    CreateMode,
    CreateProfile,
    DeleteDevice,
    DeleteMapping,
    DeleteMode,
    DeleteProfile,
    MoveMapping,
    ReplaceConfig,
    UpdateDevice,
    UpdateMapping,
    UpdateMode,
    UpdateProfile,
    UpdateSettings,
)
from conductor.domain.changes import apply_change
from conductor.domain.config import Config, Mapping
from conductor.errors import ConfigError, UnknownDevice, UnknownMode

Table = dict[str, Any]
PORTS = ("Left Pads", "Right Pads", "Third Box")
ALIASES = ("left", "right")
MODES = ("A", "B", "C", "D")
APPS = (("firefox", "", "News"), ("code", "", "main.py"), ("gimp", "", ""), ("", "", ""))
LIMITS = (60, 100, 180)


def random_condition(rnd: Random, modes: list[str], depth: int = 0) -> Table:
    kinds: list[Callable[[], Table]] = [
        lambda: {"type": "ModeIs", "mode": rnd.choice(modes)},
        lambda: {"type": "AppFrontmost", "app": rnd.choice(["firefox", "code"])},
        lambda: {"type": "TimeRange", "start": "09:00", "end": "17:00"},
        lambda: {"type": "ControlHeld", "cc": 64},
        lambda: {
            "type": "ControlHeld",
            "note": rnd.choice([36, 37]),
            "device": rnd.choice(ALIASES),
        },
        lambda: {"type": "VariableIs", "name": rnd.choice("xy"), "value": rnd.choice([True, 3])},
        lambda: {"type": "VariableIs", "name": rnd.choice("xy"), "operator": ">", "value": 1},
    ]
    if depth < 1 and rnd.random() < 0.25:
        inner = [random_condition(rnd, modes, 1) for _ in range(2)]
        if rnd.random() < 0.5:
            return {"type": "Not", "condition": inner[0]}
        return {"type": rnd.choice(["And", "Or"]), "conditions": inner}
    return rnd.choice(kinds)()


def random_options(rnd: Random, kind: str) -> Table:
    """Return options of gestures by which other presses count too."""
    shared: list[Table] = [{"keep_order": True}, {"require_prior_idle_ms": rnd.choice([50, 150])}]
    match kind:
        case "LongPress":
            own = [{"hold_on_other_press": True}, {"permissive_hold": True}, {"quick_tap_ms": 150}]
            return rnd.choice([*shared, *own])
        case "NoteChord" | "GamepadButtonChord":
            return rnd.choice([*shared, {"fire_when_complete": True}])
        case "DoubleTap":
            return rnd.choice(shared)
        case _:
            return {}


def random_trigger(rnd: Random, modes: list[str]) -> Table:
    note, cc = rnd.choice([36, 36, 37, 38, 39]), rnd.choice([1, 2, 64])
    low, high = sorted(rnd.sample([0, 20, 50, 64, 90, 127], 2))
    limit, button = rnd.choice(LIMITS), rnd.choice(["south", "east"])
    edge = rnd.choice(["any", "rising", "falling"])
    kinds: list[Table] = [
        {"type": "Note", "note": note},
        {"type": "Note", "note": note, "velocity_min": 60},
        {"type": "VelocityRange", "note": note, "max_velocity": 60},
        {"type": "LongPress", "note": note, "duration_ms": limit},
        {"type": "LongPress", "button": button, "duration_ms": limit},
        {"type": "DoubleTap", "note": note, "timeout_ms": limit},
        {"type": "NoteChord", "notes": rnd.sample([36, 37, 38, 39], rnd.choice([2, 2, 3])), "timeout_ms": limit},
        {"type": "NoteRelease", "note": note},
        {"type": "GamepadButton", "button": button},
        {"type": "GamepadButtonChord", "buttons": ["south", "east"], "timeout_ms": limit},
        {"type": "CC", "cc": cc, "edge": edge},
        {"type": "CC", "cc": cc, "value_min": low, "value_max": high, "edge": edge},
        {"type": "CC", "cc": cc, "value_min": 64},
        {"type": "EncoderTurn", "cc": cc, "encoding": rnd.choice(["auto", "absolute", "offset_64"])},
        {"type": "Aftertouch", "pressure_min": low, "pressure_max": high, **({"note": note} if rnd.random() < 0.6 else {})},
        {"type": "PitchBend", "value_min": 9000},
        {"type": "ProgramChange", "program": rnd.choice([4, 5])},
        {"type": "Nrpn", "parameter": 5, "value_min": 100},
        {"type": "Sysex", "pattern": rnd.choice(["F0 7E *", "F0 01 F7"])},
        {"type": "GamepadAnalogStick", "axis": "left_x", "direction": rnd.choice(["left", "right", "any"])},
        {"type": "GamepadTrigger", "trigger": "left"},
        {"type": "OscMessage", "address": "/x", "value_min": 0.5},
    ]  # fmt: skip
    weights = [5, 2, 2, 3, 1, 3, 4, 2, 2, 1, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]
    trigger = rnd.choices(kinds, weights)[0]
    if rnd.random() < 0.4:
        trigger["device"] = rnd.choice(ALIASES)
    if rnd.random() < 0.2 and trigger["type"][:4] in ("Note", "CC", "Velo"):
        trigger["channel"] = rnd.choice([1, 2])
    if rnd.random() < 0.2:
        trigger.update(random_options(rnd, trigger["type"]))
    if rnd.random() < 0.25:
        trigger["when"] = [random_condition(rnd, modes)]
    return trigger


def random_action(rnd: Random, modes: list[str], depth: int = 0) -> Table:
    key = rnd.choice("abcdefgh")
    leaves: list[Table] = [
        {"type": "Keystroke", "keys": [key]},
        {"type": "Keystroke", "keys": ["cmd", key]},
        {"type": "Keystroke", "keys": [key], "hold": "while_held"},
        {"type": "ModeChange", "mode": rnd.choice(modes), "behaviour": rnd.choice(["switch", "switch", "momentary", "toggle"])},
        {"type": "ModeChange", "behaviour": rnd.choice(["next", "previous"])},
        {"type": "SetVariable", "name": rnd.choice("xy"), "operation": rnd.choice(["set", "add", "toggle"]), "value": rnd.choice([True, 3])},
        {"type": "MidiForward", "port": rnd.choice(["left", "Conductor Out", "synth"])},
        {"type": "SendMidi", "port": rnd.choice(["right", "Conductor Out"]), "message_type": "CC", "value": {"from": "value"}},
        {"type": "Led", "device": rnd.choice(ALIASES), "control": "note 36"},
        {"type": "OscSend", "port": 9000, "address": f"/{key}", "args": [{"from": "value"}]},
        {"type": "MouseScroll", "dy": {"from": "steps"}},
        {"type": "Text", "text": f"hi {key}"},
        {"type": "Launch", "app": key},
        {"type": "Shell", "argv": ["ls", key]},
        {"type": "VolumeControl", "operation": "Set"},
        {"type": "Plugin", "server": "s", "tool": key},
    ]  # fmt: skip
    weights = [12, 2, 4, 3, 1, 4, 3, 2, 1, 1, 1, 1, 1, 2, 1, 1]
    if depth >= 2 or rnd.random() < 0.75:
        return rnd.choices(leaves, weights)[0]
    inner = [random_action(rnd, modes, depth + 1) for _ in range(2)]
    delay = {"type": "Delay", "duration_ms": rnd.choice([40, 150])}
    return rnd.choice(
        [
            {"type": "Sequence", "actions": [inner[0], delay, inner[1]]},
            {"type": "Sequence", "actions": inner},
            {"type": "Repeat", "action": inner[0], "until_release": True, "delay_ms": 70},
            {"type": "Repeat", "action": inner[0], "count": 2, "delay_ms": 50},
            {"type": "Conditional", "condition": random_condition(rnd, modes), "then": inner[0]},
            {"type": "Conditional", "condition": random_condition(rnd, modes), "then": inner[0], "else": inner[1]},
        ]
    )  # fmt: skip


def random_mapping(rnd: Random, modes: list[str]) -> Table:
    return {
        "trigger": random_trigger(rnd, modes),
        "action": random_action(rnd, modes),
        "description": rnd.choice("pqrst") + str(rnd.randrange(100)),
    }


def random_match(rnd: Random) -> Table:
    if rnd.random() < 0.3:
        return {"title_regex": rnd.choice(["main", "News|x"])}
    return {"executable": rnd.choice(["firefox", "code"])}


def random_config(rnd: Random) -> Config:
    modes: list[str] = list(MODES[: rnd.choice([1, 2, 2, 3, 3, 4])])

    def some(most: int) -> list[Table]:
        return [random_mapping(rnd, modes) for _ in range(rnd.randint(0, most))]

    return Config.model_validate(
        {
            "devices": [
                {"alias": "left", "matchers": [{"type": "NameContains", "pattern": "left"}]},
                {"alias": "right", "matchers": [{"type": "NameContains", "pattern": "right"}], "enabled": rnd.random() < 0.9},
            ],
            "modes": [{"name": name, "mappings": some(5)} for name in modes],
            "global_mappings": some(6),
            "profiles": [
                {
                    "name": name,
                    "match": random_match(rnd),
                    "mappings": some(3),
                    "enabled": rnd.random() < 0.9,
                    **({"mode": rnd.choice(modes)} if rnd.random() < 0.3 else {}),
                }
                for name in rnd.choice([[], [], ["web"], ["web", "dev"]])
            ],
            "settings": {"engine": {"allow_shell": rnd.random() < 0.5}},
        }
    )  # fmt: skip


class Changed(NamedTuple):
    """A change that can be made, and what it makes of a config."""

    kind: str
    old: Config
    new: Config
    modes: dict[str, str]
    """Old names of modes with new ones."""


def random_change(rnd: Random, old: Config) -> Changed:
    while True:
        kind = rnd.choice(list(_CHANGES))
        try:
            change = _CHANGES[kind](rnd, old)
            new = apply_change(old, change)
        except (ConfigError, UnknownMode, UnknownDevice, IndexError, KeyError, ValueError):
            continue
        if new != old and _is_whole(new):
            renamed = isinstance(change, UpdateMode) and change.new_name
            return Changed(kind, old, new, {change.name: change.new_name} if renamed else {})  # pyright: ignore


def _is_whole(config: Config) -> bool:
    """Check that a profile and the start name modes that are there."""
    names = {mode.name for mode in config.modes}
    return all(profile.mode in (None, *names) for profile in config.profiles)


def _place(rnd: Random, config: Config) -> tuple[Table, tuple[Mapping, ...]]:
    places: list[tuple[Table, tuple[Mapping, ...]]] = [({}, config.global_mappings)]
    places += [({"mode": mode.name}, mode.mappings) for mode in config.modes]
    places += [({"profile": one.name}, one.mappings) for one in config.profiles]
    return rnd.choice(places)


def mode_names(config: Config) -> list[str]:
    return [mode.name for mode in config.modes]


def _create(rnd: Random, config: Config) -> Change:
    mapping = Mapping.model_validate(random_mapping(rnd, mode_names(config)))
    return CreateMapping(**_place(rnd, config)[0], index=rnd.choice([None, 0]), mapping=mapping)


def _at(rnd: Random, config: Config) -> Table:
    place, rows = _place(rnd, config)
    return {**place, "index": rnd.randrange(len(rows))}


def _update_trigger(rnd: Random, config: Config) -> Change:
    fields = {"trigger": random_trigger(rnd, mode_names(config))}
    return UpdateMapping.model_validate({**_at(rnd, config), **fields})


def _update_when(rnd: Random, config: Config) -> Change:
    place, rows = _place(rnd, config)
    at = rnd.randrange(len(rows))
    when = rnd.choice([[], [random_condition(rnd, mode_names(config))]])
    trigger = {**rows[at].trigger.to_plain(), "when": when}
    return UpdateMapping.model_validate({**place, "index": at, "trigger": trigger})


def _update_action(rnd: Random, config: Config) -> Change:
    fields = {"action": random_action(rnd, mode_names(config))}
    return UpdateMapping.model_validate({**_at(rnd, config), **fields})


def _toggle_mapping(rnd: Random, config: Config) -> Change:
    place, rows = _place(rnd, config)
    at = rnd.randrange(len(rows))
    return UpdateMapping(**place, index=at, enabled=not rows[at].enabled)


def _move(rnd: Random, config: Config) -> Change:
    place, rows = _place(rnd, config)
    return MoveMapping(**place, index=rnd.randrange(len(rows)), to_index=rnd.randrange(len(rows)))


def _move_elsewhere(rnd: Random, config: Config) -> Change:
    goal = rnd.choice([{"to_global": True}, {"to_mode": rnd.choice(mode_names(config))}])
    return MoveMapping.model_validate({**_at(rnd, config), **goal})


def _describe(rnd: Random, config: Config) -> Change:
    return UpdateMapping(**_at(rnd, config), description=f"new {rnd.randrange(1000)}")


def _create_mode(rnd: Random, config: Config) -> Change:
    rows = [Mapping.model_validate(random_mapping(rnd, mode_names(config))) for _ in range(2)]
    return CreateMode(name="E", mappings=tuple(rows), index=rnd.choice([None, 0, 1]))


def _reorder_modes(rnd: Random, config: Config) -> Change:
    modes = list(config.modes)
    rnd.shuffle(modes)
    return ReplaceConfig(config=config.model_copy(update={"modes": tuple(modes)}))


def _create_device(rnd: Random, config: Config) -> Change:
    matcher = rnd.choice(
        [
            {"type": "ExactName", "pattern": rnd.choice(PORTS)},
            {"type": "NameContains", "pattern": rnd.choice(["box", "pads", "left"])},
        ]
    )
    return CreateDevice.model_validate({"device": {"alias": "extra", "matchers": [matcher]}})


def _matchers(rnd: Random, config: Config) -> Change:
    pattern = rnd.choice(["left", "right", "third", "pads", "nothing"])
    matchers = [{"type": "NameContains", "pattern": pattern}]
    return UpdateDevice.model_validate({"alias": rnd.choice(ALIASES), "matchers": matchers})


def _mute(rnd: Random, config: Config) -> Change:
    device = rnd.choice(config.devices)
    return UpdateDevice(alias=device.alias, enabled=not device.enabled)


def _create_profile(rnd: Random, config: Config) -> Change:
    rows = [random_mapping(rnd, mode_names(config))]
    mode = rnd.choice([None, *mode_names(config)])
    profile = {"name": "late", "match": random_match(rnd), "mappings": rows, "mode": mode}
    return CreateProfile.model_validate({"profile": profile})


def _profile(rnd: Random, config: Config) -> str:
    return rnd.choice([profile.name for profile in config.profiles])


def _settings(*fields: Table) -> Callable[[Random, Config], Change]:
    return lambda rnd, _config: UpdateSettings(settings={"engine": rnd.choice(fields)})


_CHANGES: dict[str, Callable[[Random, Config], Change]] = {
    "create mapping": _create,
    "create mapping again": _create,
    "update trigger": _update_trigger,
    "update conditions": _update_when,
    "update action": _update_action,
    "update another action": _update_action,
    "delete mapping": lambda rnd, config: DeleteMapping(**_at(rnd, config)),
    "toggle mapping": _toggle_mapping,
    "move mapping": _move,
    "move mapping elsewhere": _move_elsewhere,
    "describe mapping": _describe,
    "create mode": _create_mode,
    "rename mode": lambda rnd, config: UpdateMode(
        name=rnd.choice(mode_names(config)), new_name="Z"
    ),
    "delete mode": lambda rnd, config: DeleteMode(name=rnd.choice(mode_names(config))),
    "reorder modes": _reorder_modes,
    "create device": _create_device,
    "rename device": lambda rnd, _: UpdateDevice(alias=rnd.choice(ALIASES), new_alias="deck"),
    "rematch device": _matchers,
    "mute device": _mute,
    "delete device": lambda rnd, _: DeleteDevice(alias=rnd.choice(ALIASES)),
    "create profile": _create_profile,
    "delete profile": lambda rnd, config: DeleteProfile(name=_profile(rnd, config)),
    "rename profile": lambda rnd, config: UpdateProfile(name=_profile(rnd, config), new_name="app"),
    "rematch profile": lambda rnd, config: UpdateProfile.model_validate(
        {"name": _profile(rnd, config), "match": random_match(rnd)}
    ),
    "profile mode": lambda rnd, config: UpdateProfile(
        name=_profile(rnd, config), mode=rnd.choice(["", *mode_names(config)])
    ),
    "toggle profile": lambda rnd, config: UpdateProfile(
        name=(name := _profile(rnd, config)),
        enabled=not next(one for one in config.profiles if one.name == name).enabled,
    ),
    "shell": _settings({"allow_shell": True}, {"allow_shell": False}),
    "output": _settings({"virtual_output": "Mine"}, {"virtual_output": ""}),
    "cmd key": _settings({"cmd_key": "super"}, {"cmd_key": "alt"}),
    "start mode": lambda rnd, config: UpdateSettings(
        settings={"engine": {"start_mode": rnd.choice(mode_names(config))}}
    ),
}
