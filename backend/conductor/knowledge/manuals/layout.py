"""Recognises headings, paragraphs and tables in the text of a page.

Columns are separated by spaces in it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

MIN_TABLE_ROWS = 2
MIN_COLUMN_GAP = 2
"""The number of spaces between two columns. Words are separated by one."""
MIN_PROSE_CELL_CHARACTERS = 26
"""If half of the cells are longer, the columns are those of a page with several columns of prose."""
MIN_WRAPPED_LINE_CHARACTERS = 60
"""A text file without a line of this length has no wrapped paragraphs: editors wrap at 72 to 100 characters."""
MIN_PAGES_FOR_MARGINS = 4
MAX_MARGIN_SHARE = 0.4
"""A line at the top or the bottom that is on more of the pages is a running title or a page number."""
MARGIN_LINES = 2
_CELL = re.compile(r"\S+(?: \S+)*")
_LEADER = re.compile(r" *(?:\. ?){4,} *")
_BULLET = re.compile(r"^\s*(?:[-*\u2022\u25cf\u25aa\u2013]|\(?\d{1,2}[.)])\s")


class PageText(NamedTuple):
    """The text of a page and its headings, each with its size."""

    text: str
    headings: Sequence[tuple[str, float]] = ()
    has_line_breaks: bool = False
    """Whether the writer of a text file broke its lines. Those of a PDF come from the width of its pages."""


class Span(NamedTuple):
    """The place of a column: its first and the one after its last character."""

    start: int
    end: int


@dataclass
class Block:
    """A heading, a paragraph or a table of a page."""

    kind: Literal["heading", "text", "table"]
    text: str = ""
    size: float = 0.0
    rows: list[list[str]] = field(default_factory=list[list[str]])
    columns: list[Span] = field(default_factory=list[Span])


def remove_margins(pages: Sequence[PageText]) -> list[PageText]:
    """Return pages without running titles and page numbers, which many of the pages have in common."""
    if len(pages) < MIN_PAGES_FOR_MARGINS:
        return list(pages)
    counts: Counter[str] = Counter()
    for number, page in enumerate(pages):
        lines = page.text.split("\n")
        counts.update({key for at in _find_margins(lines) for key in _list_keys(lines[at], number)})
    common = {text for text, count in counts.items() if count > MAX_MARGIN_SHARE * len(pages)}
    return [
        page._replace(text=_remove_lines(page.text, number, common))
        for number, page in enumerate(pages)
    ]


def _find_margins(lines: list[str]) -> list[int]:
    """Return the places of the first and the last lines of a page that are not empty."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return [*filled[:MARGIN_LINES], *filled[-MARGIN_LINES:]]


def _list_keys(line: str, page: int) -> list[str]:
    """Return the texts by which a line is compared with those of other pages.

    One is the line itself. In each of the others, a number is replaced by its distance to the number of the
    page, which all pages have in common if it is a page number, but not the rows of a table.
    """
    text = " ".join(line.split())
    return [
        text,
        *(
            f"{text[: found.start()]}#{int(found[0]) - page}{text[found.end() :]}"
            for found in re.finditer(r"\d{1,5}", text)
        ),
    ]


def _remove_lines(text: str, page: int, common: set[str]) -> str:
    lines = text.split("\n")
    removed = {at for at in _find_margins(lines) if common & {*_list_keys(lines[at], page)}}
    return "\n".join(line for at, line in enumerate(lines) if at not in removed)


def parse_page(page: PageText) -> Iterator[Block]:
    """Yield the blocks of a page from top to bottom."""
    sizes = {_join_words(text): size for text, size in page.headings}
    run: list[str] = []
    text = _LEADER.sub(lambda dots: " " * max(3, len(dots[0])), page.text)
    for line in [*text.split("\n"), ""]:
        heading = sizes.get(_join_words(line)) if line.strip() else None
        if heading is None and line.strip():
            run.append(line)
            continue
        yield from _parse_run(run, has_line_breaks=page.has_line_breaks)
        run = []
        if heading is not None:
            yield Block("heading", _join_words(line), heading)


def _join_words(line: str) -> str:
    return " ".join(line.split())


def _find_cells(line: str) -> list[tuple[int, str]]:
    return [(found.start(), found[0]) for found in _CELL.finditer(line)]


def _parse_run(lines: list[str], *, has_line_breaks: bool) -> Iterator[Block]:
    """Yield the blocks of some lines without a heading between them."""
    at = 0
    while at < len(lines):
        end = _find_table_end(lines, at)
        if end - at >= MIN_TABLE_ROWS:
            yield from _parse_columns(lines[at:end])
            at = end
            continue
        stop = at + 1
        while stop < len(lines) and _find_table_end(lines, stop) - stop < MIN_TABLE_ROWS:
            stop += 1
        yield from _parse_paragraphs(lines[at:stop], has_line_breaks=has_line_breaks)
        at = stop


