"""Defines traces: what the engine decided about an event, with candidates, reasons and effects.

The engine creates a trace for every event, so traces are plain slotted objects. Reasons are rendered only
when a trace is displayed. `Trace.to_plain` returns the form that is displayed, sent and explained.
"""

from dataclasses import dataclass
from typing import NamedTuple

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.condition_facts import UnmetCondition
from conductor.domain.config import Mapping
from conductor.domain.events import InputEvent
from conductor.domain.mapping_names import format_mapping_key, format_mapping_name
from conductor.domain.reasons import WAITS_FOR_OTHER_GESTURE, Reason, render_reason
from conductor.domain.recording import ConfigLoaded, EngineCommand
from conductor.domain.wire_rows import (
    CandidateOutcome,
    EffectKind,
    TraceOutcome,
    TraceRow,
    event_to_plain,
)

TIME_TOLERANCE_S = 1e-6
"""The tolerance in seconds for comparing times, which is smaller than the time between any two events."""


@dataclass(frozen=True, slots=True)
class MappingRef:
    """A mapping with its position in the config."""

    scope: str
    """Where the mapping is: `mode:<name>`, `profile:<name>` or `global`."""
    index: int
    mapping: Mapping

    def get_identifier(self) -> str:
        """Return the description of a mapping or, if it has none, its position, as an
        identifier for programs.
        """
        return self.mapping.description or format_mapping_key(self.scope, self.index)

    def describe(self) -> str:
        """Return the name of a mapping for users, such as `Undo, mapping 2 of mode Default`."""
        return format_mapping_name(self.scope, self.index, self.mapping)

    def __str__(self) -> str:
        return self.describe()


class Candidate(NamedTuple):
    """A mapping that listens to the control of an event, with the engine's decision about it."""

    ref: MappingRef
    outcome: CandidateOutcome
    reason: Reason
    presses: tuple[int, ...] = ()
    """The numbers of the traces of the presses that the decision is about; empty for
    the press in this trace."""


class Effect(NamedTuple):
    """An effect of a mapping that fired, such as an action to perform or keys to release."""

    kind: EffectKind
    """The kind of effect. `press` and `release` begin and end a hold; `mode` and `variable` have already
    happened.
    """
    action: ActionBase
    fire: Fire
    ref: MappingRef
    run: int = 0
    """The number of the run that the effect belongs to, which ends if the effect
    fails; 0 for a single action."""
    waits: bool = False
    """Whether the run continues only when the effect has been completed."""


class Trace:
    """The engine's decision about an event, or about a deadline that came due (`event.kind == "timer"`)."""

    __slots__ = (
        "candidates",
        "command",
        "effects",
        "event",
        "fired",
        "gesture",
        "mode",
        "new_mode",
        "note",
        "profile",
        "sequence",
        "skipped",
        "time",
    )

    def __init__(
        self, sequence: int, event: InputEvent, mode: str, profile: str | None, time: float = 0.0
    ) -> None:
        self.sequence = sequence
        self.event = event
        self.time = time
        """The engine time of the decision, which is later than the event's time if the event was read late."""
        self.command: EngineCommand | ConfigLoaded | None = None
        """The command that caused the trace; None if an event caused it."""
        self.gesture = 0
        """The number of the trace with the press that this trace continues; 0 if a gesture begins here."""
        self.mode = mode
        """The mode that was active when the decision was made."""
        self.new_mode: str | None = None
        """The mode that the decision activated; None if the mode stayed the same."""
        self.profile = profile
        self.candidates: list[Candidate] = []
        self.effects: list[Effect] = []
        self.fired: list[MappingRef] = []
        self.skipped: tuple[tuple[MappingRef, UnmetCondition], ...] = ()
        """Conditional actions without `else` that did nothing, because their condition was not met."""
        self.note: Reason | None = None
        """A reason that concerns the event and not one mapping, such as that its device is muted."""

    @property
    def late_ms(self) -> float:
        """The milliseconds between the event and its decision; 0 if it was decided at once."""
        late_s = 0.0 if self.event.kind == "timer" else self.time - self.event.time
        return late_s * 1000 if late_s > TIME_TOLERANCE_S else 0.0

    def get_outcome(self) -> TraceOutcome:
        """Return the outcome of the decision, which determines the colour of the trace in a monitor."""
        if any(effect.kind == "mode" for effect in self.effects):
            return "mode"
        if self.fired:
            return "fired"
        if any(candidate.outcome == "waiting" for candidate in self.candidates):
            return "waiting"
        if self.note is not None and self.note[0] == WAITS_FOR_OTHER_GESTURE:
            return "waiting"
        if self.event.kind in ("note_off", "button_up"):
            return "released"
        return "info" if self.event.kind in ("timer", "completed", "app") else "unmatched"

    def to_plain(self) -> TraceRow:
        """Return the trace as JSON data, with its reasons as sentences."""
        row: TraceRow = {
            "sequence": self.sequence,
            "event": event_to_plain(self.event),
            "mode": self.mode,
            "profile": self.profile,
            "outcome": self.get_outcome(),
            "candidates": [
                {
                    "mapping": candidate.ref.get_identifier(),
                    "scope": candidate.ref.scope,
                    "index": candidate.ref.index,
                    "trigger": candidate.ref.mapping.trigger.to_plain(),
                    "action": candidate.ref.mapping.action.to_plain(),
                    "outcome": candidate.outcome,
                    "reason": render_reason(candidate.reason),
                }
                for candidate in self.candidates
            ],
            "effects": [
                {
                    "kind": effect.kind,
                    "action": effect.action.resolve_to_plain(effect.fire),
                    "mapping": effect.ref.get_identifier(),
                }
                for effect in self.effects
            ],
            "note": None if self.note is None else render_reason(self.note),
        }
        if self.gesture:
            row["gesture"] = self.gesture
        if self.new_mode is not None:
            row["new_mode"] = self.new_mode
        if self.late_ms:
            row["late_ms"] = round(self.late_ms, 3)
        return row
