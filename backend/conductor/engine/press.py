"""Decides which gesture a press is: tap, long press, double tap or chord.

A tap is delayed only if its control also has an active long press, double tap or chord, and only until these
gestures are ruled out. A chord is decided at the end of its window, or when one of its notes is released,
and consumes its notes. A longer chord takes precedence over its subsets. The mappings that are active when a
press begins apply until its end.
"""

from conductor.domain import reasons
from conductor.domain.events import Control, InputEvent
from conductor.domain.trace import TIME_TOLERANCE_S, Candidate, Trace
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.engine import chords, idle, modes
from conductor.engine.fire import find_first_allowed_mapping, fire_mapping
from conductor.engine.pending import PendingPress
from conductor.engine.state import ControlState, EngineState
from conductor.engine.table import EMPTY_MAPPING_GROUP, CompiledMapping


def judge_press(state: EngineState, trace: Trace, control: Control, event: InputEvent) -> None:
    """Process the press of a note or button: fire its mapping, or wait until the gesture is clear."""
    if state.recent is not None:
        idle.record_recent_press(state.recent, control, event.time)
    group = state.groups.get(control)
    if group is None:
        group = state.table.find_group(state.groups, state.mode, state.profile, control)
    # An unmapped control needs nothing, unless it is down, because its old state
    # must then be released below.
    if group is EMPTY_MAPPING_GROUP and control not in state.down:
        return
    control_state = state.get_control_state(control)
    # the release was lost, for example because a buffer of the device was full
    if control_state.down:
        modes.release_control_holds(state, trace, control_state)
    control_state.down, control_state.group, control_state.consumed = True, group, False
    state.down.add(control)
    # The most common case needs neither a `PendingPress` nor deadlines. It requires that no press is
    # pending: that press may be from another mode, and this second press decides it.
    if group.instant and control_state.press is None:
        winner = find_first_allowed_mapping(state, trace, group.tap, event)
        if winner is not None:
            fire_mapping(
                state,
                trace,
                winner,
                event,
                (control_state,),
                ("at once: nothing else could follow",),
            )
        return
    if control_state.press is not None and _resolve_second_press(
        state, trace, control_state, control_state.press, event
    ):
        return
    _begin_press(state, trace, control_state, event)


def judge_release(state: EngineState, trace: Trace, control: Control, event: InputEvent) -> None:
    """Process the release of a note or button: decide a pending press, and end what the control holds."""
    control_state = state.controls.get(control)
    if control_state is None or not control_state.down:
        return
    control_state.down = False
    state.down.discard(control)
    pending = control_state.press
    if pending is not None and pending.released is None:
        pending.released = event
        # The chord comes first, because a complete chord uses up the press in any case.
        chords.settle_chord_press(state, trace, pending, settle_without_chord)
        if not pending.is_over:
            _resolve_release(state, trace, pending)
    # The mappings at the time of the press are used, because a press and its release belong together.
    if (
        control_state.group is not None
        and control_state.group.release
        and not control_state.consumed
    ):
        winner = find_first_allowed_mapping(state, trace, control_state.group.release, event)
        if winner is not None:
            fire_mapping(state, trace, winner, event, (), ("the control was released",))
    modes.release_control_holds(state, trace, control_state)


def forget_press(state: EngineState, trace: Trace, control_state: ControlState, why: str) -> None:
    """Drop the pending press of a control, because its device was disconnected or its mappings have changed."""
    pending = control_state.press
    if pending is None:
        return
    state.settle_press(pending)
    control_state.press = None
    for candidate in (*pending.long_presses, pending.double_tap, *pending.chords, pending.tap):
        if candidate is not None:
            reason = (reasons.GESTURE_DROPPED, why)
            trace.candidates.append(Candidate(candidate.ref, "no", reason, pending.presses))


