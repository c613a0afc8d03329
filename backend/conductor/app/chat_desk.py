"""The chat of a running Conductor, made at the first need of it: headless it is often never needed."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from conductor.app.gate import RequestHandler
from conductor.app.lazy_chat import LazyChat
from conductor.app.lazy_knowledge import LazyKnowledge
from conductor.app.lazy_skills import LazySkills
from conductor.app.records import Records
from conductor.base.detached import run_detached
from conductor.errors import NotAvailable
from conductor.runtime.status import Running

if TYPE_CHECKING:
    from conductor.agent.chat import Chat
    from conductor.agent.deps import AppState
    from conductor.app.llm_services import LlmServices
    from conductor.domain.chat.events import ChatEvent

log = logging.getLogger(__name__)

WARM_AFTER_S = 4.0
"""The providers' libraries take seconds of one core to import; a window is drawn first."""
END_WITHIN_S = 2.0
"""After that, an answer that does not stop is cut off."""
TellPage = Callable[[str, dict[str, Any]], None]


class WithChat(Running, Protocol):
    """What is seen of the app."""

    gate: RequestHandler
    knowledge: LazyKnowledge
    skills: LazySkills
    records: Records
    profile: str | None
    fronts: list[tuple[str, str, str]]

    @property
    def llm(self) -> "LlmServices": ...


class ChatService:
    """Makes the chat, and ends it."""

    def __init__(self, app: WithChat, tell_page: TellPage) -> None:
        self._app = app
        self._tell_page = tell_page
        self._making = asyncio.Lock()
        self._chat: Chat | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def door(self) -> LazyChat:
        """Return the chat for the page, and begin to make it in the background."""
        self._soon(self._open_ahead())
        return LazyChat(self.open)

    async def open(self) -> "Chat":
        """Return the chat. At first, what a killed Conductor left half-written is mended."""
        async with self._making:
            if self._chat is None:
                self._chat = await asyncio.to_thread(self._make)
                self._chat.listen(self._tell)
                self._loop = asyncio.get_running_loop()
                self._app.llm.providers.on_clear = self._cleared
                self._soon(self._warm(WARM_AFTER_S))
            return self._chat

    async def close(self) -> None:
        """Stop what is being written, with what there is of it kept; what clings is cut off."""
        self._loop = None
        for task in self._tasks:
            task.cancel()
        if self._chat is not None:
            await end(self._chat)
            await _within(self._app.llm.providers.close())

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for; how it failed is in the log."""
        task = asyncio.create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _cleared(self) -> None:
        """Check the providers again; from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: self._soon(self._warm(0)))

    async def _open_ahead(self) -> None:
        await self.open()

    def _make(self) -> "Chat":
        self._app.records.load_library()  # before anything else imports parts of it
        from conductor.agent.chat import Chat
        from conductor.agent.deps import ChatDeps

        app, reading = self._app, self._app.gate.contexts.reading()
        conversations, skills = app.llm.conversations, app.skills.library
        try:
            if mended := conversations.repair():
                log.warning("%d answers of the chat were cut off when Conductor was ended", mended)
        except NotAvailable as error:  # the window opens all the same
            log.warning("conversations cannot be read: %s", error)
        return Chat(
            ChatDeps(
                config=lambda: app.store.current,
                app_state=self._standing,
                recent_events=reading.recent_events,
                recent_events_sync=app.gate.recent_events,
                tools=app.gate.tools_of_chat,
                call=app.gate.call,
                plan=app.gate.plans.get,
                plans=app.gate.plans.all,
                providers=app.llm.providers,
                conversations=conversations,
                usage=app.llm.usage,
                cost=app.llm.cost,
                knowledge=lambda: app.knowledge.library,
                skills=lambda: skills,
            )
        )

    def _standing(self) -> "AppState":
        from conductor.agent.deps import AppState

        app = self._app
        front = app.fronts[0] if app.fronts else ("", "", "")
        return AppState(app.mode, app.profile, front[0] or front[1], app.devices)

    async def _warm(self, after_s: float) -> None:
        """Import the libraries of the providers that are set up, and read what these offer now."""
        await asyncio.sleep(after_s)
        providers = self._app.llm.providers
        await providers.close_left()
        if await asyncio.to_thread(providers.order):
            await run_detached(self._read_index)
            await providers.warm()
            await providers.look()

    def _read_index(self) -> None:
        """Read what is known, so that the first answer need not wait for it."""
        with contextlib.suppress(NotAvailable):  # each answer says so
            if self._app.store.current.knowledge.enabled:
                self._app.knowledge.library.index()

    def _tell(self, news: "ChatEvent") -> None:
        if news.type == "removed":
            self._app.gate.approvals.forget_conversation(news.conversation_id)
        self._tell_page("chat", news.model_dump(mode="json"))


async def end(chat: "Chat") -> None:
    """Stop all answers; what has not ended by then is stopped once more, which cuts it off."""
    if not await _within(chat.close()):
        await _within(chat.close())


async def _within(work: Coroutine[Any, Any, None]) -> bool:
    """Wait for something, but not for long; says whether it ended."""
    task = asyncio.create_task(_logged(work))
    return task in (await asyncio.wait({task}, timeout=END_WITHIN_S))[0]


async def _logged(work: Awaitable[None]) -> None:
    try:
        await work
    except Exception:
        log.exception("the chat failed in the background")
