"""Processes events and deadlines: `step` changes the state by one event, and returns a trace of what
happened. The time is taken from the events, not from the system clock.

The live engine, MIDI Learn, the simulator, replays, explanations, tests and
benchmarks all call `feed_event`.
"""

from conductor.domain import reasons
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.recording import (
    ConfigLoaded,
    DeviceMuted,
    ModeSwitched,
    Panicked,
    PauseChanged,
)
from conductor.domain.trace import TIME_TOLERANCE_S, Candidate, Trace
from conductor.domain.triggers.base import TriggerMemory, TriggerVerdict
from conductor.engine import chords, modes, order, play, press
from conductor.engine.fire import find_rejection_reason, fire_mapping
from conductor.engine.state import ControlState, EngineState
from conductor.engine.table import (
    EMPTY_MAPPING_GROUP,
    CompiledMapping,
    ControlMappingGroup,
    MappingTable,
)

MIN_HELD_CC_VALUE = 64
"""The lowest value at which a CC counts as held, which the MIDI specification defines for pedals."""


def feed_event(state: EngineState, event: InputEvent) -> list[Trace]:
    """Run the deadlines before an event, judge the event, and return the traces of both.

    Deadlines without a result have no trace. If an event was read late, all deadlines up to the current
    engine time run first, because time never goes backwards.
    """
    now = state.now
    traces = run_due_deadlines(state, event.time if event.time > now else now)
    if state.undecided:
        order.deliver_event(state, traces, event, step)
    else:
        traces.append(step(state, event, event.time))
    return traces


def run_due_deadlines(state: EngineState, now: float) -> list[Trace]:
    """Run all deadlines up to a time: those of long presses, chords, double taps and delays.

    Returns their traces.
    """
    traces: list[Trace] = []
    while (due := state.get_due_time()) is not None and due <= now + TIME_TOLERANCE_S:
        order.run_next_deadline(state, traces)
        if state.freed:
            order.resume_queued_events(state, traces, step)
    return traces


def step(state: EngineState, event: InputEvent, now: float) -> Trace:
    """Judge one event and return its trace. If `now` is before the engine time, the clock is not moved back."""
    if now > state.now:
        state.now = now
    trace = state.create_trace(event)
    kind = event.kind
    control_class = CONTROL_CLASS.get(kind)
    if control_class is None:
        _handle_other_event(state, trace, event)
    elif event.device in state.muted:
        trace.note = (reasons.DEVICE_MUTED, event.device)
    elif state.paused:
        trace.note = (reasons.MAPPINGS_PAUSED,)
    else:
        control = Control(event.device, event.channel, control_class, event.number)
        if kind in ("note_on", "button_down"):
            press.judge_press(state, trace, control, event)
        elif kind in ("note_off", "button_up"):
            press.judge_release(state, trace, control, event)
        else:
            _judge_change(state, trace, control, event)
    return trace


def _judge_change(state: EngineState, trace: Trace, control: Control, event: InputEvent) -> None:
    """Judge a new value of a continuous control, such as a knob, fader or axis."""
    group = state.groups.get(control)
    if group is None:
        group = state.table.find_group(state.groups, state.mode, state.profile, control)
    control_state = state.controls.get(control)
    if control_state is None:
        if group is EMPTY_MAPPING_GROUP:
            return
        control_state = state.get_control_state(control)
    before, control_state.last = control_state.last, event
    control_state.moves += 1
    if control_state.held:
        _release_inactive_holds(state, trace, control_state, group, event)
    if control.control_class == "cc":
        control_state.down = event.value >= MIN_HELD_CC_VALUE
        (state.down.add if control_state.down else state.down.discard)(control)
    winner: CompiledMapping | None = None
    # All mappings judge each value, even after one has fired, because encoders and edges need every value.
    for member in group.change:
        verdict = _judge_mapping(member, control_state, event, before)
        if control_state.held and (verdict.releases or verdict.fires):
            modes.release_control_holds(state, trace, control_state, member.id)
        if not verdict.fires:
            trace.candidates.append(Candidate(member.ref, "no", verdict.reason))
            continue
        reason = find_rejection_reason(state, member, event)
        if reason is not None:
            trace.candidates.append(Candidate(member.ref, "no", reason))
        elif winner is not None:
            shadowed = (reasons.SHADOWED_BY_MAPPING, winner.ref)
            trace.candidates.append(Candidate(member.ref, "shadowed", shadowed))
        else:
            winner = member
            holders = (control_state,) if member.can_be_held else ()
            fire_mapping(state, trace, member, event, holders, verdict.reason, verdict.steps)


def _judge_mapping(
    member: CompiledMapping,
    control_state: ControlState,
    event: InputEvent,
    before: InputEvent | None,
) -> TriggerVerdict:
    """Judge a value by one mapping.

    A mapping that has missed the previous value, because it was inactive, judges that value first.
    """
    memory = control_state.memories.get(member.id)
    if memory is None:
        memory = control_state.memories[member.id] = TriggerMemory()
    if before is not None and memory.moves != control_state.moves - 1:
        member.trigger.judge_event(before, memory)
    memory.moves = control_state.moves
    return member.trigger.judge_event(event, memory)


