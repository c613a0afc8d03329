"""Finds where a change starts: the mappings, modes, devices, profiles and settings
that differ between configs.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from difflib import SequenceMatcher
from typing import Any

from conductor.domain.actions import Action
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.led import LedAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.conditions import ControlHeld
from conductor.domain.config import Config
from conductor.domain.events import ControlClass
from conductor.domain.impact import DEVICES_WITHOUT_ALIAS
from conductor.domain.keys import resolve_cmd_key
from conductor.domain.scopes import parse_scope
from conductor.domain.settings import EngineSettings
from conductor.engine.impact.names import find_moved_devices, find_moved_profiles
from conductor.engine.impact.rows import ControlKey, ImpactRow
from conductor.engine.impact.spread import ImpactSpread

_GAMEPAD_CLASSES: tuple[ControlClass, ...] = ("button", "axis", "gamepad_trigger")
VIRTUAL_DEVICE = "virtual"


def mark_changed_rows(spread: ImpactSpread) -> None:
    """Mark each mapping that was added, removed, moved among the mappings on its
    control, or got another action.
    """
    old, new = spread.sides
    for scope in dict.fromkeys((*old.in_scope, *new.in_scope)):
        here, there = old.in_scope.get(scope, {}), new.in_scope.get(scope, {})
        for place in dict.fromkeys((*here, *there)):
            before, after = here.get(place, []), there.get(place, [])
            if [row.key for row in before] != [row.key for row in after]:
                _mark_changed_place(spread, before, after)


def _mark_changed_place(
    spread: ImpactSpread, before: list[ImpactRow], after: list[ImpactRow]
) -> None:
    """Mark the mappings on one control of a scope that differ.

    Each gesture is compared separately, because the order of mappings matters only within a gesture.
    """
    for gesture in dict.fromkeys(row.gesture for row in (*before, *after)):
        old = [row for row in before if row.gesture == gesture]
        new = [row for row in after if row.gesture == gesture]
        matcher = SequenceMatcher(None, [r.key for r in old], [r.key for r in new], autojunk=False)
        moved = {row.key for row in old} & {row.key for row in new}
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                _mark_replaced_rows(spread, old[i1:i2], new[j1:j2], moved)


def _mark_replaced_rows(
    spread: ImpactSpread,
    old: Sequence[ImpactRow],
    new: Sequence[ImpactRow],
    moved: Set[tuple[int, int]],
) -> None:
    same_triggers = [row.trigger_key for row in old] == [row.trigger_key for row in new]
    if not same_triggers:
        for side, rows, is_alone in ((0, old, not new), (1, new, not old)):
            for row in rows:
                name = _format_row_name(row)
                if row.key in moved:
                    why = f"{name} is moved"
                elif side == 0:
                    why = f"{name} is removed" if is_alone else f"{name} is removed or changed"
                else:
                    why = f"{name} is new" if is_alone else f"{name} is new or changed"
                spread.mark_row_changed(row, side, why)
        return
    for old_row, new_row in zip(old, new, strict=True):
        switches = [
            _find_switch_target(spread, side, row) for side, row in ((0, old_row), (1, new_row))
        ]
        targets_known = None not in switches
        if targets_known:
            spread.modes.add_pairs(*([target] for target in switches if target is not None))
        for side, row in ((0, old_row), (1, new_row)):
            why = f"{_format_row_name(row)} has another action"
            spread.mark_effect_changed(row, side, why, sets_modes=not targets_known)


def _find_switch_target(spread: ImpactSpread, side: int, row: ImpactRow) -> str | None:
    """Return the mode that a mapping always switches to, or None if it does not switch to one known mode."""
    action = row.mapping.action
    if isinstance(action, ModeChangeAction) and action.behaviour == "switch":
        return action.mode if action.mode in spread.sides[side].modes else None
    return None


def _format_row_name(row: ImpactRow) -> str:
    if row.mapping.description:
        return f"`{row.mapping.description}`"
    kind, owner = parse_scope(row.scope)
    return f"a mapping of {f'{kind} {owner}' if owner else 'all modes'}"


def mark_mode_changes(spread: ImpactSpread) -> list[str]:
    """Mark the mappings that depend on the list of modes: the start mode, next and previous
    modes, or removed modes.
    """
    old, new = spread.sides
    start, new_start = old.config.get_start_mode(), new.config.get_start_mode()
    notes: list[str] = []
    if start != new_start:
        spread.modes.add_pairs([start], [new_start])
        notes.append(f"Conductor starts in mode {new_start} instead of {start}")
    for mode in old.modes:
        if mode not in new.modes:
            spread.modes.add_pairs([mode], [new_start])
            writes = [write for row in old.rows for write in row.mode_writes]
            if not any(write.target == mode or write.behaviour != "switch" for write in writes):
                spread.replaced.add((mode, new_start))
    for side, row in spread.iterate_rows():
        for write in row.mode_writes:
            if (write.target in old.modes) != (write.target in new.modes):
                spread.mark_effect_changed(row, side, f"mode {write.target} is added or removed")
            if write.behaviour in ("next", "previous"):
                _mark_mode_successors(spread, row, side, 1 if write.behaviour == "next" else -1)
    return notes


def _mark_mode_successors(spread: ImpactSpread, row: ImpactRow, side: int, step: int) -> None:
    old, new = spread.sides
    for mode in old.modes:
        if mode in new.modes and old.find_mode_after(mode, step) != new.find_mode_after(mode, step):
            own = row.get_active_modes()
            here = None if any(w.is_late for w in row.mode_writes) else frozenset((mode,))
            if own is None or here is None or mode in own:
                spread.mark_effect_changed(row, side, "the order of modes differs", modes=here)


def mark_device_changes(spread: ImpactSpread) -> None:
    """Mark the mappings on ports that get another alias and on devices that are muted or unmuted, and all
    mappings that send to such a port or device.
    """
    old, new = (side.config for side in spread.sides)
    old_enabled, new_enabled = (
        {d.alias: d.enabled for d in config.devices} for config in (old, new)
    )
    for before, after in sorted(find_moved_devices(old, new)):
        why = f"its device may be {_describe_device(after)} instead of {_describe_device(before)}"
        heard_alike = old_enabled.get(before, True) == new_enabled.get(after, True)
        # Devices without an alias share no state with other devices, so the alias is
        # enough to identify the pair.
        for device in {before, after} - {DEVICES_WITHOUT_ALIAS}:
            mark_device_listeners(spread, device, why, only_remembering=heard_alike)
        _mark_output_rows(spread, {before, after})
    for alias in [
        alias
        for alias in old_enabled
        if alias in new_enabled and old_enabled[alias] != new_enabled[alias]
    ]:
        mark_device_listeners(
            spread, alias, f"device {alias} is {'enabled' if new_enabled[alias] else 'muted'}"
        )


def _describe_device(device: str) -> str:
    return "a device without alias" if device == DEVICES_WITHOUT_ALIAS else device


def mark_device_listeners(
    spread: ImpactSpread,
    device: str,
    why: str,
    *,
    classes: Iterable[ControlClass] | None = None,
    only_remembering: bool = False,
) -> None:
    """Mark the mappings that listen to a device.

    With `only_remembering`, a mapping for any device is marked only if it remembers values, because these
    are remembered for each device separately.
    """
    for side, row in spread.iterate_rows():
        if classes is not None and row.places[0][0] not in classes:
            continue
        if row.device == device or (
            row.device is None and (not only_remembering or row.depends_on_history())
        ):
            spread.mark_row_changed(row, side, why, device=device)
        _mark_held_condition_rows(spread, row, side, device)


def _mark_held_condition_rows(spread: ImpactSpread, row: ImpactRow, side: int, device: str) -> None:
    def reads_held_control(held: tuple[ControlHeld, ...]) -> bool:
        return any(condition.device in (None, device) for condition in held)

    why = "it depends on a held control"
    if reads_held_control(row.when.held):
        spread.mark_row_changed(row, side, why)
    if reads_held_control(row.action_reads.held):
        spread.mark_effect_changed(row, side, why)


def _mark_output_rows(spread: ImpactSpread, names: set[str]) -> None:
    for side, row in spread.iterate_rows():
        if any(_get_output_port(part) in names for part in row.parts):
            spread.mark_effect_changed(row, side, "it is sent to another device")


def _get_output_port(part: Any) -> str | None:
    if isinstance(part, SendMidiAction | MidiForwardAction):
        return part.port
    return part.device if isinstance(part, LedAction) else None


def mark_profile_changes(spread: ImpactSpread) -> None:
    """Mark everything that depends on the profile, or its mode, that an app
    activates, if these have changed.
    """
    old, new = (side.config for side in spread.sides)
    moves = find_moved_profiles(old, new)
    names = {name for pair in moves for name in pair if name is not None}
    for side, row in spread.iterate_rows():
        if row.kind == "profile" and row.owner in names:
            spread.mark_row_changed(row, side, f"profile {row.owner} is chosen for other apps")
    modes = tuple({p.name: p.mode for p in config.profiles if p.enabled} for config in (old, new))
    if moves:
        spread.mark_releases_changed(None)
        if any((*modes[0].values(), *modes[1].values())):
            # A profile switches the mode each time its app comes to the foreground,
            # so every pair is possible.
            spread.modes.add_pairs(spread.sides[0].modes, spread.sides[1].modes)
        return
    for name in modes[0].keys() & modes[1].keys():
        if modes[0][name] != modes[1][name]:
            before, after = (
                _list_profile_modes(spread, side, modes[side][name]) for side in (0, 1)
            )
            spread.modes.add_pairs(before, after)


def _list_profile_modes(spread: ImpactSpread, side: int, mode: str | None) -> tuple[str, ...]:
    """Return the modes that may be active after a profile was activated: its own mode or,
    if it has none, all modes.
    """
    return spread.sides[side].modes if mode is None else (mode,)


def mark_watched_controls(spread: ImpactSpread) -> None:
    """Mark the knobs that only one config watches for a condition, because their first
    value is judged differently.
    """
    watched: list[set[ControlKey]] = [set(), set()]
    for side, row in spread.iterate_rows():
        for held in (*row.when.held, *row.action_reads.held):
            watched[side].add(held.get_control())  # pyright: ignore[reportArgumentType]
    for place in watched[0] ^ watched[1]:
        for side, table in enumerate(spread.sides):
            for row in table.find_listeners(place):
                if row.gesture == "change" and row.depends_on_history():
                    spread.mark_row_changed(row, side, "a condition watches its control")


def mark_settings_changes(spread: ImpactSpread) -> list[str]:
    """Mark the mappings whose effects depend on changed settings, and return the names of these settings."""
    old, new = (side.config for side in spread.sides)
    old_engine, new_engine = old.settings.engine, new.settings.engine
    notes = [
        f"settings.engine.{name}"
        for name in EngineSettings.model_fields
        if getattr(old_engine, name) != getattr(new_engine, name)
    ]
    if resolve_cmd_key(old_engine.cmd_key) != resolve_cmd_key(new_engine.cmd_key):
        _mark_rows_with_actions(spread, "`cmd` is another key", _uses_cmd_key)
    if old_engine.allow_shell != new_engine.allow_shell:
        _mark_rows_with_actions(spread, "Shell actions", lambda part: part.runs_command())
    if old_engine.action_timeout_s != new_engine.action_timeout_s:
        _mark_rows_with_actions(spread, "it may take longer or shorter", lambda part: part.blocking)
    if old.skills != new.skills:
        notes.append("skills")
        _mark_rows_with_actions(
            spread, "its tool may be allowed", lambda part: isinstance(part, PluginAction)
        )
    if old_engine.virtual_output != new_engine.virtual_output:
        outputs = [
            name.casefold() for name in (old_engine.virtual_output, new_engine.virtual_output)
        ]
        why = "Conductor's output has another name"
        _mark_rows_with_actions(
            spread,
            why,
            lambda part: any((_get_output_port(part) or "\n").casefold() in o for o in outputs),
        )
    _mark_input_changes(spread, old_engine, new_engine)
    notes += [
        f"settings.{name}"
        for name in ("ui", "learn", "voice", "names")
        if getattr(old.settings, name) != getattr(new.settings, name)
    ]
    notes += [name for name in ("llm", "knowledge") if getattr(old, name) != getattr(new, name)]
    return notes


def _uses_cmd_key(part: Any) -> bool:
    return isinstance(part, KeystrokeAction) and "cmd" in part.keys


def _mark_rows_with_actions(
    spread: ImpactSpread, why: str, concerns: Callable[[Action], bool]
) -> None:
    for side, row in spread.iterate_rows():
        if any(concerns(part) for part in row.parts):
            spread.mark_effect_changed(row, side, why)


def _mark_input_changes(spread: ImpactSpread, old: EngineSettings, new: EngineSettings) -> None:
    """Mark the mappings on inputs that the change opens, closes or renames."""
    if old.open_inputs != new.open_inputs:
        mark_device_listeners(spread, DEVICES_WITHOUT_ALIAS, "`open_inputs` changes")
    if old.virtual_input != new.virtual_input:
        why = "Conductor's input has another name"
        mark_device_listeners(spread, DEVICES_WITHOUT_ALIAS, why)
        for device in spread.sides[1].config.devices:
            names = (old.virtual_input, new.virtual_input)
            if any(_may_match_name(matcher, name) for matcher in device.matchers for name in names):
                mark_device_listeners(spread, device.alias, why)
    if old.virtual_controller != new.virtual_controller:
        mark_device_listeners(spread, VIRTUAL_DEVICE, "the built-in controller is added or removed")
    if (old.osc_port, old.osc_host) != (new.osc_port, new.osc_host):
        mark_device_listeners(spread, "osc", "the OSC port or host changes", classes=("osc",))
    if old.gamepads != new.gamepads:
        for device in (
            DEVICES_WITHOUT_ALIAS,
            *(device.alias for device in spread.sides[1].config.devices),
        ):
            mark_device_listeners(
                spread, device, "gamepads are enabled or disabled", classes=_GAMEPAD_CLASSES
            )


def _may_match_name(matcher: Any, name: str) -> bool:
    """Return whether a matcher may match a port with this name."""
    if matcher.type in ("UsbTopology", "UsbIdentifier"):
        return False
    if matcher.type == "ExactName":
        return matcher.pattern == name
    return matcher.type != "NameContains" or matcher.pattern.casefold() in name.casefold()


def mark_direct_changes(spread: ImpactSpread, old: Config, new: Config) -> list[str]:
    """Mark everything that the change affects directly, and describe the differences that are not mappings."""
    mark_changed_rows(spread)
    notes = mark_mode_changes(spread)
    if old.devices != new.devices:
        mark_device_changes(spread)
    if old.profiles != new.profiles:
        mark_profile_changes(spread)
    mark_watched_controls(spread)
    return [*mark_settings_changes(spread), *notes]
