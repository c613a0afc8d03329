"""Builds what the page shows of a conversation: the last messages of a branch, each with its siblings."""

from collections.abc import Sequence

from conductor.base.json_types import JsonObject
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
    """A message of a conversation, with its siblings in the tree of messages."""

    message: ChatMessage
    siblings: tuple[str, ...]
    """The ids of all messages with the same parent, including this one, oldest first.

    The user can switch between them.
    """


class ChatView(Value):
    """A conversation as the page shows it: the end of one branch, with the status of the answer in progress."""

    conversation: Conversation
    messages: tuple[ShownMessage, ...]
    """The last messages of the branch, oldest first."""
    older: bool
    """Whether the branch has earlier messages, which the page can load."""
    run: RunEvent


def list_shown_messages(
    tree: Sequence[MessageNode], branch: Sequence[ChatMessage]
) -> tuple[ShownMessage, ...]:
    """Return the messages of a branch, each with its siblings from the tree."""
    parents = {message.parent_id for message in branch}
    children: dict[str | None, list[str]] = {}
    for node in tree:
        if node.parent_id in parents:
            children.setdefault(node.parent_id, []).append(node.message_id)
    return tuple(
        ShownMessage(
            message=strip_message_for_page(message),
            siblings=tuple(children.get(message.parent_id, (message.message_id,))),
        )
        for message in branch
    )


def strip_message_for_page(message: ChatMessage) -> ChatMessage:
    """Return a copy of a message for the page, without the metadata of the provider and without image data."""
    return message.model_copy(update={"parts": tuple(map(_strip_part_for_page, message.parts))})


def strip_event_for_page(event: JsonObject) -> JsonObject:
    """Return a copy of a chat event for the page, without the metadata of the provider and without image
    data.
    """
    match event:
        case {"type": "part", "part": dict(part)}:
            return {**event, "part": _strip_data_for_page(part)}
        case {"type": "message", "message": dict(message)}:
            parts = [_strip_data_for_page(part) for part in message["parts"]]
            return {**event, "message": {**message, "parts": parts}}
        case _:
            return event


def _strip_part_for_page(part: Part) -> Part:
    match part:
        case ImagePart():
            return part.model_copy(update={"data": ""})
        case TextPart() | ThinkingPart() | ToolCallPart():
            return part.model_copy(update={"origin": None})
        case _:
            return part


def _strip_data_for_page(part: JsonObject) -> JsonObject:
    cleared = {"data": ""} if part["type"] == "image" else {"origin": None}
    return {**part, **{key: value for key, value in cleared.items() if key in part}}


def has_older_messages(branch: Sequence[ChatMessage]) -> bool:
    """Return whether the conversation has messages before the first message of `branch`."""
    return bool(branch) and branch[0].parent_id is not None


def find_parent_id(tree: Sequence[MessageNode], message_id: str) -> str | None:
    """Return the id of the message that a message replies to, or None for the first message."""
    return next((node.parent_id for node in tree if node.message_id == message_id), None)


def find_branch_tip(tree: Sequence[MessageNode], message_id: str) -> str:
    """Return the id of the last message in the newest branch that contains a message."""
    newest_child = {node.parent_id: node.message_id for node in tree}
    while message_id in newest_child:
        message_id = newest_child[message_id]
    return message_id