def _begin_press(
    state: EngineState, trace: Trace, control_state: ControlState, event: InputEvent
) -> None:
    """Start a press whose gesture must be awaited, or fire its tap if no other gesture is possible."""
    group = control_state.group
    assert group is not None
    long_press, double_tap, chord = group.long_press, group.double_tap, group.chord
    if group.has_options:
        long_press, double_tap, chord = (
            idle.filter_possible_gestures(state, trace, control_state, members, event)
            for members in (long_press, double_tap, chord)
        )
    pending = PendingPress(control_state.control, event, state.replayed_as or trace.sequence, group)
    pending.long_presses = _find_best_long_presses(state, trace, long_press, event)
    pending.double_tap = find_first_allowed_mapping(
        state, trace, double_tap, event, chosen="waiting"
    )
    in_force = chords.find_possible_chords(state, trace, chord, event)
    # Other gestures exist, but if none of their conditions is met, the tap does not have to wait.
    if not (pending.long_presses or pending.double_tap or in_force):
        control_state.tapped = (group.in_force, event.time)
        tap = find_first_allowed_mapping(state, trace, group.tap, event)
        if tap is not None:
            fire_mapping(
                state,
                trace,
                tap,
                event,
                (control_state,),
                ("at once: no other gesture is waited for",),
            )
        return
    # The tap is chosen now, because conditions are evaluated at the time of the press
    # and not of the decision.
    pending.tap = find_first_allowed_mapping(state, trace, group.tap, event, chosen="waiting")
    control_state.press = pending
    if group.has_options:
        _register_watcher(state, pending, in_force)
    # Each duration gets a deadline, even if a longer one may follow: the trace shows that it was reached,
    # and a release fires the longest that was reached.
    for long in pending.long_presses:
        state.schedule_callback(
            event.time + _get_duration_s(long),
            lambda later, long=long: _on_long_press_due(state, later, pending, long),
            pending,
        )
    if pending.double_tap is not None:
        assert isinstance(pending.double_tap.trigger, DoubleTapTrigger)
        pending.double_tap_deadline = event.time + pending.double_tap.trigger.timeout_ms / 1000
        state.schedule_callback(
            pending.double_tap_deadline,
            lambda later: _on_double_tap_expired(state, later, pending),
            pending,
        )
    if in_force:
        pending.chords = in_force
        # Last, because joining may complete a chord, which decides this press and voids the deadlines above.
        chords.add_press_to_chord_pool(state, trace, pending, in_force, settle_without_chord)


def _register_watcher(
    state: EngineState, pending: PendingPress, in_force: tuple[CompiledMapping, ...]
) -> None:
    """Register a pending press that other controls of the device can decide, or for which they must wait."""
    double_tap = () if pending.double_tap is None else (pending.double_tap,)
    waiting = (*pending.long_presses, *double_tap, *in_force)
    pending.keeps_order = any(member.keeps_order for member in waiting)
    pending.watches = pending.keeps_order or any(long.has_options for long in pending.long_presses)
    if pending.watches:
        state.undecided.setdefault(pending.control.device, []).append(pending)


def fire_early_hold(
    state: EngineState,
    pending: PendingPress,
    candidates: list[CompiledMapping],
    other: Control,
    event_words: str,
) -> Trace:
    """Fire a long press before its time, because another control was used.

    Of the candidates whose duration has passed, the longest fires, or else the shortest of all.
    """
    trace = state.create_trace(pending.event._replace(kind="timer", time=state.now))
    trace.gesture = pending.presses[0]
    held_s = state.get_gesture_time() - pending.event.time
    reached = [long for long in candidates if _get_duration_s(long) <= held_s + TIME_TOLERANCE_S]
    reason = (reasons.DECIDED_BY_OTHER_CONTROL, other.control_class, other.number, event_words)
    _mark_press_settled(state, pending)
    if pending.tap is not None:
        trace.candidates.append(Candidate(pending.tap.ref, "no", reason, pending.presses))
    holders = (state.controls[pending.control],)
    chosen = reached[-1] if reached else candidates[0]
    fire_mapping(state, trace, chosen, pending.event, holders, reason, presses=pending.presses)
    return trace


def _find_best_long_presses(
    state: EngineState, trace: Trace, members: tuple[CompiledMapping, ...], event: InputEvent
) -> list[CompiledMapping]:
    """Return, for each duration, the long press that takes precedence, shortest duration first."""
    by_duration: dict[float, list[CompiledMapping]] = {}
    for member in members:
        by_duration.setdefault(_get_duration_s(member), []).append(member)
    winners = (
        find_first_allowed_mapping(state, trace, tuple(by_duration[key]), event, chosen="waiting")
        for key in sorted(by_duration)
    )
    return [winner for winner in winners if winner is not None]


def _get_duration_s(compiled: CompiledMapping) -> float:
    assert isinstance(compiled.trigger, LongPressTrigger)
    return compiled.trigger.duration_ms / 1000


def _resolve_second_press(
    state: EngineState,
    trace: Trace,
    control_state: ControlState,
    first: PendingPress,
    event: InputEvent,
) -> bool:
    """Decide a pending press when its control is pressed again; return whether the two are a double tap.

    Otherwise the second press begins a new gesture.
    """
    # A complete chord takes precedence over a double tap, as it does at a release.
    chords.settle_chord_press(state, trace, first, settle_without_chord)
    if first.is_over:
        return False
    double_tap, gap_ms = first.double_tap, (event.time - first.event.time) * 1000
    _mark_press_settled(state, first)
    # A second press exactly at the deadline is too late, because deadlines run before
    # events of the same time.
    if double_tap is not None and event.time < first.double_tap_deadline:
        trace.gesture = first.presses[0]
        fire_mapping(
            state,
            trace,
            double_tap,
            event,
            (control_state,),
            ("second press after {:.0f} ms", gap_ms),
        )
        return True
    _fire_tap(state, trace, first, ("the control was struck again",))
    return False


