"""The evidence of what a config change does, computed before the change is made."""

from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.domain.plan import ExampleResult, Overlap, Replay
from conductor.domain.value import Value


class ChangeProof(Value):
    """All known effects of a config change, computed before it is made."""

    impact: Impact
    """Everything that the change can affect; everything else is proven unchanged."""
    coverage: Coverage
    """How far recorded input exercised the change. The results of generated gestures are added later."""
    overlaps: tuple[Overlap, ...] = ()
    """The conflicts of the new config. Conflicts that the old config has too are marked as not new."""
    replay: Replay | None = None
    """The replay of the recording; None if nothing was recorded, or if the recording cannot be read."""
    examples: tuple[ExampleResult, ...] = ()
    """The results of the proposal's examples on the new config."""
    broken_examples: tuple[ExampleResult, ...] = ()
    """Saved examples that pass now and would fail after the change."""
