"""Writes the manuals of `tests/data/manuals` as PDF files, and knows on which page each section is.

Every manual has about 60 pages: the sections that the questions are about, and between them a reference of
parameters with made-up names, as a long manual has. The random numbers are seeded, so all builds are equal.
"""

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pypdf import PdfReader
from reportlab.lib import colors
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

TEXTS = Path(__file__).parents[1] / "data" / "manuals"
NAMES = ("halyard", "orrery", "loopwright", "lantern", "quillpad")
PAGES_EACH = 60
BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=9, leading=12, spaceAfter=5)
TITLE = ParagraphStyle("title", BODY, fontName="Helvetica-Bold", fontSize=22, leading=26)
CHAPTER = ParagraphStyle("chapter", BODY, fontName="Helvetica-Bold", fontSize=16, leading=20)
SECTION = ParagraphStyle("section", BODY, fontName="Helvetica-Bold", fontSize=11.5, leading=15)
CELL = ParagraphStyle("cell", BODY, fontSize=8, leading=9, spaceAfter=0)
_GRID = TableStyle(
    [
        ("FONT", (0, 0), (-1, -1), "Helvetica", 8),
        ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 8),
        ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.grey),
    ]
)
_FIRST = [
    "Vector",
    "Comb",
    "Grain",
    "Drift",
    "Prism",
    "Fold",
    "Shade",
    "Lattice",
    "Ripple",
    "Tilt",
    "Bloom",
    "Scatter",
    "Notch",
    "Weave",
]
_SECOND = [
    "feed",
    "bias",
    "swing",
    "spread",
    "skew",
    "slope",
    "window",
    "offset",
    "symmetry",
    "blend",
    "span",
    "accent",
    "hold",
    "curve",
]
_EFFECT = (
    "sets how far {name} departs from its centre",
    "changes the balance between {name} and its neighbour",
    "limits {name} before it reaches the next stage",
    "slows the movement of {name}, so that jumps become ramps",
    "selects one of {count} shapes for {name}",
    "adds a random share to {name} at the beginning of each step",
)
_USE = (
    "Small values are enough for most material.",
    "Begin at {low} and listen to the result before you go on.",
    "Above {high} the effect is audible only with headphones.",
    "The setting is stored with the scene.",
    "It has no effect while {other} is at zero.",
    "Turn the knob with Shift for steps of one.",
    "Together with {other} it gives results that no other setting reaches.",
    "The lamp beside the knob shows the value that was stored last.",
)


class Question(NamedTuple):
    """A question with the manual and the page that answer it."""

    text: str
    manual: str
    pages: tuple[int, ...]
    """The page on which the answer is, counted from 1; two pages if a page break divides it."""


@dataclass
class Manual:
    """A manual as a PDF file."""

    path: Path
    pages: int = 0
    page_of: dict[str, int] = field(default_factory=dict[str, int])
    """The page on which each section begins, and the page of each table row, as `section|first cell`."""


def build_manual(name: str, folder: Path, pages: int = PAGES_EACH) -> Manual:
    """Write one of the manuals as a PDF file of about so many pages."""
    manual = Manual(folder / f"{name}.pdf")
    blocks = list(_parse((TEXTS / f"{name}.md").read_text(encoding="utf-8")))
    filler = _write_filler(random.Random(name), pages)
    _typeset(manual, blocks, filler, pages)
    return manual


def read_questions(manuals: dict[str, Manual], file: str = "questions.toml") -> list[Question]:
    """Return the questions of a file with the pages of their answers."""
    found: list[Question] = []
    for row in _load(file)["question"]:
        manual = manuals[row["manual"]]
        key = f"{row['section']}|{row['row']}" if "row" in row else row["section"]
        pages = (manual.page_of[key],)
        if "answer" in row:
            pages = _find_answer(manual, pages[0], row["answer"])
        found.append(Question(row["text"], row["manual"], pages))
    return found


def read_messages(file: str = "strangers.toml") -> list[str]:
    """Return the messages of a file that no manual answers."""
    return _load(file)["chat"]["messages"]


def _load(file: str) -> dict[str, Any]:
    return tomllib.loads((TEXTS / file).read_text(encoding="utf-8"))


def _find_answer(manual: Manual, first: int, answer: str) -> tuple[int, ...]:
    """Return the page that contains the answer, or the pages between which a page break divides it."""
    sheets = PdfReader(manual.path).pages
    one, other = (" ".join(sheets[at].extract_text().split()) for at in (first - 1, first))
    if answer in one:
        return (first,)
    if answer in other:
        return (first + 1,)
    return (first, first + 1)


def write_pdf(path: Path, flowables: list[Flowable], title: str = "") -> int:
    """Write a PDF file and return its number of pages."""
    document = _Document(path, title)
    document.build(flowables)
    return document.page


def build_table(rows: list[list[str]], *, repeat: int = 0) -> Table:
    """Return a table, whose head is repeated on each page if `repeat` is 1."""
    return Table(rows, style=_GRID, repeatRows=repeat, hAlign="LEFT")


