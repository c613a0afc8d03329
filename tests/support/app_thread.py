"""A Conductor inside the tests' own process: the app in a thread, its engine as a child process.

It starts in a fraction of the time of `conductor run`, because the app is imported once for all tests of a
folder. Tests of the process itself (signals, exit codes, output, kills) start `conductor run`.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.engine_forks import fork_engines_of

from conductor.app.build import App

START_WITHIN_S = 40.0
STOP_WITHIN_S = 20.0


class AppThread:
    """A running app; its thread has an event loop of its own.

    The variables of the environment count for the whole process: those of the app that started last.
    """

    def __init__(
        self, home: Path, environment: Mapping[str, str], *, with_page: bool, engine_as_fork: bool
    ) -> None:
        self._home = home
        if engine_as_fork:
            fork_engines_of(home)
        self._environment = environment
        self._with_page = with_page
        self._is_over = False
        self._started: Future[str | None] = Future()
        self._errors = _ErrorLog()
        self._thread = threading.Thread(target=self._run, name="app", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._variables = swap_environment(environment)
        self._variables.__enter__()
        logging.getLogger().addHandler(self._errors)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def wait_until_started(self) -> str | None:
        """Wait until the app serves; return the address of its page if it has one.

        Raises:
            Exception: the app could not start.
        """
        return self._started.result(START_WITHIN_S)

    def stop(self) -> None:
        """End the app; require that it ends in time and logged no exception."""
        self.end()
        assert not self._errors.exceptions, "\n".join(self._errors.exceptions)
        engine_log = self._home / "logs" / "engine.log"
        engine_text = engine_log.read_text() if engine_log.exists() else ""
        assert "Traceback" not in engine_text, engine_text

    def end(self) -> None:
        """End the app, however the test went."""
        if self._loop is not None and self._stop is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STOP_WITHIN_S)
        logging.getLogger().removeHandler(self._errors)
        if not self._is_over:
            self._is_over = True
            self._variables.__exit__(None, None, None)
        assert not self._thread.is_alive(), "the app did not end"

    def log(self) -> str:
        """Return the logged warnings and errors."""
        return "\n".join(self._errors.texts)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - raised again in the test
            if self._started.done():
                self._errors.add_exception(repr(error))
            else:
                self._started.set_exception(error)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_default_executor(ThreadPoolExecutor(32))
        app = App(self._home, self._stop)
        serving = asyncio.create_task(app.run())
        opening = asyncio.create_task(self._open_page(app))
        await asyncio.wait((serving, opening), return_when=asyncio.FIRST_COMPLETED)
        if opening.done():
            self._started.set_result(opening.result())
        else:
            opening.cancel()
        await serving
        if not self._started.done():
            raise RuntimeError("the app ended before its page was served")

    async def _open_page(self, app: App) -> str | None:
        return await app.browser.create_address() if self._with_page else None


class _ErrorLog(logging.Handler):
    """Keeps logged warnings and errors, except those of the tests' own page."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(lambda record: record.name != "websockets.client")
        self.texts: list[str] = []
        self.exceptions: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = logging.Formatter().format(record)
        if record.exc_info:
            self.add_exception(text)
        else:
            self.texts.append(text)

    def add_exception(self, text: str) -> None:
        self.texts.append(text)
        self.exceptions.append(text)


@contextmanager
def swap_environment(environment: Mapping[str, str]) -> Generator[None]:
    """Replace the variables of this process for the length of the block."""
    before = dict(os.environ)
    _set_variables(environment)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(wanted: Mapping[str, str]) -> None:
    """Set the variables of this process; never is one missing that another thread may read."""
    os.environ.update(wanted)
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
