"""Runs code of the assistant in the sandbox of an open page, with a time limit for each step."""

import asyncio
import secrets
from typing import Literal

from conductor.domain.code import CodeRun, CodeTask, Language
from conductor.domain.page_events import CodeTopic
from conductor.errors import NotAvailable
from conductor.runtime.events import CODE_TOPIC, Publish
from conductor.runtime.open_pages import OpenPages

MAX_QUEUED_RUNS = 4
"""The maximum number of unfinished runs. One runs, and the others wait in a queue."""
RUN_ACCEPT_TIMEOUT_S = 3.0
MAX_RUN_OFFERS = 6
"""How often a run is offered to the pages, because a page may still be loading when it is offered first."""
SANDBOX_LOAD_TIMEOUT_S = 75.0
RUN_RESULT_GRACE_S = 10.0
NO_OPEN_PAGE_MESSAGE = (
    "no window is open, and code runs there: ask the user to open Conductor's window, or its page"
    " with `conductor run --browser`"
)
TOO_MANY_RUNS_MESSAGE = (
    f"{MAX_QUEUED_RUNS} code runs are already queued; wait until one has finished and try again,"
    " or stop one"
)
RUN_NOT_ACCEPTED_MESSAGE = (
    "the window did not accept the code; ask the user to reload the page, then try again"
)
PAGE_CLOSED_MESSAGE = (
    "the page that ran the code was closed or reloaded before it finished; run the code again"
)
RESULT_TIMED_OUT_MESSAGE = (
    "the window did not report a result in time; run the code again in smaller parts"
)


class _PendingRun:
    """A run of code that has not finished. It belongs to the first page that accepts it."""

    def __init__(self, task: CodeTask) -> None:
        self.task = task
        self.page: object | None = None
        self.accepted = asyncio.Event()
        self.result: asyncio.Future[CodeRun] = asyncio.get_running_loop().create_future()


class CodeRunner:
    """Runs code in the sandbox of a page, one run at a time.

    The class is not thread-safe, so use it only on the event loop.
    """

    def __init__(self, pages: OpenPages, publish: Publish) -> None:
        self._pages = pages
        self._publish = publish
        pages.add_leave_listener(self.fail_page_runs)
        self._run_lock = asyncio.Lock()
        self._runs: dict[str, _PendingRun] = {}

    async def run(self, language: Language, code: str) -> CodeRun:
        """Run code in the sandbox of a page when all earlier runs are done, and return the result.

        Cancelling the coroutine stops the code.

        Raises:
            NotAvailable: No page is open, the page was closed during the run or did not report a result in
                time, or too many runs are queued.
        """
        if len(self._runs) >= MAX_QUEUED_RUNS:
            raise NotAvailable(TOO_MANY_RUNS_MESSAGE)
        run = _PendingRun(CodeTask(run_id=secrets.token_urlsafe(16), language=language, code=code))
        self._runs[run.task.run_id] = run
        try:
            async with self._run_lock:
                return await self._run_in_page(run)
        finally:
            del self._runs[run.task.run_id]

    def accept_run(self, run_id: str, page: object) -> CodeTask | None:
        """Assign a run to the first page that accepts it.

        Return the code to that page, and None to all others.
        """
        run = self._runs.get(run_id)
        if run is None or run.accepted.is_set():
            return None
        run.page = page
        run.accepted.set()
        return run.task

    def set_result(self, run_id: str, page: object, result: CodeRun) -> bool:
        """Store the result of a run.

        Only the page that runs the code may report a result. Return whether the result was accepted.
        """
        run = self._runs.get(run_id)
        if run is None or run.page is not page or run.result.done():
            return False
        run.result.set_result(result)
        return True

    def fail_page_runs(self, page: object) -> None:
        """Fail all runs of a page that was closed or reloaded, because it can no longer report a result."""
        for run in self._runs.values():
            if run.page is page and not run.result.done():
                run.result.set_exception(NotAvailable(PAGE_CLOSED_MESSAGE))

    async def _run_in_page(self, run: _PendingRun) -> CodeRun:
        try:
            await self._offer_run(run)
            limit_s = SANDBOX_LOAD_TIMEOUT_S + run.task.time_limit_ms / 1000 + RUN_RESULT_GRACE_S
            async with asyncio.timeout(limit_s):
                return await run.result
        except TimeoutError:
            raise NotAvailable(RESULT_TIMED_OUT_MESSAGE) from None
        finally:
            # withdraws the offer, so that a page that reads it late does not ask for the code
            if (
                not run.result.done()
                or run.result.cancelled()
                or run.result.exception() is not None
            ):
                self._publish_run_state(run, "stopped")

    async def _offer_run(self, run: _PendingRun) -> None:
        """Offer a run to the open pages, several times if necessary, until one of them accepts it.

        Raises:
            NotAvailable: No page is open, or no page has accepted the run.
        """
        for _ in range(MAX_RUN_OFFERS):
            self._publish_run_state(run, "wanted")
            try:
                async with asyncio.timeout(RUN_ACCEPT_TIMEOUT_S):
                    await run.accepted.wait()
            except TimeoutError:
                # the timeout and the event may occur in the same iteration of the loop
                if not run.accepted.is_set():
                    continue
            return
        raise NotAvailable(RUN_NOT_ACCEPTED_MESSAGE)

    def _publish_run_state(self, run: _PendingRun, state: Literal["wanted", "stopped"]) -> None:
        if self._pages.page_count:
            self._publish(CODE_TOPIC, CodeTopic(run_id=run.task.run_id, state=state))
        elif state == "wanted":
            raise NotAvailable(NO_OPEN_PAGE_MESSAGE)
