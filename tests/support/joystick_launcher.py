"""Starts Conductor with gamepads that a test can play: `joystick_launcher.py SOCKET COMMAND ...`."""

import sys
from pathlib import Path

from conductor.__main__ import main
from conductor.app import supervisor

ENGINE = Path(__file__).with_name("engine_with_stage.py")

if __name__ == "__main__":
    stage = sys.argv[1]
    supervisor.command = lambda: [sys.executable, str(ENGINE), stage]
    sys.exit(main(sys.argv[2:]))
