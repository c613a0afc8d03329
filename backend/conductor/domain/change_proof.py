"""What is proven of a change of the config before it is made."""

from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.domain.plan import ExampleResult, Overlap, Replay
from conductor.domain.value import Value


class ChangeProof(Value):
    """Everything that is known of a change before it is made."""

    impact: Impact
    """Everything that the change can affect; what it leaves out is proven unchanged."""
    coverage: Coverage
    """How far that was exercised by what was recorded; generated gestures add to it later."""
    overlaps: tuple[Overlap, ...] = ()
    """The conflicts of the new config; those that the old one has already are marked as not new."""
    replay: Replay | None = None
    """None where nothing was recorded, or the recording cannot be read."""
    examples: tuple[ExampleResult, ...] = ()
    """The examples that came with the change, on the new config."""
    broken_examples: tuple[ExampleResult, ...] = ()
    """Kept examples that hold now and would not afterwards."""
