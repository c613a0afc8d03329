"""The program that the one-file build starts: it unpacks Conductor once, and runs it from there.

PyInstaller's own one-file programs unpack everything at every start, which takes seconds for a browser engine.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from archive import BadArchive, find_packed_folder
from unpack import CannotUnpack, list_cache_folders, unpacked

ONE_FILE_VARIABLE = "CONDUCTOR_ONE_FILE"
"""Tells the unpacked program the file that the user started, which outlives the unpacked version."""


def build_environment(program: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the unpacked program, without what PyInstaller set for the launcher."""
    environment = {
        **inherited,
        ONE_FILE_VARIABLE: str(program),
        "PYINSTALLER_RESET_ENVIRONMENT": "1",
    }
    for name in ("LD_LIBRARY_PATH", "LIBPATH"):
        original = environment.pop(f"{name}_ORIG", None)
        environment.pop(name, None)
        if original:
            environment[name] = original
    return environment


def main() -> int:
    program = Path(sys.executable).resolve()
    try:
        folder = find_packed_folder(program)
        with unpacked(folder, list_cache_folders(os.environ)) as (place, lock):
            command = [str(place / choose_program(os.name, sys.argv[1:])), *sys.argv[1:]]
            environment = build_environment(program, os.environ)
            if os.name == "nt":  # where exec would return to the prompt while the program runs
                return _run_and_wait(command, environment)
            os.set_inheritable(lock.fileno(), True)
            os.execve(command[0], command, environment)
    except (BadArchive, CannotUnpack, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1


def choose_program(system: str, arguments: Sequence[str]) -> str:
    """Return the program of the unpacked folder to start. Windows has one without a console for the window."""
    if system != "nt":
        return "conductor"
    opens_window = not arguments or (arguments[0] == "run" and "--window" in arguments)
    return "conductorw.exe" if opens_window else "conductor.exe"


def _run_and_wait(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the program, and keep the lock of its version until it has ended."""
    # Ctrl+C reaches the program too, which releases its keys first; `subprocess.call` would kill it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.Popen(command, env=environment).wait()


if __name__ == "__main__":
    sys.exit(main())
