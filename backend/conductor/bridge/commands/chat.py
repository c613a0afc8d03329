"""Commands of the chat: messages, branches and conversations.

They are not in the audit log, because the messages are stored anyway and tool calls have their own entries.
"""

import base64
import binascii
from typing import Literal

from pydantic import Field

from conductor.agent.slash.answer import SlashCommand
from conductor.agent.slash.commands import COMMANDS
from conductor.bridge.chat_view import (
    ChatView,
    ShownMessage,
    find_branch_tip,
    find_parent_id,
    has_older_messages,
    list_shown_messages,
)
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.chat.messages import (
    Conversation,
    MentionPart,
    SendRequest,
    SendResult,
    UserPart,
    UserParts,
)
from conductor.domain.value import Value
from conductor.errors import InvalidParams

MAX_ATTACHMENT_CHARS = 14_000_000
"""The maximum length of a file in base64; about 10 MB of data."""
DEFAULT_MESSAGE_LIMIT = 60
DEFAULT_CONVERSATION_LIMIT = 100

ChatEntityId = Field(min_length=1, max_length=64)
OptionalName = Field(default=None, min_length=1, max_length=200)


class SearchQueryParams(Value):
    query: str = Field(default="", max_length=200)


class ListConversationsParams(SearchQueryParams):
    limit: int = Field(default=DEFAULT_CONVERSATION_LIMIT, ge=1, le=1_000)
    before_id: str | None = Field(default=None, min_length=1, max_length=64)
    """The id of a conversation.

    Only conversations that were used before that one are returned, for the next page of the list.
    """


class Conversations(Value):
    conversations: tuple[Conversation, ...]
    older: bool
    """Whether there are more conversations, which were used before these."""


class OpenConversationParams(Value):
    conversation_id: str = ChatEntityId
    limit: int = Field(default=DEFAULT_MESSAGE_LIMIT, ge=1, le=1_000)


class ListOlderMessagesParams(OpenConversationParams):
    before_id: str = ChatEntityId


class OlderMessages(Value):
    messages: tuple[ShownMessage, ...]
    older: bool


class ChooseBranchParams(OpenConversationParams):
    message_id: str = ChatEntityId
    """The message to show. The branch then ends with the newest answer below this message."""


class ConversationParams(Value):
    conversation_id: str = ChatEntityId


class MessageParams(Value):
    message_id: str = ChatEntityId


class RegenerateAnswerParams(MessageParams):
    provider: str | None = OptionalName
    model: str | None = OptionalName


class EditMessageParams(MessageParams):
    parts: UserParts


class UnqueueMessageParams(ConversationParams):
    index: int = Field(ge=0)


class RenameConversationParams(ConversationParams):
    title: str = Field(min_length=1, max_length=200)


class SetConversationModelParams(ConversationParams):
    provider: str = Field(min_length=1, max_length=200)
    model: str | None = OptionalName
    """The name of the model, or null for the default model of the provider."""


class ExportConversationParams(ConversationParams):
    form: Literal["markdown", "json"]


class ExportedConversation(Value):
    text: str


class Suggestions(Value):
    suggestions: tuple[str, ...]


class Mentions(Value):
    mentions: tuple[MentionPart, ...]


class SlashCommands(Value):
    commands: tuple[SlashCommand, ...]


class AttachFileParams(Value):
    name: str = Field(min_length=1, max_length=200)
    content: str = Field(max_length=MAX_ATTACHMENT_CHARS)
    """The content of the file in base64."""


class AttachedFile(Value):
    part: UserPart


@query("chat.conversations")
def list_conversations(params: ListConversationsParams, call: Call) -> Conversations:
    """Return the conversations that match a search query, the most recently used first."""
    limit = params.limit
    found = call.services.chat.list_conversations(params.query, limit + 1, params.before_id)
    return Conversations(conversations=tuple(found[:limit]), older=len(found) > limit)


@query("chat.open")
def open_conversation(params: OpenConversationParams, call: Call) -> ChatView:
    """Return the last messages of the branch that a conversation currently shows."""
    chat = call.services.chat
    conversation, branch, run = chat.open_conversation(params.conversation_id, limit=params.limit)
    return ChatView(
        conversation=conversation,
        messages=list_shown_messages(chat.list_message_nodes(params.conversation_id), branch),
        older=has_older_messages(branch),
        run=run,
    )


