"""What was played, kept in files: one for each segment, a line for each entry, for the owner only."""

import os
from collections.abc import Sequence
from pathlib import Path

from conductor.base.atomic import read_regular

BYTES_KEPT = 32_000_000
ENDING = ".jsonl"


class RecordingFiles:
    """The files of a folder, by name; names sort by age."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        return self._folder

    def append(self, name: str, lines: Sequence[str]) -> None:
        """Write lines at the end of a file, which is made when it is not there.

        Raises:
            OSError: the disk is full or read-only.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines).encode()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = os.open(self._folder / f"{name}{ENDING}", flags, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(text)

    def names(self) -> list[str]:
        """Return the names of all files, the oldest first; a pipe or a link among them is not ours.

        Raises:
            OSError: the folder cannot be read, so that there may be files.
        """
        try:
            with os.scandir(self._folder) as entries:
                found = [
                    entry.name.removesuffix(ENDING)
                    for entry in entries
                    if entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False)
                ]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(found)

    def read(self, name: str) -> list[str]:
        """Return the whole lines of a file; the last one may have been cut off by a crash."""
        try:
            data = read_regular(self._folder / f"{name}{ENDING}", BYTES_KEPT)
        except OSError:
            return []
        return data.decode(errors="replace").split("\n")[:-1]

    def size(self) -> int:
        """Return how many bytes all files have.

        Raises:
            OSError: the folder cannot be read.
        """
        return sum(self._size(name) for name in self.names())

    def delete(self, names: Sequence[str]) -> None:
        """Delete files; those that are gone already do not matter.

        Raises:
            OSError: a file cannot be deleted; the others were.
        """
        failed: OSError | None = None
        for name in names:
            try:
                (self._folder / f"{name}{ENDING}").unlink(missing_ok=True)
            except NotADirectoryError:
                pass
            except OSError as error:
                failed = error
        if failed is not None:
            raise failed

    def clear(self) -> None:
        """Delete all.

        Raises:
            OSError: a file cannot be deleted.
        """
        self.delete(self.names())

    def limit_bytes(self, limit: int = BYTES_KEPT) -> None:
        """Delete the oldest files until the others fit.

        Raises:
            OSError: a file cannot be deleted.
        """
        names = self.names()
        left = self.size()
        while left > limit and len(names) > 1:
            left -= self._size(names[0])
            self.delete([names.pop(0)])

    def _size(self, name: str) -> int:
        try:
            return (self._folder / f"{name}{ENDING}").stat().st_size
        except OSError:
            return 0
