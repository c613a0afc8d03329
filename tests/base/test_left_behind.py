"""What the end of the program does not wait for."""

import asyncio
import subprocess
import sys

import pytest

from conductor.base.left_behind import left_behind

FOREVER = """
import asyncio, sys, threading
from conductor.base.left_behind import end, left_behind

async def main():
    begun = threading.Event()
    work = asyncio.create_task(left_behind(lambda: (begun.set(), threading.Event().wait())))
    await asyncio.to_thread(begun.wait)
    work.cancel()
    print("it was under way")

asyncio.run(main())
sys.exit(end(3))
"""


def test_a_program_ends_while_it_goes_on() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FOREVER], capture_output=True, text=True, timeout=45
    )

    assert (ended.returncode, ended.stdout) == (3, "it was under way\n")


async def _failing() -> None:
    def work() -> None:
        raise ValueError("no such library")

    await left_behind(work)


def test_its_failure_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ValueError, match="no such library"):
        asyncio.run(_failing())
