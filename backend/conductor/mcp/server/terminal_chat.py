"""Answers the `terminal.chat.*` requests that `conductor chat` sends over the socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pydantic import ValidationError

from conductor.base.json_types import JsonObject
from conductor.config.explain_invalid import explain_invalid
from conductor.domain.chat.messages import SendRequest
from conductor.errors import InvalidParams, UnknownTool
from conductor.mcp.params import require_text_param
from conductor.mcp.server.chat_plans import ChatPlans
from conductor.mcp.server.peer import Peer
from conductor.mcp.server.socket_watchers import SocketWatchers

if TYPE_CHECKING:
    from conductor.agent.chat import Chat
    from conductor.domain.chat.events import ChatEvent
    from conductor.domain.chat.messages import SendResult


class TerminalChat:
    """Handles the requests of `conductor chat`, and sends chat events to the terminals that watch the chat."""

    def __init__(
        self,
        open_chat: "Callable[[], Awaitable[Chat]]",
        chat_plans: ChatPlans,
        watchers: SocketWatchers,
    ) -> None:
        self._open_chat = open_chat
        self._chat_plans = chat_plans
        self._watchers = watchers
        self._is_listening = False

    async def answer_chat_request(
        self, verb: str, params: JsonObject, peer: Peer | None
    ) -> JsonObject:
        """Run a chat command of a terminal and return its result.

        Raises:
            ConductorError: The command failed.
        """
        chat = await self._open_chat()
        match verb:
            case "watch":
                self._listen_to_chat(chat)
                return {"status": "watching"}
            case "send":
                return self._record_chat_request(
                    await chat.send_message(_parse_send_request(params)), peer
                )
            case "stop":
                await chat.stop_answer(require_text_param(params, "conversation_id"))
                return {}
            case "resume":
                return self._record_chat_request(
                    await chat.resume_answer(require_text_param(params, "message_id")), peer
                )
            case "conversations":
                found = await asyncio.to_thread(chat.conversations.list_conversations)
                return {"conversations": [one.model_dump(mode="json") for one in found]}
            case _:
                raise UnknownTool(f"Method not found: terminal.chat.{verb[:40]}")

    def _record_chat_request(self, sent: "SendResult", peer: Peer | None) -> JsonObject:
        if sent.message_id is not None:
            self._chat_plans.on_request(sent.message_id, peer)
        return sent.model_dump(mode="json")

    def _listen_to_chat(self, chat: "Chat") -> None:
        """Start sending the events of the chat to the terminals. The events may come from any thread."""
        loop = asyncio.get_running_loop()

        def on_event(event: "ChatEvent") -> None:
            loop.call_soon_threadsafe(self._on_chat_event, event)

        if not self._is_listening:
            self._is_listening = True
            chat.add_listener(on_event)

    def _on_chat_event(self, event: "ChatEvent") -> None:
        self._chat_plans.on_chat_event(event)
        if self._watchers.is_watched("chat"):
            self._watchers.notify("chat", event.model_dump(mode="json"))


def _parse_send_request(params: JsonObject) -> SendRequest:
    try:
        return SendRequest.model_validate(params)
    except ValidationError as error:
        problem = explain_invalid(error, SendRequest.model_fields)
        raise InvalidParams(f"Invalid params: {problem}") from None
