"""Opens the chat when a page first calls it, so that the window does not wait for the import of the agent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from conductor.agent.chat import Chat
    from conductor.agent.conversation_service import ConversationService
    from conductor.domain.chat.events import RunEvent
    from conductor.domain.chat.messages import (
        ChatMessage,
        Conversation,
        MentionPart,
        SendRequest,
        SendResult,
        UserPart,
    )
    from conductor.storage.conversations import MessageNode


class LazyChat:
    """Implements `bridge.services.Chat`. Each method opens the chat first.

    Create the object on the event loop that runs `open_chat`.
    """

    def __init__(self, open_chat: Callable[[], Awaitable[Chat]]) -> None:
        self._open_chat = open_chat
        self._loop = asyncio.get_running_loop()

    async def send_message(self, request: SendRequest) -> SendResult:
        return await (await self._open_chat()).send_message(request)

    async def stop_answer(self, conversation_id: str) -> None:
        await (await self._open_chat()).stop_answer(conversation_id)

    async def resume_answer(self, message_id: str) -> SendResult:
        return await (await self._open_chat()).resume_answer(message_id)

    async def regenerate_answer(
        self, message_id: str, provider: str | None = None, model: str | None = None
    ) -> SendResult:
        return await (await self._open_chat()).regenerate_answer(message_id, provider, model)

    async def edit_message(self, message_id: str, parts: tuple[UserPart, ...]) -> SendResult:
        return await (await self._open_chat()).edit_message(message_id, parts)

    async def unqueue_message(self, conversation_id: str, index: int) -> None:
        await (await self._open_chat()).unqueue_message(conversation_id, index)

    async def compact_conversation(self, conversation_id: str) -> None:
        await (await self._open_chat()).compact_conversation(conversation_id)

    def list_conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> Sequence[Conversation]:
        return self._get_conversations().list_conversations(query, limit, before_id)

    def open_conversation(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunEvent]:
        """Return a conversation, the messages of one branch, and the status of its answer in progress."""
        return self._get_conversations().open_conversation(conversation_id, tip_id, limit)

    def list_message_nodes(self, conversation_id: str) -> Sequence[MessageNode]:
        return self._get_conversations().list_message_nodes(conversation_id)

    def rename_conversation(self, conversation_id: str, title: str) -> None:
        self._get_conversations().rename_conversation(conversation_id, title)

    def delete_conversation(self, conversation_id: str) -> None:
        self._get_conversations().delete_conversation(conversation_id)

    def choose_branch(self, conversation_id: str, tip_id: str) -> None:
        self._get_conversations().choose_branch(conversation_id, tip_id)

    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None:
        self._get_conversations().set_model(conversation_id, provider, model)

    def export_conversation(self, conversation_id: str, form: Literal["markdown", "json"]) -> str:
        return self._get_conversations().export_conversation(conversation_id, form)

    def list_suggestions(self) -> Sequence[str]:
        return self._get_conversations().list_suggestions()

    def find_mentions(self, query: str) -> Sequence[MentionPart]:
        return self._get_conversations().find_mentions(query)

    def convert_attachment(self, name: str, content: bytes) -> UserPart:
        return self._get_conversations().convert_attachment(name, content)

    def _get_conversations(self) -> ConversationService:
        """Return the conversation service of the chat.

        Call this on a worker thread, because it waits for the event loop to open the chat.
        """

        async def open_chat() -> Chat:
            return await self._open_chat()

        return asyncio.run_coroutine_threadsafe(open_chat(), self._loop).result().conversations
