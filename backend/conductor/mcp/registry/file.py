"""Reads and edits `mcp.json`: the user's MCP servers, in the format that other programs use.

The file is edited as text, so that comments and unknown fields stay. Edits of the user and of Conductor do
not overwrite each other.
"""

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from conductor.base.atomic import read_regular_file, write_atomic
from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.errors import InvalidParams, NotAvailable, UnknownServer
from conductor.mcp.registry.entry import (
    OAUTH_CLIENT_FIELDS,
    InvalidServerEntry,
    ServerEntry,
    build_server_name,
    parse_server_entry,
)
from conductor.mcp.registry.json_text import JsonText, add_json_member, remove_json_member

SERVERS_FILE_NAME = "mcp.json"
MAX_SERVERS_FILE_BYTES = 2_000_000
MAX_SERVERS = 200
SERVER_TABLE_NAMES = ("mcpServers", "servers")
"""The names that the table of servers may have. VS Code calls it `servers`."""
MAX_WRITE_ATTEMPTS = 5
OWNER_ONLY_FILE_MODE = 0o600


@dataclass(frozen=True)
class ListedServer:
    """A server in `mcp.json`, with its parsed entry or the reason why the entry is invalid."""

    name: str
    key: str
    """The name of the server as it is written in the file."""
    raw: Any = field(repr=False)
    entry: ServerEntry | None = None
    problem: str | None = None


@dataclass(frozen=True)
class ServersFileContent:
    """The parsed content of `mcp.json`, or the reason why the file cannot be read."""

    servers: Mapping[str, ListedServer]
    """The servers by name, in the order of the file."""
    table: str = SERVER_TABLE_NAMES[0]
    problem: str | None = None
    """Why the file cannot be read, in which case `servers` is empty. None if it can."""


