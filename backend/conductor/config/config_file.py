"""Writes config.toml: creates it at the first start, replaces it if it is unchanged, and backs up invalid
files.
"""

import contextlib
import logging
from pathlib import Path

from conductor.base.atomic import read_regular_file, write_atomic
from conductor.base.guarded_write import replace_if_unchanged
from conductor.config.parse import MAX_CONFIG_BYTES
from conductor.config.starter import STARTER_CONFIG
from conductor.errors import NotAvailable, StaleConfig

log = logging.getLogger(__name__)

MAX_BACKUP_BYTES = 1 << 26
"""The maximum number of bytes of an invalid file that are copied to the backup."""


def create_if_missing(path: Path) -> None:
    """Write the starter config if no config file exists.

    If that fails, log a warning and continue without a file.
    """
    if path.exists():
        return
    try:
        write_atomic(path, STARTER_CONFIG.encode())
    except OSError as error:
        log.warning(
            "cannot create %s: %s; check the disk space and permissions", path, error.strerror
        )


def overwrite_if_unchanged(path: Path, data: bytes, expected: str) -> None:
    """Replace the content of the config file if its current content still has the hash `expected`.

    Raises:
        StaleConfig: another program has saved the file in the meantime; that version is kept.
        NotAvailable: the file could not be written.
    """
    try:
        replaced = replace_if_unchanged(path, data, expected, MAX_CONFIG_BYTES + 1)
    except OSError as error:
        message = f"{path} could not be written: {error.strerror}; nothing was changed"
        raise NotAvailable(message) from error
    if not replaced:
        message = "was saved by another program in the same moment; read it again and repeat"
        raise StaleConfig(f"{path.name} {message}")


def copy_broken_file(path: Path) -> None:
    """Copy an invalid config file to `<name>.broken` as a backup.

    A failed copy is ignored, because the backup is only a convenience.
    """
    with contextlib.suppress(OSError):
        write_atomic(
            path.with_name(f"{path.name}.broken"), read_regular_file(path, MAX_BACKUP_BYTES)
        )
