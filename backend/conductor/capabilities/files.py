"""Reads folders, texts, PDF files, MIDI files and configs as text, in portions, if the user granted access."""

import asyncio
import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from conductor.base.invisible_chars import remove_hidden
from conductor.capabilities.extract import extract_pdf_text
from conductor.capabilities.file_text import decode_file
from conductor.capabilities.folders import GrantedFileHandle, GrantedFolders
from conductor.capabilities.private_files import explain_private_path
from conductor.capabilities.workers import LimitedThreads
from conductor.errors import NotAvailable

MAX_PORTION_CHARACTERS = 9_000
"""The number of characters in a portion of a file, because a model sees only 12,000 characters of a result."""
MAX_PORTION_ENTRIES = 200
"""The number of folder entries in a portion."""
MAX_SCANNED_ENTRIES = 20_000
MAX_TEXT_BYTES = 5_000_000
MAX_MIDI_BYTES = 1_000_000
MAX_PDF_BYTES = 30_000_000
MAX_PDF_CHARACTERS = 3_000_000
"""The number of characters of a PDF file that are searched."""
MAX_LINE_LENGTH = 300
READ_TIMEOUT_S = 30.0
MAX_CONCURRENT_READS = 8
"""The number of reads that may run at the same time. If a drive does not respond, its reads keep counting
until it responds again."""
_PAGE_MARK_PATTERN = re.compile(r"\[(page \d+)\]")


class FileText(NamedTuple):
    """A portion of a file as text, with the kind of the file."""

    path: str
    kind: str
    text: str
    next_start: int | None
    """The position at which to continue, as `start` of the next call; None at the end of the file."""


class Files:
    """Reads files for the assistant, in the folders that the user grants access to at that time."""

    def __init__(
        self,
        granted: Callable[[], Sequence[str]],
        home: Path,
        describe_midi: Callable[[bytes], str],
    ) -> None:
        """Prepare to read files.

        `granted` returns the granted folders at the time of each call, `home` is Conductor's own folder, and
        `describe_midi` renders the content of a MIDI file as text.
        """
        self._granted = granted
        self._home = home
        self._describe_midi = describe_midi
        self._workers = LimitedThreads(MAX_CONCURRENT_READS)

    async def read(self, path: str, start: int = 0, find: str = "") -> FileText:
        """Return a portion of a file or folder from position `start` on; with `find`, only the matching
        lines. An empty path lists the granted folders.

        Raises:
            InvalidParams: the text is not a path.
            NotAllowed: the path is not granted, or never shown.
            NotAvailable: the file cannot be read; the message says why.
        """
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                return await self._workers.run_in_thread(
                    lambda: self._read_opened(path, start, find)
                )
        except TimeoutError:
            raise NotAvailable(
                f"{remove_hidden(path)[:300]} could not be read within {READ_TIMEOUT_S:g} s: this file, or one"
                " that was read before it, may be on a drive that does not respond"
            ) from None

    def _read_opened(self, path: str, start: int, find: str) -> FileText:
        folders = GrantedFolders(self._granted(), self._home)
        if not path and folders.roots:
            return FileText("", "granted folders", "\n".join(map(str, folders.roots)), None)
        with folders.open_granted_path(path) as opened:
            if opened.is_folder:
                return self._list_folder(opened, start, find)
            try:
                return self._read_content(opened, start, find)
            except NotAvailable as error:
                raise NotAvailable(f"{remove_hidden(opened.path.name)[:120]}: {error}") from None

    def _read_content(self, opened: GrantedFileHandle, start: int, find: str) -> FileText:
        suffix = opened.path.suffix.lower()
        head = opened.read_head()
        if head.startswith(b"%PDF") or suffix == ".pdf":
            return _search_pdf(opened, start, find) if find else _read_pdf(opened, start)
        if head.startswith(b"MThd") or suffix in (".mid", ".midi"):
            kind, text = "MIDI file", self._describe_midi(opened.read_content(MAX_MIDI_BYTES))
        else:
            kind, text = decode_file(opened.read_content(MAX_TEXT_BYTES), suffix)
        return _cut_portion(opened, kind, _find_matching_lines(find, text) if find else text, start)

    def _list_folder(self, opened: GrantedFileHandle, start: int, find: str) -> FileText:
        where = opened.descriptor if os.scandir in os.supports_fd else opened.path
        found: list[str] = []
        with os.scandir(where) as entries:
            for entry in entries:
                if len(found) == MAX_SCANNED_ENTRIES:
                    break
                if explain_private_path(opened.path / entry.name, self._home) is None:
                    found.append(_format_entry(entry))
        found = [line for line in found if find.casefold() in line.casefold()]
        lines = sorted(found)[start : start + MAX_PORTION_ENTRIES]
        end = start + len(lines)
        more = end if end < len(found) else None
        return FileText(
            remove_hidden(str(opened.path)), "folder", "\n".join(lines) or "(empty)", more
        )


def _format_entry(entry: "os.DirEntry[str]") -> str:
    name = remove_hidden(entry.name)
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return name
    if stat.S_ISDIR(found.st_mode):
        return f"{name}/"
    if stat.S_ISLNK(found.st_mode):
        return f"{name} (link)"
    return f"{name} ({found.st_size} bytes)" if stat.S_ISREG(found.st_mode) else f"{name} (device)"


def _read_pdf(opened: GrantedFileHandle, start: int) -> FileText:
    """Return the text of a PDF file from page `start` on, as far as it fits into a portion."""
    found = extract_pdf_text(opened.read_content(MAX_PDF_BYTES), start, MAX_PORTION_CHARACTERS)
    pages, title = found["pages"], remove_hidden(found["title"])
    if start > pages:
        raise NotAvailable(f"it has {pages} pages")
    kind = f"PDF, {pages} pages" + (f", {title[:200]}" if title else "")
    return FileText(
        remove_hidden(str(opened.path)), kind, remove_hidden(found["text"]), found["next"]
    )


def _search_pdf(opened: GrantedFileHandle, start: int, find: str) -> FileText:
    """Return the lines of a PDF file that contain the words `find`, each with the number of its page."""
    found = extract_pdf_text(opened.read_content(MAX_PDF_BYTES), 1, MAX_PDF_CHARACTERS)
    lines = _find_matching_lines(find, found["text"])
    if found["next"] is not None:
        lines += f"\n[... only the pages before {found['next']} were searched]"
    return _cut_portion(opened, f"PDF, {found['pages']} pages", lines, start)


def _find_matching_lines(find: str, text: str) -> str:
    """Return the lines of a text that contain the words `find`, each with its page or else its line number."""
    wanted, place, found = " ".join(find.casefold().split()), "", list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        page = _PAGE_MARK_PATTERN.fullmatch(line)
        place = page[1] if page else place
        if wanted in " ".join(line.casefold().split()):
            found.append(f"{place or number}: {line.strip()[:MAX_LINE_LENGTH]}")
    return "\n".join(found) or "(no line contains these words)"


def _cut_portion(opened: GrantedFileHandle, kind: str, text: str, start: int) -> FileText:
    text, end = remove_hidden(text), start + MAX_PORTION_CHARACTERS
    if start and start >= len(text):
        raise NotAvailable(f"it has {len(text)} characters")
    return FileText(
        remove_hidden(str(opened.path)),
        kind,
        text[start:end] or "(empty)",
        end if end < len(text) else None,
    )