def settle_without_chord(state: EngineState, trace: Trace, pending: PendingPress) -> None:
    """Fire the tap of a press that did not become part of a chord, unless another gesture is still possible."""
    if pending.long_presses or pending.double_tap is not None:
        return
    _mark_press_settled(state, pending)
    _fire_tap(state, trace, pending, ("no chord within its window",))


def _on_long_press_due(
    state: EngineState, trace: Trace, pending: PendingPress, long: CompiledMapping
) -> None:
    """Fire a long press when its duration has passed, unless a longer one is still possible."""
    # A released press may still become a double tap; its long presses were decided at the release.
    if pending.is_over or pending.released is not None:
        return
    trace.event = pending.event._replace(kind="timer", time=state.now)
    trace.gesture = pending.presses[0]
    held_ms = (state.get_gesture_time() - pending.event.time) * 1000
    # While the control is held, only the longest duration fires; shorter ones fire at the release.
    if long is not pending.long_presses[-1]:
        reason = ("held {:.0f} ms; a longer press may follow", held_ms)
        trace.candidates.append(Candidate(long.ref, "waiting", reason, pending.presses))
        return
    _mark_press_settled(state, pending)
    if pending.tap is not None:
        trace.candidates.append(
            Candidate(pending.tap.ref, "no", (reasons.PRESS_TOO_LONG,), pending.presses)
        )
    holders = (state.controls[pending.control],)
    reason = ("held {:.0f} ms", held_ms)
    fire_mapping(state, trace, long, pending.event, holders, reason, presses=pending.presses)


def _on_double_tap_expired(state: EngineState, trace: Trace, pending: PendingPress) -> None:
    """Continue with a press when the time for a second press has passed: fire its tap, if
    nothing else is possible.
    """
    if pending.is_over or pending.double_tap is None:
        return
    trace.event = pending.event._replace(kind="timer", time=state.now)
    trace.gesture = pending.presses[0]
    wait_ms = (pending.double_tap_deadline - pending.event.time) * 1000
    reason = (reasons.NO_SECOND_PRESS, wait_ms)
    trace.candidates.append(Candidate(pending.double_tap.ref, "no", reason, pending.presses))
    pending.double_tap = None
    # The deadline of a chord or of a long press decides the press later.
    if chords.can_still_form_chord(state, pending) or (
        pending.long_presses and pending.released is None
    ):
        return
    _mark_press_settled(state, pending)
    _fire_tap(state, trace, pending, reason)


def _resolve_release(state: EngineState, trace: Trace, pending: PendingPress) -> None:
    """Decide at the release whether a press was a long press or a tap, unless a second press may follow."""
    now = state.get_gesture_time()
    held_s = now - pending.event.time
    reached = [
        long for long in pending.long_presses if _get_duration_s(long) <= held_s + TIME_TOLERANCE_S
    ]
    for long in pending.long_presses:
        if long not in reached:
            reason = (
                reasons.PRESS_TOO_SHORT,
                held_s * 1000,
                _get_duration_s(long) * 1000,
            )
            trace.candidates.append(Candidate(long.ref, "no", reason, pending.presses))
    # The long press is certain, and takes precedence over a double tap that could still follow.
    if reached:
        _mark_press_settled(state, pending)
        reason = ("held {:.0f} ms", held_s * 1000)
        fire_mapping(state, trace, reached[-1], pending.event, (), reason, presses=pending.presses)
    elif pending.double_tap is not None and now < pending.double_tap_deadline:
        left_ms = (pending.double_tap_deadline - now) * 1000
        reason = ("{:.0f} ms left for a second press", left_ms)
        trace.candidates.append(
            Candidate(pending.double_tap.ref, "waiting", reason, pending.presses)
        )
    else:
        _mark_press_settled(state, pending)
        _fire_tap(state, trace, pending, ("released after {:.0f} ms", held_s * 1000))


def _mark_press_settled(state: EngineState, pending: PendingPress) -> None:
    """Mark a press as decided, and remove it from its chord pool and its control."""
    state.settle_press(pending)
    chords.remove_from_chord_pool(state, pending)
    control_state = state.controls[pending.control]
    if control_state.press is pending:
        control_state.press = None


def _fire_tap(
    state: EngineState, trace: Trace, pending: PendingPress, reason: tuple[object, ...]
) -> None:
    """Fire the tap of a press that has been decided, if its control has a tap."""
    control_state = state.controls[pending.control]
    control_state.tapped = (pending.group.in_force, pending.event.time)
    if pending.tap is None:
        return
    # After the release nothing can be held, so keys are pressed and released at once.
    holders = (control_state,) if pending.released is None and control_state.down else ()
    fire_mapping(state, trace, pending.tap, pending.event, holders, reason, presses=pending.presses)
