"""What the window and the terminal are told as the chat goes on. A union closed by `type`."""

from typing import Annotated, Literal

from pydantic import Field

from conductor.domain.chat.messages import Activity, ChatMessage, Conversation
from conductor.domain.chat.parts import Part
from conductor.domain.value import Value


class MessageEvent(Value):
    """A message is there, or is now as given."""

    type: Literal["message"] = "message"
    message: ChatMessage


class DeltaEvent(Value):
    """Text that is appended to the part at `index`, which is there already."""

    type: Literal["delta"] = "delta"
    conversation_id: str
    message_id: str
    index: int
    text: str
    at: int | None = None
    """How many characters the part had before: who opens a conversation meanwhile has some already."""


class CallEvent(Value):
    """A call whose arguments still stream: it can be looked at, and nothing else."""

    type: Literal["call"] = "call"
    conversation_id: str
    message_id: str
    index: int
    call_id: str
    tool: str
    text: str
    """What comes next of the arguments."""
    at: int
    """How many characters of them came before."""


class PartEvent(Value):
    """A part was added at `index`, or is now as given."""

    type: Literal["part"] = "part"
    conversation_id: str
    message_id: str
    index: int
    part: Part


class ConversationEvent(Value):
    """A conversation is new, or its title, model, tip or costs changed."""

    type: Literal["conversation"] = "conversation"
    conversation: Conversation


class RemovedEvent(Value):
    type: Literal["removed"] = "removed"
    conversation_id: str


class RunEvent(Value):
    """Where a conversation stands."""

    type: Literal["state"] = "state"
    conversation_id: str
    running: bool
    activity: Activity | None = None
    words: str = ""
    """Such as `Trying again in 4 s: too many requests`."""
    step: int = 0
    steps: int = 0
    queued: tuple[str, ...] = ()
    context_tokens: int = 0
    context_window: int = 0
    nearly_full: bool = False
    """It is time to offer a summary."""
    spent_usd: float | None = None
    """By this conversation."""
    budget_usd: float | None = None
    """What it may spend, if there is a limit."""


ChatEvent = Annotated[
    MessageEvent | DeltaEvent | CallEvent | PartEvent | ConversationEvent | RemovedEvent | RunEvent,
    Field(discriminator="type"),
]
