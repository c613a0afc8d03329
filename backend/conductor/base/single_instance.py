"""A lock that allows one running Conductor per home folder; it is released when the process ends.

A second start finds the lock taken, and asks the running Conductor over its socket to show the window or to
return a URL of its page (`app/second_start.py`).
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from conductor.errors import AlreadyRunning, NotAvailable


class InstanceLock:
    """The instance lock, acquired by the constructor and held until `release` or the end of the process.

    Raises:
        AlreadyRunning: another process holds the lock.
        NotAvailable: the folder is not writable.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "conductor.lock"
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise NotAvailable(
                f"the home folder {folder} is not writable ({error.strerror});"
                " set CONDUCTOR_HOME to another folder"
            ) from None
        try:
            _lock_file(self._file)
        except OSError:
            other = (
                os.pread(self._file, 32, 0).decode(errors="replace").strip()
                if os.name == "posix"
                else ""
            )
            os.close(self._file)
            process = f" (process {other})" if other else ""
            raise AlreadyRunning(
                f"Conductor is already running here{process}; `conductor status` shows it"
                " and `conductor stop` ends it"
            ) from None
        with suppress(OSError):  # if the disk is full, only the message above lacks the process id
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode())

    def release_lock(self) -> None:
        os.close(self._file)


def is_locked(folder: Path) -> bool:
    """Return whether a running Conductor holds the lock of this home folder."""
    try:
        file = os.open(folder / "conductor.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        _lock_file(file)
    except OSError:
        return True
    finally:
        os.close(file)  # closing the file also releases the lock
    return False


def _lock_file(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
