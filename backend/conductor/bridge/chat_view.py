"""The branch of a conversation that a page shows: its last messages, with their siblings. Pure."""

from collections.abc import Sequence
from typing import Any

from conductor.domain.chat.events import RunEvent
from conductor.domain.chat.messages import (
    ChatMessage,
    Conversation,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from conductor.domain.value import Value
from conductor.storage.conversations import MessageNode


class ShownMessage(Value):
    """A message with what stands beside it."""

    message: ChatMessage
    siblings: tuple[str, ...]
    """The ids of all messages with the same parent, itself among them, the oldest first."""


class ChatView(Value):
    """A conversation as it is shown."""

    conversation: Conversation
    messages: tuple[ShownMessage, ...]
    """The end of the branch, the oldest first."""
    older: bool
    """Whether the branch has messages before these."""
    run: RunEvent


def shown(tree: Sequence[MessageNode], branch: Sequence[ChatMessage]) -> tuple[ShownMessage, ...]:
    """Put beside each message of a branch what has the same parent."""
    parents = {message.parent_id for message in branch}
    children: dict[str | None, list[str]] = {}
    for twig in tree:
        if twig.parent_id in parents:
            children.setdefault(twig.parent_id, []).append(twig.message_id)
    return tuple(
        ShownMessage(
            message=for_page(one), siblings=tuple(children.get(one.parent_id, (one.message_id,)))
        )
        for one in branch
    )


def for_page(message: ChatMessage) -> ChatMessage:
    """Leave out what a page has no use for: what providers want back, and the bytes of images."""
    return message.model_copy(update={"parts": tuple(map(_part_for_page, message.parts))})


def event_for_page(news: dict[str, Any]) -> dict[str, Any]:
    """Leave the same out of plain news."""
    match news:
        case {"type": "part", "part": dict(part)}:
            return {**news, "part": _plain_for_page(part)}
        case {"type": "message", "message": dict(message)}:
            parts = [_plain_for_page(part) for part in message["parts"]]
            return {**news, "message": {**message, "parts": parts}}
        case _:
            return news


def _part_for_page(part: Part) -> Part:
    match part:
        case ImagePart():
            return part.model_copy(update={"data": ""})
        case TextPart() | ThinkingPart() | ToolCallPart():
            return part.model_copy(update={"origin": None})
        case _:
            return part


def _plain_for_page(part: dict[str, Any]) -> dict[str, Any]:
    bare = {"data": ""} if part["type"] == "image" else {"origin": None}
    return {**part, **{key: value for key, value in bare.items() if key in part}}


def has_older(branch: Sequence[ChatMessage]) -> bool:
    """Return whether a branch goes on before the first of these."""
    return bool(branch) and branch[0].parent_id is not None


def parent_of(tree: Sequence[MessageNode], message_id: str) -> str | None:
    """Return the message before one."""
    return next((twig.parent_id for twig in tree if twig.message_id == message_id), None)


def tip_below(tree: Sequence[MessageNode], message_id: str) -> str:
    """Return the end of the youngest branch that a message leads to."""
    youngest = {twig.parent_id: twig.message_id for twig in tree}
    while message_id in youngest:
        message_id = youngest[message_id]
    return message_id
