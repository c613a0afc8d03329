"""Runs slow or unreliable functions in daemon threads, which cannot delay the exit of the program."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from conductor.base.clock import now
from conductor.base.process_end import end_process

DETACHED_THREAD_NAME = "detached"
DETACHED_EXIT_GRACE_S = 2.0
"""How long `exit_process` waits for pool threads; the interpreter would wait for them without limit."""
Result = TypeVar("Result")


async def run_detached(function: Callable[[], Result]) -> Result:
    """Run a function in its own daemon thread and return its result or raise its error.

    A thread of the loop's default executor would delay the shutdown of the loop, and so of the program.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            resolve = partial(done.set_result, function())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller, through the future
            resolve = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed, and nobody waits for the result
            loop.call_soon_threadsafe(lambda: None if done.done() else resolve())

    threading.Thread(target=run, name=DETACHED_THREAD_NAME, daemon=True).start()
    return await done


def exit_process(code: int) -> int:
    """Exit at once if a non-daemon thread hangs, for which Python would wait without limit; otherwise return
    `code`.
    """
    deadline = now() + DETACHED_EXIT_GRACE_S
    others = [
        thread for thread in threading.enumerate() if thread is not threading.current_thread()
    ]
    for thread in others:
        if not thread.daemon:
            thread.join(max(0.0, deadline - now()))
    if any(thread.is_alive() and not thread.daemon for thread in others):
        end_process(code)
    return code
