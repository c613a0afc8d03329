"""A conversation with a model: its messages, what streams in, and how it can fail.

One user message and the whole answer to it, with all its tool calls, are one message each. Messages form a
tree: an edited or regenerated one is another child of the same parent, so nothing is ever lost.
"""

from base64 import b64decode
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from conductor.domain.chat.parts import CitedChunk as CitedChunk
from conductor.domain.chat.parts import (
    FilePart,
    ImagePart,
    MentionPart,
    Part,
    TextPart,
    ToolCallPart,
)
from conductor.domain.chat.parts import KnowledgePart as KnowledgePart
from conductor.domain.chat.parts import NotePart as NotePart
from conductor.domain.chat.parts import Origin as Origin
from conductor.domain.chat.parts import ThinkingPart as ThinkingPart
from conductor.domain.chat.parts import ToolResultPart as ToolResultPart
from conductor.domain.settings import ProviderKind as ProviderKind
from conductor.domain.storable import storable
from conductor.domain.value import Value

FailureKind = Literal[
    "no_key",
    "auth",
    "rate_limit",
    "overloaded",
    "quota",
    "network",
    "context_overflow",
    "model_not_found",
    "bad_request",
    "refusal",
    "budget",
    "internal",
]
"""Why a model gave no answer; the words for each, and what to do next, are in `llm/failures.py`."""

StopReason = Literal["end", "tool_calls", "length", "refusal", "context_overflow"]


class Usage(Value):
    """Tokens of one or more requests, and what they cost."""

    requests: int = 0
    input_tokens: int = 0
    """All of them, with those read from and written to the cache."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """None: the price is not known."""
    cost_from: Literal["provider", "prices"] | None = None

    def plus(self, other: "Usage") -> "Usage":
        """Add; an unknown price stays out of the sum."""
        costs = [one for one in (self.cost_usd, other.cost_usd) if one is not None]
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=sum(costs) if costs else None,
            cost_from=other.cost_from or self.cost_from,
        )


class ChatFailure(Value):
    """Why an answer ended early, in words for the user."""

    kind: FailureKind
    message: str
    """A sentence that says what happened and what to do next. Never holds a key."""
    retry_after_s: float | None = None


class ChatMessage(Value):
    """What the user said, or the whole answer to it, as it is kept."""

    message_id: str
    conversation_id: str
    parent_id: str | None = None
    """The message before it; several with the same one are branches."""
    role: Literal["user", "assistant"]
    created_at: datetime
    parts: tuple[Part, ...] = ()
    state: Literal["complete", "streaming", "stopped", "failed", "paused"] = "complete"
    """`paused`: the step budget is used up, and the user is asked whether to go on."""
    provider: str | None = None
    """The name in `llm.providers`."""
    model: str | None = None
    usage: Usage = Usage()
    context_tokens: int = 0
    """What the last request of this answer sent and got."""
    failure: ChatFailure | None = None
    summary: bool = False
    """It stands for all before it (compaction); those are still kept and shown."""


class Conversation(Value):
    """One conversation, without its messages."""

    conversation_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    provider: str | None = None
    model: str | None = None
    tip_id: str | None = None
    """The last message of the branch that is shown."""
    usage: Usage = Usage()
    messages: int = 0


# What a provider streams for one request.


class TextDelta(Value):
    type: Literal["text_delta"] = "text_delta"
    text: str


class ThinkingDelta(Value):
    type: Literal["thinking_delta"] = "thinking_delta"
    text: str


class ToolCallStart(Value):
    type: Literal["tool_call_start"] = "tool_call_start"
    call_id: str
    tool: str


class ToolArgumentsDelta(Value):
    """A piece of a call's arguments. Nothing may be done with them before the call has ended."""

    type: Literal["tool_arguments_delta"] = "tool_arguments_delta"
    call_id: str
    text: str


class ToolCallEnd(Value):
    type: Literal["tool_call_end"] = "tool_call_end"
    call: ToolCallPart


class Retrying(Value):
    """The request is made again after a wait."""

    type: Literal["retrying"] = "retrying"
    attempt: int
    wait_s: float
    failure: ChatFailure


class UsageReport(Value):
    type: Literal["usage"] = "usage"
    usage: Usage


class Done(Value):
    """The last event of a stream that came to its end. `parts` is the whole answer, with its origins."""

    type: Literal["done"] = "done"
    stop: StopReason
    parts: tuple[Part, ...]


class Failed(Value):
    """The last event of a stream that broke. `parts` is what had come until then, fit to be kept."""

    type: Literal["failed"] = "failed"
    failure: ChatFailure
    parts: tuple[Part, ...] = ()


StreamEvent = Annotated[
    TextDelta
    | ThinkingDelta
    | ToolCallStart
    | ToolArgumentsDelta
    | ToolCallEnd
    | Retrying
    | UsageReport
    | Done
    | Failed,
    Field(discriminator="type"),
]


class ToolSpec(Value):
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of an object."""


class ChatRequest(Value):
    """One request to a model."""

    model: str
    system: str
    """The same bytes from one request to the next, so that a provider can cache them."""
    messages: tuple[ChatMessage, ...]
    """The branch, oldest first; the last one is the user's, or the answer that goes on after tool calls."""
    volatile: str = ""
    """What is true only now (T2, retrieved texts); goes into the last user message, after its text."""
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    """Left out where the model takes none."""


class Capabilities(Value):
    """What a model can do."""

    tools: bool = True
    streaming: bool = True
    images: bool = False
    thinking: bool = False
    temperature: bool = True
    context_tokens: int = 128_000
    output_tokens: int = 8_192
    known_from: Literal["settings", "live", "table", "assumed"] = "assumed"


class ModelInfo(Value):
    """A model that a provider offers."""

    model: str
    label: str
    capabilities: Capabilities
    input_usd_per_mtok: float | None = None
    output_usd_per_mtok: float | None = None
    retires_at: str | None = None
    """When the provider stops it (ISO date), if it says so."""


class ProviderHealth(Value):
    """How a test of the connection went."""

    ok: bool
    message: str
    latency_ms: float | None = None
    failure: ChatFailure | None = None


# What the window and the terminal send, and are told.

UserPart = Annotated[TextPart | ImagePart | FilePart | MentionPart, Field(discriminator="type")]


def _can_be_seen(parts: tuple[UserPart, ...]) -> tuple[UserPart, ...]:
    for part in parts:
        if isinstance(part, ImagePart):
            try:
                b64decode(part.data, validate=True)
            except ValueError as error:
                raise ValueError(f"the image `{part.name[:80]}` is not base64: {error}") from None
    return parts


UserParts = Annotated[
    tuple[UserPart, ...],
    Field(min_length=1, max_length=40),
    BeforeValidator(storable),
    AfterValidator(_can_be_seen),
]
"""What a message of the user's is made of, as a door takes it."""


class SendRequest(Value):
    """What the user says. Without a conversation, a new one begins."""

    conversation_id: str | None = Field(default=None, max_length=64)
    parts: UserParts
    parent_id: str | None = Field(default=None, max_length=64)
    """The message it follows. Left out: the last one that is shown."""
    provider: str | None = Field(default=None, max_length=200)
    model: str | None = Field(default=None, max_length=200)


class Sent(Value):
    """What became of it."""

    conversation_id: str
    user_message_id: str | None
    """None while it is queued."""
    message_id: str | None
    """The answer that is being written."""
    queued: bool = False
    """Another answer is being written; this is sent when that has ended."""


Activity = Literal["thinking", "writing", "calling", "retrying"]
