"""Changes the mode and the profile, and releases what is held: keys, notes, momentary modes and repeats."""

from conductor.domain import reasons
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.trace import Trace
from conductor.engine.state import ControlState, EngineState, Firing, HeldControl


def change_mode(state: EngineState, trace: Trace, action: ModeChangeAction, firing: Firing) -> None:
    """Perform the mode change that a `ModeChange` action of a mapping asks for."""
    names = state.table.modes
    target = action.mode or state.mode
    if target not in names:
        trace.note = (reasons.NO_SUCH_MODE, target)
        return
    match action.behaviour:
        case "momentary" if firing.holders:
            held = HeldControl(firing.compiled.id, mode=target)
            state.momentary.append(held)
            for holder in firing.holders:
                holder.held.append(held)
                state.holding[holder.control] = None
            enter_mode(state, trace, target)
        case "momentary" if firing.compiled.can_be_held:
            trace.note = (reasons.MODE_NOT_ENTERED, target)
        case "momentary" | "switch":
            switch_mode(state, trace, target)
        case "toggle":
            switch_mode(state, trace, state.previous_mode if state.mode == target else target)
        case "next" | "previous":
            step = 1 if action.behaviour == "next" else -1
            switch_mode(state, trace, names[(names.index(state.mode) + step) % len(names)])


def switch_mode(state: EngineState, trace: Trace, name: str) -> None:
    """Make a mode the base mode and the active mode; all momentary modes end."""
    if name != state.base_mode:
        state.previous_mode = state.base_mode
    state.base_mode = name
    state.momentary.clear()
    enter_mode(state, trace, name)


def enter_mode(state: EngineState, trace: Trace, name: str) -> None:
    """Activate a mode, after releasing what must not stay held when the previous mode is left."""
    if name == state.mode:
        return
    release_all_holds(state, trace, keep_modes=True)
    state.mode = trace.new_mode = name
    state.select_mapping_groups()


def choose_profile(state: EngineState, trace: Trace) -> None:
    """Activate the first profile that matches the foreground app and, if the profile
    names a mode, that mode.
    """
    profile = next((p for p in state.table.profiles if p.match.matches_app(state.app)), None)
    name = None if profile is None else profile.name
    if name == state.profile:
        return
    release_all_holds(state, trace, keep_modes=True)
    state.profile = name
    state.select_mapping_groups()
    if profile is not None and profile.mode is not None and profile.mode in state.table.modes:
        switch_mode(state, trace, profile.mode)


def release_control_holds(
    state: EngineState, trace: Trace, control_state: ControlState, compiled_id: int | None = None
) -> None:
    """Release the effects, modes and runs that a control holds.

    With `compiled_id`, only the holds of this mapping are released.
    """
    remaining: list[HeldControl] = []
    leaving: list[HeldControl] = []
    for held in control_state.held:
        if compiled_id is not None and held.compiled_id != compiled_id:
            remaining.append(held)
        else:
            leaving.append(held)
    control_state.held = remaining
    if not remaining:
        state.holding.pop(control_state.control, None)
    # Newest first, so that keys are released in the reverse order of their presses, and
    # nested modes end properly.
    for held in reversed(leaving):
        _release_held_control(state, trace, held)


def release_all_holds(state: EngineState, trace: Trace, *, keep_modes: bool) -> None:
    """Release everything that is held; with `keep_modes`, except momentary modes and runs."""
    for control in list(state.holding):
        control_state = state.controls[control]
        stay = [held for held in control_state.held if held.outlives_mode] if keep_modes else []
        control_state.held = [held for held in control_state.held if held not in stay]
        release_control_holds(state, trace, control_state)
        if stay:
            control_state.held = stay
            state.holding[control] = None


def _release_held_control(state: EngineState, trace: Trace, held: HeldControl) -> None:
    if held.is_over:  # leaving a momentary mode releases further holds, which may include this one
        return
    # Set before anything is released, because entering a mode below calls this function again.
    held.is_over = True
    if held.effect is not None:
        trace.effects.append(held.effect)
    if held.run is not None:
        held.run.firing = held.run.firing._replace(holders=())
        if held.repeats:
            state.end_run(held.run)
    if held.mode is not None and held in state.momentary:
        state.momentary.remove(held)
        last = state.momentary[-1].mode if state.momentary else None
        enter_mode(state, trace, last or state.base_mode)
