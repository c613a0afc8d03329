"""Detached work does not delay the end of the program."""

import asyncio
import subprocess
import sys
import threading

import pytest

from conductor.base.detached import run_detached

FOREVER = """
import asyncio, sys, threading
from conductor.base.detached import exit_process, run_detached

async def main():
    begun = threading.Event()
    work = asyncio.create_task(run_detached(lambda: (begun.set(), threading.Event().wait())))
    await asyncio.to_thread(begun.wait)
    work.cancel()
    print("it was under way")

asyncio.run(main())
sys.exit(exit_process(3))
"""


def test_a_program_ends_while_it_goes_on() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FOREVER], capture_output=True, text=True, timeout=45
    )

    assert (ended.returncode, ended.stdout) == (3, "it was under way\n")


async def _failing() -> None:
    def work() -> None:
        raise ValueError("no such library")

    await run_detached(work)


def test_its_failure_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ValueError, match="no such library"):
        asyncio.run(_failing())


def test_it_gives_what_the_work_gave() -> None:
    assert asyncio.run(run_detached(lambda: 7 * 6)) == 42


async def _given_up() -> str:
    finish = threading.Event()
    try:
        async with asyncio.timeout(0):
            await run_detached(finish.wait)
    except TimeoutError:
        return "given up"
    finally:
        finish.set()
    return "waited"


def test_who_waits_may_give_up_while_it_hangs() -> None:
    assert asyncio.run(_given_up()) == "given up"
