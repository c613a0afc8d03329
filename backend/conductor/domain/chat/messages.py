"""Chat conversations: messages, stream events, requests and failures.

A user message is one message. The complete answer to it, with all its tool calls, is another. Messages
form a tree: an edited or regenerated message is another child of the same parent, so nothing is ever
lost.
"""

from base64 import b64decode
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from conductor.base.json_types import JsonObject
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
from conductor.domain.storable import make_storable
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
"""Why a model did not answer; the texts for the user are in `llm/failures.py`."""

StopReason = Literal["end", "tool_calls", "length", "refusal", "context_overflow"]


class Usage(Value):
    """The number of tokens and the cost of one or more requests."""

    requests: int = 0
    input_tokens: int = 0
    """All input tokens, including tokens read from and written to the cache."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """The cost in dollars; None if the price is unknown."""
    cost_from: Literal["provider", "prices"] | None = None

    def add(self, other: "Usage") -> "Usage":
        """Return the sum of two usages. Unknown costs are left out."""
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
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
    """The reason why an answer ended early, as a text for the user."""

    kind: FailureKind
    message: str
    """A sentence that says what happened and what to do next. Never contains an API key."""
    retry_after_s: float | None = None


class ChatMessage(Value):
    """A message of the user or a complete answer, as it is stored."""

    message_id: str
    conversation_id: str
    parent_id: str | None = None
    """The previous message; several messages with the same parent are branches."""
    role: Literal["user", "assistant"]
    created_at: datetime
    parts: tuple[Part, ...] = ()
    state: Literal["complete", "streaming", "stopped", "failed", "paused"] = "complete"
    """`paused`: the step budget is used up, and the user is asked whether to continue."""
    provider: str | None = None
    """The name in `llm.providers`."""
    model: str | None = None
    usage: Usage = Usage()
    context_tokens: int = 0
    """The usage of the last request of this answer."""
    failure: ChatFailure | None = None
    summary: bool = False
    """Whether the message is a summary of all earlier messages, which are still stored and shown."""


class Conversation(Value):
    """A conversation without its messages."""

    conversation_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    provider: str | None = None
    model: str | None = None
    tip_id: str | None = None
    """The last message of the displayed branch."""
    usage: Usage = Usage()
    messages: int = 0


# The events that a provider streams for one request.


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
    """A fragment of a tool call's arguments, which are usable only when the call is complete."""

    type: Literal["tool_arguments_delta"] = "tool_arguments_delta"
    call_id: str
    text: str


class ToolCallEnd(Value):
    type: Literal["tool_call_end"] = "tool_call_end"
    call: ToolCallPart


class Retrying(Value):
    """The request will be sent again after a delay."""

    type: Literal["retrying"] = "retrying"
    attempt: int
    wait_s: float
    failure: ChatFailure


class UsageReport(Value):
    type: Literal["usage"] = "usage"
    usage: Usage


class Done(Value):
    """The last event of a successful stream. `parts` holds the complete answer with its origins."""

    type: Literal["done"] = "done"
    stop: StopReason
    parts: tuple[Part, ...]


class Failed(Value):
    """The last event of a failed stream. `parts` holds the partial answer, ready to be stored."""

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
    """The definition of a tool that is sent to a model."""

    name: str
    description: str
    parameters: JsonObject
    """A JSON schema of an object."""


class ChatRequest(Value):
    """A request to a model."""

    model: str
    system: str
    """The system prompt, which stays identical from one request to the next, so that a provider can cache
    it.
    """
    messages: tuple[ChatMessage, ...]
    """The branch, oldest first; the last is the user's message, or an answer to continue after tool calls."""
    volatile: str = ""
    """The current state and retrieved texts; appended to the last user message."""
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    """The sampling temperature; None if the model does not support one."""


class Capabilities(Value):
    """The features that a model supports, and its limits."""

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
    """The ISO date on which the provider retires the model, if announced."""


class ProviderHealth(Value):
    """The result of testing the connection to a provider."""

    ok: bool
    message: str
    latency_ms: float | None = None
    failure: ChatFailure | None = None


# The requests of the window and the terminal, and the replies.

UserPart = Annotated[TextPart | ImagePart | FilePart | MentionPart, Field(discriminator="type")]


def _require_visible(parts: tuple[UserPart, ...]) -> tuple[UserPart, ...]:
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
    BeforeValidator(make_storable),
    AfterValidator(_require_visible),
]
"""The parts of a user message, as accepted from the page and the terminal."""


class SendRequest(Value):
    """A message that the user sends, with the options for its answer. Without a conversation id, a new
    conversation is created.
    """

    conversation_id: str | None = Field(default=None, max_length=64)
    parts: UserParts
    parent_id: str | None = Field(default=None, max_length=64)
    """The parent message. Left out: the last displayed message."""
    provider: str | None = Field(default=None, max_length=200)
    model: str | None = Field(default=None, max_length=200)


class SendResult(Value):
    """The result of sending a message: the ids of the message and its answer, or the position in the queue."""

    conversation_id: str
    user_message_id: str | None
    """The id of the message; None while it is queued."""
    message_id: str | None
    """The id of the answer in progress."""
    queued: bool = False
    """True if another answer is in progress, after which the message will be sent."""


Activity = Literal["thinking", "writing", "calling", "retrying"]
