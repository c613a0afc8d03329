"""Defines chat conversations: messages, stream events, requests and failures.

A user message is one message. The complete answer to it, with all its tool calls, is another. Messages form
a tree: an edited or regenerated message is another child of the same parent, so nothing is ever lost.
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
"""Why a model gave no answer. The texts for the user are in `llm/failures.py`."""

StopReason = Literal["end", "tool_calls", "length", "refusal", "context_overflow"]


class Usage(Value):
    """The number of tokens that one or more requests used, and their cost."""

    requests: int = 0
    input_tokens: int = 0
    """The number of all input tokens, including those read from the cache and written to it."""
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """The cost in US dollars; None if the price is unknown."""
    cost_from: Literal["provider", "prices"] | None = None

    def add(self, other: "Usage") -> "Usage":
        """Return the sum of two usages; an unknown cost counts as 0, unless both are unknown."""
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
    """The reason why an answer could not be completed, as a text for the user."""

    kind: FailureKind
    message: str
    """A sentence that says what happened and what to do next. Never contains an API key."""
    retry_after_s: float | None = None


class ChatMessage(Value):
    """A message of the user or a complete answer, as it is stored."""

    message_id: str
    conversation_id: str
    parent_id: str | None = None
    """The previous message; messages with the same parent begin different branches."""
    role: Literal["user", "assistant"]
    created_at: datetime
    parts: tuple[Part, ...] = ()
    state: Literal["complete", "streaming", "stopped", "failed", "paused"] = "complete"
    """`paused`: the step budget is used up, and the user is asked whether to continue."""
    provider: str | None = None
    """The name of the provider in `llm.providers`; None for a message of the user."""
    model: str | None = None
    usage: Usage = Usage()
    context_tokens: int = 0
    """The number of tokens in the context of the last request for this answer."""
    failure: ChatFailure | None = None
    summary: bool = False
    """Whether the message is a summary of all messages before it, which are still stored and shown."""


class Conversation(Value):
    """A conversation with its title, model and costs, without its messages."""

    conversation_id: str
    title: str
    created_at: datetime
    updated_at: datetime
    provider: str | None = None
    model: str | None = None
    tip_id: str | None = None
    """The last message of the branch that is displayed; None for a new conversation."""
    usage: Usage = Usage()
    messages: int = 0


# events that a provider streams as the answer to one request


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
    """A piece of the arguments of a tool call, which can be used only when the call is complete."""

    type: Literal["tool_arguments_delta"] = "tool_arguments_delta"
    call_id: str
    text: str


class ToolCallEnd(Value):
    type: Literal["tool_call_end"] = "tool_call_end"
    call: ToolCallPart


class Retrying(Value):
    """The request failed, and will be sent again after a delay."""

    type: Literal["retrying"] = "retrying"
    attempt: int
    wait_s: float
    failure: ChatFailure


class UsageReport(Value):
    type: Literal["usage"] = "usage"
    usage: Usage


class Done(Value):
    """The last event of a successful stream. `parts` is the complete answer, with the origin of each part."""

    type: Literal["done"] = "done"
    stop: StopReason
    parts: tuple[Part, ...]


class Failed(Value):
    """The last event of a failed stream. `parts` is the answer up to the failure, which can be stored."""

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
    """The definition of a tool, as it is sent to a model."""

    name: str
    description: str
    parameters: JsonObject
    """The JSON schema of the object with the arguments."""


class ChatRequest(Value):
    """A request to a model: prompt, messages, tools and options."""

    model: str
    system: str
    """The system prompt, which is the same in each request of a conversation, so that
    the provider can cache it."""
    messages: tuple[ChatMessage, ...]
    """The messages of the branch, oldest first. The last is the user's, or an answer to be
    continued after tool calls."""
    volatile: str = ""
    """The current state and the retrieved texts, which are appended to the user's last message."""
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    """The sampling temperature; None if the model does not support one."""


class Capabilities(Value):
    """What a model supports, such as tools and images, and its limits."""

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
    """The date on which the provider retires the model, in ISO format; None if none is announced."""


class ProviderHealth(Value):
    """The result of testing the connection to a provider."""

    ok: bool
    message: str
    latency_ms: float | None = None
    failure: ChatFailure | None = None


# requests of the page and the terminal, and replies to them

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
"""The parts of a message of the user, as page and terminal may send them."""


class SendRequest(Value):
    """A message that the user sends, with options for its answer.

    Without a conversation id, it begins a new conversation.
    """

    conversation_id: str | None = Field(default=None, max_length=64)
    parts: UserParts
    parent_id: str | None = Field(default=None, max_length=64)
    """The parent message. Left out: the last displayed message."""
    provider: str | None = Field(default=None, max_length=200)
    model: str | None = Field(default=None, max_length=200)


class SendResult(Value):
    """The result of sending a message: the ids of the message and of its answer, or that it was queued."""

    conversation_id: str
    user_message_id: str | None
    """The id of the user's message; None while it is queued."""
    message_id: str | None
    """The id of the answer that has begun; None while the message is queued."""
    queued: bool = False
    """True if another answer is in progress, after which the message will be sent."""


Activity = Literal["thinking", "writing", "calling", "retrying"]
