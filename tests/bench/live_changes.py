"""Random changes of a live config, each with the tools that an outside agent would plan it with."""

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple

from pydantic import ValidationError
from tests.bench.live_configs import (
    DEVICES,
    LIMITS_MS,
    NOTES,
    RESET,
    Plain,
    random_action,
    random_condition,
    random_row,
    random_trigger,
    random_value,
)

from conductor.config.parse import parse_config
from conductor.config.render import render_config
from conductor.domain.config import Config
from conductor.errors import ConfigError

Operation = tuple[str, Plain]
"""A tool and its arguments."""


class RandomChange(NamedTuple):
    """A config with one change."""

    kind: str
    new: Config
    operations: tuple[Operation, ...]
    """Empty when no tool makes such a change: the file is edited."""


class Unsuitable(Exception):
    """The config has nothing that this kind of change could change."""


class Place(NamedTuple):
    """A mapping in the plain data of a config."""

    rows: list[Plain]
    at: int
    where: Plain
    """`{"mode": name}`, or nothing for the global mappings."""

    @property
    def row(self) -> Plain:
        return self.rows[self.at]

    def operation(self, tool: str, **fields: Any) -> Operation:
        return f"conductor_{tool}_mapping", {**self.where, "index": self.at, **fields}


class Draft:
    """A config that is being changed, and what is likely to matter in it."""

    def __init__(self, plain: Plain, rng: random.Random, played: set[tuple[str, int]]) -> None:
        """`played` are scope and index of mappings that act when the hands play."""
        self.plain = deepcopy(plain)
        self.rng = rng
        self._played = played

    def places(self) -> list[Place]:
        """Return every mapping but the one that sets the variables back."""
        found = [
            Place(mode["mappings"], at, {"mode": mode["name"]})
            for mode in self.plain["modes"]
            for at in range(len(mode["mappings"]))
        ]
        rows = self.plain["global_mappings"]
        found += [Place(rows, at, {}) for at, row in enumerate(rows) if not _is_reset(row)]
        return found

    def place(self, fits: Callable[[Plain], bool] = lambda row: True) -> Place:
        """Choose a mapping, mostly one that acts.

        Raises:
            Unsuitable: there is none that fits.
        """
        fitting = [one for one in self.places() if fits(one.row)]
        acting = [one for one in fitting if self._acts(one)]
        if not fitting:
            raise Unsuitable
        return self.rng.choice(acting if acting and self.rng.random() < 0.8 else fitting)

    def _acts(self, place: Place) -> bool:
        scope = f"mode:{place.where['mode']}" if place.where else "global"
        return (scope, place.at) in self._played

    def trigger(self, place: Place, **fields: Any) -> tuple[Operation, ...]:
        """Change fields of a trigger; None removes one."""
        trigger = {**place.row["trigger"], **fields}
        place.row["trigger"] = {name: item for name, item in trigger.items() if item is not None}
        return (place.operation("update", trigger=place.row["trigger"]),)

    def action(self, place: Place, action: Plain) -> tuple[Operation, ...]:
        place.row["action"] = action
        return (place.operation("update", action=action),)


def _is_reset(row: Plain) -> bool:
    return row["trigger"].get("note") == RESET


def change_at_random(
    plain: Plain, rng: random.Random, kind: str, played: set[tuple[str, int]], osc_port: int
) -> RandomChange | None:
    """Return a change of a kind; None when the config does not suit it, or would be no other."""
    draft = Draft(plain, rng, played)
    old = Config.model_validate(plain)
    try:
        operations = CHANGES[kind](draft, osc_port)
        new = parse_config(render_config(Config.model_validate(draft.plain)))
    except (Unsuitable, ValidationError, ConfigError):
        return None
    return None if new == old else RandomChange(kind, new, operations)


Operations = tuple[Operation, ...]


def _note(draft: Draft, _port: int) -> Operations:
    place = draft.place(lambda row: "note" in row["trigger"])
    return draft.trigger(place, note=draft.rng.choice(NOTES))


def _channel(draft: Draft, _port: int) -> Operations:
    return draft.trigger(draft.place(), channel=draft.rng.choice([1, 2, None]))


def _device(draft: Draft, _port: int) -> Operations:
    return draft.trigger(draft.place(), device=draft.rng.choice([*DEVICES, None]))


