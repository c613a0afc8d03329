"""Splits the pages of a manual into passages, and finds the parameters in its tables of MIDI numbers.

A passage is a part of one page, so that it can be opened there. The headings above it and the head of a table
are carried over to the next page.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from conductor.knowledge.chunker import split_markdown_text
from conductor.knowledge.manuals.layout import Block, PageText, Span, parse_page

MAX_PASSAGE_CHARACTERS = 1_100
"""A passage should fit the prompt together with four others."""
MIN_PASSAGE_LETTERS = 15
MAX_HEADINGS = 4
MAX_PARAMETER_NAME_CHARACTERS = 60
MAX_CONTROLLER = 127
MAX_PARAMETERS_PER_PAGE = 200
_CONTROLLER_HEAD = re.compile(
    r"^(midi\s*)?(cc|control(ler)?(\s*change)?|ctrl)\s*(#|no\.?|nr\.?|num(ber)?|value|msb)?$",
    re.IGNORECASE,
)
_NUMBER_HEAD = re.compile(
    r"^(#|no\.?|nr\.?|num(ber)?|nummer|message|midi|data|assign\w*)$", re.IGNORECASE
)
_NRPN_HEAD = re.compile(r"^nrpn\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"^(?P<cc>(?:cc|ctrl)\s*#?\s*)?(?P<number>\d{1,3})(?:\s*[-/,\u2013]\s*\d{1,3})?h?$", re.I
)
_CONTROLLER_WORD = re.compile(r"^(cc|control change|controller)$", re.IGNORECASE)
_IN_TEXT = re.compile(
    r"^(?P<name>[^\W\d][^\n|:]{2,58}?)[\s.:\u2013\u2014=-]{1,40}(?:MIDI )?CC\s*#?\s*(?P<number>\d{1,3})\b"
    r".{0,80}$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Passage:
    """A part of a page, which is the unit of search."""

    page: int
    path: tuple[str, ...]
    """The headings above the text, without the title of the manual."""
    content: str
    """The text as Markdown."""
    is_parameter: bool = False
    """Whether this is one parameter of a table of MIDI numbers."""


@dataclass
class Carried:
    """What a page takes over from the page before it: the headings, and the head of a table at its end."""

    headings: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    head: list[str] = field(default_factory=list[str])
    columns: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def enter_heading(self, text: str, size: float) -> None:
        """Begin a section, which ends the sections of smaller and of equal headings."""
        self.headings = [one for one in self.headings if one[1] > size][: MAX_HEADINGS - 1]
        self.headings.append((text, size))

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for text, _ in self.headings)


def split_page(number: int, page: PageText, carried: Carried) -> list[Passage]:
    """Return the passages and parameters of a page, and update what the next page takes over."""
    passages: list[Passage] = []
    parameters: list[Passage] = []
    texts: list[str] = []

    def end_section() -> None:
        text = "\n\n".join(texts)
        texts.clear()
        if sum(letter.isalnum() for letter in text) < MIN_PASSAGE_LETTERS:
            return
        parts = split_markdown_text(text, MAX_PASSAGE_CHARACTERS)
        passages.extend(Passage(number, carried.path, part) for part in parts)

    is_first = True
    for block in parse_page(page):
        if block.kind == "heading":
            end_section()
            carried.enter_heading(block.text, block.size)
        elif block.kind == "table":
            head, rows = _find_head(block, carried if is_first else Carried())
            texts.append(render_table(head, rows))
            parameters += _list_parameters(number, carried.path, head, rows)
            carried.head, carried.columns = head, [*map(tuple, block.columns)]  # type: ignore[list-item]
        else:
            texts.append(block.text)
            parameters += _list_parameters_in_text(number, carried.path, block.text)
        if block.kind != "table":
            carried.head, carried.columns = [], []
        is_first = False
    end_section()
    return [*passages, *_drop_repeated(parameters)[:MAX_PARAMETERS_PER_PAGE]]


def _drop_repeated(parameters: Sequence[Passage]) -> list[Passage]:
    return list({(one.path[-1], one.content): one for one in parameters}.values())


def _find_head(block: Block, carried: Carried) -> tuple[list[str], list[list[str]]]:
    """Return the head and the other rows of a table.

    A table at the top of a page that has no head continues the table on the page before.
    """
    first, *others = block.rows
    if _is_head(first, others):
        return first, others
    if carried.head:
        return _match_head(carried, block.columns), block.rows
    return [""] * len(first), block.rows


def _is_head(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Return whether a row contains words only, and the rows below it contain numbers."""
    if not others or any(re.fullmatch(r"[\d\s/,.\u2013-]+", cell) for cell in first if cell):
        return False
    if any(_NUMBER.match(cell) for cell in first):
        return False
    return any(re.search(r"\d", cell) for row in others for cell in row) and sum(
        bool(cell) for cell in first
    ) >= max(2, len(first) // 2)


def _match_head(carried: Carried, columns: Sequence[Span]) -> list[str]:
    """Return the head of the earlier table for the columns of this one, which may be narrower."""
    found: list[str] = []
    for column in columns:
        overlaps = [
            min(column.end, end) - max(column.start, start) for start, end in carried.columns
        ]
        at = max(range(len(overlaps)), key=lambda one: overlaps[one])
        found.append(carried.head[at] if overlaps[at] > 0 else "")
    return found


def render_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    lines = [_render_row(head), "|" + "---|" * len(head), *map(_render_row, rows)]
    return "\n".join(lines)


def _render_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def _list_parameters(
    page: int, path: tuple[str, ...], head: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[Passage]:
    """Yield the parameters in the rows of a table, each with the columns that belong to it."""
    for name_at, number_at, end in _find_parameter_columns(head, rows):
        for row in rows:
            name, number = row[name_at], _find_controller(row, number_at, head[number_at])
            if number is None or not _is_parameter_name(name):
                continue
            title = f"{name}: CC {number}"
            content = render_table(head[name_at:end], [row[name_at:end]])
            yield Passage(page, (*path, title), content, is_parameter=True)


def _find_parameter_columns(
    head: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[tuple[int, int, int]]:
    """Yield the columns of the name and of the number, and the end of the columns that belong to them.

    A table may have several groups of columns side by side.
    """
    names = [at for at in range(len(head)) if _has_names(at, rows)]
    for at, title in enumerate(head):
        left = [one for one in names if one < at]
        is_controller = bool(_CONTROLLER_HEAD.match(title)) or (
            (not title or bool(_NUMBER_HEAD.match(title)))
            and any(_find_controller(row, at, title) is not None for row in rows)
        )
        if not is_controller or not left:
            continue
        name_at = left[0] if len(left) == 1 else _find_name_column(left, names, head)
        following = [
            one for one in names if one > at and _has_controller_after(one, head) and one != name_at
        ]
        yield name_at, at, following[0] if following else len(head)


def _find_name_column(left: Sequence[int], names: Sequence[int], head: Sequence[str]) -> int:
    """Return the first column of names after the last column of numbers."""
    numbers = [
        at
        for at in range(left[-1])
        if _CONTROLLER_HEAD.match(head[at]) or _NRPN_HEAD.match(head[at])
    ]
    after = [at for at in left if not numbers or at > numbers[-1]]
    return after[0] if after else names[0]


def _has_controller_after(at: int, head: Sequence[str]) -> bool:
    return any(_CONTROLLER_HEAD.match(title) for title in head[at + 1 :])


def _has_names(at: int, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether most cells of a column are names, not numbers, ranges or the word CC."""
    cells = [row[at] for row in rows if row[at]]
    names = sum(_is_parameter_name(cell) for cell in cells)
    return bool(cells) and 2 * names > len(cells)


def _is_parameter_name(cell: str) -> bool:
    letters = sum(letter.isalpha() for letter in cell)
    return (
        letters >= 2
        and len(cell) <= MAX_PARAMETER_NAME_CHARACTERS
        and not _NUMBER.match(cell)
        and not _CONTROLLER_WORD.match(cell)
    )


def _find_controller(row: Sequence[str], at: int, title: str) -> str | None:
    """Return the number of a controller in a cell: below a head such as CC, after "CC", or in a row in which
    another cell is CC.
    """
    found = _NUMBER.match(row[at])
    if found is None or int(found["number"]) > MAX_CONTROLLER:
        return None
    is_named = (
        bool(_CONTROLLER_HEAD.match(title))
        or bool(found["cc"])
        or any(_CONTROLLER_WORD.match(cell) for cell in row)
    )
    return re.sub(r"^\D*", "", row[at]) if is_named else None


def _list_parameters_in_text(page: int, path: tuple[str, ...], text: str) -> Iterator[Passage]:
    """Yield the parameters in lines such as "Filter cutoff ... CC 19"."""
    for found in _IN_TEXT.finditer(text):
        if int(found["number"]) <= MAX_CONTROLLER and len(found["name"].split()) <= 6:
            title = f"{found['name'].strip()}: CC {found['number']}"
            yield Passage(page, (*path, title), found[0].strip(), is_parameter=True)
