"""Work beside an answer that must not hold it up: in a thread of its own, and given up after a while."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def aside(work: Callable[[], Result], within_s: float) -> Result:
    """Do something in a thread. One that hangs is left behind; the program can end without it.

    Raises:
        TimeoutError: it took too long.
        Exception: what it raised.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - who waits has it raised
            tell = _raiser(done, error)
        else:
            tell = _giver(done, result)
        with contextlib.suppress(RuntimeError):  # nobody waits any more, and the loop is closed
            loop.call_soon_threadsafe(tell)

    threading.Thread(target=run, name="looking up", daemon=True).start()
    async with asyncio.timeout(within_s):
        return await done


def _giver(done: asyncio.Future[Result], result: Result) -> Callable[[], None]:
    return lambda: None if done.done() else done.set_result(result)


def _raiser(done: asyncio.Future[Result], error: BaseException) -> Callable[[], None]:
    return lambda: None if done.done() else done.set_exception(error)
