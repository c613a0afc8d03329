"""Starts Conductor with gamepads that a test can play: `joystick_launcher.py SOCKET COMMAND ...`.

Its standard output goes into the home folder, where a test reads the page's address.
"""

import os
import sys
from pathlib import Path

from conductor.__main__ import main
from conductor.base import child

ENGINE = Path(__file__).with_name("engine_with_stage.py")

if __name__ == "__main__":
    stage = sys.argv.pop(1)
    child.build_command = lambda: [sys.executable, str(ENGINE), stage]
    with Path(os.environ["CONDUCTOR_HOME"], "stdout.txt").open("w", encoding="utf-8") as sys.stdout:
        sys.exit(main())
