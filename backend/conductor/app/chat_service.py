"""Opens the chat on first use. A Conductor without a window often never needs it."""

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

PROVIDER_PRELOAD_DELAY_S = 4.0
"""The delay before the libraries of the providers are imported.

This takes seconds of CPU time, so the window is drawn first.
"""
CHAT_STOP_TIMEOUT_S = 2.0
"""The time for which a closing chat waits for its answers.

An answer that has not stopped by then is abandoned.
"""


class ChatService:
    """Opens the chat on first use, keeps its providers up to date, and closes it.

    `make_chat` is called on a worker thread, because it imports the agent. `load_index` loads the knowledge
    index.
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
        self._lock = asyncio.Lock()
        self._chat: Chat | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open_for_pages(self) -> LazyChat:
        """Return a chat for pages that can be used at once, and start opening the real chat in the
        background.
        """
        self._start_task(self._open_chat_in_background())
        return LazyChat(self.open_chat)

    async def open_chat(self) -> "Chat":
        """Return the chat. The first call imports and creates it."""
        async with self._lock:
            if self._chat is None:
                self._chat = await asyncio.to_thread(self._make_chat)
                self._chat.add_listener(self._on_event)
                self._loop = asyncio.get_running_loop()
                self._start_task(self._prepare_providers(PROVIDER_PRELOAD_DELAY_S))
            return self._chat

    async def close(self) -> None:
        """Stop the answers in progress and save their text.

        An answer that does not stop in time is abandoned.
        """
        self._loop = None
        for task in self._tasks:
            task.cancel()
        if self._chat is not None:
            await close_chat(self._chat)
            await _run_with_timeout(self._llm.services.providers.close())

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a background task. Its exceptions are logged, because no caller awaits it."""
        task = asyncio.create_task(_run_and_log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def recheck_providers(self) -> None:
        """Import and check the providers again after their settings changed, if the chat is open.

        Safe in any thread.
        """
        if self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: self._start_task(self._prepare_providers(0)))

    async def _open_chat_in_background(self) -> None:
        await self.open_chat()

    async def _prepare_providers(self, after_s: float) -> None:
        """After a delay in seconds, import the libraries of the configured providers and update their
        model lists.
        """
        await asyncio.sleep(after_s)
        providers = self._llm.services.providers
        await providers.close_replaced_providers()
        if await asyncio.to_thread(providers.order_provider_names):
            await run_detached(self._load_index)
            await providers.preload_first_provider()
            await providers.update_model_lists()


async def close_chat(chat: "Chat") -> None:
    """Close a chat. If an answer does not stop in time, a second call abandons it."""
    if not await _run_with_timeout(chat.close()):
        await _run_with_timeout(chat.close())


async def _run_with_timeout(work: Coroutine[Any, Any, None]) -> bool:
    """Run a coroutine for a limited time.

    Return whether it finished. If not, it continues in the background.
    """
    task = asyncio.create_task(_run_and_log_errors(work))
    return task in (await asyncio.wait({task}, timeout=CHAT_STOP_TIMEOUT_S))[0]


async def _run_and_log_errors(work: Awaitable[None]) -> None:
    try:
        await work
    except Exception:
        log.exception("the chat failed in the background")
