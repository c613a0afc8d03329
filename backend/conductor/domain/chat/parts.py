"""The parts that chat messages consist of."""

from typing import Annotated, Literal

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.device_profile import ConfidenceGrade
from conductor.domain.knowledge_domains import Domain
from conductor.domain.value import Value


class Origin(Value):
    """Data that a provider attached to a message part, such as a signature. The data is sent back unchanged
    with the part, but only to the same provider.
    """

    provider: str
    """The provider API, such as `anthropic` or `google`: pydantic-ai's `provider_name`."""
    row: str = ""
    """The name in `llm.providers`, because two servers may have the same API."""
    model: str = ""
    id: str | None = None
    signature: str | None = None
    details: JsonObject = Field(default_factory=JsonObject)


class TextPart(Value):
    type: Literal["text"] = "text"
    text: str
    origin: Origin | None = None


class ThinkingPart(Value):
    """The model's reasoning; sent back only to the provider that produced it."""

    type: Literal["thinking"] = "thinking"
    text: str
    origin: Origin | None = None


class ToolCallPart(Value):
    """A complete tool call by the model. Conductor assigns `call_id`, which is valid for every provider."""

    type: Literal["tool_call"] = "tool_call"
    call_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    tool: str
    arguments: JsonObject = Field(default_factory=JsonObject)
    malformed: str | None = None
    """The raw arguments, if they are not a JSON object."""
    origin: Origin | None = None


class ToolResultPart(Value):
    """The result of a tool call. Every call has a result, even if the call was denied, cancelled or failed."""

    type: Literal["tool_result"] = "tool_result"
    call_id: str
    tool: str
    ok: bool
    content: str
    """JSON or an error message, as sent to the model."""
    plan_id: str | None = None
    """The pending plan, if the call created one."""
    code: str | None = None
    """The code of the error if the call failed; None also in messages of older versions."""
    duration_ms: float = 0


class ImagePart(Value):
    type: Literal["image"] = "image"
    name: str
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    data: str
    """The image data, encoded as Base64."""


class FilePart(Value):
    """A file that the user attached, as text. A MIDI file is converted into a list of events."""

    type: Literal["file"] = "file"
    name: str
    kind: Literal["config", "midi", "text"]
    text: str


class MentionPart(Value):
    """A reference to a control, mapping or the like that the user inserted with `@`."""

    type: Literal["mention"] = "mention"
    kind: Literal["device", "control", "mode", "plan", "mapping"]
    label: str
    """The text shown to the user, such as `pad 36`."""
    detail: str
    """The text for the model, such as `note 36 on channel 10 of the device "pads"`."""


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
    """A note that Conductor added to the conversation for the user. Notes are not sent to the model."""

    type: Literal["note"] = "note"
    kind: NoteKind
    text: str
    skill: str | None = None
    """The Agent Skill that is active from here on, if any."""
    tools: tuple[str, ...] = ()
    """The tools that are offered to the model from here on, in the order of their discovery."""


class CitedChunk(Value):
    """A section of a reference text that was sent to the model."""

    number: int
    """The number by which the model cites the chunk, as in `[K1]`; unique within the conversation."""
    id: str
    section_path: tuple[str, ...]
    source: str
    source_title: str
    domain: Domain
    score: float
    """The relevance to the user's message: 0 none, 1 certain."""
    layer: Literal["L2", "L3"] = "L2"
    grade: ConfidenceGrade | None = None


class KnowledgePart(Value):
    """The reference texts that were retrieved for an answer. The texts themselves are not stored."""

    type: Literal["knowledge"] = "knowledge"
    chunks: tuple[CitedChunk, ...] = ()
    tokens: int = 0
    problem: str = ""
    """The reason why nothing could be retrieved, in which case the answer was written without reference
    texts.
    """


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
