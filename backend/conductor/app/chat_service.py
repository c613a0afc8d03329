"""Opens the chat of a running Conductor when it is first needed: headless it is often never needed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from conductor.app.lazy_chat import LazyChat
from conductor.app.lazy_llm import LazyLlm
from conductor.base.detached import run_detached

if TYPE_CHECKING:
    from conductor.agent.chat import Chat
    from conductor.domain.chat.events import ChatEvent

log = logging.getLogger(__name__)

WARM_AFTER_S = 4.0
"""The providers' libraries take seconds of one core to import; a window is drawn first."""
END_WITHIN_S = 2.0
"""After this time an answer that does not stop is abandoned."""


class ChatService:
    """Opens the chat when it is first needed, keeps its providers up to date, and closes it in time.

    `make_chat` runs in a worker thread and imports the agent; `load_index` reads the knowledge index.
    """

    def __init__(
        self,
        make_chat: "Callable[[], Chat]",
        llm: LazyLlm,
        load_index: Callable[[], None],
        on_event: "Callable[[ChatEvent], None]",
    ) -> None:
        self._make_chat = make_chat
        self._llm = llm
        self._load_index = load_index
        self._on_event = on_event
        self._making = asyncio.Lock()
        self._chat: Chat | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open_for_pages(self) -> LazyChat:
        """Return the chat for pages, and start to open it in the background."""
        self._start_task(self._open_early())
        return LazyChat(self.open)

    async def open(self) -> "Chat":
        """Return the chat service, opening it at the first call."""
        async with self._making:
            if self._chat is None:
                self._chat = await asyncio.to_thread(self._make_chat)
                self._chat.listen(self._on_event)
                self._loop = asyncio.get_running_loop()
                self._start_task(self._prepare_providers(WARM_AFTER_S))
            return self._chat

    async def close(self) -> None:
        """Stop answers and keep their text; abandon those that do not stop in time."""
        self._loop = None
        for task in self._tasks:
            task.cancel()
        if self._chat is not None:
            await close_chat(self._chat)
            await _finish_in_time(self._llm.services.providers.close())

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a background task; its errors are logged."""
        task = asyncio.create_task(_run_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def check_providers(self) -> None:
        """Check the providers again, if the chat is open; thread-safe."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: self._start_task(self._prepare_providers(0)))

    async def _open_early(self) -> None:
        await self.open()

    async def _prepare_providers(self, after_s: float) -> None:
        """Import the libraries of the configured providers, and update their model lists."""
        await asyncio.sleep(after_s)
        providers = self._llm.services.providers
        await providers.close_left()
        if await asyncio.to_thread(providers.order):
            await run_detached(self._load_index)
            await providers.warm()
            await providers.look()


async def close_chat(chat: "Chat") -> None:
    """Stop all answers; a second stop abandons those that did not stop in time."""
    if not await _finish_in_time(chat.close()):
        await _finish_in_time(chat.close())


async def _finish_in_time(work: Coroutine[Any, Any, None]) -> bool:
    """Wait for work up to a time limit, and return whether it ended in time."""
    task = asyncio.create_task(_run_logged(work))
    return task in (await asyncio.wait({task}, timeout=END_WITHIN_S))[0]


async def _run_logged(work: Awaitable[None]) -> None:
    try:
        await work
    except Exception:
        log.exception("the chat failed in the background")
