"""Presses: tap or hold, once or twice, alone or as a chord.

The rules: a tap waits only if its control also has a long press, double tap or
chord in force, and only as long as it must. A chord settles at the end of its window, or when one of its
notes is let go, and consumes its notes; a longer chord beats its subset. Which mappings are in force is
decided when the press begins.
"""

from conductor.domain import reasons
from conductor.domain.events import Control, InputEvent
from conductor.domain.trace import TINY_S, Candidate, Trace
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.engine import chords, idle, modes
from conductor.engine.fire import best, fire
from conductor.engine.pending import Press
from conductor.engine.state import ControlState, EngineState
from conductor.engine.table import EMPTY, Compiled


def press(state: EngineState, trace: Trace, control: Control, event: InputEvent) -> None:
    """A note is struck or a button pressed."""
    if state.recent is not None:
        idle.record_press(state.recent, control, event.time)
    group = state.groups.get(control)
    if group is None:
        group = state.table.group(state.groups, state.mode, state.profile, control)
    if group is EMPTY and control not in state.down:
        return
    known = state.control(control)
    if known.down:
        modes.release(state, trace, known)
    known.down, known.group, known.consumed = True, group, False
    state.down.add(control)
    if group.instant and known.press is None:
        winner = best(state, trace, group.tap, event)
        if winner is not None:
            fire(state, trace, winner, event, (known,), ("at once: nothing else could follow",))
        return
    if known.press is not None and _second_press(state, trace, known, known.press, event):
        return
    _begin(state, trace, known, event)


def release(state: EngineState, trace: Trace, control: Control, event: InputEvent) -> None:
    """A note or button is let go."""
    known = state.controls.get(control)
    if known is None or not known.down:
        return
    known.down = False
    state.down.discard(control)
    pending = known.press
    if pending is not None and pending.released is None:
        pending.released = event
        chords.settle(state, trace, pending, settle_alone)
        if not pending.settled:
            _released(state, trace, pending)
    if known.group is not None and known.group.release and not known.consumed:
        winner = best(state, trace, known.group.release, event)
        if winner is not None:
            fire(state, trace, winner, event, (), ("the control was let go",))
    modes.release(state, trace, known)


def forget(state: EngineState, trace: Trace, known: ControlState, why: str) -> None:
    """Drop a press whose device has gone or whose mappings have changed."""
    pending = known.press
    if pending is None:
        return
    state.settle(pending)
    known.press = None
    for waiting in (*pending.longs, pending.double, *pending.chords, pending.tap):
        if waiting is not None:
            reason = (reasons.DROPPED, why)
            trace.candidates.append(Candidate(waiting.ref, "no", reason, pending.presses))


def _begin(state: EngineState, trace: Trace, known: ControlState, event: InputEvent) -> None:
    group = known.group
    assert group is not None
    long_press, double_tap, chord = group.long_press, group.double_tap, group.chord
    if group.has_options:
        long_press, double_tap, chord = (
            idle.expected(state, trace, known, members, event)
            for members in (long_press, double_tap, chord)
        )
    pending = Press(known.control, event, state.replayed_as or trace.sequence, group)
    pending.longs = _longs(state, trace, long_press, event)
    pending.double = best(state, trace, double_tap, event, chosen="waiting")
    in_force = chords.in_force(state, trace, chord, event)
    if not (pending.longs or pending.double or in_force):
        known.tapped = (group.in_force, event.time)
        tap = best(state, trace, group.tap, event)
        if tap is not None:
            fire(state, trace, tap, event, (known,), ("at once: no other gesture is waited for",))
        return
    pending.tap = best(state, trace, group.tap, event, chosen="waiting")
    known.press = pending
    if group.has_options:
        _watch_others(state, pending, in_force)
    for long in pending.longs:
        state.at(
            event.time + _duration_s(long),
            lambda later, long=long: _held(state, later, pending, long),
            pending,
        )
    if pending.double is not None:
        assert isinstance(pending.double.trigger, DoubleTapTrigger)
        pending.double_until = event.time + pending.double.trigger.timeout_ms / 1000
        state.at(pending.double_until, lambda later: _no_second(state, later, pending), pending)
    if in_force:
        pending.chords = in_force
        chords.join(state, trace, pending, in_force, settle_alone)


def _watch_others(state: EngineState, pending: Press, in_force: tuple[Compiled, ...]) -> None:
    """Register a press that the device's other controls decide, or that they wait for."""
    double = () if pending.double is None else (pending.double,)
    pending.keeps_order = any(each.keeps_order for each in (*pending.longs, *double, *in_force))
    pending.watches = pending.keeps_order or any(long.has_options for long in pending.longs)
    if pending.watches:
        state.undecided.setdefault(pending.control.device, []).append(pending)


def hold_early(
    state: EngineState, pending: Press, longs: list[Compiled], other: Control, what: str
) -> Trace:
    """Decide for a hold before its time: of those that another control decides, the longest reached."""
    trace = state.trace(pending.event._replace(kind="timer", time=state.now))
    trace.gesture = pending.presses[0]
    held_s = state.gesture_time() - pending.event.time
    reached = [long for long in longs if _duration_s(long) <= held_s + TINY_S]
    reason = (reasons.OTHER_PRESS, other.control_class, other.number, what)
    _settle(state, pending)
    if pending.tap is not None:
        trace.candidates.append(Candidate(pending.tap.ref, "no", reason, pending.presses))
    holders = (state.controls[pending.control],)
    chosen = reached[-1] if reached else longs[0]
    fire(state, trace, chosen, pending.event, holders, reason, presses=pending.presses)
    return trace


