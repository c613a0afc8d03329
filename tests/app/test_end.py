"""The end of a Conductor in which something hangs: it comes all the same, and what hangs is named."""

import signal

import pytest
from tests.support.processes import alive
from tests.support.running import RunningConductor, short_home, wait_for

HANGS = """
import asyncio, sys, threading
from conductor.app import build, shutdown
from conductor.cli import main, run

def for_ever():
    threading.Event().wait()

async def in_threads():
    for _ in range(run.MAX_WORKER_THREADS - 4):
        asyncio.get_running_loop().run_in_executor(None, for_ever)

async def in_an_interface():
    await asyncio.Event().wait()

async def in_the_loop():
    for_ever()

async def in_the_loop_at_once():
    for_ever()

async def by_failing():
    raise OSError("the interface is stuck")

shutdown.PART_SHUTDOWN_TIMEOUT_S, run.EXIT_TIMEOUT_S = float(sys.argv[1]), float(sys.argv[2])
how = {one.__name__: one for one in (
    in_threads, in_an_interface, in_the_loop, in_the_loop_at_once, by_failing
)}[sys.argv[3]]
made = build.App.__init__

def make(app, *arguments, **options):
    made(app, *arguments, **options)
    app.browser.close = how
    if how is in_the_loop_at_once:  # told to end in the last step of its start
        app.services.examples.start = app._stop.set

build.App.__init__ = make
sys.exit(main.main(sys.argv[4:]))
"""


def ended(how: str, part_s: float, whole_s: float) -> tuple[int, str]:
    """Return the exit code and standard error of one that was told to end; no process of it is left."""
    with short_home() as home:
        launcher = ("-c", HANGS, str(part_s), str(whole_s), how)
        conductor = RunningConductor(home, "", launcher=launcher)
        try:
            conductor.wait_until_running()
            family = conductor.family()
            conductor.process.send_signal(signal.SIGINT)
            code = conductor.process.wait(40)
            wait_for(lambda: alive(family), lambda left: not left)
            return code, conductor.log()
        finally:
            conductor.clean_up()


def test_threads_that_hang_do_not_hold_up_the_end() -> None:
    assert ended("in_threads", 30, 60) == (0, "")


@pytest.mark.parametrize("how", ["in_an_interface", "by_failing"])
def test_a_part_that_does_not_end_is_told_and_the_others_end_in_order(how: str) -> None:
    code, told = ended(how, 0.5, 60)
    assert code == 0
    assert "a component failed to shut down" in told
    assert how in told


def test_a_loop_that_hangs_is_ended_and_its_place_is_reported() -> None:
    code, told = ended("in_the_loop", 30, 3)
    assert code == 1
    assert "for_ever" in told


def test_a_loop_that_hangs_at_the_end_of_the_start_is_ended_too() -> None:
    with short_home() as home:
        launcher = ("-c", HANGS, "30", "3", "in_the_loop_at_once")
        conductor = RunningConductor(home, "", launcher=launcher)
        try:
            assert conductor.process.wait(20) == 1
            assert "for_ever" in conductor.log()
        finally:
            conductor.clean_up()
