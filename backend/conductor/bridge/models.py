"""What commands give and events carry, where more than one of them does."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from conductor.domain.config import Mapping
from conductor.domain.events import ControlClass, EventKind
from conductor.domain.impact import Impact
from conductor.domain.plan import ExampleResult, Overlap, Replay
from conductor.domain.value import Value

PlainTrigger = Annotated[dict[str, Any], WithJsonSchema({"tsType": "TriggerInput"})]
"""A trigger as a config spells it: what is at its default is left out."""
PlainAction = Annotated[dict[str, Any], WithJsonSchema({"tsType": "ActionInput"})]

Badge = Literal[
    "hold",
    "double",
    "chord",
    "release",
    "condition",
    "shell",
    "while_held",
    "repeat",
    "sequence",
    "off",
]


class Open(BaseModel):
    """A record that another room makes: what it has beyond these fields is passed on."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


class Nothing(Value):
    """No parameters, or no result."""


class ControlRef(Value):
    """A physical control that a row listens to, so that a picture can light it."""

    device: str | None
    channel: int | None
    control_class: ControlClass
    number: int | str
    """`*` is any number."""


class RowWords(Value):
    """A mapping in words."""

    trigger: str
    action: str
    badges: tuple[Badge, ...]
    device: str | None
    controls: tuple[ControlRef, ...]


class Row(Value):
    """A mapping as it was or would be."""

    index: int
    mapping: Mapping
    words: RowWords


class RowChange(Value):
    """One line of before and after."""

    kind: Literal["added", "removed", "changed", "moved"]
    scope: str
    """`mode:<name>`, `profile:<name>`, `global`, `device:<alias>` or `settings`."""
    index: int | None
    """Where the mapping is afterwards, or was when it is removed. None: the scope itself changes."""
    before: Row | None
    after: Row | None
    text: str
    """The change in words."""


class TimelineEvent(Value):
    """Something that was played."""

    time_ms: float
    device: str
    text: str
    sequence: int
    """Its place among what is shown, from 0."""


class TimelineFiring(Value):
    """Something that fires, now or after the change."""

    time_ms: float
    scope: str
    index: int
    text: str
    action: PlainAction
    source: int | None
    """The `sequence` of the input it answers."""
    change: Literal["same", "appears", "vanishes", "moves"]


class Timeline(Value):
    """What was played with what it causes before and after a change, as lanes."""

    duration_ms: float
    inputs: tuple[TimelineEvent, ...]
    old: tuple[TimelineFiring, ...]
    new: tuple[TimelineFiring, ...]
    left_out: int = 0
    """So many inputs are older than what is shown."""


class Proof(Value):
    """What a change would do."""

    diff: str
    before_after: tuple[RowChange, ...]
    overlaps: tuple[Overlap, ...]
    warnings: tuple[str, ...]
    impact: Impact
    replay: Replay | None
    timeline: Timeline | None
    broken_examples: tuple[ExampleResult, ...]


class EventView(Open):
    """One message of a control."""

    kind: EventKind
    device: str
    channel: int
    number: int | str
    value: float
    time: float
    """Seconds on the engine's clock."""
    data: Any = None
    """SysEx as hex, OSC's arguments, the app in front."""


class CandidateView(Open):
    """A mapping that listens to the control, and what became of it."""

    mapping: str
    scope: str
    index: int
    trigger: PlainTrigger
    action: PlainAction
    outcome: Literal["fired", "waiting", "no", "shadowed"]
    reason: str


class EffectView(Open):
    """One thing that was done."""

    kind: Literal["do", "press", "release", "mode", "variable"]
    action: PlainAction
    """What a control gives a tool is filled in."""
    mapping: str
    words: str
    """The action in words."""


class TraceView(Open):
    """What the engine made of one event."""

    sequence: int
    event: EventView
    mode: str
    profile: str | None
    outcome: Literal["fired", "mode", "waiting", "unmatched", "info"]
    candidates: list[CandidateView]
    effects: list[EffectView]
    note: str | None
    text: str
    """The event in words."""
    count: int = 1
    """So many values of this control were one after another; this is the newest."""


class DeviceView(Open):
    """One port or pad."""

    device_id: str
    port_name: str
    kind: Literal["midi_input", "midi_output", "gamepad", "osc", "virtual"]
    connected: bool
    enabled: bool
    is_configured: bool
    problem: str | None


class FrontApp(Value):
    """The app in front; empty texts where it does not say."""

    executable: str
    bundle_id: str
    title: str = Field(max_length=10_000)