@query("chat.older")
def list_older_messages(params: ListOlderMessagesParams, call: Call) -> OlderMessages:
    """Return the messages before a given message of its branch, for scrolling back."""
    chat = call.services.chat
    tree = chat.list_message_nodes(params.conversation_id)
    tip_id = find_parent_id(tree, params.before_id)
    if tip_id is None:
        return OlderMessages(messages=(), older=False)
    _, branch, _ = chat.open_conversation(params.conversation_id, tip_id, params.limit)
    return OlderMessages(
        messages=list_shown_messages(tree, branch), older=has_older_messages(branch)
    )


@command("chat.branch")
def choose_branch(params: ChooseBranchParams, call: Call) -> ChatView:
    """Show another branch of a conversation, and return the messages of that branch."""
    chat = call.services.chat
    tip_id = find_branch_tip(chat.list_message_nodes(params.conversation_id), params.message_id)
    chat.choose_branch(params.conversation_id, tip_id)
    return open_conversation(params, call)


@command("chat.send")
async def send_message(params: SendRequest, call: Call) -> SendResult:
    """Send a message to the assistant. The page receives the answer as events."""
    return await call.services.chat.send_message(params)


@command("chat.stop")
async def stop_answer(params: ConversationParams, call: Call) -> Empty:
    """Stop the answer in progress of a conversation. A second call no longer waits for it to end."""
    await call.services.chat.stop_answer(params.conversation_id)
    return Empty()


@command("chat.resume")
async def resume_answer(params: MessageParams, call: Call) -> Empty:
    """Continue an answer that failed, was stopped or reached its step limit."""
    await call.services.chat.resume_answer(params.message_id)
    return Empty()


@command("chat.regenerate")
async def regenerate_answer(params: RegenerateAnswerParams, call: Call) -> SendResult:
    """Generate another answer to the same message. It becomes a sibling of the earlier answer."""
    return await call.services.chat.regenerate_answer(
        params.message_id, params.provider, params.model
    )


@command("chat.edit")
async def edit_message(params: EditMessageParams, call: Call) -> SendResult:
    """Send an edited copy of a message. It becomes a sibling of the original message."""
    return await call.services.chat.edit_message(params.message_id, params.parts)


@command("chat.unqueue")
async def unqueue_message(params: UnqueueMessageParams, call: Call) -> Empty:
    """Remove a message from the queue before it is sent."""
    await call.services.chat.unqueue_message(params.conversation_id, params.index)
    return Empty()


@command("chat.compact")
async def compact_conversation(params: ConversationParams, call: Call) -> Empty:
    """Replace the conversation so far with a summary in later requests to the model. The messages are kept."""
    await call.services.chat.compact_conversation(params.conversation_id)
    return Empty()


@command("chat.rename")
def rename_conversation(params: RenameConversationParams, call: Call) -> Empty:
    """Change the title of a conversation."""
    call.services.chat.rename_conversation(params.conversation_id, params.title)
    return Empty()


@command("chat.delete")
def delete_conversation(params: ConversationParams, call: Call) -> Empty:
    """Delete a conversation permanently."""
    call.services.chat.delete_conversation(params.conversation_id)
    return Empty()


@command("chat.set_model")
def set_model(params: SetConversationModelParams, call: Call) -> Empty:
    """Set the model that writes the next answers in a conversation."""
    call.services.chat.set_model(params.conversation_id, params.provider, params.model)
    return Empty()


@query("chat.export")
def export_conversation(params: ExportConversationParams, call: Call) -> ExportedConversation:
    """Export the shown branch of a conversation as Markdown, or all branches as JSON."""
    return ExportedConversation(
        text=call.services.chat.export_conversation(params.conversation_id, params.form)
    )


@query("chat.suggestions")
def list_suggestions(params: Empty, call: Call) -> Suggestions:
    """Return messages that the user may want to send next."""
    return Suggestions(suggestions=tuple(call.services.chat.list_suggestions()))


@query("chat.mentions")
def list_mentions(params: SearchQueryParams, call: Call) -> Mentions:
    """Return the devices, modes, mappings and plans that match a query and can be mentioned with `@`."""
    return Mentions(mentions=tuple(call.services.chat.find_mentions(params.query)))


@query("chat.commands")
def list_commands(params: Empty, call: Call) -> SlashCommands:
    """Return the slash commands, which work without a model."""
    return SlashCommands(commands=COMMANDS)


@command("chat.attach")
def attach_file(params: AttachFileParams, call: Call) -> AttachedFile:
    """Convert a file that the user attached to a message part, for example an image or a text."""
    try:
        content = base64.b64decode(params.content, validate=True)
    except binascii.Error as error:
        raise InvalidParams(f"`content` is not base64: {error}") from None
    return AttachedFile(part=call.services.chat.convert_attachment(params.name, content))
