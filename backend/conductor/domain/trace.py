"""What the engine made of one event: each candidate, why it fired, waits or not, and what follows.

Traces are made for every event, so they are plain slotted objects whose reasons are rendered only
when somebody looks; `Trace.to_plain` is the form that is shown, sent and explained.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.condition_facts import Unmet
from conductor.domain.config import Mapping
from conductor.domain.events import InputEvent
from conductor.domain.reasons import WAITS_IN_ORDER, Reason, render
from conductor.domain.recording import Command, ConfigLoaded

TINY_S = 1e-6
"""Less than any two events are apart: sums of seconds are not exact."""
Outcome = Literal["fired", "waiting", "no", "shadowed"]


@dataclass(frozen=True, slots=True)
class MappingRef:
    """A mapping and its place in the config."""

    scope: str
    """`mode:<name>`, `profile:<name>` or `global`."""
    index: int
    mapping: Mapping

    def name(self) -> str:
        """Return what a person calls it: its description, or its place."""
        return self.mapping.description or f"{self.scope} #{self.index}"

    def words(self) -> str:
        """Return its place, and what a person calls it."""
        description = self.mapping.description
        return f"{self.scope} #{self.index}{f', {description}' if description else ''}"


class Candidate(NamedTuple):
    """One mapping that listens to the control, and what became of it."""

    ref: MappingRef
    outcome: Outcome
    reason: Reason
    presses: tuple[int, ...] = ()
    """The presses that it judges, by the number of their traces; none: that of its own trace."""


class Effect(NamedTuple):
    """One thing to do."""

    kind: Literal["do", "press", "release", "mode", "variable"]
    """`press` and `release` are the ends of something held; `mode` and `variable` are done."""
    action: ActionBase
    fire: Fire
    ref: MappingRef
    run: int = 0
    """The run that it belongs to, which a failure ends; 0 for an action that stands alone."""
    waits: bool = False
    """Whether the run goes on only when this is completed."""


class Trace:
    """The answer to one event, or to the passing of time (`event.kind == "timer"`)."""

    __slots__ = (
        "candidates",
        "command",
        "effects",
        "event",
        "fired",
        "gesture",
        "mode",
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
        """The engine's time when it was judged: later than the event's when it was read late."""
        self.command: Command | ConfigLoaded | None = None
        """What was asked from outside, when that and no event caused it."""
        self.gesture = 0
        """The number of the trace whose press this one follows; 0 when it begins a gesture itself."""
        self.mode = mode
        """The mode in which the event was judged."""
        self.profile = profile
        self.candidates: list[Candidate] = []
        self.effects: list[Effect] = []
        self.fired: list[MappingRef] = []
        self.skipped: tuple[tuple[MappingRef, Unmet], ...] = ()
        """Conditionals that did nothing, because their condition did not hold and they have no else."""
        self.note: Reason | None = None
        """What else is to be said, such as that the device is muted."""

    @property
    def late_ms(self) -> float:
        """How long before it was judged the event happened, when others had been judged meanwhile."""
        late_s = 0.0 if self.event.kind == "timer" else self.time - self.event.time
        return late_s * 1000 if late_s > TINY_S else 0.0

    def outcome(self) -> Literal["fired", "mode", "waiting", "unmatched", "info"]:
        """Return the colour of this trace in a monitor."""
        if any(effect.kind == "mode" for effect in self.effects):
            return "mode"
        if self.fired:
            return "fired"
        if any(candidate.outcome == "waiting" for candidate in self.candidates):
            return "waiting"
        if self.note is not None and self.note[0] == WAITS_IN_ORDER:
            return "waiting"
        return "info" if self.event.kind in ("timer", "completed", "app") else "unmatched"

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON-ready data with its reasons as sentences."""
        return {
            "sequence": self.sequence,
            "event": plain_event(self.event),
            "mode": self.mode,
            "profile": self.profile,
            "outcome": self.outcome(),
            "candidates": [
                {
                    "mapping": candidate.ref.name(),
                    "scope": candidate.ref.scope,
                    "index": candidate.ref.index,
                    "trigger": candidate.ref.mapping.trigger.to_plain(),
                    "action": candidate.ref.mapping.action.to_plain(),
                    "outcome": candidate.outcome,
                    "reason": render(candidate.reason),
                }
                for candidate in self.candidates
            ],
            "effects": [
                {
                    "kind": effect.kind,
                    "action": effect.action.to_resolved(effect.fire),
                    "mapping": effect.ref.name(),
                }
                for effect in self.effects
            ],
            "note": None if self.note is None else render(self.note),
            **({"late_ms": round(self.late_ms, 3)} if self.late_ms else {}),
        }


def plain_event(event: InputEvent) -> dict[str, Any]:
    """Return an event as JSON-ready data; SysEx as hex."""
    plain: dict[str, Any] = {
        "kind": event.kind,
        "device": event.device,
        "channel": event.channel,
        "number": event.number,
        "value": event.value,
        "time": round(event.time, 6),
    }
    if isinstance(event.data, bytes):
        plain["data"] = event.data.hex(" ").upper()
    elif event.data is not None:
        plain["data"] = list(event.data) if isinstance(event.data, tuple) else event.data
    return plain


def event_from_plain(plain: dict[str, Any]) -> InputEvent:
    """Read an event back from `plain_event`."""
    data: Any = plain.get("data")
    if plain["kind"] == "sysex" and isinstance(data, str):
        data = bytes.fromhex(data)
    elif isinstance(data, list):
        data = tuple(data)
    return InputEvent(
        plain["kind"],
        plain["device"],
        plain["channel"],
        plain["number"],
        plain["value"],
        plain["time"],
        data,
    )