def _longs(
    state: EngineState, trace: Trace, members: tuple[Compiled, ...], event: InputEvent
) -> list[Compiled]:
    """Return the best long press of each duration, shortest first."""
    by_duration: dict[float, list[Compiled]] = {}
    for member in members:
        by_duration.setdefault(_duration_s(member), []).append(member)
    winners = (
        best(state, trace, tuple(by_duration[key]), event, chosen="waiting")
        for key in sorted(by_duration)
    )
    return [winner for winner in winners if winner is not None]


def _duration_s(compiled: Compiled) -> float:
    assert isinstance(compiled.trigger, LongPressTrigger)
    return compiled.trigger.duration_ms / 1000


def _second_press(
    state: EngineState, trace: Trace, known: ControlState, first: Press, event: InputEvent
) -> bool:
    """Make a double tap of two presses, or settle the first one; True when this press is used up."""
    chords.settle(state, trace, first, settle_alone)
    if first.settled:
        return False
    double, gap_ms = first.double, (event.time - first.event.time) * 1000
    _settle(state, first)
    if double is not None and event.time < first.double_until:
        trace.gesture = first.presses[0]
        fire(state, trace, double, event, (known,), ("second press after {:.0f} ms", gap_ms))
        return True
    _tap(state, trace, first, ("the control was struck again",))
    return False


def settle_alone(state: EngineState, trace: Trace, pending: Press) -> None:
    """Go on with a press that became no chord."""
    if pending.longs or pending.double is not None:
        return
    _settle(state, pending)
    _tap(state, trace, pending, ("no chord within its window",))


def _held(state: EngineState, trace: Trace, pending: Press, long: Compiled) -> None:
    """The time of a long press has come."""
    if pending.settled or pending.released is not None:
        return
    trace.event = pending.event._replace(kind="timer", time=state.now)
    trace.gesture = pending.presses[0]
    held_ms = (state.gesture_time() - pending.event.time) * 1000
    if long is not pending.longs[-1]:
        reason = ("held {:.0f} ms; a longer press may follow", held_ms)
        trace.candidates.append(Candidate(long.ref, "waiting", reason, pending.presses))
        return
    _settle(state, pending)
    if pending.tap is not None:
        trace.candidates.append(
            Candidate(pending.tap.ref, "no", (reasons.TOO_LONG,), pending.presses)
        )
    holders = (state.controls[pending.control],)
    reason = ("held {:.0f} ms", held_ms)
    fire(state, trace, long, pending.event, holders, reason, presses=pending.presses)


def _no_second(state: EngineState, trace: Trace, pending: Press) -> None:
    """The time for a second press has passed."""
    if pending.settled or pending.double is None:
        return
    trace.event = pending.event._replace(kind="timer", time=state.now)
    trace.gesture = pending.presses[0]
    wait_ms = (pending.double_until - pending.event.time) * 1000
    reason = (reasons.NO_SECOND, wait_ms)
    trace.candidates.append(Candidate(pending.double.ref, "no", reason, pending.presses))
    pending.double = None
    if chords.waits(state, pending) or (pending.longs and pending.released is None):
        return
    _settle(state, pending)
    _tap(state, trace, pending, reason)


def _released(state: EngineState, trace: Trace, pending: Press) -> None:
    """Decide between hold and tap at the release, unless a second press may still follow."""
    now = state.gesture_time()
    held_s = now - pending.event.time
    reached = [long for long in pending.longs if _duration_s(long) <= held_s + TINY_S]
    for long in pending.longs:
        if long not in reached:
            reason = (
                reasons.TOO_SHORT,
                held_s * 1000,
                _duration_s(long) * 1000,
            )
            trace.candidates.append(Candidate(long.ref, "no", reason, pending.presses))
    if reached:
        _settle(state, pending)
        reason = ("held {:.0f} ms", held_s * 1000)
        fire(state, trace, reached[-1], pending.event, (), reason, presses=pending.presses)
    elif pending.double is not None and now < pending.double_until:
        left_ms = (pending.double_until - now) * 1000
        reason = ("{:.0f} ms left for a second press", left_ms)
        trace.candidates.append(Candidate(pending.double.ref, "waiting", reason, pending.presses))
    else:
        _settle(state, pending)
        _tap(state, trace, pending, ("let go after {:.0f} ms", held_s * 1000))


def _settle(state: EngineState, pending: Press) -> None:
    state.settle(pending)
    chords.leave(state, pending)
    known = state.controls[pending.control]
    if known.press is pending:
        known.press = None


def _tap(state: EngineState, trace: Trace, pending: Press, reason: tuple[object, ...]) -> None:
    known = state.controls[pending.control]
    known.tapped = (pending.group.in_force, pending.event.time)
    if pending.tap is None:
        return
    holders = (known,) if pending.released is None and known.down else ()
    fire(state, trace, pending.tap, pending.event, holders, reason, presses=pending.presses)
