"""Runs code in the sandbox of one open page: hands it over, waits, and gives up in time."""

import asyncio
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from conductor.domain.code import CodeRun, CodeTask, Language
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from conductor.bridge.services import Page

ASKED_AT_MOST = 4
"""Runs that are asked for: one runs, the others wait for it."""
TAKEN_WITHIN_S = 3.0
TOLD_AT_MOST = 6
"""A page may still be loading when it is first told."""
LOADED_WITHIN_S = 75.0
GRACE_S = 10.0
NO_PAGE = (
    "no window is open, and code runs there: ask the user to open Conductor's window, or its page"
    " with `conductor run --browser`"
)
BUSY = (
    f"{ASKED_AT_MOST} runs of code wait for each other already; wait until one has ended, then run it anew,"
    " or stop one"
)
NOT_TAKEN = (
    "the window did not take the code: ask the user to load its page again, then run it anew"
)
GONE = "the page that ran the code was closed or loaded again, so nothing came of it; run it anew"
SILENT = "the window did not say how the code ended; run it anew, in smaller parts"


class Pages(Protocol):
    """What is seen of the bridge."""

    @property
    def pages(self) -> int: ...
    def tell(self, topic: str, payload: dict[str, Any]) -> None: ...


class _Run:
    """One run: first nobody's, then of the page that took it first."""

    def __init__(self, task: CodeTask) -> None:
        self.task = task
        self.page: Page | None = None
        self.taken = asyncio.Event()
        self.end: asyncio.Future[CodeRun] = asyncio.get_running_loop().create_future()


class CodeRunner:
    """For the event loop only. `bridge` gives what tells the pages, once there is one."""

    def __init__(self, bridge: Callable[[], Pages | None]) -> None:
        self._bridge = bridge
        self._turn = asyncio.Lock()
        self._runs: dict[str, _Run] = {}

    async def run(self, language: Language, code: str) -> CodeRun:
        """Run code in one page; a few runs wait for each other. Cancelling it ends the code.

        Raises:
            NotAvailable: there is no page, or it went away meanwhile; or too many runs wait already.
        """
        if len(self._runs) >= ASKED_AT_MOST:
            raise NotAvailable(BUSY)
        run = _Run(CodeTask(run_id=secrets.token_urlsafe(16), language=language, code=code))
        self._runs[run.task.run_id] = run
        try:
            async with self._turn:
                return await self._in_a_page(run)
        finally:
            del self._runs[run.task.run_id]

    def begin(self, run_id: str, page: "Page") -> CodeTask | None:
        """Return a run to the first page that asks for it; None to every other."""
        run = self._runs.get(run_id)
        if run is None or run.taken.is_set():
            return None
        run.page = page
        run.taken.set()
        return run.task

    def done(self, run_id: str, page: "Page", how: CodeRun) -> bool:
        """Take the answer of the page whose run it is; what any other says is left aside."""
        run = self._runs.get(run_id)
        if run is None or run.page is not page or run.end.done():
            return False
        run.end.set_result(how)
        return True

    def left(self, page: "Page") -> None:
        """Give up what a page was running that is closed, or loaded again."""
        for run in self._runs.values():
            if run.page is page and not run.end.done():
                run.end.set_exception(NotAvailable(GONE))

    async def _in_a_page(self, run: _Run) -> CodeRun:
        try:
            await self._have_taken(run)
            limit_s = LOADED_WITHIN_S + run.task.time_limit_ms / 1000 + GRACE_S
            async with asyncio.timeout(limit_s):
                return await run.end
        except TimeoutError:
            raise NotAvailable(SILENT) from None
        finally:
            # A page may still hold the news that this run is wanted: it would ask for it in vain.
            if not run.end.done() or run.end.cancelled() or run.end.exception() is not None:
                self._tell(run, "stopped")

    async def _have_taken(self, run: _Run) -> None:
        """Tell the pages until one takes it."""
        for _ in range(TOLD_AT_MOST):
            self._tell(run, "wanted")
            try:
                async with asyncio.timeout(TAKEN_WITHIN_S):
                    await run.taken.wait()
            except TimeoutError:
                if not run.taken.is_set():  # both may happen in one turn of the loop
                    continue
            return
        raise NotAvailable(NOT_TAKEN)

    def _tell(self, run: _Run, state: str) -> None:
        bridge = self._bridge()
        if bridge is not None and bridge.pages:
            bridge.tell("code", {"run_id": run.task.run_id, "state": state})
        elif state == "wanted":
            raise NotAvailable(NO_PAGE)
