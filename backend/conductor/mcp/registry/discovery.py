"""Finds MCP servers in the settings of other programs, and translates their entries to the format of
`mcp.json`.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from conductor.base.atomic import read_regular_file
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams, NotAvailable
from conductor.mcp.registry.entry import (
    MAX_SERVER_NAME_LENGTH,
    InvalidServerEntry,
    build_server_name,
    parse_server_entry,
)
from conductor.mcp.registry.install import CONDUCTOR_ENTRY_NAME, find_client_settings_file
from conductor.mcp.registry.json_text import JsonText

MAX_SETTINGS_FILE_BYTES = 64_000_000
"""The maximum size of a settings file in bytes.

It is large, because Claude Code also stores conversations in it.
"""
TITLE_BY_CLIENT = {
    "claude-code": "Claude Code",
    "claude-desktop": "Claude Desktop",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "gemini": "Gemini CLI",
    "windsurf": "Windsurf",
    "codex": "Codex",
}
FILE_CLIENT_NAME = "file"
_INPUT_VARIABLE = re.compile(r"\$\{input:([^{}]*)\}")
_WORKSPACE_VARIABLE = re.compile(r"\$\{workspaceFolder(?:Basename)?[^{}]*\}")
_HOME_VARIABLE = re.compile(r"\$\{userHome\}")
_SERVER_TABLE_NAMES = ("mcpServers", "servers", "mcp_servers")


@dataclass(frozen=True)
class DiscoveredServer:
    """A server in the settings of another program, with its entry in the format of `mcp.json`."""

    name: str
    raw: JsonObject = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SettingsSource:
    """The settings file of another program, with the MCP servers in it."""

    client: str
    title: str
    path: Path
    servers: tuple[DiscoveredServer, ...] = ()
    problem: str | None = None


def find_settings_sources(environment: Mapping[str, str] = os.environ) -> list[SettingsSource]:
    """Return the settings files of other programs that exist. One that cannot be read has a `problem`."""
    paths = {client: find_settings_path(client, environment) for client in TITLE_BY_CLIENT}
    return [read_settings_source(client, path) for client, path in paths.items() if path.exists()]


def find_settings_path(client: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the settings file in which a program stores its MCP servers.

    Raises:
        InvalidParams: The program is unknown.
    """
    match client:
        case (
            "claude-code" | "claude-desktop" | "cursor" | "vscode" | "codex" | "gemini" | "windsurf"
        ):
            return find_client_settings_file(client, environment)
        case _:
            raise InvalidParams(
                f"{client[:40]!r} is not a known program; choose one of {', '.join(TITLE_BY_CLIENT)}"
            )


def read_settings_source(client: str, path: Path) -> SettingsSource:
    """Read the MCP servers from the settings of a program.

    With the client name `file`, any settings file can be read.
    """
    title = TITLE_BY_CLIENT.get(client, path.name)
    try:
        rows = [
            _build_discovered_server(name, raw)
            for name, raw in _iterate_server_entries(_parse_settings_file(path))
        ]
    except NotAvailable as error:
        return SettingsSource(client, title, path, problem=str(error))
    unique: dict[str, DiscoveredServer] = {}
    for one in rows:
        if one.raw != (unique[one.name].raw if one.name in unique else None):
            unique.setdefault(_choose_unused_name(one.name, unique), one)
    named = (DiscoveredServer(name, one.raw, one.notes) for name, one in unique.items())
    return SettingsSource(client, title, path, tuple(named))


def _parse_settings_file(path: Path) -> JsonObject:
    """Parse a settings file, which is TOML, or JSON with or without comments.

    Raises:
        NotAvailable: The file cannot be read or parsed. The message says where the problem is.
    """
    try:
        data = read_regular_file(path, MAX_SETTINGS_FILE_BYTES + 1)
        if len(data) > MAX_SETTINGS_FILE_BYTES:
            raise NotAvailable(f"{path} is too large")
        text = data.decode("utf-8-sig")
        value = tomllib.loads(text) if path.suffix == ".toml" else _parse_json(text)
    except FileNotFoundError:
        raise NotAvailable(f"{path} does not exist") from None
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise NotAvailable(f"{path} cannot be parsed: {error}") from None
    if not isinstance(value, dict):
        raise NotAvailable(f"{path} has no servers: it is not an object")
    return value


