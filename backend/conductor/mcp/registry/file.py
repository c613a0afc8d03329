"""`mcp.json`: the user's MCP servers, in the format that other programs have, changed as text.

A change by hand and one by Conductor do not overwrite each other, and what Conductor does not know stays.
"""

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from conductor.base.atomic import read_regular, write_atomic
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams, NotAvailable, UnknownServer
from conductor.mcp.registry.entry import OAUTH, BadEntry, Entry, label_of, read_entry
from conductor.mcp.registry.json_text import JsonText, add_member, remove_member

FILE = "mcp.json"
LARGEST = 2_000_000
SERVERS_AT_MOST = 200
TABLES = ("mcpServers", "servers")
"""The second is what VS Code has."""
ATTEMPTS = 5
OWNER_ONLY = 0o600


@dataclass(frozen=True)
class Listed:
    """A server of the file: what it is, or what is wrong with it."""

    name: str
    key: str
    """Its name in the file."""
    raw: Any = field(repr=False)
    entry: Entry | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Content:
    """What the file says."""

    servers: Mapping[str, Listed]
    """By name, in the order of the file."""
    table: str = TABLES[0]
    problem: str | None = None
    """Why it cannot be read; then there are no servers."""


class ServersFile:
    """Reads and changes the file; from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writing = Lock()

    def read(self) -> Content:
        """Read the file; none, and an empty one, have no servers."""
        try:
            return parse(self._text(), self.path.name)
        except NotAvailable as error:
            return Content({}, problem=str(error))

    def add(self, name: str, raw: JsonObject) -> str:
        """Put a new server at the end, and give its name.

        Raises:
            InvalidParams: it is not valid, or there is one of this name.
            NotAvailable: the file is broken, or cannot be written.
        """
        label = checked(name, raw)

        def put(text: str, content: Content) -> str:
            if label in content.servers:
                raise InvalidParams(f"there is a server called {label} already; remove it first")
            if len(content.servers) >= SERVERS_AT_MOST:
                raise InvalidParams(f"{SERVERS_AT_MOST} servers are enough; remove some first")
            return add_member(text, (content.table, label), raw)

        self._change(put)
        return label

    def update(self, name: str, raw: JsonObject) -> None:
        """Replace the entry of a server. A value of `env` or `headers` that is None stays as it is.

        Raises:
            InvalidParams: it is not valid.
            UnknownServer: there is none of this name.
            NotAvailable: the file is broken, or cannot be written.
        """

        def put(text: str, content: Content) -> str:
            present = known(content, name)
            whole = _with_kept_values(raw, present.raw)
            checked(name, whole)
            return add_member(text, (content.table, present.key), whole)

        self._change(put)

    def remove(self, name: str) -> None:
        """Remove a server.

        Raises:
            UnknownServer: there is none of this name.
            NotAvailable: the file is broken, or cannot be written.
        """
        self._change(
            lambda text, content: remove_member(text, (content.table, known(content, name).key))
        )

    def _text(self) -> str:
        """Return what is in the file.

        Raises:
            NotAvailable: it cannot be read.
        """
        try:
            data = read_regular(self.path, LARGEST + 1)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be read: {error.strerror}") from None
        if len(data) > LARGEST:
            raise NotAvailable(f"{self.path} is larger than {LARGEST} bytes; make it shorter")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise NotAvailable(
                f"{self.path.name}, line {line}: it is not UTF-8; save it as UTF-8"
            ) from None

    def _change(self, change: Callable[[str, Content], str]) -> None:
        """Change the text; if another program saves it meanwhile, retry with the saved text."""
        with self._writing:
            for _ in range(ATTEMPTS):
                before = self._text()
                content = parse(before, self.path.name)
                if content.problem is not None:
                    raise NotAvailable(f"{content.problem}. Mend it first; it is not changed")
                after = change(before, content)
                if self._text() == before:
                    self._write(after)
                    return
        raise NotAvailable(f"{self.path} is being written all the time; try again")

    def _write(self, text: str) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                if self.path.stat().st_mode & 0o077 and os.name != "nt":
                    self.path.chmod(OWNER_ONLY)  # it may hold secrets
            write_atomic(self.path, text.encode())
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be written: {error.strerror}") from None


def parse(text: str, called: str = FILE) -> Content:
    """Read a text; what is wrong with single servers is told with the line it stands in."""
    if not text.strip():
        return Content({})
    try:
        read = JsonText(text)
    except (ValueError, RecursionError) as error:
        return Content({}, problem=f"{called}, {error}")
    if not isinstance(read.value, dict):
        return Content({}, problem=f"{called} must be an object with `{TABLES[0]}`")
    table = next((name for name in TABLES if name in read.value), TABLES[0])
    found = read.value.get(table, {})
    if not isinstance(found, dict):
        place = read.place(read.members[table,].start)
        return Content({}, problem=f"{called}, {place}: `{table}` must be an object of servers")
    return Content(_servers(read, table, found, called), table)


def _servers(read: JsonText, table: str, found: JsonObject, called: str) -> dict[str, Listed]:
    servers: dict[str, Listed] = {}
    for key, raw in list(found.items())[:SERVERS_AT_MOST]:
        entry, problem, name = None, None, key[:40]
        path: tuple[str, ...] = (table, key)
        try:
            name = label_of(key)
            entry = read_entry(raw)
        except BadEntry as error:
            while (*path, *error.path) not in read.members and error.path:
                error.path = error.path[:-1]
            place = read.place(read.members[*path, *error.path].start)
            problem = f"{called}, {place}: {error}"
        if name in servers:
            twice = f"{called}: `{servers[name].key}` and `{key}` are both called {name} here"
            servers[name] = Listed(name, key, raw, None, f"{twice}; rename one of them")
            continue
        servers[name] = Listed(name, key, raw, entry, problem)
    return servers


def known(content: Content, name: str) -> Listed:
    """Return a server by its name.

    Raises:
        UnknownServer: there is none.
    """
    found = content.servers.get(name)
    if found is None:
        there = ", ".join(list(content.servers)[:8]) or "none is set up"
        raise UnknownServer(f"there is no MCP server called {name[:60]!r} (there: {there})")
    return found


def checked(name: str, raw: Any) -> str:
    """Return the label of a server that could be kept.

    Raises:
        InvalidParams: it is not valid; says what is wrong.
    """
    read_entry(raw)
    return label_of(name)


def _with_kept_values(raw: JsonObject, present: Any) -> JsonObject:
    """Return an entry with the values that the window was never shown put back."""
    whole = dict(raw)
    for table in ("env", "headers"):
        given = raw.get(table)
        before = present.get(table) if isinstance(present, dict) else None
        if isinstance(given, dict) and isinstance(before, dict):
            whole[table] = {
                key: before.get(key) if item is None else item for key, item in given.items()
            }
    if isinstance(present, dict) and present.get("url") == raw.get("url") is not None:
        whole |= {key: present[key] for key in OAUTH if key in present and not raw.keys() & OAUTH}
    return whole
