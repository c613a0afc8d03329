"""Reads a Lua file that consists of a plain table, without running it."""

from typing import Any

from conductor.base.json_types import JsonObject
from conductor.profiles.controller_files.controls import fail
from conductor.profiles.controller_files.script_tokens import Token, tokenize_lua

MAX_DEPTH = 32
_CONSTANTS = {"true": True, "false": False, "nil": None}


def read_table(text: str, name: str) -> Any:
    """Return the value that a Lua file returns: a table of constants.

    A table becomes a list if none of its entries has a key, otherwise a dictionary. Local names for constants
    and tables are allowed before the returned value.

    Raises:
        InvalidParams: the file is a program, for example because it calls a function.
    """
    return _TableReader(tokenize_lua(text), text, name).read()


class _TableReader:
    def __init__(self, tokens: list[Token], text: str, name: str) -> None:
        self._tokens, self._text, self._name = tokens, text, name
        self._at = 0
        self._locals: JsonObject = {}

    def read(self) -> Any:
        while self._skip("local"):
            target = self._next()
            if target.kind != "name" or not self._skip("="):
                raise self._refuse(target)
            self._locals[target.text] = self._read_value(0)
        self._skip("return")
        value = self._read_value(0)
        if self._at < len(self._tokens):
            raise self._refuse(self._tokens[self._at])
        return value

    def _read_value(self, depth: int) -> Any:
        token = self._next()
        if token.kind == "string":
            return token.text
        if token.kind == "number":
            return self._read_number(token)
        if token.text == "-" and self._peek().kind == "number":
            return -self._read_number(self._next())
        if token.text in _CONSTANTS:
            return _CONSTANTS[token.text]
        if token.kind == "name" and token.text in self._locals:
            return self._locals[token.text]
        if token.kind == "mark" and token.text == "{":
            if depth >= MAX_DEPTH:
                raise fail(self._name, f"its tables are nested more than {MAX_DEPTH} deep")
            return self._read_table(depth + 1)
        raise self._refuse(token)

    def _read_table(self, depth: int) -> Any:
        entries: JsonObject = {}
        items: list[Any] = []
        while not self._skip("}"):
            key = self._read_key()
            value = self._read_value(depth)
            if key is None:
                items.append(value)
            else:
                entries[key] = value
            if not (self._skip(",") or self._skip(";") or self._peek().text == "}"):
                raise self._refuse(self._next())
        return entries if entries else items

    def _read_key(self) -> str | None:
        """Return the key of an entry: `name =` or `["name"] =`, or None for an entry without a key."""
        token = self._peek()
        following = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
        if token.kind == "name" and following is not None and following.text == "=":
            self._at += 2
            return token.text
        if not (token.kind == "mark" and self._skip("[")):
            return None
        key = self._next()
        if key.kind not in ("string", "number") or not (self._skip("]") and self._skip("=")):
            raise self._refuse(key)
        return key.text

    def _read_number(self, token: Token) -> int | float:
        text = token.text
        try:
            return int(text, 16) if text[:2] in ("0x", "0X") else int(text)
        except ValueError:
            return float(text)

    def _peek(self) -> Token:
        if self._at >= len(self._tokens):
            raise fail(self._name, "it ends in the middle of a table; export it again")
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def _skip(self, text: str) -> bool:
        is_next = self._at < len(self._tokens) and self._tokens[self._at].text == text
        is_next = is_next and self._tokens[self._at].kind != "string"
        self._at += is_next
        return is_next

    def _refuse(self, token: Token) -> Exception:
        line = self._text.count("\n", 0, token.start) + 1
        return fail(
            self._name,
            f"line {line}: `{token.text[:40]}` is part of a program, and Conductor runs no scripts; "
            "export the compartment from ReaLearn as JSON instead",
        )
