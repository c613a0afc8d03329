"""Checks the files that the user adds as manuals, and copies them into the folder of the manuals."""

import hashlib
import secrets
import shutil
from pathlib import Path

from conductor.domain.manuals import MANUAL_SUFFIXES
from conductor.errors import InvalidParams, NotAvailable

MAX_FILE_BYTES = 300_000_000
MAX_TEXT_FILE_BYTES = 20_000_000


def check_file(path: Path, name: str) -> None:
    """Check that a file is a manual.

    Raises:
        InvalidParams: It is of another kind, empty or too large. The message says what to do.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in MANUAL_SUFFIXES:
        raise InvalidParams(
            f"{name} is no PDF, text, Markdown or HTML file; export the manual as one of these"
        )
    try:
        size = path.stat().st_size if path.is_file() else -1
    except OSError as error:
        raise InvalidParams(_describe_unreadable(name, error)) from None
    if size < 0:
        raise InvalidParams(f"there is no file {path}; check the path")
    if size == 0:
        raise InvalidParams(f"{name} is empty; save or download it again")
    limit = MAX_FILE_BYTES if suffix == ".pdf" else MAX_TEXT_FILE_BYTES
    if size > limit:
        raise InvalidParams(
            f"{name} has {size / 1e6:.0f} MB, and the limit is {limit / 1e6:.0f} MB; split it"
        )


def compute_digest(path: Path, name: str) -> str:
    """Return the SHA-256 of a file.

    Raises:
        InvalidParams: The file cannot be read.
    """
    try:
        with path.open("rb") as source:
            return hashlib.file_digest(source, "sha256").hexdigest()
    except OSError as error:
        raise InvalidParams(_describe_unreadable(name, error)) from None


def copy_file(path: Path, folder: Path, name: str, digest: str) -> Path:
    """Copy a file into a folder and return the path of the copy.

    The name of the copy is new each time, so that removing a manual never deletes the copy of the same manual
    that is added again at that moment.

    Raises:
        NotAvailable: The folder cannot be written.
    """
    copy = folder / f"{digest[:16]}-{secrets.token_hex(4)}{Path(name).suffix.lower()}"
    try:
        shutil.copyfile(path, copy)
    except OSError as error:
        copy.unlink(missing_ok=True)
        raise NotAvailable(
            f"{name} cannot be copied to {folder} ({error.strerror}); free some space"
        ) from None
    return copy


def _describe_unreadable(name: str, error: OSError) -> str:
    return f"{name} cannot be read ({error.strerror}); check the permissions of the file"
