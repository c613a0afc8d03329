"""The chat for the user at a terminal: what `terminal.chat.*` lines of the socket come to."""

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ValidationError

from conductor.app.chat_desk import ChatService
from conductor.app.gate import RequestHandler
from conductor.config.explain_invalid import explain_invalid
from conductor.domain.chat.messages import SendRequest
from conductor.errors import InvalidParams, UnknownTool
from conductor.mcp.server.peer import Peer
from conductor.mcp.server.socket_server import SocketServer

if TYPE_CHECKING:
    from conductor.agent.chat import Chat
    from conductor.domain.chat.messages import Sent
from conductor.domain.chat.events import ChatEvent

Params = dict[str, Any]


class WithChat(Protocol):
    """What is seen of the app."""

    chat: ChatService
    gate: RequestHandler
    server: SocketServer


class TerminalChat:
    """Answers by the chat, which is made at the first need of it."""

    def __init__(self, app: WithChat) -> None:
        self._app = app
        self._listens = False

    async def answer(self, verb: str, params: Params, peer: Peer | None) -> Params:
        """Do what is asked.

        Raises:
            ConductorError: it cannot be done.
        """
        chat = await self._app.chat.open()
        match verb:
            case "watch":
                self._listen(chat)
                return {"status": "watching"}
            case "send":
                return self._asked(await chat.send(_request(params)), peer)
            case "stop":
                await chat.stop(_text(params, "conversation_id"))
                return {}
            case "resume":
                return self._asked(await chat.resume(_text(params, "message_id")), peer)
            case "conversations":
                found = await asyncio.to_thread(chat.conversations)
                return {"conversations": [one.model_dump(mode="json") for one in found]}
            case _:
                raise UnknownTool(f"Method not found: terminal.chat.{verb[:40]}")

    def _asked(self, sent: "Sent", peer: Peer | None) -> Params:
        if sent.message_id is not None:
            self._app.gate.chat_plans.on_request(sent.message_id, peer)
        return sent.model_dump(mode="json")

    def _listen(self, chat: "Chat") -> None:
        """Push the chat's news from now on, whichever thread tells them."""
        loop = asyncio.get_running_loop()

        def tell(news: "ChatEvent") -> None:
            loop.call_soon_threadsafe(self._push, news)

        if not self._listens:
            self._listens = True
            chat.listen(tell)

    def _push(self, news: "ChatEvent") -> None:
        self._app.gate.chat_plans.on_chat_event(news)
        if self._app.server.is_watched("chat"):
            self._app.server.notify("chat", news.model_dump(mode="json"))


def _request(params: Params) -> SendRequest:
    try:
        return SendRequest.model_validate(params)
    except ValidationError as error:
        words = explain_invalid(error, SendRequest.model_fields)
        raise InvalidParams(f"Invalid params: {words}") from None


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise InvalidParams(f"Invalid params: `{name}` must be a text")
    return value
