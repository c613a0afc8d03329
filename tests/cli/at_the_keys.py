"""A person at a terminal of their own: types, reads what appears, presses Ctrl+C."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tests.support.running import wait_for

WAIT_S = 90.0
"""A busy machine takes long to import what speaks to models."""
TAKES_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[2], sys.argv[2:])"
)


class Keys:
    """One command in a pseudo-terminal that is its controlling one."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], piped: str | None = None
    ) -> None:
        """Start it; with `piped` its standard input is a pipe with this in it."""
        self._ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", TAKES_TERMINAL, str(theirs), *command],
            stdin=theirs if piped is None else subprocess.PIPE,
            stdout=theirs,
            stderr=theirs,
            env=dict(environment),
            start_new_session=True,
            pass_fds=(theirs,),
        )
        os.close(theirs)
        if piped is not None and self.process.stdin is not None:
            self.process.stdin.write(piped.encode())
            self.process.stdin.close()
        self._shown = ""
        self._reading = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._reading.start()

    @property
    def shown(self) -> str:
        return self._shown.replace("\r\n", "\n")

    def wait_for(self, words: str, times: int = 1) -> None:
        """Wait until these words are shown."""
        wait_for(lambda: self.shown, lambda shown: shown.count(words) >= times, WAIT_S)

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._ours, f"{line}\n".encode())

    def press(self, letter: str) -> None:
        """Press Ctrl and a letter."""
        os.write(self._ours, bytes((ord(letter.upper()) & 0x1F,)))

    def ends(self) -> int:
        """Wait for the end, and give the exit code."""
        code = self.process.wait(WAIT_S)
        self._reading.join(WAIT_S)
        assert "Traceback" not in self.shown, self.shown
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)

    def _read(self) -> None:
        with suppress(OSError):  # the other end is closed
            while piece := os.read(self._ours, 4096):
                self._shown += piece.decode(errors="replace")


@contextmanager
def at_the_keys(
    environment: Mapping[str, str], *arguments: str, piped: str | None = None
) -> Generator[Keys]:
    """Run a `conductor` command in a terminal for the length of the block."""
    command = [sys.executable, "-m", "conductor", *arguments]
    keys = Keys(command, environment, piped)
    try:
        yield keys
    finally:
        keys.close()


def plans_shown(environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return all plans, newest first, as the user sees them at a terminal."""
    with at_the_keys(environment, "plans", "list", "--json") as keys:
        assert keys.ends() == 0
    return json.loads(keys.shown)["plans"]
