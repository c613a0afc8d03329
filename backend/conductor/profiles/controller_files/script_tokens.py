"""Splits JavaScript and Lua into tokens, so that constants can be read without running the script."""

import re
from typing import Literal, NamedTuple

MAX_SCRIPT_TOKENS = 500_000
TokenKind = Literal["name", "number", "string", "mark"]
# A possessive group must not contain alternatives: before Python 3.11.5, it can end too early (gh-106052).
_JAVASCRIPT_TOKEN = re.compile(
    r"""//[^\n]*+|/\*.*?(?:\*/|\Z)
    |(?P<string>"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?|`[^`\\]*+(?:\\.[^`\\]*+)*+(?:`|\Z))
    |(?P<number>0[xX][0-9a-fA-F]++|\d++(?:\.\d++)?)
    |(?P<name>[A-Za-z_$][\w$]*+)
    |(?P<mark>\S)""",
    re.VERBOSE | re.DOTALL,
)
_LUA_TOKEN = re.compile(
    r"""--\[\[.*?(?:\]\]|\Z)|--[^\n]*+
    |(?P<string>"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?|\[\[.*?(?:\]\]|\Z))
    |(?P<number>0[xX][0-9a-fA-F]++|\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)
    |(?P<name>[A-Za-z_]\w*+)
    |(?P<mark>\S)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE_SEQUENCE = re.compile(r"\\(.)", re.DOTALL)
_INTEGER_LITERAL = re.compile(r"0[xX][0-9a-fA-F]{1,8}|\d{1,9}")


class ScriptToken(NamedTuple):
    """A token of a script: a string, a number, a name or a punctuation mark."""

    kind: TokenKind
    text: str
    """The text of the token; a string has no quotes around it."""
    start: int


def tokenize_javascript(text: str) -> list[ScriptToken]:
    """Return the tokens of a JavaScript file; comments are left out."""
    return _tokenize_script(_JAVASCRIPT_TOKEN, text)


def tokenize_lua(text: str) -> list[ScriptToken]:
    """Return the tokens of a Lua file; comments are left out."""
    return _tokenize_script(_LUA_TOKEN, text)


def parse_integer(text: str, default: int | None = None) -> int | None:
    """Return a decimal or hexadecimal integer, `default` for an empty text, and None for any other text."""
    if not text:
        return default
    return (
        int(text, 0 if text[:2] in ("0x", "0X") else 10)
        if _INTEGER_LITERAL.fullmatch(text)
        else None
    )


def _tokenize_script(pattern: re.Pattern[str], text: str) -> list[ScriptToken]:
    tokens: list[ScriptToken] = []
    for found in pattern.finditer(text):
        kind = found.lastgroup
        if kind is not None and len(tokens) < MAX_SCRIPT_TOKENS:
            value = _unquote_string(found[0]) if kind == "string" else found[0]
            tokens.append(ScriptToken(kind, value, found.start()))  # type: ignore[arg-type]
    return tokens


def _unquote_string(text: str) -> str:
    if text.startswith("[["):
        return text.removeprefix("[[").removesuffix("]]")
    body = text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]
    return _ESCAPE_SEQUENCE.sub(r"\1", body)
