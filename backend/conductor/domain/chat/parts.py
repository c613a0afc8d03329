"""Defines the parts that chat messages consist of: text, images, tool calls and others."""

from typing import Annotated, Literal

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.device_profile import ConfidenceGrade
from conductor.domain.knowledge_domains import Domain
from conductor.domain.value import Value


class Origin(Value):
    """Data that a provider has attached to a part of a message, such as a signature.

    It is sent back unchanged with the part, but only to this provider.
    """

    provider: str
    """The API of the provider, such as `anthropic` or `google`, which pydantic-ai calls `provider_name`."""
    row: str = ""
    """The name of the provider in `llm.providers`, because several servers may have the same API."""
    model: str = ""
    id: str | None = None
    signature: str | None = None
    details: JsonObject = Field(default_factory=JsonObject)


class TextPart(Value):
    type: Literal["text"] = "text"
    text: str
    origin: Origin | None = None


class ThinkingPart(Value):
    """The reasoning of the model, which is sent back only to the provider that produced it."""

    type: Literal["thinking"] = "thinking"
    text: str
    origin: Origin | None = None


class ToolCallPart(Value):
    """A complete tool call by the model. `call_id` is chosen by Conductor and valid for every provider."""

    type: Literal["tool_call"] = "tool_call"
    call_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    tool: str
    arguments: JsonObject = Field(default_factory=JsonObject)
    malformed: str | None = None
    """The arguments as text if they are not a JSON object; otherwise None."""
    origin: Origin | None = None


class ToolResultPart(Value):
    """The result of a tool call. Every call has one, also if it was denied, cancelled or failed."""

    type: Literal["tool_result"] = "tool_result"
    call_id: str
    tool: str
    ok: bool
    content: str
    """The result as JSON, or an error message, as the model receives it."""
    plan_id: str | None = None
    """The id of the plan that the call has created; None if it created none."""
    code: str | None = None
    """The code of the error if the call failed. In messages of older versions it is always None."""
    duration_ms: float = 0


class ImagePart(Value):
    type: Literal["image"] = "image"
    name: str
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    data: str
    """The image data, encoded as Base64."""


class FilePart(Value):
    """A file that the user has attached, converted to text; a MIDI file becomes a list of events."""

    type: Literal["file"] = "file"
    name: str
    kind: Literal["config", "midi", "text"]
    text: str


class MentionPart(Value):
    """A reference to something in Conductor, such as a control or mapping, that the user inserted with `@`."""

    type: Literal["mention"] = "mention"
    kind: Literal["device", "control", "mode", "plan", "mapping"]
    label: str
    """The text that the user sees, such as `pad 36`."""
    detail: str
    """The text that the model receives, such as `note 36 on channel 10 of the device "pads"`."""


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
    """A note for the user that Conductor has added to the conversation; it is not sent to the model."""

    type: Literal["note"] = "note"
    kind: NoteKind
    text: str
    skill: str | None = None
    """The Agent Skill that is active from here on; None if no skill is active."""
    tools: tuple[str, ...] = ()
    """The tools that the model is offered from here on, in the order in which they were found."""


class CitedChunk(Value):
    """A section of a reference text that was sent to the model for an answer."""

    number: int
    """The number by which the model cites the chunk, as in `[K1]`; unique within the conversation."""
    id: str
    section_path: tuple[str, ...]
    source: str
    source_title: str
    domain: Domain
    score: float
    """How relevant the section is to the user's message, from 0 (not at all) to 1 (certainly)."""
    layer: Literal["L2", "L3"] = "L2"
    grade: ConfidenceGrade | None = None
    page: int | None = None
    """The page of the manual of the user that contains the section."""


class KnowledgePart(Value):
    """The sections of reference texts that were retrieved for an answer; their texts are not stored here."""

    type: Literal["knowledge"] = "knowledge"
    chunks: tuple[CitedChunk, ...] = ()
    tokens: int = 0
    problem: str = ""
    """The reason why nothing could be retrieved; empty if retrieval worked."""


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