class _Document(BaseDocTemplate):
    def __init__(self, path: Path, title: str) -> None:
        super().__init__(str(path), pagesize=A5, title=title, invariant=1)
        frame = Frame(40, 50, A5[0] - 80, A5[1] - 90)
        self._title = title
        self.addPageTemplates([PageTemplate("plain", [frame], onPage=self._draw_margins)])

    def _draw_margins(self, canvas: Any, document: Any) -> None:
        canvas.setFont("Helvetica", 7)
        canvas.drawString(40, 30, self._title)
        canvas.drawRightString(A5[0] - 40, 30, str(document.page))


class _Anchor(Flowable):
    """Writes down the page on which it is drawn."""

    def __init__(self, manual: Manual, key: str) -> None:
        super().__init__()
        self._manual, self._key = manual, key
        self.keepWithNext = 1

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: N803 - as in reportlab
        return 0, 0

    def draw(self) -> None:
        self._manual.page_of[self._key] = self.canv.getPageNumber()


class _RowPage(Paragraph):
    """The first cell of a table row, which writes down its page."""

    def __init__(self, manual: Manual, key: str, text: str) -> None:
        super().__init__(text, CELL)
        self._manual, self._key = manual, key

    def draw(self) -> None:
        self._manual.page_of[self._key] = self.canv.getPageNumber()
        super().draw()


class _Block(NamedTuple):
    kind: str
    text: str
    rows: list[list[str]]


def _parse(text: str) -> Iterator[_Block]:
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not set("".join(cells)) <= {"-"}:
                rows.append(cells)
            continue
        if rows:
            yield _Block("table", "", rows)
            rows = []
        if line.startswith("## "):
            yield _Block("section", line[3:], [])
        elif line.startswith("# "):
            yield _Block("chapter", line[2:], [])
        elif line.strip():
            yield _Block("text", line, [])


def _typeset(
    manual: Manual, blocks: list[_Block], filler: list[list[Flowable]], pages: int
) -> None:
    sections = sum(block.kind == "section" for block in blocks)
    per_section, owed = (pages - sections) / sections, 0.0
    story: list[Flowable] = []
    section, title = "", blocks[0].text
    for block in blocks:
        if block.kind == "chapter":
            story += [PageBreak()] if story else []
            story.append(Paragraph(block.text, CHAPTER if story else TITLE))
        elif block.kind == "section":
            owed += per_section if section else 0
            if owed >= 1:
                story += [one for _ in range(int(owed)) for one in filler.pop()]
                story.append(PageBreak())
                owed -= int(owed)
            section = block.text
            story += [_Anchor(manual, section), Paragraph(section, SECTION)]
        elif block.kind == "text":
            story.append(Paragraph(block.text.replace("&", "&amp;").replace(">", "&gt;"), BODY))
        else:
            story += [_build_rows(manual, section, block.rows), Spacer(1, 6)]
    manual.pages = write_pdf(manual.path, story, title)


def _build_rows(manual: Manual, section: str, rows: list[list[str]]) -> Table:
    head, *body = rows
    shown: list[list[Any]] = [head]
    for row in body:
        cells: list[Any] = list(row)
        for at in range(len(row)):
            if at == 0 or (row[at] and not row[at].isdigit() and len(row) == 6):
                cells[at] = _RowPage(manual, f"{section}|{row[at]}", row[at])
        shown.append(cells)
    widths = [120 if at % 3 == 0 and len(head) in (3, 6) else None for at in range(len(head))]
    widths[0] = 90 if len(head) == 6 else 150
    if len(head) == 6:
        widths[3] = 95
    return Table(shown, colWidths=widths, style=_GRID, hAlign="LEFT")


def _write_filler(chance: random.Random, pages: int) -> list[list[Flowable]]:
    """Return pages of a reference with made-up parameters."""
    names = [f"{first} {second}" for first in _FIRST for second in _SECOND]
    chance.shuffle(names)
    found: list[list[Flowable]] = []
    for number in range(pages):
        page: list[Flowable] = [PageBreak()]
        for name in (names[(3 * number + at) % len(names)] for at in range(3)):
            page += [Paragraph(name, SECTION), Paragraph(_describe(chance, name, names), BODY)]
        found.append(page)
    return found


def _describe(chance: random.Random, name: str, names: list[str]) -> str:
    values = {
        "name": name.lower(),
        "count": chance.randint(3, 12),
        "low": chance.randint(5, 40),
        "high": chance.randint(70, 120),
        "other": chance.choice(names),
    }
    sentences = [f"{name} {chance.choice(_EFFECT)}.", *chance.sample(_USE, 4)]
    span = f"The range is from {chance.choice(['0', '-64', '1'])} to {chance.choice(['63', '99', '127'])}."
    return " ".join(
        [sentences[0].format(**values), span, *(s.format(**values) for s in sentences[1:])]
    )
