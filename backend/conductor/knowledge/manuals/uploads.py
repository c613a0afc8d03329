"""Receives files from pages in parts."""

import tempfile
import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge.manuals.files import MAX_FILE_BYTES

MAX_UPLOADS = 8
"""The number of unfinished uploads that are kept. The oldest ones are dropped."""


class Uploads:
    """The files that pages are sending, each in a temporary folder of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folders: OrderedDict[str, tempfile.TemporaryDirectory[str]] = OrderedDict()

    def append_part(self, upload_id: str, offset: int, content: bytes) -> None:
        """Append a part to a file. The first one has the offset 0.

        Raises:
            InvalidParams: The part does not follow the one before it.
            NotAvailable: The disk is full.
        """
        with self._lock:
            if offset == 0:
                self._begin(upload_id)
            path = self._find_file(upload_id)
            if path is None or path.stat().st_size != offset:
                raise InvalidParams("a part of the file is missing; add the file again")
            if offset + len(content) > MAX_FILE_BYTES:
                self._drop(upload_id)
                raise InvalidParams(
                    f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB; split it"
                )
            try:
                with path.open("ab") as file:
                    file.write(content)
            except OSError as error:
                self._drop(upload_id)
                raise NotAvailable(
                    f"the file cannot be stored ({error.strerror}); free some space"
                ) from None

    @contextmanager
    def take_file(self, upload_id: str) -> Generator[Path]:
        """Yield the path of a complete file, which is deleted after the block.

        Raises:
            InvalidParams: There is no such file.
        """
        with self._lock:
            path = self._find_file(upload_id)
        if path is None:
            raise InvalidParams("the file has not arrived; add it again")
        try:
            yield path
        finally:
            with self._lock:
                self._drop(upload_id)

    def _begin(self, upload_id: str) -> None:
        self._drop(upload_id)
        folder = tempfile.TemporaryDirectory(prefix="conductor-", ignore_cleanup_errors=True)
        (Path(folder.name) / "file").touch()
        self._folders[upload_id] = folder
        while len(self._folders) > MAX_UPLOADS:
            self._drop(next(iter(self._folders)))

    def _find_file(self, upload_id: str) -> Path | None:
        folder = self._folders.get(upload_id)
        return None if folder is None else Path(folder.name) / "file"

    def _drop(self, upload_id: str) -> None:
        folder = self._folders.pop(upload_id, None)
        if folder is not None:
            folder.cleanup()

    def close(self) -> None:
        """Delete all files."""
        with self._lock:
            for upload_id in list(self._folders):
                self._drop(upload_id)
