"""The chat of a running Conductor, made at the first need of it: headless it is often never needed."""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from conductor.app.gate import Gate
from conductor.app.status import Running
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from conductor.agent.chat import Chat
    from conductor.agent.desk import Standing
    from conductor.app.llm_parts import LlmParts
    from conductor.domain.chat import ChatNews, Usage
    from conductor.domain.settings import ProviderKind

log = logging.getLogger(__name__)

WARM_AFTER_S = 4.0
"""The providers' libraries take seconds of one core to import; a window is drawn first."""
TellPage = Callable[[str, dict[str, Any]], None]


class WithChat(Running, Protocol):
    """What is seen of the app."""

    gate: Gate
    profile: str | None
    fronts: list[tuple[str, str, str]]

    @property
    def llm(self) -> "LlmParts": ...


class ChatDesk:
    """Makes the chat, and ends it."""

    def __init__(self, app: WithChat, tell_page: TellPage) -> None:
        self._app = app
        self._tell_page = tell_page
        self._making = asyncio.Lock()
        self._chat: Chat | None = None
        self._warming: asyncio.Task[None] | None = None

    async def open(self) -> "Chat":
        """Give the chat. At first, what a killed Conductor left half-written is mended."""
        async with self._making:
            if self._chat is None:
                self._chat = await asyncio.to_thread(self._make)
                self._chat.listen(self._tell)
                self._warming = asyncio.create_task(self._warm())
            return self._chat

    async def close(self) -> None:
        """Stop what is being written, with what there is of it kept."""
        if self._chat is not None:
            if self._warming is not None:
                self._warming.cancel()
            await self._chat.close()
            await self._app.llm.providers.close()

    def _make(self) -> "Chat":
        from conductor.agent.chat import Chat
        from conductor.agent.desk import Desk

        app, reading = self._app, self._app.gate.contexts.reading()
        conversations = app.llm.conversations
        try:
            if mended := conversations.repair():
                log.warning("%d answers of the chat were cut off when Conductor was ended", mended)
        except NotAvailable as error:  # the window opens all the same
            log.warning("conversations cannot be read: %s", error)
        return Chat(
            Desk(
                config=lambda: app.store.current,
                standing=self._standing,
                recent_events=reading.recent_events,
                lately=app.gate.recent_events,
                tools=app.gate.tools_of_chat,
                call=app.gate.call,
                plan=app.gate.plans.get,
                plans=app.gate.plans.all,
                providers=app.llm.providers,
                conversations=conversations,
                usage=app.llm.usage,
                cost=_cost,
            )
        )

    def _standing(self) -> "Standing":
        from conductor.agent.desk import Standing

        app = self._app
        front = app.fronts[0] if app.fronts else ("", "", "")
        return Standing(app.mode, app.profile, front[0] or front[1], app.devices)

    async def _warm(self) -> None:
        """Import the providers' libraries ahead of the first message, if any provider is set up."""
        await asyncio.sleep(WARM_AFTER_S)
        providers = self._app.llm.providers
        if await asyncio.to_thread(providers.order):
            await providers.warm()

    def _tell(self, news: "ChatNews") -> None:
        self._tell_page("chat", news.model_dump(mode="json"))


def _cost(kind: "ProviderKind", model: str, usage: "Usage") -> float | None:
    from conductor.llm.prices import cost

    return cost(kind, model, usage)
