"""Splits a Markdown document into its lowest sections, each with its headings.

A section that is too long is split between paragraphs, rows or list items. Each part of a table repeats its
header, and a code fence that is split is closed and opened again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_CHUNK_PART_CHARACTERS = 2_000
_ATX_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})[ \t]*$")
_CODE_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_QUESTIONS_COMMENT = re.compile(r"^[ \t]*<!--[ \t]*ask:(.*?)-->[ \t]*$")
_HTML_COMMENT = re.compile(r"^[ \t]*<!--.*?-->[ \t]*$")
_TABLE_ROW = re.compile(r"^[ \t]*\|.*$")
_TABLE_DELIMITER_ROW = re.compile(r"^[ \t]*\|?[ \t:|-]*-[ \t:|-]*\|?[ \t]*$")
_LIST_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])[ \t]")
_INLINE_MARKUP = re.compile(r"[`*_]|!?\[([^\]]*)\]\([^)]*\)")


@dataclass
class DocumentSection:
    """The text between a heading and the next one, with all headings above it."""

    path: tuple[str, ...]
    lines: list[str] = field(default_factory=list[str])
    questions: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """The text of the section without blank lines around it."""
        return "\n".join(self.lines).strip("\n").rstrip()


def split_front_matter(text: str) -> tuple[str, str]:
    """Split a document into its front matter and the rest.

    The front matter is the YAML between the first two `---` lines, or an empty text.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() == "---":
        for at, line in enumerate(lines[1:], 1):
            if line.rstrip() == "---":
                return "\n".join(lines[1:at]), "\n".join(lines[at + 1 :])
    return "", "\n".join(lines)


def split_into_sections(text: str, title: str = "") -> list[DocumentSection]:
    """Return the lowest sections that contain text.

    Text before the first heading belongs to the section `title`.
    """
    section = DocumentSection((title,) if title else ())
    sections = [section]
    open_fence = ""
    for line in text.split("\n"):
        fence = _CODE_FENCE.match(line)
        if open_fence:
            section.lines.append(line)
            if fence and fence[1].startswith(open_fence) and not fence[2].strip():
                open_fence = ""
            continue
        if fence and not (fence[1][0] == "`" and "`" in fence[2]):
            open_fence = fence[1]
            section.lines.append(line)
            continue
        heading = _parse_heading(line, section)
        if heading is not None:
            section = DocumentSection(_build_heading_path(section.path, *heading))
            sections.append(section)
        elif questions := _QUESTIONS_COMMENT.match(line):
            section.questions += [
                question.strip() for question in questions[1].split("|") if question.strip()
            ]
        elif not _HTML_COMMENT.match(line):
            section.lines.append(line)
    return [one_section for one_section in sections if one_section.text.strip()]


def _parse_heading(line: str, section: DocumentSection) -> tuple[int, str] | None:
    """Return the level and the text of a heading, or None if the line is no heading.

    If the line underlines a heading, that heading is removed from the text of the section.
    """
    if heading := _ATX_HEADING.match(line):
        return len(heading[1]), _strip_markup(heading[2] or "")
    above = section.lines[-1].strip() if section.lines else ""
    before = section.lines[-2].strip() if len(section.lines) > 1 else ""
    underline = _SETEXT_UNDERLINE.match(line)
    is_text = above and not before and not _TABLE_ROW.match(above) and not _LIST_ITEM.match(above)
    if underline is None or not is_text or above.startswith((">", "```", "~~~")):
        return None
    section.lines.pop()
    return (1 if underline[1][0] == "=" else 2), _strip_markup(above)


def _strip_markup(text: str) -> str:
    return _INLINE_MARKUP.sub(lambda found: found[1] or "", text).strip()


def _build_heading_path(path: tuple[str, ...], level: int, text: str) -> tuple[str, ...]:
    ancestors = (*path, *[""] * level)[: level - 1]
    return (*ancestors, text)


def split_markdown_text(text: str, max_characters: int = MAX_CHUNK_PART_CHARACTERS) -> list[str]:
    """Split a text into parts of at most `max_characters` characters, each of which makes sense by itself."""
    if len(text) <= max_characters:
        return [text]
    parts: list[str] = []
    for block in _split_blocks(text):
        for piece in _split_long_block(block, max_characters):
            if parts and len(parts[-1]) + len(piece) + 2 <= max_characters:
                parts[-1] += f"\n\n{piece}"
            else:
                parts.append(piece)
    return parts


def _split_blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs, lists, tables and fenced blocks of a text, one by one."""
    block: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _CODE_FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not mark[2].strip() else fence
        elif mark:
            fence = mark[1]
        if line.strip() or fence:
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def _split_long_block(block: str, max_characters: int) -> list[str]:
    if len(block) <= max_characters:
        return [block]
    lines = block.split("\n")
    if fence := _CODE_FENCE.match(lines[0]):
        return _combine_into_parts(lines[1:-1], lines[0], fence[1], max_characters)
    if len(lines) > 2 and _TABLE_ROW.match(lines[0]) and _TABLE_DELIMITER_ROW.match(lines[1]):
        return _combine_into_parts(lines[2:], "\n".join(lines[:2]), "", max_characters)
    if len(lines) > 1:
        return _combine_into_parts(lines, "", "", max_characters)
    return _combine_into_parts(
        re.split(r"(?<=[.!?])\s+", block), "", "", max_characters, separator=" "
    )


def _combine_into_parts(
    units: list[str], header: str, footer: str, max_characters: int, separator: str = "\n"
) -> list[str]:
    """Combine pieces of text into parts that are as long as possible.

    Each part begins with `header` and ends with `footer`.
    """
    capacity = max(max_characters - len(header) - len(footer) - 2, 200)
    parts: list[list[str]] = []
    length = capacity
    for unit in (short for long in units for short in _split_long_unit(long, capacity)):
        if length + len(unit) + len(separator) > capacity:
            parts.append([])
            length = 0
        parts[-1].append(unit)
        length += len(unit) + len(separator)
    return [
        "\n".join(part for part in (header, separator.join(body), footer) if part) for body in parts
    ]


def _split_long_unit(unit: str, capacity: int) -> list[str]:
    """Split a piece that is longer than a part, between words or, in a text without spaces, anywhere."""
    pieces: list[str] = []
    while len(unit) > capacity:
        at = unit.rfind(" ", capacity // 2, capacity)
        at = capacity if at < 0 else at
        pieces.append(unit[:at])
        unit = unit[at:].lstrip(" ")
    return [*pieces, unit]
