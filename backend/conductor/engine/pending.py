"""Defines the state of a press that may still become one of several gestures."""

from conductor.domain.events import Control, InputEvent
from conductor.engine.table import CompiledMapping, ControlMappingGroup


class PendingPress:
    """A press whose gesture is not decided yet, with the mappings that were active when it began."""

    __slots__ = (
        "chords",
        "control",
        "double_tap",
        "double_tap_deadline",
        "event",
        "group",
        "is_over",
        "keeps_order",
        "long_presses",
        "others_pressed",
        "presses",
        "released",
        "tap",
        "watches",
    )

    def __init__(
        self, control: Control, event: InputEvent, sequence: int, group: ControlMappingGroup
    ) -> None:
        self.control = control
        self.event = event
        self.group = group
        self.presses = (sequence,)
        """The sequence numbers of the traces of this press, to which candidates refer."""
        self.chords: tuple[CompiledMapping, ...] = ()
        """The chords that this press may become part of, longest chord first."""
        self.tap: CompiledMapping | None = None
        self.long_presses: list[CompiledMapping] = []
        """For each duration, the long press that takes precedence, shortest duration first."""
        self.double_tap: CompiledMapping | None = None
        self.double_tap_deadline = 0.0
        self.released: InputEvent | None = None
        self.is_over = False
        """True once the press has become a gesture or was dropped; its deadlines then have no effect."""
        self.watches = False
        """Whether the press is in `EngineState.undecided`, because other controls can decide
        it or have to wait for it."""
        self.keeps_order = False
        """Whether events of other controls of the device wait until this press is decided."""
        self.others_pressed: tuple[Control, ...] = ()
        """The controls that were pressed after this press began. With `permissive_hold`, the release of one
        of them makes this press a hold."""
