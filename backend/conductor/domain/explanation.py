"""Why a gesture acted or did not: the typed answer of `explain`."""

from typing import Literal

from conductor.domain.reasons import ReasonKind
from conductor.domain.value import Value

ExplainedOutcome = Literal[
    "acted", "running", "no_effect", "failed", "undecided", "not_fired", "unmapped", "info"
]
"""`no_effect`: a mapping fired, and its action had nothing to do. `info`: not an event of a control."""


class WhyNot(Value):
    """Why one mapping did not act."""

    kind: ReasonKind
    mapping: str
    """Its description, or its place."""
    scope: str
    """`mode:<name>`, `profile:<name>` or `global`."""
    index: int
    text: str
    """The reason, such as `held 300 ms, long press needs 400`."""
    what_would_change: str
    """What to do for it to act; empty when there is no advice."""


class FiredMapping(Value):
    """What came of one mapping that fired."""

    mapping: str
    """Its description, or its place."""
    scope: str
    index: int
    outcome: ExplainedOutcome
    text: str
    """What it did, what failed, or why there was nothing to do."""


class GestureMoment(Value):
    """One event of the gesture, or one time limit of it, and what it decided."""

    sequence: int
    time_ms: float
    """Since the beginning of the gesture."""
    text: str
    decisions: tuple[str, ...]


class Explanation(Value):
    """What became of a gesture, from its press to its end."""

    outcome: ExplainedOutcome
    verdict: str
    """One sentence."""
    fired: tuple[FiredMapping, ...]
    """The mappings that fired."""
    reasons: tuple[WhyNot, ...]
    """Why mappings did not act, the nearest first; at most three when nothing acted."""
    what_would_change: str | None
    """What to do for the nearest mapping to act. None: it acted, or there is no advice."""
    timeline: tuple[GestureMoment, ...]
