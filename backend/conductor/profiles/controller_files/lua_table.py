"""Reads a Lua file that consists of a plain table, without running it."""

from typing import Any

from conductor.base.json_types import JsonObject
from conductor.profiles.controller_files.controls import build_import_error
from conductor.profiles.controller_files.script_tokens import ScriptToken, tokenize_lua

MAX_TABLE_DEPTH = 32
_LUA_CONSTANTS = {"true": True, "false": False, "nil": None}


def read_lua_table(text: str, name: str) -> Any:
    """Return the table of constants that a Lua file returns, as a list or dict.

    A table becomes a list if none of its entries has a key, otherwise a dictionary. Local names for
    constants and tables are allowed before the returned value.

    Raises:
        InvalidParams: the file is a program, for example because it calls a function.
    """
    return _LuaTableReader(tokenize_lua(text), text, name).read_returned_value()


class _LuaTableReader:
    def __init__(self, tokens: list[ScriptToken], text: str, name: str) -> None:
        self._tokens, self._text, self._name = tokens, text, name
        self._at = 0
        self._locals: JsonObject = {}

    def read_returned_value(self) -> Any:
        while self._skip_token("local"):
            target = self._take_token()
            if target.kind != "name" or not self._skip_token("="):
                raise self._build_error(target)
            self._locals[target.text] = self._read_value(0)
        self._skip_token("return")
        value = self._read_value(0)
        if self._at < len(self._tokens):
            raise self._build_error(self._tokens[self._at])
        return value

    def _read_value(self, depth: int) -> Any:
        token = self._take_token()
        if token.kind == "string":
            return token.text
        if token.kind == "number":
            return self._read_number(token)
        if token.text == "-" and self._peek_token().kind == "number":
            return -self._read_number(self._take_token())
        if token.text in _LUA_CONSTANTS:
            return _LUA_CONSTANTS[token.text]
        if token.kind == "name" and token.text in self._locals:
            return self._locals[token.text]
        if token.kind == "mark" and token.text == "{":
            if depth >= MAX_TABLE_DEPTH:
                raise build_import_error(
                    self._name, f"its tables are nested more than {MAX_TABLE_DEPTH} deep"
                )
            return self._read_table(depth + 1)
        raise self._build_error(token)

    def _read_table(self, depth: int) -> Any:
        entries: JsonObject = {}
        items: list[Any] = []
        while not self._skip_token("}"):
            key = self._read_key()
            value = self._read_value(depth)
            if key is None:
                items.append(value)
            else:
                entries[key] = value
            if not (
                self._skip_token(",") or self._skip_token(";") or self._peek_token().text == "}"
            ):
                raise self._build_error(self._take_token())
        return entries if entries else items

    def _read_key(self) -> str | None:
        """Return the key of a table entry, written `name =` or `["name"] =`, or None
        if the entry has no key.
        """
        token = self._peek_token()
        following = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
        if token.kind == "name" and following is not None and following.text == "=":
            self._at += 2
            return token.text
        if not (token.kind == "mark" and self._skip_token("[")):
            return None
        key = self._take_token()
        if key.kind not in ("string", "number") or not (
            self._skip_token("]") and self._skip_token("=")
        ):
            raise self._build_error(key)
        return key.text

    def _read_number(self, token: ScriptToken) -> int | float:
        text = token.text
        try:
            return int(text, 16) if text[:2] in ("0x", "0X") else int(text)
        except ValueError:
            return float(text)

    def _peek_token(self) -> ScriptToken:
        if self._at >= len(self._tokens):
            raise build_import_error(
                self._name, "it ends in the middle of a table; export it again"
            )
        return self._tokens[self._at]

    def _take_token(self) -> ScriptToken:
        token = self._peek_token()
        self._at += 1
        return token

    def _skip_token(self, text: str) -> bool:
        is_next = self._at < len(self._tokens) and self._tokens[self._at].text == text
        is_next = is_next and self._tokens[self._at].kind != "string"
        self._at += is_next
        return is_next

    def _build_error(self, token: ScriptToken) -> Exception:
        line = self._text.count("\n", 0, token.start) + 1
        return build_import_error(
            self._name,
            f"line {line}: `{token.text[:40]}` is part of a program, and Conductor runs no scripts; "
            "export the compartment from ReaLearn as JSON instead",
        )
