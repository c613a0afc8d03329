"""Starts the processes of a browser's app window, watches them and ends them."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from conductor.base.clock import now
from conductor.errors import NotAvailable
from conductor.window.browsers import AppBrowser, end_remaining_browser, find_profile_folder
from conductor.window.requirements import BROWSER_ADVICE

BROWSER_EXIT_TIMEOUT_S = 4.0
"""The time in which a browser saves its profile when it is asked to end."""
_POLL_S = 0.05
LOG_NAME = "browser.log"


class BrowserProcesses:
    """The browser processes that this Conductor started. Create the object on the event loop."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._loop = asyncio.get_running_loop()
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def is_any_running(self) -> bool:
        return bool(self._processes)

    @property
    def pids(self) -> set[int]:
        return {process.pid for process in self._processes}

    async def prepare_profile(self, browser: AppBrowser) -> Path:
        """Return the folder of the browser's profile, which no browser of a killed Conductor uses any more."""
        profile = find_profile_folder(browser, self._home)
        profile.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self._processes:
            await asyncio.to_thread(_wait_for_exit, end_remaining_browser(profile))
        return profile

    def start(
        self, command: list[str], environment: Mapping[str, str], on_exit: Callable[[int], None]
    ) -> None:
        """Start a browser, and call `on_exit` on the event loop with its exit code when it has ended.

        Raises:
            NotAvailable: The browser cannot be started. The message says why.
        """
        folder = self._home / "logs"
        folder.mkdir(exist_ok=True)
        try:
            with (folder / LOG_NAME).open("wb") as output:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=dict(environment),
                    start_new_session=True,  # Ctrl+C is for the app, which then ends the browser
                )
        except OSError as error:
            raise NotAvailable(
                f"{command[0]} cannot be started: {error.strerror}; {BROWSER_ADVICE}"
            ) from error
        self._processes.append(process)

        def on_process_exit(code: int) -> None:
            self._processes.remove(process)
            on_exit(code)

        def wait() -> None:
            code = process.wait()
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(on_process_exit, code)

        threading.Thread(target=wait, name="browser", daemon=True).start()

    def end_all(self) -> None:
        """Ask the browsers to end, and kill those that do not. The call blocks until all have ended."""
        from conductor.system.children import end_process_group

        processes = [process for process in self._processes if process.poll() is None]
        for process in processes:
            with suppress(OSError):
                if sys.platform == "win32":
                    process.terminate()
                else:
                    os.killpg(process.pid, signal.SIGTERM)
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(BROWSER_EXIT_TIMEOUT_S)
            end_process_group(process)


def _wait_for_exit(pid: int | None) -> None:
    """Wait until a process that is no child has ended, but not long."""
    deadline = now() + BROWSER_EXIT_TIMEOUT_S
    while pid is not None and Path(f"/proc/{pid}").exists() and now() < deadline:
        threading.Event().wait(_POLL_S)
