"""Invisible Unicode characters: one table for Python and, through `conductor generate`, for the page.

The table is fixed, so that it does not depend on the Unicode version of Python or of the browser. Unassigned
code points are not in it: they are drawn as a box.
"""

import re

EMOJI_SELECTOR = "\ufe0f"
"""The variation selector for a coloured emoji. Invisible, but common in ordinary text."""
ZERO_WIDTH_JOINER = "\u200d"
"""The zero-width joiner of emoji and of letters in some scripts."""
RARE_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""Characters that look like a space but are not U+0020."""
ORDINARY_CHARACTERS = f"\n\t{EMOJI_SELECTOR}{RARE_SPACES}"
"""Invisible characters that may stay in displayed text where no decision depends on the exact characters."""
_HIDDEN_CODE_POINTS = (
    *((0x0, 0x8), (0xB, 0x1F), (0x7F, 0x9F)),  # control characters except tab and line feed
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F)),
    *((0x890, 0x891), (0x8E2, 0x8E2)),  # format characters, up to here
    *((0x115F, 0x1160), (0x17B4, 0x17B5)),  # fillers of Hangul, vowels of Khmer
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F)),  # joins, directions
    *((0x2800, 0x2800), (0x3164, 0x3164)),  # an empty cell of Braille, a filler
    *((0xD800, 0xF8FF), (0xFDD0, 0xFDEF)),  # surrogates, private use, noncharacters
    *((0xFE00, 0xFE0E), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF)),
    *((0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),  # shorthand, music
    *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0x10000, 0xF0000, 0x10000)),
    *((0xE0000, 0xE0FFF), (0xF0000, 0x10FFFF)),  # tags and selectors, private use
)
_HIDDEN_RANGES = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _HIDDEN_CODE_POINTS)
_HIDDEN_PATTERN = re.compile(f"[{_HIDDEN_RANGES}\n\t{EMOJI_SELECTOR}]")
_HIDDEN_OR_SPACE_PATTERN = re.compile(f"[{_HIDDEN_RANGES}\n\t{EMOJI_SELECTOR}{RARE_SPACES}]")
_REMOVABLE_PATTERN = re.compile(
    f"[{_HIDDEN_RANGES}]+|(?<![^{_HIDDEN_RANGES}\n\t{EMOJI_SELECTOR}]){EMOJI_SELECTOR}"
)
_LINE_SEPARATORS = str.maketrans("\u2028\u2029", "\n\n")


def is_hidden(char: str) -> bool:
    """Return whether a character is invisible or changes text direction; spaces of any kind are visible."""
    return _HIDDEN_PATTERN.fullmatch(char) is not None


def has_hidden(text: str, keep: str = "\n\t") -> bool:
    """Return whether a text contains invisible characters or unusual spaces, other than those in `keep`.

    Return whether a text contains invisible characters or unusual spaces, ignoring the characters in `keep`.

    """
    return any(found[0] not in keep for found in _HIDDEN_OR_SPACE_PATTERN.finditer(text))


def reveal_hidden(text: str, keep: str = "") -> str:
    r"""Return the text with invisible characters and unusual spaces replaced by escapes such as `\u202e`."""
    return _HIDDEN_OR_SPACE_PATTERN.sub(
        lambda found: found[0] if found[0] in keep else _escape_char(found[0]), text
    )


def reveal_line(text: str) -> str:
    """Return the text on one line, with line feeds and invisible characters replaced by escapes."""
    return reveal_hidden(text, keep=EMOJI_SELECTOR)


def remove_hidden(text: str) -> str:
    """Remove characters that a model would read although a user cannot see them; keep line feeds, tabs and
    emoji.
    """
    return _REMOVABLE_PATTERN.sub("", text.translate(_LINE_SEPARATORS))


def render_typescript_module() -> str:
    """Return the table of invisible characters as a TypeScript module for the page."""
    table = sorted(
        (
            *_HIDDEN_CODE_POINTS,
            *((ord(char), ord(char)) for char in f"{EMOJI_SELECTOR}{RARE_SPACES}"),
        )
    )
    rows = "".join(f"  [0x{first:x}, 0x{last:x}],\n" for first, last in table)
    return (
        "// Written by `conductor generate` from base/invisible_chars.py. Do not edit.\n\n"
        "/** Invisible characters and odd spaces; not tab and line feed. */\n"
        f"export const HIDDEN: readonly (readonly [number, number])[] = [\n{rows}];\n"
    )


def _escape_char(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
