"""The settings of other programs that have MCP servers: where they are, and their entries in our format."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from conductor.base.atomic import read_regular
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams, NotAvailable
from conductor.mcp.registry.entry import LABEL_AT_MOST, BadEntry, label_of, read_entry
from conductor.mcp.registry.install import ENTRY, settings_file
from conductor.mcp.registry.json_text import JsonText

LARGEST = 64_000_000
"""Claude Code keeps conversations in the same file."""
TITLES = {
    "claude-code": "Claude Code",
    "claude-desktop": "Claude Desktop",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "gemini": "Gemini CLI",
    "windsurf": "Windsurf",
    "codex": "Codex",
}
FROM_FILE = "file"
_INPUT = re.compile(r"\$\{input:([^{}]*)\}")
_WORKSPACE = re.compile(r"\$\{workspaceFolder(?:Basename)?[^{}]*\}")
_HOME = re.compile(r"\$\{userHome\}")
_TABLES = ("mcpServers", "servers", "mcp_servers")


@dataclass(frozen=True)
class Found:
    """A server of another program, as it would be written into `mcp.json`."""

    name: str
    raw: JsonObject = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """The settings of another program."""

    client: str
    title: str
    path: Path
    servers: tuple[Found, ...] = ()
    problem: str | None = None


def sources(environment: Mapping[str, str] = os.environ) -> list[Source]:
    """Return the settings that are there; what cannot be read says why."""
    paths = {client: place(client, environment) for client in TITLES}
    return [source(client, path) for client, path in paths.items() if path.exists()]


def place(client: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return where a program keeps its servers.

    Raises:
        InvalidParams: the program is not known.
    """
    match client:
        case (
            "claude-code" | "claude-desktop" | "cursor" | "vscode" | "codex" | "gemini" | "windsurf"
        ):
            return settings_file(client, environment)
        case _:
            raise InvalidParams(f"{client[:40]!r} is not known; known are {', '.join(TITLES)}")


def source(client: str, path: Path) -> Source:
    """Read the settings of a program, or any file with servers in it (`file`)."""
    title = TITLES.get(client, path.name)
    try:
        rows = [_found(name, raw) for name, raw in _rows(_read(path))]
    except NotAvailable as error:
        return Source(client, title, path, problem=str(error))
    unique: dict[str, Found] = {}
    for one in rows:
        if one.raw != (unique[one.name].raw if one.name in unique else None):
            unique.setdefault(_free(one.name, unique), one)
    named = (Found(name, one.raw, one.notes) for name, one in unique.items())
    return Source(client, title, path, tuple(named))


def _read(path: Path) -> JsonObject:
    """Read JSON, with comments where editors allow them, or TOML.

    Raises:
        NotAvailable: it cannot be read or understood; says where.
    """
    try:
        data = read_regular(path, LARGEST + 1)
        if len(data) > LARGEST:
            raise NotAvailable(f"{path} is too large")
        text = data.decode("utf-8-sig")
        value = _toml(text) if path.suffix == ".toml" else _json(text)
    except FileNotFoundError:
        raise NotAvailable(f"{path} is not there") from None
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise NotAvailable(f"{path} cannot be understood: {error}") from None
    if not isinstance(value, dict):
        raise NotAvailable(f"{path} holds no servers: it is not an object")
    return value


def _json(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        return json.loads(text)  # large ones are read fast, and only odd ones slowly
    except ValueError:
        return JsonText(text).value


def _toml(text: str) -> JsonObject:
    return tomllib.loads(text)


def _rows(settings: JsonObject) -> Iterator[tuple[str, Any]]:
    """Return every entry: the user's own first, then those of projects and of a part of the settings."""
    for name in _TABLES:
        yield from _table(settings.get(name))
    for part in ("mcp", "augment", "amp"):  # VS Code's older place, and its kin
        inner = settings.get(part)
        if isinstance(inner, dict):
            for name in _TABLES:
                yield from _table(inner.get(name))
    projects = settings.get("projects")
    for folder, project in projects.items() if isinstance(projects, dict) else ():
        if isinstance(project, dict):
            for name, raw in _table(project.get("mcpServers")):
                yield f"{name}\0{PurePath(folder).name}", raw


def _table(item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, dict):
        # an entry of Conductor itself would have it call itself
        yield from ((name, raw) for name, raw in item.items() if name != ENTRY)


def _found(name: str, raw: Any) -> Found:
    name, _, project = name.partition("\0")
    notes = [f"of the project {project}"] if project else []
    whole = dict(raw) if isinstance(raw, dict) else {}
    whole, more = _translated(whole)
    try:
        label = label_of(name)
        notes += [*more, *read_entry(raw if not isinstance(raw, dict) else whole).notes]
    except BadEntry as error:
        label = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:LABEL_AT_MOST] or "unnamed"
        notes.append(f"cannot be taken over: {error}")
    return Found(label, whole, tuple(notes))


def _translated(raw: JsonObject) -> tuple[JsonObject, list[str]]:
    """Return an entry in our words: VS Code's questions and places, Codex's names."""
    notes: list[str] = []
    text = json.dumps(raw)
    asked = list(dict.fromkeys(_INPUT.findall(text)))
    notes += [f"`{one}`, which VS Code asks for, has to be filled in" for one in asked]
    if _WORKSPACE.search(text):
        notes.append("`${workspaceFolder}` means nothing here: write the folder instead")
    home = json.dumps(str(Path.home()))[1:-1]
    raw = json.loads(_HOME.sub(lambda _: home, text))
    headers = {**_dict(raw.get("headers")), **_dict(raw.get("http_headers"))}
    if isinstance(raw.get("bearer_token_env_var"), str):
        headers["Authorization"] = f"Bearer ${{{raw['bearer_token_env_var']}}}"
    headers |= {name: f"${{{one}}}" for name, one in _dict(raw.get("env_http_headers")).items()}
    if headers:
        names = ("http_headers", "bearer_token_env_var", "env_http_headers")
        raw = {**{key: raw[key] for key in raw if key not in names}, "headers": headers}
    return raw, notes


def _dict(item: Any) -> JsonObject:
    return item if isinstance(item, dict) else {}


def _free(name: str, taken: Mapping[str, Found]) -> str:
    """Return a name that is not taken: two projects may call different servers the same."""
    if name not in taken:
        return name
    return next(one for number in range(2, 1000) if (one := f"{name}-{number}") not in taken)
