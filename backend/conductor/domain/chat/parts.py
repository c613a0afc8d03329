"""What a message of a conversation is made of."""

from typing import Annotated, Any, Literal

from pydantic import Field

from conductor.domain.device_profile import Grade
from conductor.domain.knowledge import Domain
from conductor.domain.value import Value


class Origin(Value):
    """What a model wants back unchanged with a part that it made, and nobody else may get."""

    provider: str
    """The wire it came over, such as `anthropic` or `google`: pydantic-ai's `provider_name`."""
    row: str = ""
    """The name in `llm.providers`: two servers may speak the same wire."""
    model: str = ""
    id: str | None = None
    signature: str | None = None
    details: dict[str, Any] = Field(default_factory=dict[str, Any])


class TextPart(Value):
    type: Literal["text"] = "text"
    text: str
    origin: Origin | None = None


class ThinkingPart(Value):
    """What the model thought; sent back only to the provider it is from."""

    type: Literal["thinking"] = "thinking"
    text: str
    origin: Origin | None = None


class ToolCallPart(Value):
    """A call that the model asks for, complete. `call_id` is ours, fit for every provider."""

    type: Literal["tool_call"] = "tool_call"
    call_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    malformed: str | None = None
    """The arguments as they came, when they are not a JSON object."""
    origin: Origin | None = None


class ToolResultPart(Value):
    """What came of a call: always one for each, also when it was refused, stopped or failed."""

    type: Literal["tool_result"] = "tool_result"
    call_id: str
    tool: str
    ok: bool
    content: str
    """JSON, or the sentence of an error: what the model is told."""
    plan_id: str | None = None
    """The plan that waits for the user, when the call made one."""
    duration_ms: float = 0


class ImagePart(Value):
    type: Literal["image"] = "image"
    name: str
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    data: str
    """Base64."""


class FilePart(Value):
    """A file that the user attached, as text: a config as it is, a MIDI file as the events in it."""

    type: Literal["file"] = "file"
    name: str
    kind: Literal["config", "midi", "text"]
    text: str


class MentionPart(Value):
    """Something of Conductor's that the user pointed at with `@`."""

    type: Literal["mention"] = "mention"
    kind: Literal["device", "control", "mode", "plan", "mapping"]
    label: str
    """As shown, such as `pad 36`."""
    detail: str
    """As the model is told, such as `note 36 on channel 10 of the device "pads"`."""


NoteKind = Literal[
    "failover",
    "compacted",
    "budget",
    "steps",
    "stopped",
    "degraded",
    "restarted",
    "skill",
    "found",
]


class NotePart(Value):
    """A word of Conductor's own in the conversation; the model is not told it."""

    type: Literal["note"] = "note"
    kind: NoteKind
    text: str
    skill: str | None = None
    """The Agent Skill that is in force from here on, when the note tells of one."""
    tools: tuple[str, ...] = ()
    """The tools that the model is told of from here on, in the order in which they were found."""


class CitedChunk(Value):
    """A piece of reference text that the model was given."""

    number: int
    """The model cites it as `[K1]`; no other piece of the same conversation has this number."""
    id: str
    section_path: tuple[str, ...]
    source: str
    source_title: str
    domain: Domain
    score: float
    """How well it fits what the user said: 0 not at all, 1 certainly."""
    layer: Literal["L2", "L3"] = "L2"
    grade: Grade | None = None


class KnowledgePart(Value):
    """What was looked up for an answer and put before the model; the texts themselves are not kept."""

    type: Literal["knowledge"] = "knowledge"
    chunks: tuple[CitedChunk, ...] = ()
    tokens: int = 0
    problem: str = ""
    """Why nothing could be looked up; the answer came without it."""


Part = Annotated[
    TextPart
    | ThinkingPart
    | ToolCallPart
    | ToolResultPart
    | ImagePart
    | FilePart
    | MentionPart
    | NotePart
    | KnowledgePart,
    Field(discriminator="type"),
]
