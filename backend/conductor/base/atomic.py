"""Writes files atomically and durably, reads regular files up to a size limit, and hashes their content."""

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Generator
from pathlib import Path

OWNER_ONLY_MODE = 0o600


def hash_bytes(data: bytes) -> str:
    """Return the SHA-256 digest of `data` in the form `sha256:<hex>`."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def read_regular_file(path: Path, limit: int) -> bytes:
    """Return at most `limit` bytes from the start of a file.

    Raises:
        OSError: the file does not exist, or is a folder, pipe or device.
    """
    _require_regular_file(path)
    with path.open("rb") as file:
        return file.read(limit)


def _require_regular_file(path: Path) -> None:
    """Raise `OSError` if the path is a folder, pipe or device, because reading one could block and replacing
    one would do damage.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def write_atomic(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace a file atomically and durably; a symlink is kept and its target is replaced.

    Without `mode`, an existing file keeps its mode and a new file is readable by its owner only.

    Raises:
        OSError: the file could not be written; nothing has changed.
    """
    target = resolve_target(path)
    with temporary_file(target, data, mode) as temporary:
        temporary.replace(target)
    sync_folder(target.parent)


def resolve_target(path: Path) -> Path:
    """Return the file that a path points to after following symlinks.

    Raises:
        OSError: the symlinks form a loop, or lead to a folder, pipe or device.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # `realpath` returns a link only when it found a loop
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    _require_regular_file(target)
    return target


@contextlib.contextmanager
def temporary_file(target: Path, data: bytes, mode: int | None = None) -> Generator[Path]:
    """Write data durably to a temporary file beside the target, and remove that file on exit.

    Without `mode`, the temporary file gets the mode of the target.
    """
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else OWNER_ONLY_MODE
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
    """Flush a folder to disk, so that renames in it survive a power loss. Does nothing on Windows."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
