"""Resolves chords: several controls of one device that are pressed within a time window.

As for double taps, a press exactly at the end of a window is too late, because deadlines run before events of
the same time.
"""

from collections.abc import Callable
from math import inf

from conductor.domain import reasons
from conductor.domain.events import Control, InputEvent
from conductor.domain.trace import TIME_TOLERANCE_S, Candidate, Trace
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.engine.fire import find_rejection_reason, fire_mapping
from conductor.engine.pending import PendingPress
from conductor.engine.state import ChordPool, EngineState
from conductor.engine.table import CompiledMapping

OnNoChord = Callable[[EngineState, Trace, PendingPress], None]
"""A function that is called with a press that did not become part of a chord. It is passed as a parameter,
because `press` imports this module."""


def find_possible_chords(
    state: EngineState, trace: Trace, members: tuple[CompiledMapping, ...], event: InputEvent
) -> tuple[CompiledMapping, ...]:
    """Return the chords that a press may become part of, longest chord first."""
    possible: list[CompiledMapping] = []
    for member in members:
        reason = find_rejection_reason(state, member, event)
        if reason is None:
            possible.append(member)
            reason = ("waits up to {} ms for the rest of the chord", _get_chord_timeout_ms(member))
            trace.candidates.append(Candidate(member.ref, "waiting", reason))
        else:
            trace.candidates.append(Candidate(member.ref, "no", reason))
    return tuple(sorted(possible, key=lambda member: -len(member.trigger.list_controls())))


def add_press_to_chord_pool(
    state: EngineState,
    trace: Trace,
    pending: PendingPress,
    possible: tuple[CompiledMapping, ...],
    on_no_chord: OnNoChord,
) -> None:
    """Add a press to the pool of its device, which holds the presses that may still form a chord.

    If the press completes a chord with `fire_when_complete`, the chord fires immediately, unless a
    longer chord may follow.
    """
    pool = state.chords.setdefault(_get_chord_pool_key(pending.control), ChordPool())
    until = pending.event.time + max(_get_chord_timeout_ms(member) for member in possible) / 1000
    pool.presses[pending.control] = (pending, possible, until)

    def on_window_end(later: Trace) -> None:
        later.event = pending.event._replace(kind="timer", time=state.now)
        later.gesture = pending.presses[0]
        settle_chord_press(state, later, pending, on_no_chord)

    state.schedule_callback(until, on_window_end, pending)
    if any(chord.fires_when_complete for chord in possible):
        _fire_when_complete(state, trace, pending)


def _fire_when_complete(state: EngineState, trace: Trace, pending: PendingPress) -> None:
    """Fire the longest chord that a press has completed, unless a longer chord is still possible."""
    pool = state.chords.get(_get_chord_pool_key(pending.control))
    if pool is None or not can_still_form_chord(state, pending):
        return
    for chord in pool.presses[pending.control][1]:
        presses = _find_complete_presses(pool, chord, pending)
        if not presses:
            continue
        if not chord.fires_when_complete:
            # this chord is going to win at the end of its window, so no shorter chord may fire now
            return
        open_until = _find_longer_chord_deadline(pool, chord, presses, state.get_gesture_time())
        if open_until is None:
            _fire_chord(state, trace, chord, presses, reasons.CHORD_COMPLETE)
        elif open_until < inf:
            state.schedule_callback(
                open_until, lambda later: _on_chord_window_end(state, later, pending), pending
            )
        return


def _on_chord_window_end(state: EngineState, trace: Trace, pending: PendingPress) -> None:
    if not pending.is_over:
        trace.event = pending.event._replace(kind="timer", time=state.now)
        trace.gesture = pending.presses[0]
        _fire_when_complete(state, trace, pending)


def _find_longer_chord_deadline(
    pool: ChordPool, chord: CompiledMapping, presses: list[PendingPress], now: float
) -> float | None:
    """Return the time until which a longer chord that includes some of these presses is possible.

    Returns None if no longer chord is possible, and infinity if one is already complete, because it fires at
    the end of its window and uses up the presses.
    """
    ends: list[float] = []
    longer = {
        rival.id: rival
        for press in presses
        for rival in pool.presses[press.control][1]
        if len(rival.trigger.list_controls()) > len(chord.trigger.list_controls())
    }
    for rival in longer.values():
        times = [entry[0].event.time for entry in pool.presses.values() if rival in entry[1]]
        window_s = _get_chord_timeout_ms(rival) / 1000
        if max(times) - min(times) + TIME_TOLERANCE_S >= window_s:
            continue
        if len(times) == len(rival.trigger.list_controls()):
            return inf
        if now + TIME_TOLERANCE_S < min(times) + window_s:
            ends.append(min(times) + window_s)
    return max(ends, default=None)


