"""Swaps two files in one step, where the system can."""

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
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""What a system or a file system answers that cannot swap: NFS, FUSE, an old kernel."""


def exchange(one: Path, other: Path) -> bool:
    """Swap two files, so that no moment is without either; return False where that cannot be done.

    Raises:
        OSError: one of them is not there, or the folder cannot be written.
    """
    call = _system_call()
    if call is None:
        return False
    if call(os.fsencode(one), os.fsencode(other)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(other))


def _system_call() -> Callable[[bytes, bytes], int] | None:
    """Return the call that swaps two names, if this system has one."""
    if sys.platform == "win32":
        return None
    library: Any = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        return lambda one, other: library.renamex_np(one, other, RENAME_SWAP)
    if not hasattr(library, "renameat2"):  # a C library older than 2018
        return None
    return lambda one, other: library.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE)
