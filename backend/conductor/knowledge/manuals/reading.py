"""Reads the pages of PDF, text, Markdown and HTML files.

Text without pages is divided into parts of a page's length.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from conductor.capabilities.extract import extract_page_text, extract_pdf_pages
from conductor.domain.storable import repair_surrogates
from conductor.errors import NotAvailable
from conductor.knowledge.manuals.layout import PageText, remove_margins

PAGES_PER_READ = 40
MAX_PAGES = 10_000
MAX_TEXT_CHARACTERS = 10_000_000
PART_CHARACTERS = 3_000
"""About as much as is on a printed page."""
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_JUNK_TITLE = re.compile(
    r"^(untitled|microsoft word|document\d*|layout|cover|.*\.(docx?|indd|pdf|qxd|pages|fm)$)", re.I
)


class ReadPages(NamedTuple):
    """Some pages of a file, and the number of all of them."""

    first: int
    pages: Sequence[PageText]
    total: int
    title: str
    """The title in the file, or an empty text if it has none that is of use."""


def read_pages(path: Path, first: int) -> Iterator[ReadPages]:
    """Yield the pages of a file from `first` on, some at a time.

    Raises:
        NotAvailable: The file cannot be read. The message says why.
    """
    if path.suffix.lower() == ".pdf":
        yield from _read_pdf(path, first)
    else:
        pages = _read_text(path)
        yield ReadPages(first, pages[first - 1 :], len(pages), "")


def _read_pdf(path: Path, first: int) -> Iterator[ReadPages]:
    following: int | None = first
    while following is not None:
        read = _read_some(path, following)
        if read.total > MAX_PAGES:
            raise NotAvailable(f"it has {read.total} pages, and the limit is {MAX_PAGES}; split it")
        yield read
        end = following + len(read.pages)
        following = end if read.pages and end <= read.total else None


def _read_some(path: Path, first: int) -> ReadPages:
    """Return some pages. If they cannot be read together, return one, which is empty if it cannot be read."""
    try:
        return _extract(path, first, PAGES_PER_READ)
    except NotAvailable as problem:
        if "password" in str(problem):
            raise
        try:
            return _extract(path, first, 1)
        except NotAvailable:
            total = _count_pages(path, first, problem)
        return ReadPages(first, [PageText("")], total, "")


def _count_pages(path: Path, first: int, problem: NotAvailable) -> int:
    """Return the number of pages of a file of which one page cannot be read.

    Raises:
        NotAvailable: The file as a whole cannot be read.
    """
    for other in (1, 2, first + 1):
        if other == first:
            continue
        try:
            return _extract(path, other, 1).total
        except NotAvailable:
            continue
    raise problem


def _extract(path: Path, first: int, count: int) -> ReadPages:
    found = extract_pdf_pages(path, first, count)
    pages = [
        PageText(
            repair_surrogates(page["text"]),
            [(repair_surrogates(text), size) for text, size in page["headings"]],
        )
        for page in found["texts"]
    ]
    title = " ".join(repair_surrogates(found["title"]).split())
    is_useful = len(title) >= 4 and not _JUNK_TITLE.match(title)
    return ReadPages(first, remove_margins(pages), found["pages"], title if is_useful else "")


def _read_text(path: Path) -> list[PageText]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotAvailable(f"its file cannot be opened ({error.strerror}); add it again") from None
    if path.suffix.lower() in (".html", ".htm"):
        text = extract_page_text(content, None, MAX_TEXT_CHARACTERS)["text"]
    else:
        text = _decode(content)
    parts = (part for page in text.split("\f") for part in _split_parts(page))
    return [_read_markdown(part) for part in parts]


def _decode(content: bytes) -> str:
    if b"\0" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotAvailable("it is not a text file; export it as PDF or text")
    for encoding in (
        "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig",
        "cp1252",
    ):
        try:
            return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def _split_parts(text: str) -> Iterator[str]:
    """Yield parts of about the length of a page, divided between paragraphs."""
    part: list[str] = []
    length = 0
    for paragraph in re.split(r"\n[ \t]*\n", text):
        if part and length + len(paragraph) > PART_CHARACTERS:
            yield "\n\n".join(part)
            part, length = [], 0
        part.append(paragraph)
        length += len(paragraph)
    if part and "".join(part).strip():
        yield "\n\n".join(part)


def _read_markdown(text: str) -> PageText:
    """Return a part of a Markdown text with its headings named, and its tables in columns of spaces."""
    lines: list[str] = []
    headings: list[tuple[str, float]] = []
    table: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith("|"):
            if not _TABLE_RULE.match(line):
                table.append([cell.strip() or "-" for cell in line.strip().strip("|").split("|")])
            continue
        lines += _align_columns(table)
        table = []
        if heading := _HEADING.match(line):
            headings.append((heading[2], 20.0 - len(heading[1])))
        lines.append(heading[2] if heading else line)
    return PageText("\n".join(lines), headings, has_line_breaks=True)


def _align_columns(rows: list[list[str]]) -> list[str]:
    count = max(map(len, rows), default=0)
    widths = [max(len(row[at]) if at < len(row) else 0 for row in rows) for at in range(count)]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]
