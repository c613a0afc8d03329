"""The data models that several commands and events share."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from conductor.base.json_types import JsonObject
from conductor.domain.config import Mapping
from conductor.domain.events import ControlClass, EventKind
from conductor.domain.impact import Impact
from conductor.domain.plan import ExampleResult, Overlap, Replay
from conductor.domain.value import Value
from conductor.domain.wire_rows import BatteryLevel

PlainTrigger = Annotated[JsonObject, WithJsonSchema({"tsType": "TriggerInput"})]
"""A trigger as it is written in a config, without the fields that have their default value."""
PlainAction = Annotated[JsonObject, WithJsonSchema({"tsType": "ActionInput"})]

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


class PassThroughModel(BaseModel):
    """The base class of models that keep fields which they do not declare."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


class Empty(Value):
    """A model without fields, for commands without parameters or without a result."""


class ControlRef(Value):
    """A physical control that a mapping listens to. The picture of the device highlights it."""

    device: str | None
    channel: int | None
    control_class: ControlClass
    number: int | str
    """The number of the control. `*` stands for any number."""


class RowDescription(Value):
    """The description of a mapping in words, with its badges and the controls that it listens to."""

    trigger: str
    """The description of the trigger.

    It names the control as the user does, or as printed on the device if a profile defines the name.
    """
    numbers: str
    """The numbers of the control, such as `note 41 (F1) ch 10`. Empty if `trigger` contains them."""
    printed: str
    """The name printed on the control, such as `Pad 6`, if `trigger` contains the user's name of it;
    otherwise empty."""
    action: str
    badges: tuple[Badge, ...]
    device: str | None
    controls: tuple[ControlRef, ...]


class Row(Value):
    """A mapping as it is before or after a change, with its description."""

    index: int
    mapping: Mapping
    words: RowDescription


class RowChange(Value):
    """One difference between two configs, such as a changed mapping."""

    kind: Literal["added", "removed", "changed", "moved"]
    scope: str
    """Where the change is: `mode:<name>`, `profile:<name>`, `global`, `device:<alias>` or `settings`."""
    index: int | None
    """The index of the mapping after the change, or before it if the mapping is removed.

    None if the scope itself changes.
    """
    before: Row | None
    after: Row | None
    text: str
    """A sentence that describes the change."""


class TimelineEvent(Value):
    """A recorded input event in the timeline of a proof."""

    time_ms: float
    device: str
    text: str
    sequence: int
    """The position of the event in the timeline, counted from 0."""


class TimelineFiring(Value):
    """A mapping that fires in the timeline of a proof, under the config before or after the change."""

    time_ms: float
    scope: str
    index: int
    text: str
    action: PlainAction
    source: int | None
    """The `sequence` of the input event that fired the mapping."""
    change: Literal["same", "appears", "vanishes", "moves"]


class Timeline(Value):
    """The recorded input events, with the mappings that fire before and after a change."""

    duration_ms: float
    inputs: tuple[TimelineEvent, ...]
    old: tuple[TimelineFiring, ...]
    new: tuple[TimelineFiring, ...]
    left_out: int = 0
    """How many other input events are not shown."""


class Proof(Value):
    """Everything that shows what a proposed change would do: its diff, conflicts, replay, timeline and
    examples.
    """

    diff: str
    before_after: tuple[RowChange, ...]
    overlaps: tuple[Overlap, ...]
    warnings: tuple[str, ...]
    impact: Impact
    replay: Replay | None
    timeline: Timeline | None
    broken_examples: tuple[ExampleResult, ...]


class EventView(PassThroughModel):
    """An input event of a control, with texts that the page displays."""

    kind: EventKind
    device: str
    channel: int
    number: int | str
    value: float
    time: float
    """The time of the event in seconds on the engine's clock."""
    data: Any = None
    """The data of the event: SysEx bytes in hex, OSC arguments, or the foreground app."""
    control: str | None = None
    """The user's name of the control, or the one that is printed on it, such as `Pad 6`, if it is known."""
    printed: str | None = None
    """The name printed on the control, if `control` is the user's."""


class CandidateView(PassThroughModel):
    """A mapping that listens to the control of an event, with its outcome and the reason for the outcome."""

    mapping: str
    scope: str
    index: int
    trigger: PlainTrigger
    action: PlainAction
    outcome: Literal["fired", "waiting", "no", "shadowed"]
    reason: str


class EffectView(PassThroughModel):
    """An effect that an event had, such as an action that was performed."""

    kind: Literal["do", "press", "release", "mode", "variable"]
    action: PlainAction
    """The action, in which the value of the control is filled in."""
    mapping: str
    words: str
    """A sentence that describes the action."""


class TraceView(PassThroughModel):
    """The engine's record of one event: the candidate mappings, what they did, and why."""

    sequence: int
    event: EventView
    mode: str
    profile: str | None
    outcome: Literal["fired", "mode", "waiting", "unmatched", "released", "info"]
    candidates: list[CandidateView]
    effects: list[EffectView]
    note: str | None
    gesture: int = 0
    """The sequence number of the trace with the press that this trace continues; 0 if there is none."""
    new_mode: str | None = None
    """The mode that the decision activated, or null if the mode stayed the same."""
    text: str
    """A description of the event."""
    count: int = 1
    """How many events were merged into this trace, which shows the last of them."""


class DeviceView(PassThroughModel):
    """A MIDI port or a gamepad, with its current state."""

    device_id: str
    port_name: str
    kind: Literal["midi_input", "midi_output", "gamepad", "osc", "virtual"]
    connected: bool
    enabled: bool
    is_configured: bool
    problem: str | None
    battery: BatteryLevel | None = None
    """The charge of a gamepad, or None if the device is no gamepad or does not report its charge."""


class FrontApp(Value):
    """The app in the foreground. Properties that are not known are empty."""

    executable: str
    bundle_id: str
    title: str = Field(max_length=10_000)
