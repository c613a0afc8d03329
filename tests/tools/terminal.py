"""The user at a terminal: runs a `conductor` command in a pseudo-terminal of its own."""

import subprocess
import sys

from tests.support.running import RunningConductor

IN_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


def at_terminal(conductor: RunningConductor, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a person at a terminal does."""
    command = [sys.executable, "-m", "conductor", *arguments]
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", IN_A_TERMINAL, *command],
        env=conductor.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
