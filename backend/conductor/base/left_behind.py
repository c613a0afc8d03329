"""Work that the end of the program does not wait for, such as importing libraries that take seconds."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

NAME = "left behind"


async def left_behind(work: Callable[[], None]) -> None:
    """Do it in a thread of its own, and wait for it as long as the loop runs.

    A thread of the loop's own pool would hold up the end of the loop, and of the program.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def told(failure: BaseException | None) -> None:
        if done.done():
            return
        if failure is None:
            done.set_result(None)
        else:
            done.set_exception(failure)

    def run() -> None:
        failure: BaseException | None = None
        try:
            work()
        except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
            failure = error
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(told, failure)

    threading.Thread(target=run, name=NAME, daemon=True).start()
    await done


def end(code: int) -> int:
    """End the program here if such work goes on: the interpreter's own end could crash in the middle of it."""
    if any(thread.name == NAME for thread in threading.enumerate()):
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
