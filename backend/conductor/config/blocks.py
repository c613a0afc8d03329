"""Splits the text of a TOML file into one block per table with its comments, and joins blocks to a text."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from conductor.config.lines import KeyPath, KeyPositions

_PARAGRAPH_END = re.compile(r"(?<=\n)(?=\r?\n)")


@dataclass(eq=False, slots=True)
class TomlBlock:
    """A table header with its keys and the comments that belong to the table."""

    path: KeyPath
    array: bool
    lead: str
    """The comment lines directly above the header."""
    body: str
    """The header and its keys, with the comment lines directly below them."""
    tail: str
    """The blank lines after the block, and comments that belong to no block."""

    @property
    def text(self) -> str:
        return self.lead + self.body

    def copy(self) -> "TomlBlock":
        """Return an independent copy of the block."""
        return TomlBlock(self.path, self.array, self.lead, self.body, self.tail)


def split_blocks(text: str, places: KeyPositions) -> list[TomlBlock]:
    """Split a TOML text into blocks, one per table header, preceded by a block for everything above the
    first header.
    """
    starts = [0, *(header.start for header in places.headers), len(text)]
    paths: list[tuple[KeyPath, bool]] = [((), False), *((h.path, h.array) for h in places.headers)]
    blocks: list[TomlBlock] = []
    lead = ""
    for number, (path, array) in enumerate(paths):
        start, end = starts[number], starts[number + 1]
        last = bisect_left(places.ends, end)
        own_end = places.ends[last - 1] if last and places.ends[last - 1] > start else start
        own_end = text.find("\n", own_end, end) + 1 or end if own_end > start else start
        below, tail, next_lead = _split_gap(text[own_end:end], first=own_end == start)
        blocks.append(TomlBlock(path, array, lead, text[start:own_end] + below, tail))
        lead = next_lead
    blocks[-1].tail += lead
    return blocks


def _split_gap(gap: str, *, first: bool) -> tuple[str, str, str]:
    """Split the text between two blocks into the first block's comments, free comments, and the second
    block's comments.

    Comments belong to a block if no blank line separates them from it; free comments belong to neither
    block.
    """
    lines = gap.splitlines(keepends=True)
    above = len(lines)
    while above and lines[above - 1].lstrip().startswith("#"):
        above -= 1
    below = 0
    while below < above and lines[below].strip():
        below += 1
    if first:  # there is no first block: this is the top of the file
        below = above
        while below and not lines[below - 1].strip():
            below -= 1
    return "".join(lines[:below]), "".join(lines[below:above]), "".join(lines[above:])


def join_blocks(blocks: Iterable[TomlBlock]) -> str:
    """Join blocks to a text. A line feed is added where a block lacks one at its end."""
    text = ""
    parts: list[str] = []
    for block in blocks:
        for part in (block.lead, block.body, block.tail):
            if part:
                if text and not text.endswith("\n"):
                    parts.append("\n")
                parts.append(part)
                text = part
    return "".join(parts)


def insert_blocks_after(blocks: list[TomlBlock], anchor: TomlBlock, new: list[TomlBlock]) -> None:
    """Insert new blocks after the block `anchor` and the free comments that belong to its row."""
    if anchor is blocks[0]:
        _detach_top_comment(blocks)
    own, rest = "", anchor.tail
    if new[0].path[:2] != anchor.path[:2]:
        own, rest = _split_own_comments(anchor, is_last=anchor is blocks[-1])
    new[-1].tail = rest or ("" if anchor is blocks[-1] else "\n")
    anchor.tail = own + "\n" if anchor.body or own else ""
    at = blocks.index(anchor) + 1
    blocks[at:at] = new


def _split_own_comments(block: TomlBlock, *, is_last: bool) -> tuple[str, str]:
    """Split the free comments after a block into those that belong to its row, and the others.

    A row such as `# [[modes.mappings]]` that is commented out would become part of another mode below the
    header of that mode. At the end of the file, no header follows that a comment could belong to.
    """
    if is_last and "#" in block.tail:
        return block.tail.rstrip("\r\n") + "\n", ""
    paragraphs = _PARAGRAPH_END.split(block.tail)
    section = re.escape(str(block.path[0])) if block.path else ""
    nested = re.compile(rf"^[ \t]*#[ \t]*\[+{section}\.", re.MULTILINE)
    own = max((at + 1 for at, text in enumerate(paragraphs) if nested.search(text)), default=0)
    return "".join(paragraphs[:own]), "".join(paragraphs[own:])


def _detach_top_comment(blocks: list[TomlBlock]) -> None:
    """Detach a comment at the top of the file from the first table, so that edits of the table leave it in
    place.
    """
    top = blocks[0]
    if len(blocks) > 1 and blocks[1].lead and not top.text + top.tail:
        top.body, top.tail = blocks[1].lead, "\n"
        blocks[1].lead = ""


def insert_blocks_before(blocks: list[TomlBlock], anchor: TomlBlock, new: list[TomlBlock]) -> None:
    """Insert new blocks above the block `anchor` and its comments."""
    if anchor is blocks[1]:
        _detach_top_comment(blocks)
    new[-1].tail = "\n"
    at = blocks.index(anchor)
    blocks[at:at] = new


def remove_blocks(blocks: list[TomlBlock], gone: Iterable[TomlBlock]) -> None:
    """Remove the blocks in `gone`; comments that belong to no block, or to the whole file, are kept."""
    for block in gone:
        at = blocks.index(block)
        before = blocks[at - 1]
        if at == 1:
            _detach_top_comment(blocks)
        if "#" in block.tail:
            before.tail = before.tail + block.tail.lstrip("\r\n") if before.tail else block.tail
        blocks.pop(at)
