"""The one function that turns events into actions. Pure: time comes with the event.

The live engine, MIDI Learn, the simulator, replays, explanations, tests and benchmarks all call `feed`.
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
from conductor.domain.trace import TINY_S, Candidate, Trace
from conductor.domain.triggers.base import Memory, Verdict
from conductor.engine import chords, modes, order, play, press
from conductor.engine.fire import fire, refusal
from conductor.engine.state import ControlState, EngineState
from conductor.engine.table import EMPTY, Compiled, Group, Table

HELD_CC_VALUE = 64


def feed(state: EngineState, event: InputEvent) -> list[Trace]:
    """Do what became due before an event, then the event; one trace for each that did something.

    An event that was read late meets the present: what is due by now is done before it.
    """
    now = state.now
    traces = advance(state, event.time if event.time > now else now)
    if state.undecided:
        order.deliver(state, traces, event, step)
    else:
        traces.append(step(state, event, event.time))
    return traces


def advance(state: EngineState, now: float) -> list[Trace]:
    """Do what has become due: long presses, chord windows, double tap limits, delays."""
    traces: list[Trace] = []
    while (due := state.due()) is not None and due <= now + TINY_S:
        order.run_next(state, traces)
        if state.freed:
            order.resume(state, traces, step)
    return traces


def step(state: EngineState, event: InputEvent, now: float) -> Trace:
    """Judge one event at a time, which never runs backwards."""
    if now > state.now:
        state.now = now
    trace = state.trace(event)
    kind = event.kind
    control_class = CONTROL_CLASS.get(kind)
    if control_class is None:
        _other(state, trace, event)
    elif event.device in state.muted:
        trace.note = (reasons.MUTED, event.device)
    elif state.paused:
        trace.note = (reasons.PAUSED,)
    else:
        control = Control(event.device, event.channel, control_class, event.number)
        if kind in ("note_on", "button_down"):
            press.press(state, trace, control, event)
        elif kind in ("note_off", "button_up"):
            press.release(state, trace, control, event)
        else:
            _change(state, trace, control, event)
    return trace


def _change(state: EngineState, trace: Trace, control: Control, event: InputEvent) -> None:
    """Judge a value that has changed."""
    group = state.groups.get(control)
    if group is None:
        group = state.table.group(state.groups, state.mode, state.profile, control)
    known = state.controls.get(control)
    if known is None:
        if group is EMPTY:
            return
        known = state.control(control)
    before, known.last = known.last, event
    known.moves += 1
    if known.held:
        _let_go_elsewhere(state, trace, known, group, event)
    if control.control_class == "cc":
        known.down = event.value >= HELD_CC_VALUE
        (state.down.add if known.down else state.down.discard)(control)
    winner: Compiled | None = None
    for member in group.change:
        verdict = _judge(member, known, event, before)
        if known.held and (verdict.releases or verdict.fires):
            modes.release(state, trace, known, member.id)
        if not verdict.fires:
            trace.candidates.append(Candidate(member.ref, "no", verdict.reason))
            continue
        reason = refusal(state, member, event)
        if reason is not None:
            trace.candidates.append(Candidate(member.ref, "no", reason))
        elif winner is not None:
            shadowed = (reasons.SHADOWED, winner.ref.name())
            trace.candidates.append(Candidate(member.ref, "shadowed", shadowed))
        else:
            winner = member
            holders = (known,) if member.can_be_held else ()
            fire(state, trace, member, event, holders, verdict.reason, verdict.steps)


def _judge(
    member: Compiled, known: ControlState, event: InputEvent, before: InputEvent | None
) -> Verdict:
    """Judge a value by a mapping that may not have seen the one before: it was not in force then."""
    memory = known.memories.get(member.id)
    if memory is None:
        memory = known.memories[member.id] = Memory()
    if before is not None and memory.moves != known.moves - 1:
        member.trigger.judge(before, memory)
    memory.moves = known.moves
    return member.trigger.judge(event, memory)


def _let_go_elsewhere(
    state: EngineState, trace: Trace, known: ControlState, group: Group, event: InputEvent
) -> None:
    """Let go of what a mapping of another mode or profile holds, once its control leaves."""
    here = {member.id for member in group.change}
    for number in {held.compiled_id for held in known.held} - here:
        memory = known.memories.get(number)
        if memory is None or not 0 <= number < len(state.table.compiled):
            continue
        memory.moves = known.moves
        if state.table.compiled[number].trigger.judge(event, memory).releases:
            modes.release(state, trace, known, number)


def _other(state: EngineState, trace: Trace, event: InputEvent) -> None:
    match event.kind:
        case "device_gone":
            trace.note = ("device {} went away", event.device)
            release_device(state, trace, event.device, "its device went away")
        case "device_back":
            trace.note = ("device {} is here", event.device)
        case "app":
            state.app = event.data
            modes.choose_profile(state, trace)
        case "completed":
            play.completed(state, trace, event)
        case _:
            pass


def release_device(state: EngineState, trace: Trace, device: str | None, why: str) -> None:
    """Let go of everything a device holds or has begun; None means every device."""
    chords.forget_device(state, device)
    order.drop(state, device)
    for control, known in state.controls.items():
        if device in (None, control.device):
            press.forget(state, trace, known, why)
            modes.release(state, trace, known)
            known.down = False
            known.memories.clear()
            known.last = None
            state.down.discard(control)


def switch_mode(state: EngineState, name: str, now: float) -> Trace:
    """Make a mode active from outside.

    Raises:
        KeyError: there is no such mode.
    """
    if name not in state.table.modes:
        raise KeyError(name)
    state.now = max(state.now, now)
    trace = state.trace(InputEvent("timer", "", 0, 0, 0, state.now))
    trace.note = ("mode {} was chosen", name)
    trace.command = ModeSwitched(name)
    modes.switch(state, trace, name)
    return trace


def mute(state: EngineState, device: str, now: float, *, muted: bool) -> Trace:
    """Mute a device, letting go of what it holds, or listen to it again."""
    state.now = max(state.now, now)
    trace = state.trace(InputEvent("timer", device, 0, 0, 0, state.now))
    trace.command = DeviceMuted(device, muted)
    if muted:
        release_device(state, trace, device, "its device was muted")
        state.muted.add(device)
    else:
        state.muted.discard(device)
    return trace


def pause(state: EngineState, now: float, *, paused: bool) -> Trace:
    """Let go of everything and have nothing fire from now on, or go on."""
    trace = panic(state, now)
    state.paused = paused
    trace.command = PauseChanged(paused)
    trace.note = ("Conductor is paused" if paused else "Conductor goes on",)
    return trace


def panic(state: EngineState, now: float) -> Trace:
    """Let go of everything and stop everything that is still being played out."""
    state.now = max(state.now, now)
    trace = state.trace(InputEvent("timer", "", 0, 0, 0, state.now))
    trace.command = Panicked()
    release_device(state, trace, None, "everything was let go")
    modes.release_all(state, trace, keep_modes=False)
    for run in list(state.runs.values()):
        state.end_run(run)
    return trace


def load(state: EngineState, table: Table, now: float) -> Trace:
    """Swap the compiled table: held keys go up, undecided presses are dropped, sequences go on."""
    state.now = max(state.now, now)
    trace = state.trace(InputEvent("timer", "", 0, 0, 0, state.now))
    trace.note = ("config loaded: {} mappings", table.size)
    trace.command = ConfigLoaded()
    modes.release_all(state, trace, keep_modes=False)
    chords.forget_device(state, None)
    old = state.table
    for device in table.muted - old.muted:
        release_device(state, trace, device, "its device was muted")
    changed_mutes = old.muted ^ table.muted
    state.muted = (state.muted - changed_mutes) | (table.muted & changed_mutes)
    state.table = table
    state.configs.append((trace.sequence, table.config))
    if table.needs_recent_presses != (state.recent is not None):
        state.recent = {} if table.needs_recent_presses else None
    if state.mode not in table.modes:
        state.mode = table.config.start_mode()
    for name in ("base_mode", "previous_mode"):
        if getattr(state, name) not in table.modes:
            setattr(state, name, state.mode)
    state.profile = next((p.name for p in table.profiles if p.match.fits(state.app)), None)
    state.regroup()
    for control, known in list(state.controls.items()):
        _carry_over(state, trace, old, control, known)
    order.wake_up(state)
    return trace


def _carry_over(
    state: EngineState, trace: Trace, old: Table, control: Control, known: ControlState
) -> None:
    """Keep what an unchanged mapping remembers, so that a reload fires nothing by itself."""
    press.forget(state, trace, known, "the config was loaded")
    known.group = (
        state.table.group(state.groups, state.mode, state.profile, control) if known.down else None
    )
    remembered, known.memories = known.memories, {}
    for compiled_id, memory in remembered.items():
        before = old.compiled[compiled_id]
        for member in state.table.filed(before.ref.scope, control):
            if member.trigger == before.trigger and member.id not in known.memories:
                known.memories[member.id] = memory
                break
