"""One running Conductor per home folder, held by a lock that ends with the process.

A second start finds the lock held, and asks the running Conductor over its socket for the window or for an
address of its page (`app/second_start.py`).
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from conductor.errors import AlreadyRunning, NotAvailable


class InstanceLock:
    """Taken at construction and kept until `release` or the end of the process.

    Raises:
        AlreadyRunning: another process holds it.
        NotAvailable: the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "conductor.lock"
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise NotAvailable(
                f"the home folder {folder} cannot be written ({error.strerror});"
                " set CONDUCTOR_HOME to another"
            ) from None
        try:
            _lock(self._file)
        except OSError:
            other = (
                os.pread(self._file, 32, 0).decode(errors="replace").strip()
                if os.name == "posix"
                else ""
            )
            os.close(self._file)
            who = f" (process {other})" if other else ""
            raise AlreadyRunning(
                f"Conductor is already running here{who}; `conductor status` shows it"
            ) from None
        with suppress(OSError):  # a full disk: the number only helps to say who runs
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.close(self._file)


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