class ServersFile:
    """Reads and edits `mcp.json`. All methods are safe to call from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._write_lock = Lock()

    def read_servers(self) -> ServersFileContent:
        """Read and parse `mcp.json`. A missing or empty file contains no servers."""
        try:
            return parse_servers_file(self._read_text(), self.path.name)
        except NotAvailable as error:
            return ServersFileContent({}, problem=str(error))

    def add_server(self, name: str, raw: JsonObject) -> str:
        """Append a server to the file, and return its name.

        Raises:
            InvalidParams: The entry is invalid, or the name is taken.
            NotAvailable: The file is broken or cannot be written.
        """
        label = validate_server_entry(name, raw)

        def edit(text: str, content: ServersFileContent) -> str:
            if label in content.servers:
                raise InvalidParams(f"a server called {label} already exists; remove it first")
            if len(content.servers) >= MAX_SERVERS:
                raise InvalidParams(
                    f"the limit of {MAX_SERVERS} servers is reached; remove some first"
                )
            return add_json_member(text, (content.table, label), raw)

        self._change_text(edit)
        return label

    def update_server(self, name: str, raw: JsonObject) -> None:
        """Replace the entry of a server. A value of None in `env` or `headers` keeps its old value.

        Raises:
            InvalidParams: The entry is invalid.
            UnknownServer: There is no such server.
            NotAvailable: The file is broken or cannot be written.
        """

        def edit(text: str, content: ServersFileContent) -> str:
            present = require_listed_server(content, name)
            whole = _restore_hidden_values(raw, present.raw)
            validate_server_entry(name, whole)
            return add_json_member(text, (content.table, present.key), whole)

        self._change_text(edit)

    def remove_server(self, name: str) -> None:
        """Remove a server from the file.

        Raises:
            UnknownServer: There is no server with this name.
            NotAvailable: The file is broken or cannot be written.
        """
        self._change_text(
            lambda text, content: remove_json_member(
                text, (content.table, require_listed_server(content, name).key)
            )
        )

    def _read_text(self) -> str:
        """Return the text of the file.

        Raises:
            NotAvailable: The file cannot be read.
        """
        try:
            data = read_regular_file(self.path, MAX_SERVERS_FILE_BYTES + 1)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be read: {error.strerror}") from None
        if len(data) > MAX_SERVERS_FILE_BYTES:
            raise NotAvailable(
                f"{self.path} is larger than {MAX_SERVERS_FILE_BYTES} bytes; make it shorter"
            )
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise NotAvailable(
                f"{self.path.name}, line {line}: it is not UTF-8; save it as UTF-8"
            ) from None

    def _change_text(self, change: Callable[[str, ServersFileContent], str]) -> None:
        """Change the text of the file. If another program saves the file at the same time, try again."""
        with self._write_lock:
            for _ in range(MAX_WRITE_ATTEMPTS):
                before = self._read_text()
                content = parse_servers_file(before, self.path.name)
                if content.problem is not None:
                    raise NotAvailable(f"{content.problem}. Fix it first; the file was not changed")
                after = change(before, content)
                if self._read_text() == before:
                    self._write_text(after)
                    return
        raise NotAvailable(f"{self.path} is being written by another program; try again")

    def _write_text(self, text: str) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                if self.path.stat().st_mode & 0o077 and os.name != "nt":
                    self.path.chmod(OWNER_ONLY_FILE_MODE)  # it may contain secrets
            write_atomic(self.path, text.encode())
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be written: {error.strerror}") from None


def parse_servers_file(text: str, file_name: str = SERVERS_FILE_NAME) -> ServersFileContent:
    """Parse the text of `mcp.json`. The line of each invalid server is reported."""
    if not text.strip():
        return ServersFileContent({})
    try:
        parsed = JsonText(text)
    except (ValueError, RecursionError) as error:
        return ServersFileContent({}, problem=f"{file_name}, {error}")
    if not isinstance(parsed.value, dict):
        return ServersFileContent(
            {}, problem=f"{file_name} must be an object with `{SERVER_TABLE_NAMES[0]}`"
        )
    table = next(
        (name for name in SERVER_TABLE_NAMES if name in parsed.value), SERVER_TABLE_NAMES[0]
    )
    entries = parsed.value.get(table, {})
    if not isinstance(entries, dict):
        position = parsed.describe_position(parsed.members[table,].start)
        return ServersFileContent(
            {}, problem=f"{file_name}, {position}: `{table}` must be an object of servers"
        )
    return ServersFileContent(_parse_servers(parsed, table, entries, file_name), table)


def _parse_servers(
    parsed: JsonText, table: str, entries: JsonObject, file_name: str
) -> dict[str, ListedServer]:
    servers: dict[str, ListedServer] = {}
    for key, raw in list(entries.items())[:MAX_SERVERS]:
        entry, problem, name = None, None, key[:40]
        path: tuple[str, ...] = (table, key)
        try:
            name = build_server_name(key)
            entry = parse_server_entry(raw)
        except InvalidServerEntry as error:
            while (*path, *error.path) not in parsed.members and error.path:
                error.path = error.path[:-1]
            position = parsed.describe_position(parsed.members[*path, *error.path].start)
            problem = f"{file_name}, {position}: {error}"
        if name in servers:
            twice = f"{file_name}: `{servers[name].key}` and `{key}` are both called {name} here"
            servers[name] = ListedServer(name, key, raw, None, f"{twice}; rename one of them")
            continue
        servers[name] = ListedServer(name, key, raw, entry, problem)
    return servers


def require_listed_server(content: ServersFileContent, name: str) -> ListedServer:
    """Return a server by its name.

    Raises:
        UnknownServer: There is no such server.
    """
    listed = content.servers.get(name)
    if listed is None:
        hint = format_suggestion(name, content.servers) or "; no server has been added"
        raise UnknownServer(f"there is no MCP server called {name[:60]!r}{hint}")
    return listed


def validate_server_entry(name: str, raw: Any) -> str:
    """Check the name and the entry of a server, and return the server's label.

    Raises:
        InvalidParams: The name or the entry is invalid. The message says what is wrong.
    """
    parse_server_entry(raw)
    return build_server_name(name)


def _restore_hidden_values(raw: JsonObject, present: Any) -> JsonObject:
    """Return the entry with the values restored that the window never receives."""
    whole = dict(raw)
    for table in ("env", "headers"):
        given = raw.get(table)
        before = present.get(table) if isinstance(present, dict) else None
        if isinstance(given, dict) and isinstance(before, dict):
            whole[table] = {
                key: before.get(key) if item is None else item for key, item in given.items()
            }
    if isinstance(present, dict) and present.get("url") == raw.get("url") is not None:
        whole |= {
            key: present[key]
            for key in OAUTH_CLIENT_FIELDS
            if key in present and not raw.keys() & OAUTH_CLIENT_FIELDS
        }
    return whole
