"""The branch of a conversation that a page shows: its last messages, with their siblings. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

from conductor.domain.chat import ChatMessage, Conversation, RunNews
from conductor.domain.value import Value


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
    run: RunNews


class Tree(NamedTuple):
    """The messages of a conversation, by id and by parent."""

    by_id: dict[str, ChatMessage]
    children: dict[str | None, list[str]]


def tree_of(messages: Iterable[ChatMessage]) -> Tree:
    """Order the messages; what comes later is the younger sibling."""
    tree = Tree({}, {})
    for message in messages:
        tree.by_id[message.message_id] = message
        tree.children.setdefault(message.parent_id, []).append(message.message_id)
    return tree


def shown(
    tree: Tree, tip_id: str | None, limit: int, before_id: str | None = None
) -> tuple[tuple[ShownMessage, ...], bool]:
    """Give the last messages of a branch, or the last before one of them, and whether there are older."""
    found: list[ShownMessage] = []
    at = tree.by_id.get(tip_id or "")
    if before_id is not None:
        first = tree.by_id.get(before_id)
        at = None if first is None else tree.by_id.get(first.parent_id or "")
    while at is not None and len(found) < limit:
        siblings = tuple(tree.children[at.parent_id])
        found.append(ShownMessage(message=at, siblings=siblings))
        at = tree.by_id.get(at.parent_id or "")
    return tuple(reversed(found)), at is not None


def tip_below(tree: Tree, message_id: str) -> str:
    """Give the end of the youngest branch that a message leads to."""
    while message_id in tree.children:
        message_id = tree.children[message_id][-1]
    return message_id
