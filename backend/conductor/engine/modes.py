"""Modes, profiles, and letting go of what is held."""

from conductor.domain import reasons
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.trace import Trace
from conductor.engine.state import ControlState, EngineState, Firing, HeldControl


def change(state: EngineState, trace: Trace, action: ModeChangeAction, firing: Firing) -> None:
    """Do what a ModeChange asks."""
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
            enter(state, trace, target)
        case "momentary" if firing.compiled.can_be_held:
            trace.note = (reasons.MODE_NOT_ENTERED, target)
        case "momentary" | "switch":
            switch(state, trace, target)
        case "toggle":
            switch(state, trace, state.previous_mode if state.mode == target else target)
        case "next" | "previous":
            step = 1 if action.behaviour == "next" else -1
            switch(state, trace, names[(names.index(state.mode) + step) % len(names)])


def switch(state: EngineState, trace: Trace, name: str) -> None:
    """Make a mode the active one for good."""
    if name != state.base_mode:
        state.previous_mode = state.base_mode
    state.base_mode = name
    state.momentary.clear()
    enter(state, trace, name)


def enter(state: EngineState, trace: Trace, name: str) -> None:
    """Make a mode active; what the old one holds is let go."""
    if name == state.mode:
        return
    release_all(state, trace, keep_modes=True)
    state.mode = name
    state.regroup()


def choose_profile(state: EngineState, trace: Trace) -> None:
    """Take the first profile that fits the app in front, and its mode if it names one."""
    profile = next((p for p in state.table.profiles if p.match.fits(state.app)), None)
    name = None if profile is None else profile.name
    if name == state.profile:
        return
    release_all(state, trace, keep_modes=True)
    state.profile = name
    state.regroup()
    if profile is not None and profile.mode is not None and profile.mode in state.table.modes:
        switch(state, trace, profile.mode)


def release(
    state: EngineState, trace: Trace, known: ControlState, compiled_id: int | None = None
) -> None:
    """Let go of what a control holds, or of what one mapping of it holds."""
    kept: list[HeldControl] = []
    leaving: list[HeldControl] = []
    for held in known.held:
        if compiled_id is not None and held.compiled_id != compiled_id:
            kept.append(held)
        else:
            leaving.append(held)
    known.held = kept
    if not kept:
        state.holding.pop(known.control, None)
    for held in reversed(leaving):
        _let_go(state, trace, held)


def release_all(state: EngineState, trace: Trace, *, keep_modes: bool) -> None:
    """Let go of everything; of what outlives a change of mode only when asked."""
    for control in list(state.holding):
        known = state.controls[control]
        stay = [held for held in known.held if held.outlives_mode] if keep_modes else []
        known.held = [held for held in known.held if held not in stay]
        release(state, trace, known)
        if stay:
            known.held = stay
            state.holding[control] = None


def _let_go(state: EngineState, trace: Trace, held: HeldControl) -> None:
    if held.over:  # letting go of a mode lets go of more
        return
    held.over = True
    if held.effect is not None:
        trace.effects.append(held.effect)
    if held.run is not None:
        held.run.firing = held.run.firing._replace(holders=())
        if held.repeats:
            state.end_run(held.run)
    if held.mode is not None and held in state.momentary:
        state.momentary.remove(held)
        last = state.momentary[-1].mode if state.momentary else None
        enter(state, trace, last or state.base_mode)
