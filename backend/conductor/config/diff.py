"""Compares two texts of config.toml line by line, and renders the differences for the review of a plan."""

from difflib import SequenceMatcher
from typing import NamedTuple

from conductor.base.invisible_chars import EMOJI_SELECTOR, reveal_hidden

DIFF_CONTEXT_LINES = 2
MAX_DIFF_LINES = 2_000


class TextDiff(NamedTuple):
    """The removed and added lines between two texts. `is_cut` is true if the diff was truncated."""

    text: str
    is_cut: bool


def preview_diff(old: str, new: str) -> str:
    """Return the removed (`- `) and added (`+ `) lines, each with two unchanged lines before and after it."""
    return compare_texts(old, new).text


def compare_texts(old: str, new: str) -> TextDiff:
    """Compare two texts line by line, with invisible characters written as escapes.

    Only a line feed ends a line. `str.splitlines` also splits at U+2028, with which a text could push parts
    of the diff out of sight.
    """
    before, after = _split_lines(old), _split_lines(new)
    head, tail = _count_common_lines(before, after)
    head = max(0, head - DIFF_CONTEXT_LINES)
    tail = max(0, tail - DIFF_CONTEXT_LINES)
    before, after = (
        _escape_lines(before[head : len(before) - tail]),
        _escape_lines(after[head : len(after) - tail]),
    )
    lines: list[str] = []
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(
        DIFF_CONTEXT_LINES
    )
    for number, group in enumerate(groups):
        if number:
            lines.append("  ...")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                lines += [f"  {line}" for line in before[old_from:old_to]]
            else:
                lines += [f"- {line}" for line in before[old_from:old_to]]
                lines += [f"+ {line}" for line in after[new_from:new_to]]
    left_out = len(lines) - MAX_DIFF_LINES
    if left_out > 0:
        lines[MAX_DIFF_LINES:] = [f"  ... and {left_out} more lines"]
    return TextDiff("\n".join(line.rstrip() for line in lines).strip("\n"), left_out > 0)


def _split_lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").removesuffix("\r").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _escape_lines(lines: list[str]) -> list[str]:
    return [reveal_hidden(line, keep=f"\t{EMOJI_SELECTOR}") for line in lines]


def _count_common_lines(before: list[str], after: list[str]) -> tuple[int, int]:
    """Count the equal lines at the start and at the end of two texts, so that they can be skipped in the
    comparison.
    """
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if before[-1 - i] != after[-1 - i]), rest)
    return head, tail
