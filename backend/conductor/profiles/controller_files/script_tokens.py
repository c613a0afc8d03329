"""Splits JavaScript and Lua into tokens, so that constants can be read without running the script."""

import re
from typing import Literal, NamedTuple

MAX_TOKENS = 500_000
TokenKind = Literal["name", "number", "string", "mark"]
_JAVASCRIPT = re.compile(
    r"""//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)
    |(?P<string>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?|`(?:\\.|[^`\\])*+(?:`|\Z))
    |(?P<number>0[xX][0-9a-fA-F]++|\d++(?:\.\d++)?)
    |(?P<name>[A-Za-z_$][\w$]*+)
    |(?P<mark>\S)""",
    re.VERBOSE | re.DOTALL,
)
_LUA = re.compile(
    r"""--\[\[(?:[^\]]|\](?!\]))*+(?:\]\]|\Z)|--[^\n]*+
    |(?P<string>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?|\[\[(?:[^\]]|\](?!\]))*+(?:\]\]|\Z))
    |(?P<number>0[xX][0-9a-fA-F]++|\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)
    |(?P<name>[A-Za-z_]\w*+)
    |(?P<mark>\S)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_INTEGER = re.compile(r"0[xX][0-9a-fA-F]{1,8}|\d{1,9}")


class Token(NamedTuple):
    """A token of a script."""

    kind: TokenKind
    text: str
    """The text of the token; a string without its quotes."""
    start: int


def tokenize_javascript(text: str) -> list[Token]:
    """Return the tokens of a JavaScript file without its comments."""
    return _tokenize(_JAVASCRIPT, text)


def tokenize_lua(text: str) -> list[Token]:
    """Return the tokens of a Lua file without its comments."""
    return _tokenize(_LUA, text)


def parse_integer(text: str, default: int | None = None) -> int | None:
    """Parse an integer in decimal or hexadecimal; return the default for an empty text, None for another."""
    if not text:
        return default
    return int(text, 0 if text[:2] in ("0x", "0X") else 10) if _INTEGER.fullmatch(text) else None


def _tokenize(pattern: re.Pattern[str], text: str) -> list[Token]:
    tokens: list[Token] = []
    for found in pattern.finditer(text):
        kind = found.lastgroup
        if kind is not None and len(tokens) < MAX_TOKENS:
            value = _unquote(found[0]) if kind == "string" else found[0]
            tokens.append(Token(kind, value, found.start()))  # type: ignore[arg-type]
    return tokens


def _unquote(text: str) -> str:
    if text.startswith("[["):
        return text.removeprefix("[[").removesuffix("]]")
    body = text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]
    return _ESCAPE.sub(r"\1", body)
