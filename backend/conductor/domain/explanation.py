"""Defines the explanation of a gesture: why it did or did not cause an action."""

from typing import Literal, cast

from conductor.domain.reasons import ReasonKind
from conductor.domain.value import Value
from conductor.domain.wire_rows import ExplainedTraceRow, TraceRow

ExplainedOutcome = Literal[
    "acted", "running", "no_effect", "failed", "undecided", "not_fired", "unmapped", "info"
]
"""The outcome of a gesture. `no_effect`: a mapping fired, but its action had nothing to do. `info`: the event
does not come from a control.
"""


class WhyNot(Value):
    """The reason why a mapping did not fire."""

    kind: ReasonKind
    mapping: str
    """The description of the mapping or, if it has none, its place."""
    name: str
    """The name of the mapping for users, such as `Undo, mapping 2 of mode Default`."""
    scope: str
    """Where the mapping is: `mode:<name>`, `profile:<name>` or `global`."""
    index: int
    text: str
    """The reason as a sentence, such as `held 300 ms, long press needs 400 ms`."""
    what_would_change: str
    """What to do so that the mapping fires. Empty without advice."""


class FiredMapping(Value):
    """A mapping that fired, and the result of its action."""

    mapping: str
    """The description of the mapping or, if it has none, its place."""
    scope: str
    index: int
    outcome: ExplainedOutcome
    text: str
    """What the action did, what failed, or why there was nothing to do, as a sentence."""


class GestureMoment(Value):
    """An event or an expired time limit during a gesture, with what it decided."""

    sequence: int
    time_ms: float
    """Milliseconds since the start of the gesture."""
    text: str
    decisions: tuple[str, ...]


class Explanation(Value):
    """The explanation of a whole gesture, from its first press to its end."""

    outcome: ExplainedOutcome
    verdict: str
    """A sentence that summarizes what happened and why."""
    fired: tuple[FiredMapping, ...]
    """The mappings that fired."""
    reasons: tuple[WhyNot, ...]
    """Why mappings did not fire, the most relevant first; at most three if nothing fired."""
    what_would_change: str | None
    """What to do so that the most relevant mapping fires; None if one has fired, or if there is no advice."""
    timeline: tuple[GestureMoment, ...]


def split_explanation(explained: ExplainedTraceRow) -> tuple[TraceRow, Explanation]:
    """Return the trace and the explanation that JSON data contains together."""
    trace = {key: item for key, item in explained.items() if key != "explanation"}
    return cast(TraceRow, trace), Explanation.model_validate(explained["explanation"])
