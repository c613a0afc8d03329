"""The branch of a conversation that a page shows: its last messages, with their siblings. Pure."""

from collections.abc import Sequence

from conductor.domain.chat import ChatMessage, Conversation, RunNews
from conductor.domain.value import Value
from conductor.storage.conversations import Twig


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


def shown(tree: Sequence[Twig], branch: Sequence[ChatMessage]) -> tuple[ShownMessage, ...]:
    """Put beside each message of a branch what has the same parent."""
    parents = {message.parent_id for message in branch}
    children: dict[str | None, list[str]] = {}
    for twig in tree:
        if twig.parent_id in parents:
            children.setdefault(twig.parent_id, []).append(twig.message_id)
    return tuple(
        ShownMessage(message=one, siblings=tuple(children.get(one.parent_id, (one.message_id,))))
        for one in branch
    )


def has_older(branch: Sequence[ChatMessage]) -> bool:
    """Say whether a branch goes on before the first of these."""
    return bool(branch) and branch[0].parent_id is not None


def parent_of(tree: Sequence[Twig], message_id: str) -> str | None:
    """Give the message before one."""
    return next((twig.parent_id for twig in tree if twig.message_id == message_id), None)


def tip_below(tree: Sequence[Twig], message_id: str) -> str:
    """Give the end of the youngest branch that a message leads to."""
    youngest = {twig.parent_id: twig.message_id for twig in tree}
    while message_id in youngest:
        message_id = youngest[message_id]
    return message_id
