"""Saves and restores the state of the engine for recordings and replays.

A snapshot contains the lasting state: mode, profile, variables, and what mappings remember of controls. Pending
presses, chords, running actions and held effects contain closures and iterators, which cannot be saved.
`describe_unsaved_state` lists what a snapshot would omit, and recorders prefer moments without such state.
"""

from conductor.domain.recording import ControlSnapshot, MemorySnapshot, StateSnapshot
from conductor.domain.triggers.base import TriggerMemory
from conductor.domain.triggers.encoder_coding import CodingDetector
from conductor.engine.state import ControlState, EngineState, WallClock, get_noon_on_monday
from conductor.engine.table import MappingTable

MAX_DESCRIPTIONS = 20


def take_snapshot(state: EngineState) -> StateSnapshot:
    """Return a snapshot of the lasting state. This takes about a microsecond for each control."""
    return StateSnapshot(
        time=state.now,
        mode=state.mode,
        base_mode=state.base_mode,
        previous_mode=state.previous_mode,
        profile=state.profile,
        app=state.app,
        variables=dict(state.variables),
        muted=tuple(sorted(state.muted)),
        paused=state.paused,
        runs_started=state.runs_started,
        controls=tuple(
            _snapshot_control(state, control_state) for control_state in state.controls.values()
        ),
        unfinished=describe_unsaved_state(state),
        recent=tuple(item for each in (state.recent or {}).values() for item in each.items()),
    )


def describe_unsaved_state(state: EngineState) -> tuple[str, ...]:
    """Return up to 20 descriptions of what is pending or held now, which a snapshot would not contain."""
    found = [
        f"the press of {_get_control_name(control_state)} is not decided yet"
        for control_state in state.controls.values()
        if control_state.press is not None
    ]
    found += ["a press waits for a chord" for pool in state.chords.values() for _ in pool.presses]
    found += [f"what {device} sent waits for a gesture" for device in state.waiting]
    found += [f"`{run.firing.compiled.ref.describe()}` is running" for run in state.runs.values()]
    found += [f"mode {held.mode} is momentary" for held in state.momentary]
    found += [
        f"{_get_control_name(state.controls[control])} holds something"
        for control in state.holding
        if any(not held.has_ended() for held in state.controls[control].held)
    ]
    return tuple(found[:MAX_DESCRIPTIONS])


def restore_snapshot(
    snapshot: StateSnapshot, table: MappingTable, wall_clock: WallClock = get_noon_on_monday
) -> EngineState:
    """Return the engine state in a snapshot that was taken with the config of `table`.

    For another config, restore with the old table and then call `step.load_table` with the new one, as
    the running engine does.
    """
    state = EngineState(table, wall_clock)
    state.now = snapshot.time
    state.mode, state.base_mode = snapshot.mode, snapshot.base_mode
    state.previous_mode, state.profile = snapshot.previous_mode, snapshot.profile
    state.app = snapshot.app
    state.variables = dict(snapshot.variables)
    state.muted = set(snapshot.muted)
    state.paused = snapshot.paused
    state.runs_started = snapshot.runs_started
    for pressed, time in snapshot.recent:
        if state.recent is not None:
            state.recent.setdefault(pressed.device, {})[pressed] = time
    state.select_mapping_groups()
    numbers = {(compiled.ref.scope, compiled.ref.index): compiled.id for compiled in table.compiled}
    for control in snapshot.controls:
        _restore_control(state, control, numbers)
    return state


def _snapshot_control(state: EngineState, control_state: ControlState) -> ControlSnapshot:
    compiled = state.table.compiled
    group = control_state.group if control_state.down else None
    return ControlSnapshot(
        control=control_state.control,
        down=control_state.down,
        last=control_state.last,
        memories=tuple(
            MemorySnapshot(
                scope=compiled[number].ref.scope,
                row=compiled[number].ref.index,
                active=memory.active,
                previous=memory.previous,
                coding=None if memory.coding is None else memory.coding.to_plain(),
                behind=control_state.moves - memory.moves,
            )
            for number, memory in control_state.memories.items()
        ),
        pressed_in=None if group is None else group.in_force,
        consumed=control_state.consumed and control_state.down,
        tapped=control_state.tapped,
    )


def _restore_control(
    state: EngineState, saved: ControlSnapshot, numbers: dict[tuple[str, int], int]
) -> None:
    control_state = state.controls[saved.control] = ControlState(saved.control)
    control_state.down, control_state.last, control_state.consumed = (
        saved.down,
        saved.last,
        saved.consumed,
    )
    control_state.tapped = saved.tapped
    if saved.down:
        state.down.add(saved.control)
    if saved.pressed_in is not None:
        groups = state.table.get_cached_groups(*saved.pressed_in)
        control_state.group = state.table.find_group(groups, *saved.pressed_in, saved.control)
    # A number above that of all memories, so that a mapping without a memory judges the last value first.
    control_state.moves = 1 + max(
        (memory_snapshot.behind for memory_snapshot in saved.memories), default=0
    )
    for memory_snapshot in saved.memories:
        number = numbers.get((memory_snapshot.scope, memory_snapshot.row))
        if number is None:
            continue
        memory = control_state.memories[number] = TriggerMemory()
        memory.active, memory.previous = memory_snapshot.active, memory_snapshot.previous
        memory.coding = (
            None
            if memory_snapshot.coding is None
            else CodingDetector.from_plain(memory_snapshot.coding)
        )
        memory.moves = control_state.moves - memory_snapshot.behind


def _get_control_name(control_state: ControlState) -> str:
    control = control_state.control
    return f"{control.control_class} {control.number} of {control.device}"
