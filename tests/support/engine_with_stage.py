"""Starts an engine process whose gamepads can be played from outside: `engine_with_stage.py SOCKET --engine-process ...`."""

import sys
from functools import partial
from pathlib import Path

from tests.support.joystick import StageServer

from conductor.base.process_end import run_program
from conductor.devices.gamepad.gamepads import GamepadPump
from conductor.runtime import process

if __name__ == "__main__":
    server = StageServer(Path(sys.argv[1]))
    process.GamepadPump = partial(GamepadPump, on_pump=server)
    sys.exit(run_program(partial(process.main, sys.argv[3:])))
