"""Reads pages of a PDF file with their columns and headings. Only `extract_process.py` imports this module."""

import io
import time
from collections import Counter
from typing import Any, TypedDict

HEADING_SIZE_RATIO = 1.12
"""A line is a heading if its letters are larger than those of most text by this factor."""
MAX_HEADING_CHARACTERS = 90
MAX_PAGE_CHARACTERS = 20_000
"""The longest text of a page that is kept. A longer one is no page of a manual."""
MAX_PAGES_PER_READ = 40
OUTLINE_SIZE = 100.0
"""The size that stands for a heading in the outline of the file, less its level."""
Heading = tuple[str, float]
"""A heading and its size, by which headings are nested."""


class PdfPage(TypedDict):
    """The text of a page, in which columns are separated by spaces, and the headings on it."""

    text: str
    headings: list[Heading]


class PdfPages(TypedDict):
    """Some pages of a PDF file, with the title and the number of all pages."""

    title: str
    pages: int
    texts: list[PdfPage]
    next: int | None
    """The page at which to continue; None if these are the last pages."""


def read_pdf_pages(reader: Any, first: int, seconds: float, count: int) -> PdfPages:
    """Return pages from `first` on, at most `count`, and as many as can be read in some seconds."""
    outline = _read_outline(reader)
    total = len(reader.pages)
    ends_at = time.monotonic() + seconds
    texts: list[str] = []
    lines: list[list[tuple[str, float, bool]]] = []
    number = first
    while number <= total and len(texts) < min(count, MAX_PAGES_PER_READ):
        if texts and time.monotonic() > ends_at:
            break
        page = reader.pages[number - 1]
        lines.append(_read_lines(page))
        texts.append(_read_layout(page, lines[-1])[:MAX_PAGE_CHARACTERS])
        number += 1
    body = _find_body_size(lines)
    found: list[PdfPage] = [
        {"text": text, "headings": [*_find_headings(some, body), *outline.get(first + at, ())]}
        for at, (text, some) in enumerate(zip(texts, lines, strict=True))
    ]
    return {
        "title": str((reader.metadata and reader.metadata.title) or ""),
        "pages": total,
        "texts": found,
        "next": number if number <= total else None,
    }


def _read_layout(page: Any, lines: list[tuple[str, float, bool]]) -> str:
    """Return the text of a page with its columns, or without them if their places cannot be computed."""
    try:
        text = page.extract_text(
            extraction_mode="layout",
            layout_mode_space_vertically=False,
            layout_mode_scale_weight=1.4,
        )
    except Exception:  # noqa: BLE001 - the layout of the library fails on rare fonts and matrices
        text = ""
    return text if text.strip() else "\n".join(line for line, _, _ in lines)


def _read_lines(page: Any) -> list[tuple[str, float, bool]]:
    """Return the lines of a page, each with the size of its letters and whether all of them are bold."""
    found: list[tuple[str, float, bool]] = []
    pieces: list[tuple[str, float, bool]] = []

    def end_line() -> None:
        line = " ".join("".join(text for text, _, _ in pieces).split())
        letters = [(size, bold) for text, size, bold in pieces if text.strip()]
        if line and letters:
            sizes = [size for size, _ in letters]
            found.append((line, min(sizes), all(bold for _, bold in letters)))
        pieces.clear()

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        scale = abs(tm[3] or tm[1] or 1) * abs(cm[3] or cm[1] or 1)
        name = str((font or {}).get("/BaseFont", "")).lower()
        is_bold = "bold" in name or "black" in name or "heavy" in name
        for at, part in enumerate(text.split("\n")):
            if at:
                end_line()
            if part:
                pieces.append((part, round(size * scale, 1), is_bold))

    page.extract_text(visitor_text=visit)
    end_line()
    return found


def _find_body_size(pages: list[list[tuple[str, float, bool]]]) -> float:
    sizes: Counter[float] = Counter()
    for lines in pages:
        for text, size, is_bold in lines:
            sizes[size] += 0 if is_bold else len(text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _find_headings(lines: list[tuple[str, float, bool]], body: float) -> list[Heading]:
    return [
        (text, size)
        for text, size, is_bold in lines
        if len(text) <= MAX_HEADING_CHARACTERS
        and not text.endswith((".", ",", ";"))
        and any(letter.isalpha() for letter in text)
        and (size > body * HEADING_SIZE_RATIO or (is_bold and size >= body))
    ]


def _read_outline(reader: Any) -> dict[int, list[Heading]]:
    """Return the headings in the outline of the file by their pages."""
    found: dict[int, list[Heading]] = {}

    def walk(entries: list[Any], level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry, level + 1)
                continue
            number = reader.get_destination_page_number(entry)
            title = " ".join(str(entry.title or "").split())
            if number is not None and 0 < len(title) <= MAX_HEADING_CHARACTERS:
                found.setdefault(number + 1, []).append((title, OUTLINE_SIZE - level))

    try:
        walk(reader.outline, 0)
    except Exception:  # noqa: BLE001 - an outline is often damaged, and the pages tell their headings too
        return found
    return found


def open_pdf(content: bytes) -> Any:
    """Return a reader of a PDF file, or None if it is locked with a password."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        return None
    return reader
