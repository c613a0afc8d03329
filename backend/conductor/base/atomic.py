"""Writes a file so that it is there whole or not at all; reads it; names its content by a hash."""

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Generator
from pathlib import Path

FOR_OWNER = 0o600


def hash_of(data: bytes) -> str:
    """Return the name of a content: `sha256:` and its digest."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def read_regular(path: Path, limit: int) -> bytes:
    """Return the first bytes of a file.

    Raises:
        OSError: there is none, or it is a folder, pipe or device.
    """
    _require_regular(path)
    with path.open("rb") as file:
        return file.read(limit)


def _require_regular(path: Path) -> None:
    """Refuse what a file must never take the place of, and what reading could wait on for ever."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def write_atomic(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace a file in one step, durably; a symlink stays and its target is replaced.

    Without a mode the file keeps the one that it has; a new one is for the owner only.

    Raises:
        OSError: nothing was changed.
    """
    target = target_of(path)
    with temporary_file(target, data, mode) as temporary:
        temporary.replace(target)
    sync_folder(target.parent)


def target_of(path: Path) -> Path:
    """Return the file that a path leads to, through its links.

    Raises:
        OSError: the links lead in a circle, or to a folder, pipe or device.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # `realpath` gives up where links lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    _require_regular(target)
    return target


@contextlib.contextmanager
def temporary_file(target: Path, data: bytes, mode: int | None = None) -> Generator[Path]:
    """Write data beside a file, durably and with its mode; what is left of it in the end is removed."""
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else FOR_OWNER
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, where the system can."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