def can_join_chord(state: EngineState, pending: PendingPress, control: Control) -> bool:
    """Return whether a press of a control could complete a chord together with a pending press."""
    if not can_still_form_chord(state, pending) or _get_chord_pool_key(
        control
    ) != _get_chord_pool_key(pending.control):
        return False
    possible = state.chords[_get_chord_pool_key(control)].presses[pending.control][1]
    part = (control.control_class, control.number)
    return any(part in chord.trigger.list_controls() for chord in possible)


def settle_chord_press(
    state: EngineState, trace: Trace, pending: PendingPress, on_no_chord: OnNoChord
) -> None:
    """Decide a pending press at the end of its window: fire the longest complete
    chord, or call `on_no_chord`.
    """
    pool = state.chords.get(_get_chord_pool_key(pending.control))
    entry = pool.presses.get(pending.control) if pool is not None else None
    if pool is None or entry is None or entry[0] is not pending:
        return
    for chord in entry[1]:
        presses = _find_complete_presses(pool, chord, pending)
        if presses:
            _fire_chord(state, trace, chord, presses)
            break
        # If the press can still become a tap, one reason is enough, and the trace names the shortest chord.
        if pending.tap is None or chord is entry[1][-1]:
            reason = (reasons.INCOMPLETE_CHORD, _get_chord_timeout_ms(chord))
            trace.candidates.append(Candidate(chord.ref, "no", reason, pending.presses))
    else:
        remove_from_chord_pool(state, pending)
        on_no_chord(state, trace, pending)


def can_still_form_chord(state: EngineState, pending: PendingPress) -> bool:
    """Return whether a pending press may still become part of a chord."""
    pool = state.chords.get(_get_chord_pool_key(pending.control))
    entry = pool.presses.get(pending.control) if pool is not None else None
    return entry is not None and entry[0] is pending


def remove_from_chord_pool(state: EngineState, pending: PendingPress) -> None:
    """Remove a press from the chord pool of its device, because the press has been decided."""
    key = _get_chord_pool_key(pending.control)
    pool = state.chords.get(key)
    if pool is None or not can_still_form_chord(state, pending):
        return
    del pool.presses[pending.control]
    if not pool.presses:
        del state.chords[key]


def forget_chord_presses(state: EngineState, device: str | None) -> None:
    """Remove all presses of a device from the chord pools; None removes the presses of all devices."""
    for key in [key for key in state.chords if device in (None, key[0])]:
        del state.chords[key]


def _get_chord_pool_key(control: Control) -> tuple[str, int, str]:
    # A chord consists of controls of the same device, channel and class.
    return control.device, control.channel, control.control_class


def _get_chord_timeout_ms(compiled: CompiledMapping) -> int:
    assert isinstance(compiled.trigger, NoteChordTrigger | GamepadButtonChordTrigger)
    return compiled.trigger.timeout_ms


def _find_complete_presses(
    pool: ChordPool, chord: CompiledMapping, pending: PendingPress
) -> list[PendingPress]:
    """Return the presses of a chord, or an empty list if one is missing or was pressed
    too long before the others.
    """
    presses: list[PendingPress] = []
    for control_class, number in chord.trigger.list_controls():
        control = Control(pending.control.device, pending.control.channel, control_class, number)
        entry = pool.presses.get(control)
        # A pending press does not count if the chord was inactive when it was pressed.
        if entry is None or chord not in entry[1]:
            return []
        presses.append(entry[0])
    times = [press.event.time for press in presses]
    return (
        presses
        if max(times) - min(times) + TIME_TOLERANCE_S < _get_chord_timeout_ms(chord) / 1000
        else []
    )


def _fire_chord(
    state: EngineState,
    trace: Trace,
    chord: CompiledMapping,
    presses: list[PendingPress],
    why: str = "all notes within {:.0f} ms",
) -> None:
    holders = tuple(
        state.controls[press.control] for press in presses if state.controls[press.control].down
    )
    for press in presses:
        state.settle_press(press)
        control_state = state.controls[press.control]
        control_state.press, control_state.consumed = None, True
        remove_from_chord_pool(state, press)
        if press.tap is not None:
            trace.candidates.append(
                Candidate(press.tap.ref, "no", (reasons.CONSUMED_BY_CHORD,), press.presses)
            )
    last = max(presses, key=lambda press: press.event.time)
    spread_ms = (last.event.time - min(press.event.time for press in presses)) * 1000
    # Holding the chord ends with the first release. If a note has been released already, nothing is held.
    all_down = holders if len(holders) == len(presses) else ()
    numbers = tuple(number for press in presses for number in press.presses)
    fire_mapping(state, trace, chord, last.event, all_down, (why, spread_ms), presses=numbers)