def _another_trigger(draft: Draft, _port: int) -> Operations:
    place = draft.place()
    place.row["trigger"] = random_trigger(draft.rng)
    return draft.trigger(place)


def _another_action(draft: Draft, port: int) -> Operations:
    return draft.action(draft.place(), random_action(draft.rng, port))


def _value(draft: Draft, _port: int) -> Operations:
    """Change the value that a message is sent with, or its curve."""
    place = draft.place(lambda row: row["action"].get("message_type") in ("NoteOn", "CC"))
    action = place.row["action"]
    name = "velocity" if action["message_type"] == "NoteOn" else "value"
    return draft.action(place, {**action, name: random_value(draft.rng)})


def _forward(draft: Draft, _port: int) -> Operations:
    place = draft.place(lambda row: row["action"]["type"] == "MidiForward")
    changed = {"transpose": draft.rng.choice([-12, 7]), "channel": draft.rng.randint(3, 16)}
    return draft.action(place, {**place.row["action"], **changed})


def _output(draft: Draft, _port: int) -> Operations:
    place = draft.place(lambda row: "port" in row["action"] and row["action"]["type"] != "OscSend")
    port = draft.rng.choice(["Synth In", "Conductor Out", "keys", "nothing there"])
    return draft.action(place, {**place.row["action"], "port": port})


def _condition(draft: Draft, _port: int) -> Operations:
    return draft.trigger(draft.place(), when=[random_condition(draft.rng)])


def _no_condition(draft: Draft, _port: int) -> Operations:
    return draft.trigger(draft.place(lambda row: bool(row["trigger"].get("when"))), when=[])


def _time_limit(draft: Draft, _port: int) -> Operations:
    place = draft.place(lambda row: bool({"duration_ms", "timeout_ms"} & set(row["trigger"])))
    name = "duration_ms" if "duration_ms" in place.row["trigger"] else "timeout_ms"
    return draft.trigger(place, **{name: draft.rng.choice([60, *LIMITS_MS, 700])})


def _option(draft: Draft, _port: int) -> Operations:
    place = draft.place(lambda row: row["trigger"]["type"] in _OPTIONS)
    name, value = draft.rng.choice(_OPTIONS[place.row["trigger"]["type"]])
    return draft.trigger(place, **{name: None if name in place.row["trigger"] else value})


_ORDER: list[tuple[str, Any]] = [("keep_order", True), ("require_prior_idle_ms", 300)]
_OPTIONS: dict[str, list[tuple[str, Any]]] = {
    "LongPress": [*_ORDER, ("hold_on_other_press", True), ("permissive_hold", True)],
    "DoubleTap": _ORDER,
    "NoteChord": [*_ORDER, ("fire_when_complete", True)],
}


def _disable(draft: Draft, _port: int) -> Operations:
    place = draft.place()
    place.row["enabled"] = False
    return (place.operation("update", enabled=False),)


def _delete(draft: Draft, _port: int) -> Operations:
    place = draft.place()
    del place.rows[place.at]
    return (place.operation("delete"),)


def _add(draft: Draft, port: int) -> Operations:
    place, row = draft.place(), random_row(draft.rng, port)
    place.rows.insert(place.at, row)
    return (place.operation("create", **row),)


def _order(draft: Draft, _port: int) -> Operations:
    place = draft.place()
    to = draft.rng.randrange(len(place.rows))
    place.rows.insert(to, place.rows.pop(place.at))
    return (place.operation("update", to_index=to),)


def _move(draft: Draft, _port: int) -> Operations:
    """Move a mapping to another mode."""
    place, mode = draft.place(), draft.rng.choice(draft.plain["modes"])
    row = place.row
    del place.rows[place.at]
    mode["mappings"].append(row)
    create = ("conductor_create_mapping", {"mode": mode["name"], **row})
    return (place.operation("delete"), create)


def _rename_mode(draft: Draft, _port: int) -> Operations:
    mode = draft.rng.choice(draft.plain["modes"])
    old, mode["name"] = mode["name"], "Renamed"
    _replace(draft.plain, ("mode",), old, "Renamed")
    return (("conductor_update_mode", {"mode": old, "new_name": "Renamed"}),)


