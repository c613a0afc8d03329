"""Plays the actions of mappings: their first steps become effects at once, and later steps become deadlines.

The engine thread never waits for an action. A `Delay` is a deadline, and an action on a worker ends with a
`completed` event, so a simulation has the same timing as the live engine.
"""

from collections.abc import Iterator

from conductor.domain import reasons
from conductor.domain.actions import Action
from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.actions.flow import (
    ConditionalAction,
    DelayAction,
    RepeatAction,
    SequenceAction,
)
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.set_variable import SetVariableAction
from conductor.domain.condition_facts import UnmetCondition, capture_unmet_condition
from conductor.domain.curves import FromControl
from conductor.domain.events import InputEvent
from conductor.domain.trace import Effect, Trace
from conductor.engine import modes
from conductor.engine.state import MAX_VARIABLES, EngineState, Firing, HeldControl, Run

MAX_RUNNING_ACTIONS = 256
MIN_REPEAT_GAP_S = 0.001
"""The minimum pause in seconds between repetitions, so that other events and a panic are still processed."""
FLOW_ACTIONS = (SequenceAction, DelayAction, RepeatAction, ConditionalAction)
_FLOW_TYPES = frozenset(FLOW_ACTIONS)
STATEFUL_ACTIONS = frozenset(
    (
        ModeChangeAction,
        SetVariableAction,
        KeystrokeAction,
        MidiForwardAction,
        PushToTalkAction,
        SendMidiAction,
    )
)
"""The types of actions that change the state of the engine, or last until the control is released."""

ActionStep = ActionBase | float | UnmetCondition
"""A step of an action: another action to perform, a number of seconds to wait, or a
condition that was not met."""


def start_action(state: EngineState, trace: Trace, firing: Firing) -> None:
    """Start to play the action of a mapping that has fired."""
    action = firing.compiled.action
    trace.fired.append(firing.compiled.ref)
    # `isinstance` on a pydantic class would dominate the cost of this function.
    if type(action) not in _FLOW_TYPES:
        _perform_action(state, trace, firing, action, 0)
        return
    if len(state.runs) >= MAX_RUNNING_ACTIONS:
        trace.note = (reasons.ACTION_NOT_STARTED, len(state.runs))
        return
    state.runs_started += 1
    gesture = firing.presses[0] if firing.presses else trace.gesture or trace.sequence
    run = Run(state.runs_started, firing, gesture)
    run.steps = _iterate_steps(state, action, run)
    state.runs[run.id] = run
    _hold_effect(state, firing, HeldControl(firing.compiled.id, run=run))
    _resume_run(state, trace, run)


def on_action_completed(state: EngineState, trace: Trace, event: InputEvent) -> None:
    """Continue the run whose action a worker has completed, or end the run if that action failed."""
    run = state.runs.get(int(event.number))
    if run is None or not run.waits_for_completion:
        return
    run.waits_for_completion = False
    trace.gesture = run.gesture
    if event.value:
        _resume_run(state, trace, run)
    else:
        trace.note = ("stopped: {}", event.data)
        state.end_run(run)


def fail_run(state: EngineState, number: int) -> None:
    """End the run of an action that failed immediately, and skip its remaining steps."""
    run = state.runs.get(number)
    if run is not None:
        state.end_run(run)


def _resume_run(state: EngineState, trace: Trace, run: Run) -> None:
    # A deadline or the result of a worker may arrive after the run has ended, for example by a panic.
    if run.is_over:
        return
    for step in run.steps:
        if isinstance(step, float):
            state.schedule_callback(
                state.now + step, lambda later: _schedule_resume(state, later, run), run
            )
            return
        if isinstance(step, UnmetCondition):
            trace.skipped += ((run.firing.compiled.ref, step),)
            continue
        _perform_action(state, trace, run.firing, step, run.id)
        if step.blocking:
            run.waits_for_completion = True
            return
        # the step itself has ended the run, for example by leaving the mode that held it
        if run.is_over:
            return
    state.end_run(run)


def _schedule_resume(state: EngineState, trace: Trace, run: Run) -> None:
    trace.event = trace.event._replace(number=run.id)
    trace.gesture = run.gesture
    _resume_run(state, trace, run)


def _iterate_steps(state: EngineState, action: Action, run: Run) -> Iterator[ActionStep]:
    match action:
        case SequenceAction():
            for part in action.actions:
                yield from _iterate_steps(state, part, run)
        case DelayAction():
            yield action.duration_ms / 1000
        case ConditionalAction():
            holds = action.condition.is_met(state)
            branch = action.then if holds else action.otherwise
            if branch is not None:
                yield from _iterate_steps(state, branch, run)
            else:
                yield capture_unmet_condition(action.condition, state)
        case RepeatAction():
            yield from _iterate_repeat(state, action, run)
        case _:
            yield action


def _iterate_repeat(state: EngineState, action: RepeatAction, run: Run) -> Iterator[ActionStep]:
    if action.until_release:
        if not run.firing.holders:
            yield from _iterate_steps(state, action.action, run)
            return
        _hold_effect(state, run.firing, HeldControl(run.firing.compiled.id, run=run, repeats=True))
    done = 0
    while True:
        yield from _iterate_steps(state, action.action, run)
        done += 1
        if action.count is not None and done >= action.count:
            return
        yield max(action.delay_ms / 1000, MIN_REPEAT_GAP_S)


def _perform_action(
    state: EngineState, trace: Trace, firing: Firing, action: ActionBase, run: int
) -> None:
    compiled, fire = firing.compiled, firing.fire
    if type(action) in STATEFUL_ACTIONS:
        match action:
            case ModeChangeAction():
                trace.effects.append(Effect("mode", action, fire, compiled.ref))
                modes.change_mode(state, trace, action, firing)
                return
            case SetVariableAction():
                _set_variable(state, action, fire)
                trace.effects.append(Effect("variable", action, fire, compiled.ref))
                return
            case KeystrokeAction(hold="while_held") if firing.holders:
                _press_and_hold(state, trace, firing, action, run)
                return
            case PushToTalkAction() if firing.holders:
                _press_and_hold(state, trace, firing, action, run)
                return
            case MidiForwardAction() if fire.release_message:
                _press_and_hold(state, trace, firing, action, run)
                return
            case SendMidiAction(holds_note=True):
                _press_and_hold(state, trace, firing, action, run)
                return
            case _:
                pass
    waits = run != 0 and action.blocking
    trace.effects.append(Effect("do", action, fire, compiled.ref, run, waits))


def _press_and_hold(
    state: EngineState, trace: Trace, firing: Firing, action: ActionBase, run: int
) -> None:
    effect = Effect("press", action, firing.fire, firing.compiled.ref, run)
    trace.effects.append(effect)
    release = effect._replace(kind="release", run=0)
    if firing.holders:
        _hold_effect(state, firing, HeldControl(firing.compiled.id, effect=release))
    else:
        trace.effects.append(release)


def _hold_effect(state: EngineState, firing: Firing, held: HeldControl) -> None:
    for holder in firing.holders:
        holder.held.append(held)
        state.holding[holder.control] = None


def _set_variable(state: EngineState, action: SetVariableAction, fire: Fire) -> None:
    value = action.value
    if isinstance(value, FromControl):
        value = value.compute_number(fire.value, fire.steps)
    before = state.variables.get(action.name)
    if action.operation == "toggle":
        value = not before
    elif action.operation == "add":
        number = before if isinstance(before, int | float) else 0
        value = number + (value if isinstance(value, int | float) else 0)
    if action.name in state.variables or len(state.variables) < MAX_VARIABLES:
        state.variables[action.name] = value