def _release_inactive_holds(
    state: EngineState,
    trace: Trace,
    control_state: ControlState,
    group: ControlMappingGroup,
    event: InputEvent,
) -> None:
    """End what a mapping of another mode or profile holds, when the value leaves the range of that mapping."""
    here = {member.id for member in group.change}
    for number in {held.compiled_id for held in control_state.held} - here:
        memory = control_state.memories.get(number)
        if memory is None or not 0 <= number < len(state.table.compiled):
            continue
        memory.moves = control_state.moves
        if state.table.compiled[number].trigger.judge_event(event, memory).releases:
            modes.release_control_holds(state, trace, control_state, number)


def _handle_other_event(state: EngineState, trace: Trace, event: InputEvent) -> None:
    match event.kind:
        case "device_gone":
            trace.note = ("device {} went away", event.device)
            release_device(state, trace, event.device, "its device was disconnected")
        case "device_back":
            trace.note = ("device {} is here", event.device)
        case "app":
            state.app = event.data
            modes.choose_profile(state, trace)
        case "completed":
            play.on_action_completed(state, trace, event)
        case _:
            pass


def release_device(state: EngineState, trace: Trace, device: str | None, why: str) -> None:
    """Release everything that a device holds, and drop its pending gestures; None means every device."""
    chords.forget_chord_presses(state, device)
    order.forget_device_events(state, device)
    for control, control_state in state.controls.items():
        if device in (None, control.device):
            press.forget_press(state, trace, control_state, why)
            modes.release_control_holds(state, trace, control_state)
            control_state.down = False
            control_state.memories.clear()
            control_state.last = None
            state.down.discard(control)


def switch_mode(state: EngineState, name: str, now: float) -> Trace:
    """Switch to a mode because the user or an agent asked for it, and return the trace.

    Raises:
        KeyError: there is no such mode.
    """
    if name not in state.table.modes:
        raise KeyError(name)
    state.now = max(state.now, now)
    trace = state.create_trace(InputEvent("timer", "", 0, 0, 0, state.now))
    trace.note = ("mode {} was chosen", name)
    trace.command = ModeSwitched(name)
    modes.switch_mode(state, trace, name)
    return trace


def mute_device(state: EngineState, device: str, now: float, *, muted: bool) -> Trace:
    """Mute a device, after releasing what it holds, or unmute it; return the trace."""
    state.now = max(state.now, now)
    trace = state.create_trace(InputEvent("timer", device, 0, 0, 0, state.now))
    trace.command = DeviceMuted(device, muted)
    if muted:
        release_device(state, trace, device, "its device was muted")
        state.muted.add(device)
    else:
        state.muted.discard(device)
    return trace


def pause_mappings(state: EngineState, now: float, *, paused: bool) -> Trace:
    """Pause all mappings, after releasing everything, or resume them; return the trace."""
    trace = release_everything(state, now)
    state.paused = paused
    trace.command = PauseChanged(paused)
    trace.note = ("Conductor is paused" if paused else "Conductor was resumed",)
    return trace


def release_everything(state: EngineState, now: float) -> Trace:
    """Release everything that is held, end all running actions, and return the trace."""
    state.now = max(state.now, now)
    trace = state.create_trace(InputEvent("timer", "", 0, 0, 0, state.now))
    trace.command = Panicked()
    release_device(state, trace, None, "everything was released")
    modes.release_all_holds(state, trace, keep_modes=False)
    for run in list(state.runs.values()):
        state.end_run(run)
    return trace


def load_table(state: EngineState, table: MappingTable, now: float) -> Trace:
    """Replace the compiled config.

    Held keys are released and pending presses dropped; running sequences continue.
    """
    state.now = max(state.now, now)
    trace = state.create_trace(InputEvent("timer", "", 0, 0, 0, state.now))
    trace.note = ("config loaded: {} mappings", table.size)
    trace.command = ConfigLoaded()
    modes.release_all_holds(state, trace, keep_modes=False)
    chords.forget_chord_presses(state, None)
    old = state.table
    for device in table.muted - old.muted:
        release_device(state, trace, device, "its device was muted")
    # A mute that does not come from the config stays, unless the change concerns this device.
    changed_mutes = old.muted ^ table.muted
    state.muted = (state.muted - changed_mutes) | (table.muted & changed_mutes)
    state.table = table
    state.configs.append((trace.sequence, table.config))
    if table.needs_recent_presses != (state.recent is not None):
        state.recent = {} if table.needs_recent_presses else None
    if state.mode not in table.modes:
        state.mode = table.config.get_start_mode()
    for name in ("base_mode", "previous_mode"):
        if getattr(state, name) not in table.modes:
            setattr(state, name, state.mode)
    state.profile = next((p.name for p in table.profiles if p.match.matches_app(state.app)), None)
    state.select_mapping_groups()
    for control, control_state in list(state.controls.items()):
        _copy_memories(state, trace, old, control, control_state)
    order.schedule_queued_events(state)
    return trace


def _copy_memories(
    state: EngineState,
    trace: Trace,
    old: MappingTable,
    control: Control,
    control_state: ControlState,
) -> None:
    """Copy what unchanged mappings remember of a control, so that a reload does not make any of them fire."""
    press.forget_press(state, trace, control_state, "the config was loaded")
    control_state.group = (
        state.table.find_group(state.groups, state.mode, state.profile, control)
        if control_state.down
        else None
    )
    remembered, control_state.memories = control_state.memories, {}
    for compiled_id, memory in remembered.items():
        # Found by scope and trigger, because mappings may have moved, and a memory belongs to a trigger.
        before = old.compiled[compiled_id]
        for member in state.table.find_listeners(before.ref.scope, control):
            if member.trigger == before.trigger and member.id not in control_state.memories:
                control_state.memories[member.id] = memory
                break
