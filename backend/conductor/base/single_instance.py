"""One running Conductor per home folder, held by a lock that ends with the process."""

import os
import sys
from pathlib import Path

from conductor.errors import AlreadyRunning


class InstanceLock:
    """Taken at construction and kept until `release` or the end of the process.

    Raises:
        AlreadyRunning: another process holds it.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "conductor.lock"
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
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