def _replace(item: Any, keys: tuple[str, ...], old: str, new: str) -> None:
    """Change every reference under these keys, wherever it is."""
    if isinstance(item, dict):
        for key in keys:
            if item.get(key) == old:
                item[key] = new
        for part in item.values():
            _replace(part, keys, old, new)
    elif isinstance(item, list):
        for part in item:
            _replace(part, keys, old, new)


def _delete_mode(draft: Draft, _port: int) -> Operations:
    at = draft.rng.randrange(1, len(draft.plain["modes"]))
    name = draft.plain["modes"].pop(at)["name"]
    if f"'mode': '{name}'" in repr(draft.plain):
        raise Unsuitable  # a mode that is still referred to cannot be deleted
    return (("conductor_delete_mode", {"mode": name}),)


def _order_modes(draft: Draft, _port: int) -> Operations:
    draft.rng.shuffle(draft.plain["modes"])
    return ()


def _rename_alias(draft: Draft, _port: int) -> Operations:
    device = draft.rng.choice(draft.plain["devices"])
    old, device["alias"] = device["alias"], "renamed"
    _replace(draft.plain, ("device", "port"), old, "renamed")
    return ()


def _delete_alias(draft: Draft, _port: int) -> Operations:
    draft.plain["devices"].pop(draft.rng.randrange(2))
    return ()


def _better_alias(draft: Draft, _port: int) -> Operations:
    """Add an alias that fits a device better than the one it has."""
    name = draft.rng.choice(list(DEVICES.values()))
    device = {"alias": "better", "matchers": [{"type": "ExactName", "pattern": f"{name}:out"}]}
    draft.plain["devices"].append(device)
    return (("conductor_create_device_identity", device),)


def _matchers(draft: Draft, _port: int) -> Operations:
    """Swap the devices of the aliases, or make one match no connected device."""
    one, other = draft.plain["devices"]
    if draft.rng.random() < 0.5:
        one["matchers"], other["matchers"] = other["matchers"], one["matchers"]
    else:
        one["matchers"] = [{"type": "ExactName", "pattern": "Not there"}]
    return ()


def _mute(draft: Draft, _port: int) -> Operations:
    draft.rng.choice(draft.plain["devices"])["enabled"] = False
    return ()


def _setting(name: str, *values: Any) -> Callable[[Draft, int], Operations]:
    def change(draft: Draft, _port: int) -> Operations:
        engine = {name: draft.rng.choice(values)}
        draft.plain["settings"] = {"engine": engine}
        return (("conductor_update_settings", {"settings": {"engine": engine}}),)

    return change


def _variable(draft: Draft, _port: int) -> Operations:
    place = draft.place(lambda row: row["action"]["type"] == "SetVariable")
    changed = {"name": draft.rng.choice(["x", "n"]), "operation": "set", "value": 2}
    return draft.action(place, {"type": "SetVariable", **changed})


def _pace(draft: Draft, _port: int) -> Operations:
    """Change how long a sequence or repetition waits."""
    place = draft.place(lambda row: row["action"]["type"] in ("Sequence", "Repeat"))
    action, pace = deepcopy(place.row["action"]), draft.rng.choice(LIMITS_MS)
    for part in [action, *action.get("actions", [])]:
        for name in ("delay_ms", "duration_ms"):
            if name in part:
                part[name] = pace
    return draft.action(place, action)


CHANGES: dict[str, Callable[[Draft, int], Operations]] = {
    "note": _note,
    "channel": _channel,
    "device": _device,
    "another trigger": _another_trigger,
    "another action": _another_action,
    "value or curve": _value,
    "forwarding": _forward,
    "output": _output,
    "condition": _condition,
    "no condition": _no_condition,
    "time limit": _time_limit,
    "gesture option": _option,
    "disable": _disable,
    "delete": _delete,
    "add": _add,
    "order": _order,
    "move to a mode": _move,
    "rename a mode": _rename_mode,
    "delete a mode": _delete_mode,
    "order modes": _order_modes,
    "rename an alias": _rename_alias,
    "delete an alias": _delete_alias,
    "better alias": _better_alias,
    "matchers": _matchers,
    "mute a device": _mute,
    "virtual output": _setting("virtual_output", "", "Other Out"),
    "start mode": _setting("start_mode", "B", "C"),
    "open inputs": _setting("open_inputs", "configured"),
    "variable": _variable,
    "pace": _pace,
}
