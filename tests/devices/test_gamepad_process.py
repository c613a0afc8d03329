"""The pump on the main thread of a separate process, as in the engine, controlled from the test."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.joystick import RemoteStage

pytestmark = pytest.mark.gamepad

_ENGINE = """
import pathlib, sys, threading, time
from conductor.devices.gamepad.gamepads import GamepadPump
from tests.support.joystick import StageServer

def say(*words):
    print(*words, flush=True)

class Server(StageServer):
    turns = 0
    def __call__(self):
        super().__call__()
        self.turns += 1
        if self.turns % 5 == 0:
            say("cpu", time.process_time(), time.perf_counter())

pump = GamepadPump(
    post=lambda event: say(event.kind, event.number),
    on_change=lambda: say("pads", len(pump.status())),
    on_pump=Server(pathlib.Path(sys.argv[1])),
)
say("ready")
pump.run(threading.Event())
"""


class Engine:
    def __init__(self, folder: Path) -> None:
        argv = [sys.executable, "-c", _ENGINE, str(folder / "stage.sock")]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        self.until("ready")
        self.stage = RemoteStage(folder / "stage.sock")

    def until(self, start: str) -> list[str]:
        """Return the words of the next line that starts with a prefix."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(start):
                return line.split()
        raise AssertionError(f"the process ended without saying `{start}`")

    def cpu_percent(self) -> float:
        """Return the share of one core that the next five turns take."""
        first, last = self.until("cpu"), self.until("cpu")
        used, passed = (float(last[i]) - float(first[i]) for i in (1, 2))
        return 100 * used / passed


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path)
    yield engine
    engine.stage.close()
    engine.process.kill()
    engine.process.communicate()


def test_a_pad_is_played_from_another_process(engine: Engine) -> None:
    pad = engine.stage.attach("Xbox 360 Controller")
    assert engine.until("pads") == ["pads", "1"]
    pad.press(0)
    assert engine.until("button_down") == ["button_down", "south"]
    pad.detach()
    assert engine.until("button_up") == ["button_up", "south"]
    assert engine.until("pads") == ["pads", "0"]


def test_a_terminate_signal_still_ends_the_process(engine: Engine) -> None:
    engine.stage.attach("Xbox 360 Controller")
    engine.until("pads")
    engine.process.send_signal(signal.SIGTERM)
    assert engine.process.wait(10) == -signal.SIGTERM


def test_without_a_pad_the_pump_takes_less_than_one_percent_of_a_core(engine: Engine) -> None:
    assert engine.cpu_percent() < 1.0


def test_a_failed_request_is_raised_in_its_caller(engine: Engine) -> None:
    unknown: Any = 99
    with pytest.raises(RuntimeError, match="KeyError"):
        engine.stage.play("button", unknown, 0, True)