def _parse_json(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        # fast for large files; only files with comments need the slower parser
        return json.loads(text)
    except ValueError:
        return JsonText(text).value


def _iterate_server_entries(settings: JsonObject) -> Iterator[tuple[str, Any]]:
    """Yield the name and the entry of each server. The entries of the user come before those of projects."""
    for name in _SERVER_TABLE_NAMES:
        yield from _iterate_table_entries(settings.get(name))
    # older settings of VS Code, and settings of similar programs
    for part in ("mcp", "augment", "amp"):
        inner = settings.get(part)
        if isinstance(inner, dict):
            for name in _SERVER_TABLE_NAMES:
                yield from _iterate_table_entries(inner.get(name))
    projects = settings.get("projects")
    for folder, project in projects.items() if isinstance(projects, dict) else ():
        if isinstance(project, dict):
            for name, raw in _iterate_table_entries(project.get("mcpServers")):
                yield f"{name}\0{PurePath(folder).name}", raw


def _iterate_table_entries(item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, dict):
        # Conductor's own entry is left out, because Conductor would call itself
        yield from ((name, raw) for name, raw in item.items() if name != CONDUCTOR_ENTRY_NAME)


def _build_discovered_server(name: str, raw: Any) -> DiscoveredServer:
    name, _, project = name.partition("\0")
    notes = [f"from the project {project}"] if project else []
    whole = dict(raw) if isinstance(raw, dict) else {}
    whole, more = _translate_server_entry(whole)
    try:
        label = build_server_name(name)
        notes += [*more, *parse_server_entry(raw if not isinstance(raw, dict) else whole).notes]
    except InvalidServerEntry as error:
        label = (
            re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:MAX_SERVER_NAME_LENGTH] or "unnamed"
        )
        notes.append(f"cannot be imported: {error}")
    return DiscoveredServer(label, whole, tuple(notes))


def _translate_server_entry(raw: JsonObject) -> tuple[JsonObject, list[str]]:
    """Translate the entry of another program to the format of `mcp.json`, and return it with notes for the
    user.

    The inputs and variables of VS Code and the field names of Codex are handled.
    """
    notes: list[str] = []
    text = json.dumps(raw)
    asked = list(dict.fromkeys(_INPUT_VARIABLE.findall(text)))
    notes += [f"`{one}`, which VS Code asks for, must be filled in" for one in asked]
    if _WORKSPACE_VARIABLE.search(text):
        notes.append("`${workspaceFolder}` is not supported: write the path of the folder instead")
    home = json.dumps(str(Path.home()))[1:-1]
    raw = json.loads(_HOME_VARIABLE.sub(lambda _: home, text))
    headers = {**_as_dict(raw.get("headers")), **_as_dict(raw.get("http_headers"))}
    if isinstance(raw.get("bearer_token_env_var"), str):
        headers["Authorization"] = f"Bearer ${{{raw['bearer_token_env_var']}}}"
    headers |= {name: f"${{{one}}}" for name, one in _as_dict(raw.get("env_http_headers")).items()}
    if headers:
        names = ("http_headers", "bearer_token_env_var", "env_http_headers")
        raw = {**{key: raw[key] for key in raw if key not in names}, "headers": headers}
    return raw, notes


def _as_dict(item: Any) -> JsonObject:
    return item if isinstance(item, dict) else {}


def _choose_unused_name(name: str, taken: Mapping[str, DiscoveredServer]) -> str:
    """Return the name. If another server in the file already has it, a number is appended."""
    if name not in taken:
        return name
    return next(one for number in range(2, 1000) if (one := f"{name}-{number}") not in taken)
