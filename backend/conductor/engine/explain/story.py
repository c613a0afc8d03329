"""Collects all traces of a gesture: its presses, its releases, and the time limits that expired.

The engine records links that cannot be derived later (time limits, chords, second presses, delayed
actions). A release is matched to its press only when an explanation is needed, so that the hot
path is not slowed down.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.domain.events import (
    CONTROL_CLASS,
    PRESS_EVENT_KINDS,
    RELEASE_EVENT_KINDS,
    InputEvent,
)
from conductor.domain.reasons import WAITED_FOR_OTHER_GESTURE
from conductor.domain.trace import Candidate, Effect, MappingRef, Trace

MappingKey = tuple[str, int]


def get_mapping_key(ref: MappingRef) -> MappingKey:
    """Return the scope and the index of a mapping, which identify it within a config."""
    return ref.scope, ref.index


class GestureTraces(NamedTuple):
    """The recorded traces of one gesture, and which of their candidates belong to it."""

    traces: tuple[Trace, ...]
    """The traces in the order in which they were recorded."""
    presses: frozenset[int]
    """The sequence numbers of the presses of the gesture; a chord has several."""
    own: frozenset[int]
    """The sequence numbers of the traces all of whose candidates belong to the gesture."""

    @property
    def first_trace(self) -> Trace:
        return self.traces[0]

    def iterate_candidates(self) -> Iterator[tuple[Trace, Candidate]]:
        """Yield each candidate of the gesture with its trace, in the order of the traces."""
        for trace in self.traces:
            for candidate in trace.candidates:
                about = candidate.presses
                if self.presses.intersection(about) if about else trace.sequence in self.own:
                    yield trace, candidate

    def find_verdicts(self) -> dict[MappingKey, Candidate]:
        """Return the last candidate of each mapping; a candidate that fired is never
        replaced by a later one.
        """
        last: dict[MappingKey, Candidate] = {}
        for _, candidate in self.iterate_candidates():
            key = get_mapping_key(candidate.ref)
            if key not in last or last[key].outcome != "fired":
                last[key] = candidate
        return last

    def list_effects(self, ref: MappingRef) -> list[tuple[Trace, Effect]]:
        """Return the effects of a mapping during the gesture, each with its trace."""
        return [
            (trace, effect)
            for trace in self.traces
            for effect in trace.effects
            if get_mapping_key(effect.ref) == get_mapping_key(ref)
        ]

    def find_release_trace(self) -> Trace | None:
        """Return the trace of the release that ended the gesture, or None if the control is still down."""
        found = None
        for trace in self.traces:
            if trace.event.kind in RELEASE_EVENT_KINDS:
                found = trace
            elif trace.event.kind in PRESS_EVENT_KINDS:
                found = None
        return found


def collect_gesture(traces: Sequence[Trace], trace: Trace) -> GestureTraces:
    """Return the traces of the gesture to which a trace belongs."""
    owners = _find_gesture_sequences(traces)
    presses = {owners.get(trace.sequence, trace.gesture or trace.sequence)}
    chords = [
        set(candidate.presses)
        for other in traces
        for candidate in other.candidates
        if len(candidate.presses) > 1
    ]
    changed = True
    while changed:
        connected = {n for chord in chords if chord & presses for n in chord}
        changed = not connected <= presses
        presses |= connected
    members = frozenset(presses)
    own = frozenset(number for number, owner in owners.items() if owner in members)
    related = tuple(
        other
        for other in traces
        if other.sequence in own or any(members.intersection(c.presses) for c in other.candidates)
    )
    return GestureTraces(related or (trace,), members, own | {trace.sequence})


def find_arrival_sequence(trace: Trace) -> int:
    """Return the sequence number of the trace in which a queued event arrived, or 0 if it was never queued."""
    note = trace.note
    return note[-1] if note is not None and note[0] == WAITED_FOR_OTHER_GESTURE else 0


def _find_gesture_sequences(traces: Sequence[Trace]) -> dict[int, int]:
    """Return the gesture of each trace, as a dict between sequence numbers; a gesture has the
    number of its first trace.
    """
    # When a queued event arrives, it is not yet known to which gesture it belongs; it may be a second press.
    joined = {find_arrival_sequence(trace): trace.gesture for trace in traces}
    owners: dict[int, int] = {}
    down: dict[tuple[object, ...], int] = {}
    for trace in traces:
        event = trace.event
        owner = trace.gesture or joined.get(trace.sequence) or trace.sequence
        owner = owners.get(owner, owner)
        if event.kind in PRESS_EVENT_KINDS:
            down[_get_event_control(event)] = owner
        elif event.kind in RELEASE_EVENT_KINDS:
            owner = down.pop(_get_event_control(event), owner)
        owners[trace.sequence] = owner
    return owners


def _get_event_control(event: InputEvent) -> tuple[object, ...]:
    return event.device, event.channel, CONTROL_CLASS[event.kind], event.number