def _find_table_end(lines: list[str], start: int) -> int:
    """Return the end of the lines with several cells that begin at `start`.

    Between them there may be two lines with one cell, which continue a cell.
    """
    if len(_find_cells(lines[start])) < 2:
        # the first line may be the upper half of a cell beside the next line
        is_upper_half = start + 1 < len(lines) and _is_indented_cell(lines, start)
        if not is_upper_half:
            return start
    end, single, rows = start, 0, 0
    for at in range(start, len(lines)):
        if len(_find_cells(lines[at])) >= 2:
            end, single, rows = at + 1, 0, rows + 1
        else:
            single += 1
            if single > 2 or _BULLET.match(lines[at]) or len(lines[at].strip()) > 60:
                break
    return end if rows >= MIN_TABLE_ROWS else start


def _is_indented_cell(lines: list[str], at: int) -> bool:
    starts = [start for start, _ in _find_cells(lines[at + 1])]
    cells = _find_cells(lines[at])
    return len(starts) >= 2 and bool(cells) and cells[0][0] >= starts[1] - 1


def _parse_columns(lines: list[str]) -> Iterator[Block]:
    """Yield a table, or the paragraphs of a page with several columns of prose."""
    columns = find_columns(lines)
    cells = [text for line in lines for _, text in _find_cells(line)]
    long_cells = sum(len(text) >= MIN_PROSE_CELL_CHARACTERS for text in cells)
    if len(columns) < 2 or (len(columns) <= 3 and 2 * long_cells > len(cells)):
        for column in columns or [Span(0, max(map(len, lines)))]:
            part = [line[column.start : column.end].strip() for line in lines]
            yield from _parse_paragraphs([line for line in part if line])
        return
    rows = [_split_row(line, columns) for line in lines]
    yield Block("table", rows=_merge_wrapped_rows(rows), columns=columns)


def find_columns(lines: Sequence[str]) -> list[Span]:
    """Return the columns of a table: the ranges of characters between gaps that all full rows share."""
    width = max(map(len, lines))
    used = [0] * (width + MIN_COLUMN_GAP)
    for line in lines:
        for start, text in _find_cells(line):
            for at in range(start, start + len(text)):
                used[at] += 1
    allowed = len(lines) // 20  # a title across the table does not close all gaps
    columns: list[Span] = []
    start: int | None = None
    gap = 0
    for at, count in enumerate(used):
        if count > allowed:
            if start is None:
                start = at
            gap = 0
            continue
        gap += 1
        if start is not None and gap >= MIN_COLUMN_GAP:
            columns.append(Span(start, at + 1 - gap))
            start = None
    if start is not None:
        columns.append(Span(start, width))
    return columns


def _split_row(line: str, columns: Sequence[Span]) -> list[str]:
    row = ["" for _ in columns]
    for start, text in _find_cells(line):
        at = _find_column(Span(start, start + len(text)), columns)
        row[at] = f"{row[at]} {text}".strip()
    return row


def _find_column(cell: Span, columns: Sequence[Span]) -> int:
    overlaps = [min(cell.end, one.end) - max(cell.start, one.start) for one in columns]
    return max(range(len(columns)), key=lambda at: overlaps[at])


def _merge_wrapped_rows(rows: list[list[str]]) -> list[list[str]]:
    """Join the lines of a cell that is broken into several.

    The first line of a cell fills the column. If the cell in the row below is shorter, the cells of the
    table are centred, and a line belongs to the row below, otherwise to the row above.
    """
    found: list[list[str]] = []
    above: list[str] | None = None
    is_centred = False
    for line in rows:
        row = line
        if above is not None:
            row = [f"{one} {two}".strip() for one, two in zip(above, line, strict=True)]
            above, is_centred = None, True
        filled = [at for at, cell in enumerate(row) if cell]
        if len(filled) == 1 and len(row) > 2:
            at = filled[0]
            previous = found[-1][at] if found else ""
            if found and not is_centred and len(previous) >= len(row[at]):
                found[-1][at] = f"{previous} {row[at]}"
            else:
                above = row
            continue
        found.append(row)
    if above is not None:
        found.append(above)
    return found


def _parse_paragraphs(lines: list[str], *, has_line_breaks: bool = False) -> Iterator[Block]:
    """Yield paragraphs. A list item begins one, and so does a line after one that ends early."""
    paragraph: list[str] = []
    longest = max((len(line.strip()) for line in lines), default=0)
    is_wrapped = longest >= MIN_WRAPPED_LINE_CHARACTERS
    for line in lines:
        is_short = bool(paragraph) and len(paragraph[-1]) < 0.7 * longest
        ends_early = bool(paragraph) and (
            is_short or not is_wrapped
            if has_line_breaks
            else is_short and paragraph[-1].endswith((".", ":", "!", "?"))
        )
        if paragraph and (ends_early or _BULLET.match(line)):
            yield Block("text", _join_paragraph(paragraph))
            paragraph = []
        paragraph.append(_join_words(line))
    if paragraph:
        yield Block("text", _join_paragraph(paragraph))


def _join_paragraph(lines: list[str]) -> str:
    """Join the lines of a paragraph, and the halves of a word that is divided between two."""
    text = lines[0]
    for line in lines[1:]:
        is_divided = re.search(r"[^\W\d_]-$", text) and line[:1].islower()
        text = text[:-1] + line if is_divided else f"{text} {line}"
    return text
