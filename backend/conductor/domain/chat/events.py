"""The events by which the window and the terminal follow the chat. The field `type` is the discriminator."""

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
    """The length of the part before this text, so that a client that has just loaded the part can skip
    duplicates.
    """


class CallEvent(Value):
    """A tool call whose arguments are still being received; sent only for display."""

    type: Literal["call"] = "call"
    conversation_id: str
    message_id: str
    index: int
    call_id: str
    tool: str
    text: str
    """The next fragment of the arguments."""
    at: int
    """The number of characters before this fragment."""


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
    """The current state of a conversation: its answer in progress and its queued messages."""

    type: Literal["state"] = "state"
    conversation_id: str
    running: bool
    activity: Activity | None = None
    words: str = ""
    """The status text, such as `Trying again in 4 s: too many requests`."""
    step: int = 0
    steps: int = 0
    queued: tuple[str, ...] = ()
    context_tokens: int = 0
    context_window: int = 0
    nearly_full: bool = False
    """Whether the context window is nearly full, so that a summary should be offered."""
    spent_usd: float | None = None
    """The cost of this conversation so far."""
    budget_usd: float | None = None
    """The cost limit of a conversation, if any."""


ChatEvent = Annotated[
    MessageEvent | DeltaEvent | CallEvent | PartEvent | ConversationEvent | RemovedEvent | RunEvent,
    Field(discriminator="type"),
]
