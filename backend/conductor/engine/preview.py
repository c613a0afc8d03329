"""Performs an action once, outside of any mapping, so that the user can try it."""

from conductor.domain.actions import Action
from conductor.domain.actions.base import Fire
from conductor.domain.config import Mapping
from conductor.domain.events import InputEvent
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE, format_performer_name
from conductor.domain.recording import ActionPerformed
from conductor.domain.trace import MappingRef, Trace
from conductor.domain.triggers.note import NoteTrigger
from conductor.engine import play
from conductor.engine.state import EngineState, Firing
from conductor.engine.table import CompiledMapping


def preview_action(state: EngineState, action: Action, now: float, number: int = 0) -> Trace:
    """Play an action as if a control at full value had fired it and had been released
    immediately; return the trace.
    """
    state.now = max(state.now, now)
    trace = state.create_trace(InputEvent("timer", "", 0, 0, 0, state.now))
    trace.note = ("action performed once: {}", action.type)
    trace.command = ActionPerformed(action)
    mapping = Mapping(
        description=format_performer_name(number), trigger=NoteTrigger(note=0), action=action
    )
    compiled = CompiledMapping(-1, MappingRef(PERFORMED_ONCE_SCOPE, 0, mapping))
    play.start_action(state, trace, Firing(compiled, Fire(1.0, 1), ()))
    return trace
