"""Splits a Markdown document into its leaf sections, each with its headings.

A section that is too long is split between paragraphs, rows or list items. The parts of a table repeat its
header, and a code fence that is split is closed and opened again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_CHARACTERS = 2_000
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_ASK = re.compile(r"^[ \t]*<!--[ \t]*ask:(.*?)-->[ \t]*$")
_COMMENT = re.compile(r"^[ \t]*<!--.*?-->[ \t]*$")
_ROW = re.compile(r"^[ \t]*\|.*$")
_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-[ \t:|-]*\|?[ \t]*$")
_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])[ \t]")
_MARKS = re.compile(r"[`*_]|!?\[([^\]]*)\]\([^)]*\)")


@dataclass
class Section:
    """The text between a heading and the next one."""

    path: tuple[str, ...]
    lines: list[str] = field(default_factory=list[str])
    ask: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """The text of the section, without blank lines around it."""
        return "\n".join(self.lines).strip("\n").rstrip()


def split_front_matter(text: str) -> tuple[str, str]:
    """Return the YAML between the first two `---` lines, or an empty text, and the rest of the document."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() == "---":
        for at, line in enumerate(lines[1:], 1):
            if line.rstrip() == "---":
                return "\n".join(lines[1:at]), "\n".join(lines[at + 1 :])
    return "", "\n".join(lines)


def sections(text: str, title: str = "") -> list[Section]:
    """Return the leaf sections that contain text. Text before the first heading belongs to `title`."""
    section = Section((title,) if title else ())
    found = [section]
    open_fence = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if open_fence:
            section.lines.append(line)
            if fence and fence[1].startswith(open_fence) and not fence[2].strip():
                open_fence = ""
            continue
        if fence and not (fence[1][0] == "`" and "`" in fence[2]):
            open_fence = fence[1]
            section.lines.append(line)
            continue
        heading = _heading(line, section)
        if heading is not None:
            section = Section(_append_heading(section.path, *heading))
            found.append(section)
        elif ask := _ASK.match(line):
            section.ask += [way.strip() for way in ask[1].split("|") if way.strip()]
        elif not _COMMENT.match(line):
            section.lines.append(line)
    return [each for each in found if each.text.strip()]


def _heading(line: str, section: Section) -> tuple[int, str] | None:
    """Return the level and text of a heading, or None. A heading that is underlined is removed from the
    section's text.
    """
    if heading := _HEADING.match(line):
        return len(heading[1]), _strip_markup(heading[2] or "")
    above = section.lines[-1].strip() if section.lines else ""
    before = section.lines[-2].strip() if len(section.lines) > 1 else ""
    underline = _SETEXT.match(line)
    is_text = above and not before and not _ROW.match(above) and not _ITEM.match(above)
    if underline is None or not is_text or above.startswith((">", "```", "~~~")):
        return None
    section.lines.pop()
    return (1 if underline[1][0] == "=" else 2), _strip_markup(above)


def _strip_markup(words: str) -> str:
    return _MARKS.sub(lambda found: found[1] or "", words).strip()


def _append_heading(path: tuple[str, ...], level: int, words: str) -> tuple[str, ...]:
    kept = (*path, *[""] * level)[: level - 1]
    return (*kept, words)


def parts(text: str, most: int = MOST_CHARACTERS) -> list[str]:
    """Split a text into parts of at most `most` characters, each of which can be read by itself."""
    if len(text) <= most:
        return [text]
    found: list[str] = []
    for block in _blocks(text):
        for piece in _split_block(block, most):
            if found and len(found[-1]) + len(piece) + 2 <= most:
                found[-1] += f"\n\n{piece}"
            else:
                found.append(piece)
    return found


def _blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs, lists, tables and fenced blocks of a text one by one."""
    block: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
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


def _split_block(block: str, most: int) -> list[str]:
    if len(block) <= most:
        return [block]
    lines = block.split("\n")
    if fence := _FENCE.match(lines[0]):
        return _combine_units(lines[1:-1], lines[0], fence[1], most)
    if len(lines) > 2 and _ROW.match(lines[0]) and _RULE.match(lines[1]):
        return _combine_units(lines[2:], "\n".join(lines[:2]), "", most)
    if len(lines) > 1:
        return _combine_units(lines, "", "", most)
    return _combine_units(re.split(r"(?<=[.!?])\s+", block), "", "", most, between=" ")


def _combine_units(
    units: list[str], head: str, foot: str, most: int, between: str = "\n"
) -> list[str]:
    """Combine units of text into parts. Each part starts with the head and ends with the foot."""
    room = max(most - len(head) - len(foot) - 2, 200)
    found: list[list[str]] = []
    length = room
    for unit in (short for long in units for short in _split_long_unit(long, room)):
        if length + len(unit) + len(between) > room:
            found.append([])
            length = 0
        found[-1].append(unit)
        length += len(unit) + len(between)
    return ["\n".join(part for part in (head, between.join(body), foot) if part) for body in found]


def _split_long_unit(unit: str, room: int) -> list[str]:
    """Split a unit that does not fit into a part, between words or anywhere if it has no spaces."""
    cut: list[str] = []
    while len(unit) > room:
        at = unit.rfind(" ", room // 2, room)
        at = room if at < 0 else at
        cut.append(unit[:at])
        unit = unit[at:].lstrip(" ")
    return [*cut, unit]
