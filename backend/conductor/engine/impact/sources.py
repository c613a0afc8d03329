"""Where a change begins: the rows, modes, devices, profiles and settings that are not what they were."""

from collections.abc import Callable, Iterable, Sequence
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
from conductor.domain.impact import WITHOUT_ALIAS
from conductor.domain.keys import cmd_key
from conductor.domain.settings import EngineSettings
from conductor.engine.impact.names import moved_devices, moved_profiles
from conductor.engine.impact.rows import Place, Row
from conductor.engine.impact.spread import Spread

_GAMEPAD: tuple[ControlClass, ...] = ("button", "axis", "gamepad_trigger")
VIRTUAL_DEVICE = "virtual"


def touch_changed_rows(spread: Spread) -> None:
    """Touch each row that came, went, moved among its rivals, or does something else."""
    old, new = spread.sides
    for scope in dict.fromkeys((*old.in_scope, *new.in_scope)):
        here, there = old.in_scope.get(scope, {}), new.in_scope.get(scope, {})
        for place in dict.fromkeys((*here, *there)):
            before, after = here.get(place, []), there.get(place, [])
            if [row.key for row in before] != [row.key for row in after]:
                _touch_place(spread, before, after)


def _touch_place(spread: Spread, before: list[Row], after: list[Row]) -> None:
    """Compare the rows of one scope for one control; only rows of one gesture compete by their order."""
    for gesture in dict.fromkeys(row.gesture for row in (*before, *after)):
        old = [row for row in before if row.gesture == gesture]
        new = [row for row in after if row.gesture == gesture]
        matcher = SequenceMatcher(None, [r.key for r in old], [r.key for r in new], autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                _touch_replaced(spread, old[i1:i2], new[j1:j2])


def _touch_replaced(spread: Spread, old: Sequence[Row], new: Sequence[Row]) -> None:
    same_triggers = [row.trigger_key for row in old] == [row.trigger_key for row in new]
    if not same_triggers:
        for row in old:
            spread.touch_row(row, 0, f"{_name(row)} goes, moves or changes")
        for row in new:
            spread.touch_row(row, 1, f"{_name(row)} is new, moved or changed")
        return
    for one, other in zip(old, new, strict=True):
        switches = [_switch_target(spread, side, row) for side, row in ((0, one), (1, other))]
        known = None not in switches
        if known:
            spread.modes.add(*([target] for target in switches if target is not None))
        for side, row in ((0, one), (1, other)):
            why = f"{_name(row)} does something else"
            spread.touch_effect(row, side, why, sets_modes=not known)


def _switch_target(spread: Spread, side: int, row: Row) -> str | None:
    """Return the mode that a row switches to whenever it fires; None where it may be another."""
    action = row.mapping.action
    if isinstance(action, ModeChangeAction) and action.behaviour == "switch":
        return action.mode if action.mode in spread.sides[side].modes else None
    return None


def _name(row: Row) -> str:
    return (
        f"`{row.mapping.description}`" if row.mapping.description else f"a mapping of {row.scope}"
    )


def touch_modes(spread: Spread) -> list[str]:
    """Touch what follows from the list of modes: where it starts, what comes next, what is gone."""
    old, new = spread.sides
    start, begins = old.config.start_mode(), new.config.start_mode()
    said: list[str] = []
    if start != begins:
        spread.modes.add([start], [begins])
        said.append(f"Conductor starts in mode {begins} instead of {start}")
    for mode in old.modes:
        if mode not in new.modes:
            spread.modes.add([mode], [begins])
            writes = [write for row in old.rows for write in row.mode_writes]
            if not any(write.target == mode or write.behaviour != "switch" for write in writes):
                spread.replaced.add((mode, begins))
    for side, row in spread.all_rows():
        for write in row.mode_writes:
            if (write.target in old.modes) != (write.target in new.modes):
                spread.touch_effect(row, side, f"mode {write.target} is there or not")
            if write.behaviour in ("next", "previous"):
                _touch_successors(spread, row, side, 1 if write.behaviour == "next" else -1)
    return said


def _touch_successors(spread: Spread, row: Row, side: int, step: int) -> None:
    old, new = spread.sides
    for mode in old.modes:
        if mode in new.modes and old.successor(mode, step) != new.successor(mode, step):
            own = row.modes()
            here = None if any(w.is_late for w in row.mode_writes) else frozenset((mode,))
            if own is None or here is None or mode in own:
                spread.touch_effect(row, side, "another mode comes next", modes=here)


def touch_devices(spread: Spread) -> None:
    """Touch what ports that get another alias, and muted devices, play; and what is sent to them."""
    old, new = (side.config for side in spread.sides)
    was, now = ({d.alias: d.enabled for d in one.devices} for one in (old, new))
    for before, after in sorted(moved_devices(old, new)):
        why = f"its device may be {_device_words(after)} instead of {_device_words(before)}"
        heard_alike = was.get(before, True) == now.get(after, True)
        # a device without alias shares its state with no other, so the alias names the control
        for device in {before, after} - {WITHOUT_ALIAS}:
            touch_device(spread, device, why, only_remembering=heard_alike)
        _touch_outputs(spread, {before, after})
    for alias in [alias for alias in was if alias in now and was[alias] != now[alias]]:
        touch_device(spread, alias, f"device {alias} is {'heard' if now[alias] else 'muted'}")


def _device_words(device: str) -> str:
    return "a device without alias" if device == WITHOUT_ALIAS else device


def touch_device(
    spread: Spread,
    device: str,
    why: str,
    *,
    classes: Iterable[ControlClass] | None = None,
    only_remembering: bool = False,
) -> None:
    """Touch all rows that a device plays.

    With `only_remembering`, those for any device only where it matters which device an event is from:
    what they remember is kept for each device apart.
    """
    for side, row in spread.all_rows():
        if classes is not None and row.places[0][0] not in classes:
            continue
        if row.device == device or (
            row.device is None and (not only_remembering or row.remembers())
        ):
            spread.touch_row(row, side, why, device=device)
        _touch_held_readers(spread, row, side, device)


def _touch_held_readers(spread: Spread, row: Row, side: int, device: str) -> None:
    def reads(held: tuple[ControlHeld, ...]) -> bool:
        return any(one.device in (None, device) for one in held)

    why = "it depends on a held control"
    if reads(row.when.held):
        spread.touch_row(row, side, why)
    if reads(row.looks_at.held):
        spread.touch_effect(row, side, why)


def _touch_outputs(spread: Spread, names: set[str]) -> None:
    for side, row in spread.all_rows():
        if any(_port(part) in names for part in row.parts):
            spread.touch_effect(row, side, "it is sent to another device")


def _port(part: Any) -> str | None:
    if isinstance(part, SendMidiAction | MidiForwardAction):
        return part.port
    return part.device if isinstance(part, LedAction) else None


def touch_profiles(spread: Spread) -> None:
    """Touch what apps bring that may choose another profile, or another mode, than before."""
    old, new = (side.config for side in spread.sides)
    moves = moved_profiles(old, new)
    names = {name for pair in moves for name in pair if name is not None}
    for side, row in spread.all_rows():
        if row.kind == "profile" and row.owner in names:
            spread.touch_row(row, side, f"profile {row.owner} is chosen for other apps")
    modes = tuple({p.name: p.mode for p in one.profiles if p.enabled} for one in (old, new))
    if moves:
        spread.touch_held(None)
        if any((*modes[0].values(), *modes[1].values())):
            # a profile that comes to the front again switches again, so any two modes may meet
            spread.modes.add(spread.sides[0].modes, spread.sides[1].modes)
        return
    for name in modes[0].keys() & modes[1].keys():
        if modes[0][name] != modes[1][name]:
            before, after = (_profile_modes(spread, side, modes[side][name]) for side in (0, 1))
            spread.modes.add(before, after)


def _profile_modes(spread: Spread, side: int, mode: str | None) -> tuple[str, ...]:
    """Return the modes that may be active once a profile was chosen: its own, or any that was."""
    return spread.sides[side].modes if mode is None else (mode,)


def touch_watched(spread: Spread) -> None:
    """Touch knobs that begin or cease to be watched by a condition: their first value counts then."""
    watched: list[set[Place]] = [set(), set()]
    for side, row in spread.all_rows():
        for held in (*row.when.held, *row.looks_at.held):
            watched[side].add(held.control())  # pyright: ignore[reportArgumentType]
    for place in watched[0] ^ watched[1]:
        for side, table in enumerate(spread.sides):
            for row in table.at(place):
                if row.gesture == "change" and row.remembers():
                    spread.touch_row(row, side, "a condition watches its control")


def touch_settings(spread: Spread) -> list[str]:
    """Touch the rows whose effects depend on settings; return the settings that change, in words."""
    old, new = (side.config for side in spread.sides)
    was, now = old.settings.engine, new.settings.engine
    said = [
        f"settings.engine.{name}"
        for name in EngineSettings.model_fields
        if getattr(was, name) != getattr(now, name)
    ]
    if cmd_key(was.cmd_key) != cmd_key(now.cmd_key):
        _touch_parts(spread, "`cmd` is another key", _presses_cmd)
    if was.allow_shell != now.allow_shell:
        _touch_parts(spread, "Shell actions", lambda part: part.runs_command())
    if was.action_timeout_s != now.action_timeout_s:
        _touch_parts(spread, "it may take longer or shorter", lambda part: part.blocking)
    if old.skills != new.skills:
        said.append("skills")
        _touch_parts(spread, "its tool may be allowed", lambda part: isinstance(part, PluginAction))
    if was.virtual_output != now.virtual_output:
        outputs = [name.casefold() for name in (was.virtual_output, now.virtual_output)]
        why = "our own output has another name"
        _touch_parts(
            spread, why, lambda part: any((_port(part) or "\n").casefold() in o for o in outputs)
        )
    _touch_inputs(spread, was, now)
    said += [
        f"settings.{n}"
        for n in ("ui", "learn")
        if getattr(old.settings, n) != getattr(new.settings, n)
    ]
    said += [name for name in ("llm", "knowledge") if getattr(old, name) != getattr(new, name)]
    return said


def _presses_cmd(part: Any) -> bool:
    return isinstance(part, KeystrokeAction) and "cmd" in part.keys


def _touch_parts(spread: Spread, why: str, concerns: Callable[[Action], bool]) -> None:
    for side, row in spread.all_rows():
        if any(concerns(part) for part in row.parts):
            spread.touch_effect(row, side, why)


def _touch_inputs(spread: Spread, was: EngineSettings, now: EngineSettings) -> None:
    """Touch what inputs play that are opened or closed."""
    if was.open_inputs != now.open_inputs:
        touch_device(spread, WITHOUT_ALIAS, "devices without alias are opened or not")
    if was.virtual_input != now.virtual_input:
        why = "our own input has another name"
        touch_device(spread, WITHOUT_ALIAS, why)
        for device in spread.sides[1].config.devices:
            names = (was.virtual_input, now.virtual_input)
            if any(_may_be_named(matcher, name) for matcher in device.matchers for name in names):
                touch_device(spread, device.alias, why)
    if was.virtual_controller != now.virtual_controller:
        touch_device(spread, VIRTUAL_DEVICE, "the built-in controller is there or not")
    if (was.osc_port, was.osc_host) != (now.osc_port, now.osc_host):
        touch_device(spread, "osc", "OSC is received elsewhere", classes=("osc",))
    if was.gamepads != now.gamepads:
        for device in (WITHOUT_ALIAS, *(one.alias for one in spread.sides[1].config.devices)):
            touch_device(spread, device, "gamepads are read or not", classes=_GAMEPAD)


def _may_be_named(matcher: Any, name: str) -> bool:
    """Check whether a matcher may recognise a port by this name."""
    if matcher.type in ("UsbTopology", "UsbIdentifier"):
        return False
    if matcher.type == "ExactName":
        return matcher.pattern == name
    return matcher.type != "NameContains" or matcher.pattern.casefold() in name.casefold()


def start_spread(spread: Spread, old: Config, new: Config) -> list[str]:
    """Touch everything where the change begins; return what changes besides mappings, in words."""
    touch_changed_rows(spread)
    said = touch_modes(spread)
    if old.devices != new.devices:
        touch_devices(spread)
    if old.profiles != new.profiles:
        touch_profiles(spread)
    touch_watched(spread)
    return [*touch_settings(spread), *said]
