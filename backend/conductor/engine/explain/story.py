"""The traces of one gesture: a press, its release, and the time limits, chord and second press that came of it.

The engine links what it alone knows (time limits, chords, second presses, actions played out in time). A
release is matched to its press here, when somebody asks, which costs the hot path nothing.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.reasons import WAITED
from conductor.domain.trace import Candidate, Effect, MappingRef, Trace

PRESSES = ("note_on", "button_down")
RELEASES = ("note_off", "button_up")

Place = tuple[str, int]


def place(ref: MappingRef) -> Place:
    """Return what tells mappings apart: scope and index."""
    return ref.scope, ref.index


class Story(NamedTuple):
    """One gesture, as far as it is remembered."""

    traces: tuple[Trace, ...]
    """In order."""
    presses: frozenset[int]
    """The numbers of the gestures that became one: several for a chord."""
    own: frozenset[int]
    """The numbers of the traces that belong to this gesture as a whole, not only in a candidate."""

    @property
    def first(self) -> Trace:
        return self.traces[0]

    def candidates(self) -> Iterator[tuple[Trace, Candidate]]:
        """Return each judgement about this gesture, in order."""
        for trace in self.traces:
            for candidate in trace.candidates:
                about = candidate.presses
                if self.presses.intersection(about) if about else trace.sequence in self.own:
                    yield trace, candidate

    def verdicts(self) -> dict[Place, Candidate]:
        """Return the last word on each mapping; nothing takes a firing back."""
        last: dict[Place, Candidate] = {}
        for _, candidate in self.candidates():
            key = place(candidate.ref)
            if key not in last or last[key].outcome != "fired":
                last[key] = candidate
        return last

    def effects(self, ref: MappingRef) -> list[tuple[Trace, Effect]]:
        """Return what a mapping did in this gesture."""
        return [
            (trace, effect)
            for trace in self.traces
            for effect in trace.effects
            if place(effect.ref) == place(ref)
        ]

    def release(self) -> Trace | None:
        """Return the trace of the release, if the control is up again."""
        found = None
        for trace in self.traces:
            if trace.event.kind in RELEASES:
                found = trace
            elif trace.event.kind in PRESSES:
                found = None
        return found


def follow(traces: Sequence[Trace], trace: Trace) -> Story:
    """Return the gesture that a trace belongs to."""
    owners = _owners(traces)
    presses = {owners.get(trace.sequence, trace.gesture or trace.sequence)}
    chords = [
        set(candidate.presses)
        for one in traces
        for candidate in one.candidates
        if len(candidate.presses) > 1
    ]
    grown = True
    while grown:
        together = {n for chord in chords if chord & presses for n in chord}
        grown = not together <= presses
        presses |= together
    members = frozenset(presses)
    own = frozenset(number for number, owner in owners.items() if owner in members)
    told = tuple(
        one
        for one in traces
        if one.sequence in own or any(members.intersection(c.presses) for c in one.candidates)
    )
    return Story(told or (trace,), members, own | {trace.sequence})


def arrival_of(trace: Trace) -> int:
    """Return the number of the trace in which an event arrived that had to wait until this one; 0: none."""
    note = trace.note
    return note[-1] if note is not None and note[0] == WAITED else 0


def _owners(traces: Sequence[Trace]) -> dict[int, int]:
    """Return the number of the gesture to which each trace belongs."""
    # An event that waited arrived before it was known to be, say, the second press of a double tap.
    joined = {arrival_of(one): one.gesture for one in traces}
    owners: dict[int, int] = {}
    down: dict[tuple[object, ...], int] = {}
    for trace in traces:
        event = trace.event
        owner = trace.gesture or joined.get(trace.sequence) or trace.sequence
        owner = owners.get(owner, owner)
        if event.kind in PRESSES:
            down[_control(event)] = owner
        elif event.kind in RELEASES:
            owner = down.pop(_control(event), owner)
        owners[trace.sequence] = owner
    return owners


def _control(event: InputEvent) -> tuple[object, ...]:
    return event.device, event.channel, CONTROL_CLASS[event.kind], event.number
