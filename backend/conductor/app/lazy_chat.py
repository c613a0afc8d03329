"""Opens the chat at the first call of a page, so that the window does not wait for the chat."""

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
    """Implements `bridge.services.Chat`. The object must be created on the event loop that runs `open_chat`."""

    def __init__(self, open_chat: Callable[[], Awaitable[Chat]]) -> None:
        self._open_chat = open_chat
        self._loop = asyncio.get_running_loop()

    async def send(self, request: SendRequest) -> SendResult:
        return await (await self._open_chat()).send(request)

    async def stop(self, conversation_id: str) -> None:
        await (await self._open_chat()).stop(conversation_id)

    async def resume(self, message_id: str) -> SendResult:
        return await (await self._open_chat()).resume(message_id)

    async def regenerate(
        self, message_id: str, provider: str | None = None, model: str | None = None
    ) -> SendResult:
        return await (await self._open_chat()).regenerate(message_id, provider, model)

    async def edit(self, message_id: str, parts: tuple[UserPart, ...]) -> SendResult:
        return await (await self._open_chat()).edit(message_id, parts)

    async def unqueue(self, conversation_id: str, index: int) -> None:
        await (await self._open_chat()).unqueue(conversation_id, index)

    async def compact(self, conversation_id: str) -> None:
        await (await self._open_chat()).compact(conversation_id)

    def conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> Sequence[Conversation]:
        return self._get_conversations().list(query, limit, before_id)

    def open(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunEvent]:
        """Return a conversation, the messages of one branch, and the state of its run."""
        return self._get_conversations().open(conversation_id, tip_id, limit)

    def tree(self, conversation_id: str) -> Sequence[MessageNode]:
        return self._get_conversations().tree(conversation_id)

    def rename(self, conversation_id: str, title: str) -> None:
        self._get_conversations().rename(conversation_id, title)

    def delete(self, conversation_id: str) -> None:
        self._get_conversations().delete(conversation_id)

    def choose_branch(self, conversation_id: str, tip_id: str) -> None:
        self._get_conversations().choose_branch(conversation_id, tip_id)

    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None:
        self._get_conversations().set_model(conversation_id, provider, model)

    def export(self, conversation_id: str, form: Literal["markdown", "json"]) -> str:
        return self._get_conversations().export(conversation_id, form)

    def suggestions(self) -> Sequence[str]:
        return self._get_conversations().suggestions()

    def mentions(self, query: str) -> Sequence[MentionPart]:
        return self._get_conversations().mentions(query)

    def attach(self, name: str, content: bytes) -> UserPart:
        return self._get_conversations().attach(name, content)

    def _get_conversations(self) -> ConversationService:
        """Return the conversation service of the chat. The method must be called on a worker thread."""

        async def open_chat() -> Chat:
            return await self._open_chat()

        return asyncio.run_coroutine_threadsafe(open_chat(), self._loop).result().conversations
