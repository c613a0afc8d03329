"""Locks of files: shared by programs that run, exclusive for a start that unpacks or removes a version."""

import ctypes
import os
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Literal, Protocol

if os.name == "posix":
    import fcntl

_FAIL_IMMEDIATELY, _EXCLUSIVE = 1, 2

Held = Literal["", "shared", "exclusive"]


class Locker(Protocol):
    """Locks files as the operating system does."""

    def try_lock(self, file: IO[bytes], held: Held, wanted: Held) -> bool:
        """Lock a file on which this process has the lock `held`. Return whether it now has the wanted one."""
        ...


class FileLock:
    """A file that can be locked. Closing it, or the end of the process, releases the lock.

    Lock files are never deleted: a lock of a deleted file would keep nobody away.
    """

    def __init__(self, path: Path, locker: Locker | None = None) -> None:
        self._file = path.open("ab")
        self._locker = make_locker() if locker is None else locker
        self._held: Held = ""

    def __enter__(self) -> "FileLock":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fileno(self) -> int:
        return self._file.fileno()

    def try_lock(self, *, exclusive: bool) -> bool:
        """Lock the file or change its lock. Return whether it is locked so; if not, it may be unlocked."""
        wanted: Held = "exclusive" if exclusive else "shared"
        is_locked = self._locker.try_lock(self._file, self._held, wanted)
        self._held = wanted if is_locked else ""
        return is_locked


class PosixLocker:
    """Locks files with flock."""

    def try_lock(self, file: IO[bytes], held: Held, wanted: Held) -> bool:
        flag = fcntl.LOCK_EX if wanted == "exclusive" else fcntl.LOCK_SH
        try:
            fcntl.flock(file, flag | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class _Overlapped(ctypes.Structure):
    """The OVERLAPPED structure: here the start of the locked bytes, which need not exist."""

    _fields_ = (
        ("internal", ctypes.c_size_t),
        ("internal_high", ctypes.c_size_t),
        ("offset", ctypes.c_uint32),
        ("offset_high", ctypes.c_uint32),
        ("event", ctypes.c_void_p),
    )


class WindowsLocker:
    """Locks the first byte of files with LockFileEx.

    A handle may have a shared lock beside its own exclusive one, and unlocking releases the exclusive one first
    (https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-lockfileex). So an exclusive lock becomes
    shared without a moment in which another start could take it. The other way round is not possible, so a
    shared lock is released first.
    """

    def __init__(self, kernel32: Any) -> None:
        self._kernel32 = kernel32

    def try_lock(self, file: IO[bytes], held: Held, wanted: Held) -> bool:
        if held == wanted:
            return True
        handle, place = self._get_handle(file), ctypes.byref(_Overlapped())
        if held == "shared":
            self._kernel32.UnlockFileEx(handle, 0, 1, 0, place)
        flags = _FAIL_IMMEDIATELY | (_EXCLUSIVE if wanted == "exclusive" else 0)
        is_locked = bool(self._kernel32.LockFileEx(handle, flags, 0, 1, 0, place))
        if held == "exclusive":
            self._kernel32.UnlockFileEx(handle, 0, 1, 0, place)
        return is_locked

    def _get_handle(self, file: IO[bytes]) -> int:
        runtime: Any = import_module("msvcrt")
        return runtime.get_osfhandle(file.fileno())


def make_locker() -> Locker:
    """Return the locker of this system."""
    if os.name == "posix":
        return PosixLocker()
    kernel32: Any = ctypes.WinDLL("kernel32", use_last_error=True)
    number, handle = ctypes.c_uint32, ctypes.c_void_p
    kernel32.LockFileEx.argtypes = [handle, number, number, number, number, handle]
    kernel32.UnlockFileEx.argtypes = [handle, number, number, number, handle]
    return WindowsLocker(kernel32)
