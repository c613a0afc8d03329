"""A press that may still become one of several gestures."""

from conductor.domain.events import Control, InputEvent
from conductor.engine.table import Compiled, Group


class Press:
    """A press whose meaning is not settled yet, with the mappings that were in force when it began."""

    __slots__ = (
        "chords",
        "control",
        "double",
        "double_until",
        "event",
        "group",
        "keeps_order",
        "longs",
        "others",
        "presses",
        "released",
        "settled",
        "tap",
        "watches",
    )

    def __init__(self, control: Control, event: InputEvent, sequence: int, group: Group) -> None:
        self.control = control
        self.event = event
        self.group = group
        self.presses = (sequence,)
        """The number of its trace, as candidates that judge it carry it."""
        self.chords: tuple[Compiled, ...] = ()
        """The chords that it may belong to."""
        self.tap: Compiled | None = None
        self.longs: list[Compiled] = []
        """Shortest first."""
        self.double: Compiled | None = None
        self.double_until = 0.0
        self.released: InputEvent | None = None
        self.settled = False
        self.watches = False
        """It is in `EngineState.undecided`: the device's other controls matter to it, or it to them."""
        self.keeps_order = False
        """What the device's other controls send waits for it."""
        self.others: tuple[Control, ...] = ()
        """Other controls that were pressed since, where letting go of one decides."""

    @property
    def over(self) -> bool:
        return self.settled
