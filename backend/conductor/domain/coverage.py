"""Defines the coverage of a change: which of its mappings were used by recorded
input and generated gestures.
"""

from conductor.domain.control_labels import ControlLabel
from conductor.domain.value import Value


class Counterexample(Value):
    """A gesture that does something else after the change; the shortest that was found so far."""

    control: str
    """The control that behaves differently, as text for the user."""
    gesture: str
    """The gesture as an event script, such as `mode Live; wait 1000; down 36; wait 500; up 36`."""
    circumstances: str = ""
    """Conditions that the script does not set, such as variables or the time of day;
    empty if there are none."""
    control_names: tuple[ControlLabel, ...] = ()
    """The names of the controls in the gesture, where they are known."""
    before: tuple[str, ...]
    """What the gesture does under the current config."""
    after: tuple[str, ...]
    """What the gesture does under the new config."""


class MappingCoverage(Value):
    """How often a mapping that the change affects was used, and by what."""

    scope: str
    """Where the mapping is: `mode:<name>`, `profile:<name>` or `global`."""
    index: int
    side: str
    """The config that contains the mapping: `old` or `new`."""
    words: str
    """The description of the mapping or, if it has none, its trigger and its action."""
    played: bool | None = None
    """Whether the user has played the controls of the mapping. Left out if unknown."""
    gestures: int = 0
    """The number of generated gestures in which the mapping fired."""


class Coverage(Value):
    """How far recorded input and generated gestures have used a change, and how many gestures differ."""

    changed: tuple[MappingCoverage, ...] = ()
    """The mappings that the change adds, removes or alters, with at most 200 entries."""
    gestures_played: int = 0
    """The number of gestures, each played on the old and the new config under the same circumstances."""
    differing: int = 0
    """The number of gestures that do something else under the new config."""
    counterexamples: tuple[Counterexample, ...] = ()
    """For each control that behaves differently, a gesture that shows this."""
    depth: int = 0
    """The number of events up to which all gestures were played."""
    finished: bool = False
    """False while gestures are being played, and if none are going to be played."""
    cut_short: bool = False
    """Whether the limit of time or gestures was reached."""
    missing: tuple[str, ...] = ()
    """What the gestures do not cover, in phrases for the user."""
    progress: float = 0.0
    """The progress of playing, from 0.0 to 1.0."""
    summary: str = ""
