"""How far a change is proven: what was played of it, and what generated gestures showed."""

from conductor.domain.value import Value


class Counterexample(Value):
    """The shortest gesture that was found to do something else after the change."""

    control: str
    """The control that does something else, in words."""
    gesture: str
    """As an event script, such as `mode Live; wait 1000; down 36; wait 500; up 36`."""
    circumstances: str = ""
    """What must hold besides what the script sets, such as variables and the time of day."""
    before: tuple[str, ...]
    """What it does now, in words."""
    after: tuple[str, ...]
    """What it would do."""


class MappingCoverage(Value):
    """How far one mapping that a change concerns was exercised."""

    scope: str
    """`mode:<name>`, `profile:<name>` or `global`."""
    index: int
    side: str
    """`old`: as it is now; `new`: as it would be."""
    words: str
    """What it is called, or its trigger and action."""
    played: bool | None = None
    """Whether its controls were played; left out where that is not known."""
    gestures: int = 0
    """In how many of the generated gestures it fired."""


class Coverage(Value):
    """What was played of a change, and what comes of generated gestures on both configs."""

    changed: tuple[MappingCoverage, ...] = ()
    """The mappings that the change adds, removes or alters, at most 200."""
    gestures_played: int = 0
    """Each is played on the old and on the new config, from one set of circumstances."""
    differing: int = 0
    """How many of them do something else."""
    counterexamples: tuple[Counterexample, ...] = ()
    """One for each control that does something else."""
    depth: int = 0
    """All gestures of up to so many touches were played."""
    finished: bool = False
    """False while gestures are still being played, or where none will be."""
    cut_short: bool = False
    """The time or the number of gestures ran out."""
    missing: tuple[str, ...] = ()
    """What the gestures leave out, in words."""
    progress: float = 0.0
    """0.0 to 1.0."""
    summary: str = ""
