"""Defines the proof of a config change: everything that is computed about its effects before it is made."""

from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.domain.plan import ExampleResult, Overlap, Replay
from conductor.domain.value import Value


class ChangeProof(Value):
    """All known effects of a config change that has not been made yet."""

    impact: Impact
    """Everything that the change can affect; everything else is proven unchanged."""
    coverage: Coverage
    """How much of the change the recorded input has used; the results of generated gestures are added later."""
    overlaps: tuple[Overlap, ...] = ()
    """The conflicts in the new config, with a mark for each conflict that the old config also has."""
    replay: Replay | None = None
    """The replay of the recording; None if nothing was recorded, or if the recording cannot be read."""
    examples: tuple[ExampleResult, ...] = ()
    """The results of the examples in the proposal, played on the new config."""
    broken_examples: tuple[ExampleResult, ...] = ()
    """Saved examples that pass under the current config and would fail after the change."""
