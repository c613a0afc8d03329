"""Starts child processes in their own sessions, waits for their exit, and kills them with their descendants."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from conductor.base.environment import build_keyless_environment
from conductor.base.program import ONE_FILE_VARIABLE
from conductor.errors import ActionFailed

_TERMINATION_GRACE_S = 0.5
_PRIVATE_ENVIRONMENT_VARIABLES = (
    "SDL_VIDEODRIVER",  # the engine needs the `dummy` driver, but a launched game needs a window
    "SDL_NO_SIGNAL_HANDLERS",
    "SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS",
    ONE_FILE_VARIABLE,
    "PYINSTALLER_RESET_ENVIRONMENT",
)


def start_program(argv: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program in its own session, without a shell, so that signals to Conductor do not reach it.

    Raises:
        ActionFailed: The program does not exist or is not executable.
    """
    try:
        return subprocess.Popen[bytes](
            list(argv),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env=build_child_environment(),
            **options,
        )
    except FileNotFoundError as problem:
        raise ActionFailed(
            f"no program `{argv[0]}`: check the spelling, or give its full path"
        ) from problem
    except PermissionError as problem:
        raise ActionFailed(f"`{argv[0]}` is not executable: run chmod +x on it") from problem
    except (OSError, ValueError) as problem:
        raise ActionFailed(f"`{argv[0]}` cannot be started: {problem}") from problem


def build_child_environment() -> dict[str, str]:
    """Return the environment for launched programs: the user's, without API keys and
    Conductor's own variables.
    """
    environment = {
        key: value
        for key, value in build_keyless_environment().items()
        if key not in _PRIVATE_ENVIRONMENT_VARIABLES
    }
    # PyInstaller sets this variable to the libraries in the bundle
    if getattr(sys, "frozen", False):
        environment.pop("LD_LIBRARY_PATH", None)
        original = os.environ.get("LD_LIBRARY_PATH_ORIG")
        if original:
            environment["LD_LIBRARY_PATH"] = original
    return environment


def end_process_group(process: subprocess.Popen[bytes]) -> None:
    """Ask a program and its descendants to terminate, and kill those that are still
    running half a second later.
    """
    _signal_group(process, signal.SIGTERM)
    try:
        process.wait(_TERMINATION_GRACE_S)
    except subprocess.TimeoutExpired:
        pass
    _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if sys.platform == "win32":
        command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        subprocess.run(command, check=False, capture_output=True)
        return
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        # All processes of the group have ended; macOS raises PermissionError in this case.
        pass


class ProcessReaper:
    """Waits for launched programs in a thread of its own, so that none remains as a zombie process."""

    def __init__(self, interval_s: float = 1.0) -> None:
        self._interval_s = interval_s
        self._lock = threading.Lock()
        self._children: list[subprocess.Popen[bytes]] = []
        self._running = False
        self._timer = threading.Event()

    def add_process(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._children.append(process)
            if not self._running:
                self._running = True
                threading.Thread(target=self._reap_processes, name="reaper", daemon=True).start()

    def _reap_processes(self) -> None:
        while True:
            self._timer.wait(self._interval_s)
            with self._lock:
                self._children = [child for child in self._children if child.poll() is None]
                if not self._children:
                    self._running = False
                    return
