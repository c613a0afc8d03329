"""The real parts that tests share. What is slow to start lives as long as a module."""

import atexit
import gc
import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings
from tests.support.jack import JackServer, MidiPeer, jack_server
from tests.support.llm_server import LlmServer, llm_server
from tests.support.running import PADS, RunningConductor, running_conductor
from tests.support.sway import leave_session
from tests.support.xserver import KeyWindow, XServer, x_server
from Xlib import X
from Xlib.display import Display

from conductor.__main__ import GC_THRESHOLDS
from conductor.base.process_end import end_process

exit_codes = [1]
atexit.register(lambda: end_process(exit_codes[0]))
# as in Conductor's processes
gc.set_threshold(*GC_THRESHOLDS)

# `nohup make test &` starts with Ctrl+C ignored, and so would every command that a test interrupts
signal.signal(signal.SIGINT, signal.default_int_handler)
# a developer's own Wayland session would get the keys that the tests send to their X server
leave_session()
# hypothesis fails an example that takes over 200 ms, which on a machine under load says nothing about the code
settings.register_profile("without_deadline", deadline=None)
settings.load_profile("without_deadline")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the CPU time of the tests and of the processes that have ended: on two cores, it is the limit."""
    terminalreporter.write_line(f"CPU time: {sum(os.times()[:4]):.0f} s")


def pytest_collection_finish() -> None:
    """Exclude the modules imported so far from garbage collection, which would scan them each time."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(exitstatus: int) -> None:
    exit_codes[0] = exitstatus


@pytest.fixture(scope="module")
def jack() -> Generator[JackServer]:
    with jack_server() as server:
        yield server


@pytest.fixture(scope="session")
def server_of_all() -> Generator[LlmServer]:
    with llm_server() as server:
        yield server


@pytest.fixture(scope="module")
def server(server_of_all: LlmServer) -> LlmServer:
    """Return the simulator of all providers' wires, as it was when it started."""
    server_of_all.reset()
    return server_of_all


@pytest.fixture(scope="module")
def screen() -> Generator[XServer]:
    with x_server() as server:
        stop_key_repeat(server.display)
        yield server


def stop_key_repeat(display: str) -> None:
    """Turn off key repeat: the server's repeats look like releases."""
    connection = Display(display)
    connection.change_keyboard_control(auto_repeat_mode=X.AutoRepeatModeOff)
    connection.sync()
    connection.close()


@pytest.fixture
def window(screen: XServer) -> Generator[KeyWindow]:
    with KeyWindow(screen.display) as window:
        yield window


@pytest.fixture(scope="module")
def pads_of_module(jack: JackServer) -> Generator[MidiPeer]:
    with MidiPeer("Pads") as peer:
        yield peer


@pytest.fixture
def pads(pads_of_module: MidiPeer) -> MidiPeer:
    """Return a MIDI device in another process, which Conductor knows as `pads`."""
    pads_of_module.received.clear()
    return pads_of_module


@pytest.fixture(scope="module")
def conductor(screen: XServer, pads_of_module: MidiPeer) -> Generator[RunningConductor]:
    """Run one Conductor for all tests of a module; each brings its own config."""
    with running_conductor(
        PADS, environment={"DISPLAY": screen.display}, own_process=True
    ) as running:
        running.wait_for_device("pads")
        yield running
