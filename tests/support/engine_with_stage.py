"""Starts an engine process whose gamepads can be played from outside: `engine_with_stage.py SOCKET --engine-process ...`."""

import sys
from functools import partial
from pathlib import Path

from tests.support.joystick import StageDoor

from conductor.app import engine_process
from conductor.devices.gamepad import GamepadPump

if __name__ == "__main__":
    door = StageDoor(Path(sys.argv[1]))
    engine_process.GamepadPump = partial(GamepadPump, on_pump=door)
    sys.exit(engine_process.main(sys.argv[3:]))
