"""Work that the end of the program does not wait for: what takes seconds, and what may hang."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from conductor.base.clock import now

NAME = "left behind"
GRACE_S = 2.0
"""For threads of pools, which the interpreter would wait for without limit."""
Result = TypeVar("Result")


async def run_detached(work: Callable[[], Result]) -> Result:
    """Do it in a thread of its own, and wait for it as long as the loop runs; gives what it gave.

    A thread of the loop's own pool would hold up the end of the loop, and of the program.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            tell = partial(done.set_result, work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            tell = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: None if done.done() else tell())

    threading.Thread(target=run, name=NAME, daemon=True).start()
    return await done


def end(code: int) -> int:
    """End the program here if such work goes on, or if a thread hangs that the interpreter's own end waits for.

    That end could crash in the middle of such work.
    """
    deadline = now() + GRACE_S
    others = [one for one in threading.enumerate() if one is not threading.current_thread()]
    for thread in others:
        if not thread.daemon:
            thread.join(max(0.0, deadline - now()))
    if any(one.is_alive() and (one.name == NAME or not one.daemon) for one in others):
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
