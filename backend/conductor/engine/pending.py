"""Defines a press that may still become one of several gestures."""

from conductor.domain.events import Control, InputEvent
from conductor.engine.table import CompiledMapping, ControlMappingGroup


class PendingPress:
    """A press that has not been resolved to a gesture yet, with the mappings that were active when it began."""

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
        """The sequence numbers of the press's traces, to which candidates refer."""
        self.chords: tuple[CompiledMapping, ...] = ()
        """The chords that may include this press, longest first."""
        self.tap: CompiledMapping | None = None
        self.long_presses: list[CompiledMapping] = []
        """The winning long press of each duration, shortest first."""
        self.double_tap: CompiledMapping | None = None
        self.double_tap_deadline = 0.0
        self.released: InputEvent | None = None
        self.is_over = False
        """True once the press became a gesture or was dropped; its deadlines are then void."""
        self.watches = False
        """Whether the press is in `EngineState.undecided`, because other controls affect it or because it
        delays their events.
        """
        self.keeps_order = False
        """Whether events of the device's other controls are queued until this press is resolved."""
        self.others_pressed: tuple[Control, ...] = ()
        """The controls pressed since the press began. With `permissive_hold`, the release of any of these
        controls makes the press a hold.
        """
