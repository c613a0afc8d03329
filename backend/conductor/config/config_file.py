"""Writes config.toml: the first one, a changed one over what it was made from, a broken one beside it."""

import contextlib
import logging
from pathlib import Path

from conductor.base.atomic import read_regular, write_atomic
from conductor.base.guarded_write import replace_if_unchanged
from conductor.config.parse import MAX_BYTES
from conductor.config.starter import STARTER
from conductor.errors import NotAvailable, StaleConfig

log = logging.getLogger(__name__)

BROKEN_AT_MOST = 1 << 26
"""So much of a broken file is kept beside it."""


def create_if_missing(path: Path) -> None:
    """Make the first file; where that cannot be done the program runs without one."""
    if path.exists():
        return
    try:
        write_atomic(path, STARTER.encode())
    except OSError as error:
        log.warning("%s could not be made: %s; make room", path, error.strerror)


def write_over(path: Path, data: bytes, expected: str) -> None:
    """Replace the file if it still has the content of this hash.

    Raises:
        StaleConfig: another program saved it in the same moment; what it saved stays.
        NotAvailable: the file could not be written.
    """
    try:
        replaced = replace_if_unchanged(path, data, expected, MAX_BYTES + 1)
    except OSError as error:
        message = f"{path} could not be written: {error.strerror}; nothing was changed"
        raise NotAvailable(message) from error
    if not replaced:
        message = "was saved by another program in the same moment; read it again and repeat"
        raise StaleConfig(f"{path.name} {message}")


def keep_broken(path: Path) -> None:
    """Keep a copy of a file with a mistake beside it, as far as that can be done."""
    with contextlib.suppress(OSError):
        write_atomic(path.with_name(f"{path.name}.broken"), read_regular(path, BROKEN_AT_MOST))
