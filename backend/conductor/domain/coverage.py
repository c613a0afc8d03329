"""Reports which mappings of a change were exercised by recordings and generated gestures."""

from conductor.domain.control_labels import ControlLabel
from conductor.domain.value import Value


class Counterexample(Value):
    """The shortest gesture found so far whose effects differ after the change."""

    control: str
    """The control that behaves differently, in words."""
    gesture: str
    """The gesture as an event script, such as `mode Live; wait 1000; down 36; wait 500; up 36`."""
    circumstances: str = ""
    """Conditions that the script does not set, such as variables and the time of day."""
    control_names: tuple[ControlLabel, ...] = ()
    """The names of the controls in the gesture, where they are known."""
    before: tuple[str, ...]
    """The effect of the current config, in words."""
    after: tuple[str, ...]
    """The effect of the new config, in words."""


class MappingCoverage(Value):
    """How often a mapping that the change affects was exercised, and by what."""

    scope: str
    """`mode:<name>`, `profile:<name>` or `global`."""
    index: int
    side: str
    """`old`: in the current config; `new`: in the new config."""
    words: str
    """The mapping's description, or its trigger and action."""
    played: bool | None = None
    """Whether the controls of the mapping were played. Left out if unknown."""
    gestures: int = 0
    """The number of generated gestures in which the mapping fired."""


class Coverage(Value):
    """How far recorded and generated gestures exercised a change, and how many of the gestures behave
    differently.
    """

    changed: tuple[MappingCoverage, ...] = ()
    """The mappings that the change adds, removes or alters, at most 200."""
    gestures_played: int = 0
    """The number of gestures, each played on the old and the new config under the same circumstances."""
    differing: int = 0
    """The number of gestures that behave differently."""
    counterexamples: tuple[Counterexample, ...] = ()
    """A counterexample for each control that behaves differently."""
    depth: int = 0
    """All gestures of up to this many touches were played."""
    finished: bool = False
    """False while gestures are still being played, or if no gestures will be played."""
    cut_short: bool = False
    """Whether the limit of time or gestures was reached."""
    missing: tuple[str, ...] = ()
    """What the gestures do not cover, in words."""
    progress: float = 0.0
    """The progress of playing, from 0.0 to 1.0."""
    summary: str = ""
