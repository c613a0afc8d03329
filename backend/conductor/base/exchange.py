"""Swaps two files atomically, where the operating system supports it."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

AT_FDCWD = -100
RENAME_EXCHANGE = 2
RENAME_SWAP = 2
_UNSUPPORTED_ERRORS = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""The error numbers of systems and file systems that cannot swap two files, such as NFS, FUSE or an old
kernel."""


def swap_files(first: Path, second: Path) -> bool:
    """Swap two files atomically; return False where that is not supported.

    Raises:
        OSError: a file does not exist, or the folder cannot be written.
    """
    call = _find_system_call()
    if call is None:
        return False
    if call(os.fsencode(first), os.fsencode(second)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED_ERRORS:
        return False
    raise OSError(number, os.strerror(number), str(second))


def _find_system_call() -> Callable[[bytes, bytes], int] | None:
    """Return the system call that swaps two file names, or None if this system has none."""
    if sys.platform == "win32":
        return None
    library: Any = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        return lambda first, second: library.renamex_np(first, second, RENAME_SWAP)
    if not hasattr(library, "renameat2"):  # C libraries before 2018 lack the call
        return None
    return lambda first, second: library.renameat2(
        AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE
    )
