"""Stores recordings as files that only their owner can read: one file per segment, one line per entry."""

import os
from collections.abc import Sequence
from pathlib import Path

from conductor.base.atomic import read_regular_file

MAX_RECORDINGS_BYTES = 32_000_000
RECORDING_FILE_SUFFIX = ".jsonl"


class RecordingFiles:
    """The files of a recording in one folder. Their names sort in the order of their age."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        return self._folder

    def append_lines(self, name: str, lines: Sequence[str]) -> None:
        """Append lines to a recording file; the file is created if it is missing.

        Raises:
            OSError: the disk is full or read-only.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines).encode()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = os.open(self._folder / f"{name}{RECORDING_FILE_SUFFIX}", flags, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(text)

    def list_file_names(self) -> list[str]:
        """Return the names of all recording files, oldest first. Pipes and links are ignored, because
        Conductor creates none.

        Raises:
            OSError: the folder cannot be read, so it is unknown whether it has files.
        """
        try:
            with os.scandir(self._folder) as entries:
                found = [
                    entry.name.removesuffix(RECORDING_FILE_SUFFIX)
                    for entry in entries
                    if entry.name.endswith(RECORDING_FILE_SUFFIX)
                    and entry.is_file(follow_symlinks=False)
                ]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(found)

    def read_lines(self, name: str) -> list[str]:
        """Return the complete lines of a recording file.

        An incomplete last line, left by a crash, is dropped.
        """
        try:
            data = read_regular_file(
                self._folder / f"{name}{RECORDING_FILE_SUFFIX}", MAX_RECORDINGS_BYTES
            )
        except OSError:
            return []
        return data.decode(errors="replace").split("\n")[:-1]

    def measure_total_size(self) -> int:
        """Return the total size of all recording files in bytes.

        Raises:
            OSError: the folder cannot be read.
        """
        return sum(self._read_file_size(name) for name in self.list_file_names())

    def delete_files(self, names: Sequence[str]) -> None:
        """Delete the recording files with these names. Missing files are ignored.

        Raises:
            OSError: a file could not be deleted; the others were.
        """
        failed: OSError | None = None
        for name in names:
            try:
                (self._folder / f"{name}{RECORDING_FILE_SUFFIX}").unlink(missing_ok=True)
            except NotADirectoryError:
                pass
            except OSError as error:
                failed = error
        if failed is not None:
            raise failed

    def delete_all_files(self) -> None:
        """Delete all recording files.

        Raises:
            OSError: a file cannot be deleted.
        """
        self.delete_files(self.list_file_names())

    def limit_bytes(self, limit: int = MAX_RECORDINGS_BYTES) -> None:
        """Delete the oldest recording files until the total size is at most `limit` bytes.

        The newest file is kept.

        Raises:
            OSError: a file cannot be deleted.
        """
        names = self.list_file_names()
        left = self.measure_total_size()
        while left > limit and len(names) > 1:
            left -= self._read_file_size(names[0])
            self.delete_files([names.pop(0)])

    def _read_file_size(self, name: str) -> int:
        try:
            return (self._folder / f"{name}{RECORDING_FILE_SUFFIX}").stat().st_size
        except OSError:
            return 0
