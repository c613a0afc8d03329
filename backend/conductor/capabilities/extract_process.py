"""The main program of a process that extracts the text of one PDF file or web page.

The content, or the path of a manual, is read from standard input, and one JSON object is written to
standard output.
Malicious content can keep a parser busy for minutes or make it allocate gigabytes. A separate
process can be limited and killed.
"""

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from conductor.capabilities.pdf_pages import PdfPages, open_pdf, read_pdf_pages

_Found = TypeVar("_Found")


class PdfText(TypedDict):
    """The text of a part of a PDF file, with its title and number of pages."""

    title: str
    text: str
    pages: int
    next: int | None
    """The page at which to continue; None if the text ends with the last page."""


class PageText(TypedDict):
    """The title and the main text of a web page."""

    title: str
    text: str


class UnreadableContent(TypedDict):
    """Contains the reason why no text could be extracted."""

    error: str


MAX_MEMORY_BYTES = 1_500 * 2**20
MAX_CPU_TIME_S = 30
MANUAL_READ_TIME_S = 6.0
"""The time after which a process returns the pages of a manual that it has read."""


def main(arguments: list[str]) -> int:
    """Extract the text of standard input; arguments: `pdf PAGE CHARACTERS`, `page CHARSET CHARACTERS` or
    `manual PAGE PAGES`, for which standard input contains the path of a PDF file.
    """
    kind, detail, limit = arguments
    _limit_resources()
    logging.disable(logging.CRITICAL)
    content = sys.stdin.buffer.read()
    found: PdfText | PageText | PdfPages | UnreadableContent
    try:
        if kind == "pdf":
            found = _extract_pdf(content, int(detail), int(limit))
        elif kind == "manual":
            found = _extract_manual(Path(content.decode()), int(detail), int(limit))
        else:
            found = _extract_page(content, detail, int(limit))
    except (MemoryError, RecursionError):
        found = {"error": "it needs too much memory; split it into smaller files"}
    sys.stdout.write(json.dumps(found))
    return 0


def _limit_resources() -> None:
    if sys.platform == "win32":  # where only the time is limited, by the parent process
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_TIME_S, MAX_CPU_TIME_S))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def _extract_pdf(content: bytes, first: int, max_characters: int) -> PdfText | UnreadableContent:
    def read(reader: Any) -> PdfText:
        pages, title = len(reader.pages), reader.metadata.title if reader.metadata else None
        text, following = _read_pages(reader, first, max_characters)
        return {"pages": pages, "title": title or "", "text": text, "next": following}

    return _read_pdf(content, read)


def _extract_manual(path: Path, first: int, count: int) -> PdfPages | UnreadableContent:
    try:
        content = path.read_bytes()
    except OSError as error:
        return {"error": f"its file cannot be opened ({error.strerror}); add it again"}
    return _read_pdf(
        content,
        lambda reader: read_pdf_pages(reader, first, MANUAL_READ_TIME_S, count),
    )


def _read_pdf(content: bytes, read: Callable[[Any], _Found]) -> _Found | UnreadableContent:
    """Return what a function reads from a PDF file, or the reason why it cannot be read."""
    from pypdf.errors import FileNotDecryptedError, PyPdfError

    locked: UnreadableContent = {"error": "it is locked with a password; save a copy without one"}
    try:
        reader = open_pdf(content)
        return locked if reader is None else read(reader)
    except FileNotDecryptedError:
        return locked
    except (
        PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OSError,
    ) as error:  # the message of the error may contain text of the PDF
        return {"error": f"it is damaged ({type(error).__name__}); download or export it again"}


def _read_pages(reader: Any, first: int, max_characters: int) -> tuple[str, int | None]:
    """Return the text of as many pages as fit, from page `first` on, and the page at which to continue."""
    texts: list[str] = []
    remaining = max_characters
    for number in range(max(first, 1), len(reader.pages) + 1):
        page_text = reader.pages[number - 1].extract_text().strip()
        text = f"[page {number}]\n{page_text or '(no text; the page may be an image)'}"
        if texts and len(text) > remaining:
            return "\n\n".join(texts), number
        texts.append(
            text
            if len(text) <= remaining
            else f"{text[:remaining]}\n[... the rest of the page left out]"
        )
        remaining -= len(text)
    return "\n\n".join(texts), None


def _extract_page(
    content: bytes, charset: str, max_characters: int
) -> PageText | UnreadableContent:
    import trafilatura
    from lxml.etree import ParserError

    try:
        tree = _parse_tree(content, charset)
    except (ParserError, ValueError):
        return {"error": "it has no text; save it in another format"}
    title = tree.findtext(".//title") or ""
    text = trafilatura.extract(
        tree, output_format="markdown", include_links=True, include_tables=True
    )
    return {
        "title": " ".join(title.split()),
        "text": (text or trafilatura.html2txt(tree))[:max_characters],
    }


def _parse_tree(content: bytes, charset: str) -> Any:
    """Return the element tree of a web page, even if its HTML is badly broken."""
    import lxml.html
    import trafilatura
    from trafilatura.utils import decode_file

    html = content.decode(charset, "replace") if charset != "-" else decode_file(content)
    tree = trafilatura.load_html(html)
    if tree is not None:
        return tree
    parser = lxml.html.HTMLParser(encoding="utf-8")
    return lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
