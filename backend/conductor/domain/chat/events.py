"""Defines the events by which the page and the terminal follow the chat; `type` tells them apart."""

from typing import Annotated, Literal

from pydantic import Field

from conductor.domain.chat.messages import Activity, ChatMessage, Conversation
from conductor.domain.chat.parts import Part
from conductor.domain.value import Value


class MessageEvent(Value):
    """A message was added or replaced."""

    type: Literal["message"] = "message"
    message: ChatMessage


class DeltaEvent(Value):
    """Text to append to the existing part at `index`."""

    type: Literal["delta"] = "delta"
    conversation_id: str
    message_id: str
    index: int
    text: str
    at: int | None = None
    """The length of the part before this text. A client that has just loaded the part
    can thus skip duplicates."""


class CallEvent(Value):
    """A tool call whose arguments are still arriving from the model; it is sent only to be displayed."""

    type: Literal["call"] = "call"
    conversation_id: str
    message_id: str
    index: int
    call_id: str
    tool: str
    text: str
    """The next piece of the arguments, as text."""
    at: int
    """The number of characters of the arguments before this piece."""


class PartEvent(Value):
    """A part at `index` was added or replaced."""

    type: Literal["part"] = "part"
    conversation_id: str
    message_id: str
    index: int
    part: Part


class ConversationEvent(Value):
    """A conversation was created, or its title, model, tip or costs have changed."""

    type: Literal["conversation"] = "conversation"
    conversation: Conversation


class RemovedEvent(Value):
    type: Literal["removed"] = "removed"
    conversation_id: str


class RunEvent(Value):
    """The state of a conversation: the answer in progress, and the queued messages of the user."""

    type: Literal["state"] = "state"
    conversation_id: str
    running: bool
    activity: Activity | None = None
    words: str = ""
    """The status as text for the user, such as `Trying again in 4 s: too many requests`."""
    step: int = 0
    steps: int = 0
    queued: tuple[str, ...] = ()
    context_tokens: int = 0
    context_window: int = 0
    nearly_full: bool = False
    """Whether the context window is nearly full, so that a summary should be offered."""
    spent_usd: float | None = None
    """The cost of the conversation so far in US dollars; None if unknown."""
    budget_usd: float | None = None
    """The cost limit of a conversation in US dollars; None if there is no limit."""


ChatEvent = Annotated[
    MessageEvent | DeltaEvent | CallEvent | PartEvent | ConversationEvent | RemovedEvent | RunEvent,
    Field(discriminator="type"),
]
